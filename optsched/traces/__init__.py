"""Traces of real clusters as instances, one loader a format, with a report of what was dropped."""

from collections.abc import Mapping
from types import MappingProxyType

from optsched.traces.cluster_shape import ClusterShape
from optsched.traces.csv_format import CsvFormat
from optsched.traces.gavel import GAVEL
from optsched.traces.helios import HELIOS
from optsched.traces.latency import LATENCY_COLUMNS, LATENCY_UNITS, read_latencies
from optsched.traces.layer_table import profile_from_layer_csv
from optsched.traces.load import TraceLoad, load_trace
from optsched.traces.network import (
    NetworkedTrace,
    oversubscribed,
    parse_profile_mix,
    with_network,
)
from optsched.traces.openb import OPENB
from optsched.traces.pai import PAI
from optsched.traces.philly import PHILLY
from optsched.traces.philly_log import PHILLY_LOG
from optsched.traces.plain import PLAIN
from optsched.traces.pollux import POLLUX
from optsched.traces.report import DroppedRows, TraceReport
from optsched.traces.selection import Selection
from optsched.traces.sensetime import SENSETIME
from optsched.traces.swf import SWF
from optsched.traces.tiered import TieredTrace, with_tiers
from optsched.traces.tiresias import TIRESIAS
from optsched.traces.trace_format import TraceFormat

__all__ = [
    "LATENCY_COLUMNS",
    "LATENCY_UNITS",
    "LOADERS",
    "ClusterShape",
    "CsvFormat",
    "DroppedRows",
    "NetworkedTrace",
    "Selection",
    "TieredTrace",
    "TraceFormat",
    "TraceLoad",
    "TraceReport",
    "load_trace",
    "oversubscribed",
    "parse_profile_mix",
    "profile_from_layer_csv",
    "read_latencies",
    "with_network",
    "with_tiers",
]

#: Format name to its loader; a new format is a line here and a file beside the others.
LOADERS: Mapping[str, TraceFormat] = MappingProxyType(
    {
        loader.name: loader
        for loader in (
            TIRESIAS,
            PHILLY,
            PHILLY_LOG,
            HELIOS,
            OPENB,
            PAI,
            GAVEL,
            POLLUX,
            SENSETIME,
            SWF,
            PLAIN,
        )
    }
)
