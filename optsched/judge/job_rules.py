"""The rules about when a job may run at all: once at a time, after it arrived, and some time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optsched.contention.slots import at_slot_boundary
from optsched.core.instance import Instance
from optsched.core.result import Violation
from optsched.core.schedule import Schedule
from optsched.judge.clock import seconds
from optsched.judge.names import server_name
from optsched.judge.segments import Segments
from optsched.judge.violations import ViolationLog

__all__ = ["check_arrivals", "check_missing", "check_self_overlaps"]


def check_missing(instance: Instance, schedule: Schedule, log: ViolationLog) -> None:
    """Check ``missing-job`` (every job has a segment) and ``empty-schedule``."""
    if len(schedule) == 0:
        text = f"expected segments of {len(instance.jobs)} jobs, got none"
        log.add(Violation("empty-schedule", text))
    is_missing = np.ones(len(instance.jobs), dtype=bool)
    jobs = schedule.job
    is_missing[jobs[(jobs >= 0) & (jobs < len(is_missing))]] = False

    def describe(job: int) -> Violation:
        name = instance.jobs.ids[job]
        text = f"job {name!r}: expected at least one segment, got none"
        return Violation("missing-job", text, name, time_s=instance.jobs.arrival_s.item(job))

    log.add_where("missing-job", is_missing, describe)


def check_arrivals(
    instance: Instance,
    schedule: Schedule,
    segments: Segments,
    tolerance_s: float,
    log: ViolationLog,
) -> None:
    """Check ``arrival``: no job starts before it arrives, or within the slot of its arrival."""
    arrival_s, slot_s = instance.jobs.arrival_s, instance.slot_s
    if slot_s is None:
        earliest_s = arrival_s[segments.job]
    else:
        slots = [at_slot_boundary(time_s, slot_s) for time_s in arrival_s.tolist()]
        earliest_s = np.array(slots, dtype=np.float64)[segments.job] * slot_s

    def describe(row: int) -> Violation:
        job = segments.job.item(row)
        first = "" if slot_s is None else f", so with the slot at {seconds(earliest_s[row])}"
        text = (
            f"job {instance.jobs.ids[job]!r}: expected a start at or after its arrival at "
            f"{seconds(arrival_s[job])}{first}, got {seconds(segments.start_s[row])}"
        )
        return _violation(instance, schedule, segments, row, "arrival", text)

    log.add_where("arrival", segments.start_s < earliest_s - tolerance_s, describe)


def check_self_overlaps(
    instance: Instance,
    schedule: Schedule,
    segments: Segments,
    tolerance_s: float,
    log: ViolationLog,
) -> None:
    """Check ``no-self-overlap``: a job runs once at a time."""
    until_s = _latest_earlier_end_s(segments)

    def describe(row: int) -> Violation:
        name = instance.jobs.ids[segments.job[row]]
        text = (
            f"job {name!r}: expected one segment at a time, got a second one at "
            f"{seconds(segments.start_s[row])} while one lasts until {seconds(until_s[row])}"
        )
        return _violation(instance, schedule, segments, row, "no-self-overlap", text)

    log.add_where("no-self-overlap", segments.start_s < until_s - tolerance_s, describe)


def _latest_earlier_end_s(segments: Segments) -> NDArray[np.float64]:
    """Return the latest end of a job's earlier segments, minus infinity for the first."""
    latest_s = np.full(len(segments), -np.inf)
    later = np.flatnonzero(segments.is_later)
    latest_s[later] = segments.end_s[later - 1]
    for row in later.tolist():
        latest_s[row] = max(latest_s[row], latest_s[row - 1])
    return latest_s


def _violation(
    instance: Instance, schedule: Schedule, segments: Segments, row: int, rule: str, text: str
) -> Violation:
    job = instance.jobs.ids[segments.job[row]]
    first = schedule.placements[segments.placement[row]].servers[0]
    return Violation(rule, text, job, server_name(instance, first), segments.start_s.item(row))
