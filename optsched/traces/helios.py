"""The Helios logs of SenseTime (Hu et al., SC 2021), and their like in the Lucid simulator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from optsched.core.errors import TraceError
from optsched.traces.cluster_shape import ClusterShape
from optsched.traces.csv_format import CsvFormat
from optsched.traces.fields import RowFault, parse_number
from optsched.traces.rows import Table, open_trace

__all__ = ["HELIOS", "HeliosFormat"]

GPUS_PER_NODE = 8


@dataclass(frozen=True, kw_only=True)
class HeliosFormat(CsvFormat):
    """``cluster_log.csv``; an option names the file with the sizes of the virtual clusters."""

    @property
    def options(self) -> Mapping[str, str]:
        """Filters, and where the size of the cluster is told."""
        return {
            **super().options,
            "sizes": "file cluster_gpu_number.csv: the cluster, or the virtual cluster asked for, "
            "on the day it was largest, in servers of 8 GPUs",
        }

    def stated_cluster(self, options: Mapping[str, str]) -> ClusterShape | None:
        """Return the size on the largest day of the file that the option ``sizes`` names.

        Raises
        ------
        TraceError
            If the file has no such column, or no day with a GPU.
        """
        if (path := options.get("sizes")) is None:
            return None
        column = options.get("virtual_cluster", "total")
        largest = 0.0
        with open_trace(path, kind="a table of sizes", content="a table of sizes") as text:
            table = Table.of(text)
            table.check_names()
            if column not in table.columns:
                known = f"{', '.join(table.columns)[:200]!r}"
                remedy = "check the option virtual_cluster"
                raise text.error(text.first_line_number, f"a column {column!r}", known, remedy)
            place = table.columns.index(column)
            for line, fields in table.rows(lambda *_: None):
                try:
                    largest = max(largest, parse_number(fields[place], "number of GPUs"))
                except RowFault as fault:
                    remedy = "a day without GPUs has 0"
                    raise text.error(line, f"GPUs of {column}", fault.reason, remedy) from None
        if largest < 1:
            raise TraceError(f"{path}: expected a day with GPUs of {column}, got none")
        return ClusterShape(-(-int(largest) // GPUS_PER_NODE), GPUS_PER_NODE)


#: Durations are end - start, so the wait is not in them. Half of the rows ask for no GPU.
#: The default cluster is Venus, 133 nodes with 8 GPUs; the others are larger: see ``sizes``.
HELIOS = HeliosFormat(
    name="helios",
    description="Helios cluster_log.csv, also as Lucid has it: gpu_num, submit_time, duration",
    default_cluster=ClusterShape(133, GPUS_PER_NODE),
    submit="submit_time",
    gpus="gpu_num",
    duration="duration",
    start="start_time",
    end="end_time",
    job_id="job_id",
    times_are_dates=True,
    model="model",
    counted=("vc", "state"),
    filters={"virtual_cluster": "vc", "state": "state"},
    zero_gpus="CPU job, it asks for no GPU",
    notes=(
        "a timestamp without a zone is read as UTC",
        "job ids are those of one cluster: Earth, Saturn, Uranus and Venus have the same numbers",
    ),
)
