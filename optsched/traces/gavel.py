"""The traces of Gavel (Narayanan et al., OSDI 2020) and of Shockwave (Zheng et al., NSDI 2023)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from optsched.traces.cluster_shape import ClusterShape
from optsched.traces.collect import JobCollector
from optsched.traces.fields import (
    RowFault,
    parse_duration_s,
    parse_gpus,
    parse_number,
    parse_seconds,
    text_fault,
)
from optsched.traces.rows import TraceText
from optsched.traces.throughputs import Throughputs
from optsched.traces.trace_format import BaseFormat

__all__ = ["GAVEL", "GavelFormat"]


class Layout(NamedTuple):
    """Where a line has what, by the number of its fields."""

    steps: int
    gpus: int
    arrival: int
    duration: int | None = None


#: Two fields change places between the layouts, so only the number of fields tells them apart.
LAYOUTS: Mapping[int, Layout] = {
    7: Layout(steps=4, gpus=6, arrival=5),
    10: Layout(steps=5, gpus=6, arrival=9),
    12: Layout(steps=5, gpus=6, arrival=11, duration=10),
}


@dataclass(frozen=True, kw_only=True)
class GavelFormat(BaseFormat):
    """Tabs, no header; a job has a type, steps and GPUs, and the time comes from throughputs."""

    @property
    def options(self) -> Mapping[str, str]:
        """Where durations come from."""
        return {
            "throughputs": "JSON file with steps a second; default: simulation_throughputs.json, "
            "plain or gzip, beside the trace",
            "worker": "kind of GPU in that file, such as v100 (the default), p100 or k80",
        }

    def recognise(self, first_line: str) -> int:
        """Return the number of fields if the line is one of this format."""
        fields = _fields(first_line)
        layout = LAYOUTS.get(len(fields))
        if layout is None:
            return 0
        places = (layout.steps, layout.gpus, layout.arrival)
        # One of the three may be wrong: that is for the report to say.
        return len(fields) * (sum(_is_number(fields[place]) for place in places) >= 2)

    def expectation(self, first_line: str) -> tuple[int, str, str]:
        """Return how near the line is to this format, what it should be, and what to change."""
        found = first_line.count("\t") + 1
        return 0, "7, 10 or 12 fields between tabs, no header", f"the line has {found}"

    def read(self, text: TraceText, jobs: JobCollector, options: Mapping[str, str]) -> None:
        """Hand every line to ``jobs``, called by its number, counted from 0."""
        throughputs = None
        if len(_fields(text.first_line)) != 12 or options:
            throughputs = Throughputs.beside(
                text.path, path=options.get("throughputs"), worker=options.get("worker", "v100")
            )
            jobs.say(f"steps a second of {throughputs.worker} from {throughputs.path.name}")
        self._read_line(text.first_line_number, text.first_line, jobs, throughputs)
        for number, line in text.rest():
            self._read_line(number, line, jobs, throughputs)

    def _read_line(
        self, number: int, line: str, jobs: JobCollector, throughputs: Throughputs | None
    ) -> None:
        fields = _fields(line)
        try:
            if fault := text_fault(line):
                raise RowFault(f"the row is {fault}", "")
            if (layout := LAYOUTS.get(len(fields))) is None:
                raise RowFault("the row has not 7, 10 or 12 fields between tabs", line)
            submit_s = parse_seconds(fields[layout.arrival])
            gpus = parse_gpus(fields[layout.gpus])
            if layout.duration is not None and throughputs is None:
                duration_s = parse_duration_s(fields[layout.duration])
            else:
                duration_s = _duration_s(fields[0], gpus, fields[layout.steps], throughputs)
        except RowFault as problem:
            jobs.drop(number, problem.reason, problem.got)
            return
        jobs.add(
            number,
            str(jobs.rows_read),
            submit_s=submit_s,
            gpus=gpus,
            duration_s=duration_s,
            counted={"model": fields[0]},
        )


def _fields(line: str) -> list[str]:
    return [field.strip() for field in line.split("\t")]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _duration_s(
    job_type: str, gpus: int, steps_text: str, throughputs: Throughputs | None
) -> float:
    """Return steps over steps a second; the latter is of the whole gang."""
    steps = parse_number(steps_text, "number of steps")
    if steps <= 0:
        raise RowFault("number of steps is not above 0", steps_text)
    rate = None if throughputs is None else throughputs.steps_per_s.get((job_type, gpus))
    if rate is None:
        raise RowFault("job type has no throughput on so many GPUs", f"{job_type}, {gpus} GPUs")
    if rate == 0:
        raise RowFault("job type does not fit this kind of GPU", f"{job_type}, {gpus} GPUs")
    return parse_duration_s(repr(steps / rate))


#: The command, the working directory, the priority weight and the service objective are not used.
#: The default cluster has the 8 GPUs for which Gavel's bound on the makespan is quoted.
GAVEL = GavelFormat(
    name="gavel",
    description="Gavel and Shockwave traces: 7, 10 or 12 fields between tabs, no header",
    default_cluster=ClusterShape(2, 4),
)
