"""Alibaba's openb pods and nodes (cluster-trace-gpu-v2023, Weng et al., ATC 2023)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from optsched.core.cluster import Cluster, Server
from optsched.core.errors import TraceError
from optsched.traces.cluster_shape import ClusterShape
from optsched.traces.csv_format import CsvFormat
from optsched.traces.fields import RowFault, parse_number
from optsched.traces.rows import Table, open_trace

__all__ = ["OPENB", "OpenbFormat"]

NODE_COLUMNS = ("sn", "gpu")


def check_whole_gpu(milli: str) -> None:
    """Check that a pod takes whole GPUs.

    Examples
    --------
    >>> check_whole_gpu("1000")
    """
    if parse_number(milli, "gpu_milli") != 1000:
        raise RowFault("asks for a part of a GPU (gpu_milli is not 1000)", milli)


@dataclass(frozen=True, kw_only=True)
class OpenbFormat(CsvFormat):
    """The table of pods; an option names the table of nodes."""

    @property
    def options(self) -> Mapping[str, str]:
        """Filters, and where the nodes are told."""
        return {
            **super().options,
            "nodes": "file with the nodes: sn, gpu; those with GPUs are used",
        }

    def stated_cluster(self, options: Mapping[str, str]) -> Cluster | None:
        """Return the nodes with GPUs of the file that the option ``nodes`` names.

        Raises
        ------
        TraceError
            If the file is no table of nodes, or none of them has a GPU.
        """
        if (path := options.get("nodes")) is None:
            return None
        servers: dict[str, Server] = {}
        with open_trace(path, kind="a table of nodes", content="a table of nodes") as text:
            table = Table.of(text)
            table.check_names()
            if missing := [name for name in NODE_COLUMNS if name not in table.columns]:
                got = f"{', '.join(table.columns)[:200]!r}"
                expected = f"the columns {', '.join(NODE_COLUMNS)} of a table of nodes"
                remedy = f"{missing[0]!r} is missing"
                raise text.error(text.first_line_number, expected, got, remedy)
            name, gpu = (table.columns.index(column) for column in NODE_COLUMNS)
            for line, fields in table.rows(lambda *_: None):
                try:
                    gpus = parse_number(fields[gpu], "number of GPUs")
                except RowFault as fault:
                    expected = "the GPUs of a node"
                    raise text.error(line, expected, fault.reason, "correct the row") from None
                if not fields[name] or fields[name] in servers or gpus != int(gpus) or gpus < 0:
                    expected = "a node of its own with whole GPUs"
                    got = f"{fields[name]!r} with {fields[gpu]}"
                    raise text.error(line, expected, got, "correct the row")
                if gpus > 0:
                    servers[fields[name]] = Server(fields[name], int(gpus))
        if not servers:
            raise TraceError(f"{path}: expected nodes with GPUs, got none; is it the right file?")
        return Cluster(list(servers.values()))


#: Pods are no gangs: nothing tells which belong to one job, so each is a job. A pod runs from when
#: it was scheduled until it was deleted, and the record ends for all that still run then.
#: The default cluster has about the GPUs of the original, 6,212 on 1,213 nodes.
OPENB = OpenbFormat(
    name="openb",
    description="Alibaba openb pods with whole GPUs: num_gpu, creation_time, scheduled_time, …",
    default_cluster=ClusterShape(777, 8),
    submit="creation_time",
    gpus="num_gpu",
    duration=None,
    start="scheduled_time",
    end="deletion_time",
    job_id="name",
    counted=("qos", "pod_phase", "gpu_spec"),
    filters={"phase": "pod_phase"},
    zero_gpus="CPU pod, it asks for no GPU",
    checks=(("gpu_milli", check_whole_gpu),),
    notes=(
        "each pod is a job; which GPU types it may use (gpu_spec) is not used",
        "deletion is the end of the record for pods that still run: their time is a lower limit",
    ),
)
