"""The Standard Workload Format of the Parallel Workloads Archive (Chapin et al., JSSPP 1999)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from optsched.core.errors import TraceError
from optsched.traces.cluster_shape import ClusterShape
from optsched.traces.collect import JobCollector
from optsched.traces.fields import (
    RowFault,
    parse_duration_s,
    parse_number,
    parse_seconds,
    text_fault,
)
from optsched.traces.rows import TraceText
from optsched.traces.trace_format import BaseFormat

__all__ = ["SWF", "SwfFormat"]

FIELDS = 18
JOB, SUBMIT, RUN, ALLOCATED, REQUESTED, STATUS = 0, 1, 3, 4, 7, 10
#: A job that was stopped and went on has a line for the whole and one for each part.
PARTS = frozenset({"2", "3", "4"})


@dataclass(frozen=True, kw_only=True)
class SwfFormat(BaseFormat):
    """Lines of 18 numbers between blanks; lines that begin with a semicolon are comments."""

    @property
    def options(self) -> Mapping[str, str]:
        """How many processors stand for a GPU."""
        return {"processors_per_gpu": "whole number; demands are rounded up; default 1"}

    def recognise(self, first_line: str) -> int:
        """Return the number of signs: a comment has one, a line of numbers all."""
        if first_line.lstrip().startswith(";"):
            return 1
        fields = first_line.split()
        return FIELDS * (len(fields) == FIELDS and all(map(_is_number, fields)))

    def expectation(self, first_line: str) -> tuple[int, str, str]:
        """Return how near the line is to this format, what it should be, and what to change."""
        fields = first_line.split()
        nearness = sum(map(_is_number, fields)) if len(fields) > 8 else 0
        return nearness, f"{FIELDS} numbers between blanks", f"the line has {len(fields)} fields"

    def read(self, text: TraceText, jobs: JobCollector, options: Mapping[str, str]) -> None:
        """Hand every line that is no comment to ``jobs``."""
        divisor = _divisor(options)
        self._read_line(text.first_line_number, text.first_line, jobs, divisor)
        for number, line in text.rest():
            self._read_line(number, line, jobs, divisor)

    def _read_line(self, number: int, line: str, jobs: JobCollector, divisor: int) -> None:
        fault = text_fault(line)
        if line.lstrip().startswith(";"):
            if not fault and "MaxProcs:" in line:
                jobs.note(f"the header says {line.lstrip('; ').strip()[:60]}", number)
            return
        fields = line.split()
        try:
            if fault:
                raise RowFault(f"the row is {fault}", "")
            if len(fields) != FIELDS:
                raise RowFault(f"the row has not {FIELDS} fields", line)
            if fields[STATUS] in PARTS:
                raise RowFault("a part of a job that has a line for the whole", fields[STATUS])
            submit_s = parse_seconds(fields[SUBMIT])
            duration_s = parse_duration_s(fields[RUN])
            processors = _processors(fields)
        except RowFault as problem:
            jobs.drop(number, problem.reason, problem.got)
            return
        jobs.add(
            number,
            fields[JOB],
            submit_s=submit_s,
            gpus=-(-processors // divisor),
            duration_s=duration_s,
            counted={"status": fields[STATUS]},
        )


def _processors(fields: list[str]) -> int:
    """Return what was asked for; if that is unknown, what was given."""
    for place in (REQUESTED, ALLOCATED):
        number = parse_number(fields[place], "number of processors")
        if number > 0:
            if number != int(number):
                raise RowFault("number of processors is not a whole number", fields[place])
            return int(number)
    raise RowFault("number of processors is not above 0", fields[REQUESTED])


def _divisor(options: Mapping[str, str]) -> int:
    text = options.get("processors_per_gpu", "1")
    if not (text.isascii() and text.isdigit() and int(text[:10]) > 0 and len(text) < 10):
        raise TraceError(f"processors_per_gpu: expected a whole number of at least 1, got {text!r}")
    return int(text)


def _is_number(text: str) -> bool:
    try:
        parse_number(text, "field")
    except RowFault:
        return False
    return True


#: The archive's machines have processors; the default cluster is 16 servers with 8 of them.
SWF = SwfFormat(
    name="swf",
    description="Standard Workload Format, 18 columns between blanks; processors stand for GPUs",
    default_cluster=ClusterShape(16, 8),
    notes=("processors are read as GPUs, see the option processors_per_gpu",),
)
