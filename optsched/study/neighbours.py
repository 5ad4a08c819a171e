"""The jobs that a job waited for, and those it shared links with."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from optsched.contention.rate_model import rate_functions
from optsched.study.explain import Explanation, waits

__all__ = ["SharedWith", "WaitedFor", "shared_with", "waited_for"]


@dataclass(frozen=True, slots=True)
class WaitedFor:
    """A job that held GPUs while another waited.

    Parameters
    ----------
    job
        Its id.
    seconds
        For how long.
    gpus
        GPUs it held.
    made_way
        True if the other started when this one gave up its GPUs.
    """

    job: str
    seconds: float
    gpus: int
    made_way: bool


@dataclass(frozen=True, slots=True)
class SharedWith:
    """A job that crossed the same links at the same time.

    Parameters
    ----------
    job
        Its id.
    seconds
        For how long.
    links
        Names of the links.
    """

    job: str
    seconds: float
    links: tuple[str, ...]


def waited_for(explanation: Explanation, job: int) -> list[WaitedFor]:
    """Return the jobs that held GPUs while a job waited, those that did so longest first.

    Examples
    --------
    >>> import optsched as osd
    >>> from optsched.study.explain import explain
    >>> instance = osd.load("waiting-pays")
    >>> best = explain(instance, osd.solve(instance).schedule)
    >>> late = max(range(2), key=lambda job: best.jobs[job].start_s)
    >>> [(one.seconds, one.gpus, one.made_way) for one in waited_for(best, late)]
    [(10.5, 3, True)]
    """
    instance, schedule = explanation.instance, explanation.schedule
    rows = [row for row, one in enumerate(schedule.job.tolist()) if one == job]
    gaps = waits(instance, schedule, rows)
    starts_s = {schedule.start_s.item(row) for row in rows}
    seconds: defaultdict[int, list[float]] = defaultdict(list)
    made_way: set[int] = set()
    for other, segment in zip(schedule.job.tolist(), schedule, strict=True):
        if other == job:
            continue
        held = _common(gaps, segment.start_s, segment.end_s)
        if held > 0:
            seconds[other].append(held)
            if segment.end_s in starts_s:
                made_way.add(other)
    jobs = instance.jobs
    found = [
        WaitedFor(jobs.ids[other], math.fsum(parts), jobs.gpus.item(other), other in made_way)
        for other, parts in seconds.items()
    ]
    return sorted(found, key=lambda one: (-one.seconds, one.job))


def shared_with(explanation: Explanation, job: int) -> list[SharedWith]:
    """Return the jobs that crossed the same links at the same time, the longest first.

    Examples
    --------
    >>> import optsched as osd
    >>> from optsched.study.explain import explain
    >>> instance = osd.load("waiting-pays")
    >>> shared_with(explain(instance, osd.run(instance, "fifo").schedule), 0)
    [SharedWith(job='b', seconds=25.5, links=('s1',))]
    """
    instance, schedule = explanation.instance, explanation.schedule
    rates = rate_functions(instance)
    resources = [set(rates.shared_resources(placement)) for placement in schedule.placements]
    crossed = [resources[place] for place in schedule.placement.tolist()]
    own = [row for row, one in enumerate(schedule.job.tolist()) if one == job and crossed[row]]
    seconds: defaultdict[int, list[float]] = defaultdict(list)
    links: defaultdict[int, set[int]] = defaultdict(set)
    for row, (other, segment) in enumerate(zip(schedule.job.tolist(), schedule, strict=True)):
        if other == job or not crossed[row]:
            continue
        for mine in own:
            common = crossed[mine] & crossed[row]
            interval = [(schedule.start_s.item(mine), schedule.end_s.item(mine))]
            held = _common(interval, segment.start_s, segment.end_s) if common else 0.0
            if held > 0:
                seconds[other].append(held)
                links[other] |= common
    found = [
        SharedWith(
            instance.jobs.ids[other],
            math.fsum(parts),
            tuple(rates.resource_name(resource) for resource in sorted(links[other])),
        )
        for other, parts in seconds.items()
    ]
    return sorted(found, key=lambda one: (-one.seconds, one.job))


def _common(intervals: Sequence[tuple[float, float]], start_s: float, end_s: float) -> float:
    """Return for how long an interval overlaps with others."""
    return math.fsum(
        max(0.0, min(end_s, last_s) - max(start_s, first_s)) for first_s, last_s in intervals
    )
