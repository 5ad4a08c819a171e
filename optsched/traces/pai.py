"""Alibaba's PAI tasks (cluster-trace-gpu-v2020, Weng et al., NSDI 2022)."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from optsched.core.errors import UnknownNameError
from optsched.traces.cluster_shape import ClusterShape
from optsched.traces.collect import JobCollector
from optsched.traces.fields import (
    RowFault,
    is_missing,
    parse_number,
    parse_seconds,
    run_time_s,
    text_fault,
)
from optsched.traces.rows import TraceText, open_trace, split_line
from optsched.traces.trace_format import BaseFormat

__all__ = ["PAI", "PaiFormat"]

TASK_FIELDS, JOB_FIELDS = 10, 6
STATUS = frozenset({"Terminated", "Failed", "Running", "Waiting", "Interrupted"})
#: What to do with jobs that ask for a part of a GPU.
FRACTIONS = ("skip", "round-up")


@dataclass(slots=True)
class Tasks:
    """What is known of a job from its tasks so far; ``line`` is that of the first of them."""

    line: int
    gpus: int = 0
    start_s: float = float("inf")
    end_s: float = float("-inf")
    fault: RowFault | None = None
    states: set[str] = field(default_factory=set)
    gpu_type: str = ""


@dataclass(frozen=True, kw_only=True)
class PaiFormat(BaseFormat):
    """``pai_task_table``: commas, no header, one or more rows for each job."""

    @property
    def options(self) -> Mapping[str, str]:
        """Where submissions are told, and what becomes of parts of GPUs."""
        return {
            "jobs": "file pai_job_table with submissions; default: a job is submitted when its "
            "first task starts",
            "fractions": "jobs with parts of GPUs: skip (the default), or round-up, instance by "
            "instance",
        }

    def recognise(self, first_line: str) -> int:
        """Return the number of fields if the line is a task."""
        try:
            fields = split_line(first_line)
        except csv.Error:
            return 0
        return TASK_FIELDS * (len(fields) == TASK_FIELDS and fields[3] in STATUS)

    def expectation(self, first_line: str) -> tuple[int, str, str]:
        """Return what a line of this format is."""
        fields = f"{TASK_FIELDS} fields of a task, the fourth a status, no header"
        return 0, fields, "leave the header out"

    def read(self, text: TraceText, jobs: JobCollector, options: Mapping[str, str]) -> None:
        """Hand every job to ``jobs``, with all of its tasks put together."""
        rule = options.get("fractions", "skip")
        if rule not in FRACTIONS:
            raise UnknownNameError("rule for parts of GPUs", rule, FRACTIONS)
        submitted = _submissions(options["jobs"]) if "jobs" in options else None
        if submitted is None:
            jobs.say("a job is submitted when its first task starts: what it waited is not known")
        found: dict[str, Tasks] = {}
        for line, content in _lines(text):
            try:
                name, *fields = _fields(content, TASK_FIELDS)
            except RowFault as fault:
                jobs.drop(line, fault.reason, fault.got)
                continue
            tasks = found.setdefault(name, Tasks(line))
            try:
                _put(tasks, fields, rule)
            except RowFault as fault:
                tasks.fault = tasks.fault or fault
        for name, tasks in found.items():
            try:
                _add(name, tasks, submitted, jobs)
            except RowFault as fault:
                jobs.drop(tasks.line, fault.reason, fault.got)


def _lines(text: TraceText) -> Iterator[tuple[int, str]]:
    yield text.first_line_number, text.first_line
    yield from text.rest()


def _fields(line: str, number: int) -> list[str]:
    if fault := text_fault(line):
        raise RowFault(f"the row is {fault}", "")
    try:
        fields = split_line(line)
    except csv.Error:
        raise RowFault("the row's quotes do not match", line) from None
    if len(fields) != number:
        raise RowFault(f"the row has not {number} fields", line)
    if not fields[0]:
        raise RowFault("job id is missing", "")
    return fields


def _put(tasks: Tasks, fields: list[str], rule: str) -> None:
    """Add a task to its job; one without GPUs counts for nothing but its status."""
    _, instances, status, start, end, _, _, plan_gpu, gpu_type = fields
    tasks.states.add(status)
    percent = 0.0 if is_missing(plan_gpu) else parse_number(plan_gpu, "plan_gpu")
    if percent < 0:
        raise RowFault("GPU demand is not above 0", plan_gpu)
    if percent == 0:
        return
    count = parse_number(instances, "number of instances")
    if count < 1 or count != int(count):
        raise RowFault("number of instances is not a whole number above 0", instances)
    if percent % 100 and rule == "skip":
        raise RowFault("asks for a part of a GPU (plan_gpu is percent)", plan_gpu)
    run_time_s(start, end, parse_seconds)
    tasks.gpus += int(count) * int(-(-percent // 100))
    tasks.start_s = min(tasks.start_s, parse_seconds(start))
    tasks.end_s = max(tasks.end_s, parse_seconds(end))
    tasks.gpu_type = gpu_type or tasks.gpu_type


def _add(name: str, tasks: Tasks, submitted: Mapping[str, str] | None, jobs: JobCollector) -> None:
    if tasks.fault is not None:
        raise tasks.fault
    if tasks.gpus == 0:
        raise RowFault("CPU job, it asks for no GPU", "")
    submit_s = tasks.start_s
    if submitted is not None:
        if name not in submitted:
            raise RowFault("the job is not in the table of jobs", name)
        submit_s = parse_seconds(submitted[name])
    states = "/".join(sorted(tasks.states))
    jobs.add(
        tasks.line,
        name,
        submit_s=submit_s,
        gpus=tasks.gpus,
        duration_s=tasks.end_s - tasks.start_s,
        counted={"status": states, "gpu_type": tasks.gpu_type or "any"},
    )


def _submissions(path: str) -> dict[str, str]:
    """Return the submission of each job, as text, from ``pai_job_table``."""
    submitted = {}
    with open_trace(path, kind="a table of jobs") as text:
        for line, content in _lines(text):
            try:
                fields = _fields(content, JOB_FIELDS)
            except RowFault as fault:
                expected = f"a row of pai_job_table with {JOB_FIELDS} fields"
                raise text.error(line, expected, fault.reason, "check the option jobs") from None
            submitted[fields[0]] = fields[4]
    return submitted


#: The tasks of a job are one gang: it has the GPUs of all, from the first start to the last end.
#: The default cluster has about the GPUs of the original, 6,500 on some 1,800 machines.
PAI = PaiFormat(
    name="pai",
    description="Alibaba PAI pai_task_table: 10 fields between commas, no header",
    default_cluster=ClusterShape(813, 8),
    notes=("the tasks of a job are one gang, from the first start to the last end",),
)
