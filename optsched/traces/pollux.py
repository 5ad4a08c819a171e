"""Workloads of Pollux (Qiao et al., OSDI 2021) and Sia (Jayaram Subramanya et al., SOSP 2023)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from optsched.core.errors import TraceError
from optsched.traces.cluster_shape import ClusterShape
from optsched.traces.collect import JobCollector
from optsched.traces.csv_format import CsvFormat
from optsched.traces.fields import RowFault, parse_duration_s, parse_number
from optsched.traces.rows import TraceText
from optsched.traces.step_profiles import StepProfiles

__all__ = ["POLLUX", "PolluxFormat"]


@dataclass(frozen=True, kw_only=True)
class PolluxFormat(CsvFormat):
    """A table without durations: they come from a folder of profiles."""

    @property
    def options(self) -> Mapping[str, str]:
        """Where durations come from."""
        return {"profiles": "folder of the profiles; default: profiles beside the workload"}

    def run_time(
        self, text: TraceText, jobs: JobCollector, options: Mapping[str, str]
    ) -> Callable[[int, Mapping[str, str]], float]:
        """Return what gives the run time of a row in seconds, from its GPUs and fields."""
        folder = Path(options.get("profiles", text.path.parent / "profiles"))
        if not folder.is_dir():
            raise TraceError(
                f"{text.path}: expected a folder of profiles, which durations come from, got no "
                f"{folder}; name one: --option profiles=FOLDER"
            )
        profiles = StepProfiles(folder)
        jobs.say("each job keeps its GPUs and its batch size; run times are from the profiles")

        def seconds(gpus: int, row: Mapping[str, str]) -> float:
            batch = parse_number(row["batch_size"], "batch size")
            if batch <= 0 or batch != int(batch):
                raise RowFault("batch size is not a whole number above 0", row["batch_size"])
            seconds = profiles.duration_s(row["application"], gpus, int(batch))
            return parse_duration_s(repr(seconds))

        return seconds


#: In Pollux jobs change their GPUs and batch; here they keep what the workload asks for.
#: The default cluster is that of the paper, 16 nodes with 4 GPUs.
POLLUX = PolluxFormat(
    name="pollux",
    description="Pollux and Sia workloads: time, application, num_replicas, batch_size",
    default_cluster=ClusterShape(16, 4),
    submit="time",
    gpus="num_replicas",
    duration=None,
    needed=("application", "batch_size"),
    job_id="name",
    model="application",
)
