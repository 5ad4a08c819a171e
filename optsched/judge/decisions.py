"""Decisions that can be replayed, and what is wrong with those that cannot."""

from __future__ import annotations

import math
from collections.abc import Iterable

from optsched.core.checks import MAX_PROBLEMS_PER_RULE
from optsched.core.errors import ScheduleError
from optsched.core.instance import Instance
from optsched.core.placement import Placement
from optsched.core.schedule import Decision
from optsched.judge.clock import nearest_boundary

__all__ = ["Start", "checked_starts", "refuse"]

#: Time on the judge's clock (seconds, or slots in slotted time) of the start, job, placement, and
#: time of the preemption, infinite if the job is to run to its completion.
Start = tuple[float, int, Placement, float]


def checked_starts(instance: Instance, decisions: Iterable[Decision]) -> list[Start]:
    """Return the decisions in order of (start, job), on the judge's clock.

    Raises
    ------
    ScheduleError
        If a decision cannot be replayed, with everything that is wrong with all of them.
    """
    problems: list[str] = []
    starts: list[Start] = []
    for number, decision in enumerate(decisions):
        found = _problems(instance, decision)
        if found:
            problems += [f"decision {number}: {problem}" for problem in found]
            continue
        start_s, end_s, slot_s = decision.start_s, decision.end_s, instance.slot_s
        if slot_s is not None:
            start_s = float(round(start_s / slot_s))
            end_s = None if end_s is None else float(round(end_s / slot_s))
        limit = math.inf if end_s is None else end_s
        starts.append((start_s, decision.job, decision.placement, limit))
    starts.sort(key=_start_and_job)
    problems += _overlaps(instance, starts)
    if problems:
        refuse(problems)
    return starts


def refuse(problems: list[str]) -> None:
    """Raise a :class:`ScheduleError` that lists the problems, of very many only the first."""
    count = len(problems)
    lines = problems[:MAX_PROBLEMS_PER_RULE]
    if count > len(lines):
        lines.append(f"and {count - len(lines):,} more")
    text = "".join(f"\n  {line}" for line in lines)
    raise ScheduleError(
        f"the decisions cannot be replayed, {count} problem{'s' * (count != 1)}:{text}"
    )


def _start_and_job(start: Start) -> tuple[float, int]:
    return start[:2]


def _problems(instance: Instance, decision: Decision) -> list[str]:
    jobs, servers = len(instance.jobs), len(instance.cluster.servers)
    problems = []
    name = f"job {decision.job}"
    if not 0 <= decision.job < jobs:
        problems.append(f"expected a job from 0 to {jobs - 1}, got {decision.job}")
    else:
        name = f"job {instance.jobs.ids[decision.job]!r}"
    used = decision.placement.servers
    if not used or min(used) < 0 or max(used) >= servers:
        problems.append(f"{name}: expected servers from 0 to {servers - 1}, got {list(used)}")
    start_s, end_s, slot_s = decision.start_s, decision.end_s, instance.slot_s
    if not 0 <= start_s < math.inf:
        problems.append(f"{name}: expected a start of at least 0 s, got {start_s!r}")
        return problems
    if slot_s is not None and nearest_boundary(start_s, slot_s) is None:
        problems.append(f"{name}: expected a start at a multiple of {slot_s:g} s, got {start_s!r}")
    if end_s is not None:
        if not start_s < end_s < math.inf:
            problems.append(
                f"{name}: expected an end after its start at {start_s!r}, got {end_s!r}"
            )
        elif slot_s is not None and nearest_boundary(end_s, slot_s) is None:
            problems.append(
                f"{name}: expected a preemption at a multiple of {slot_s:g} s, got {end_s!r}"
            )
    return problems


def _overlaps(instance: Instance, starts: list[Start]) -> list[str]:
    problems = []
    until: dict[int, float] = {}
    unit = 1.0 if instance.slot_s is None else instance.slot_s
    for start, job, _, limit in starts:
        busy = until.get(job)
        if busy is not None and start < busy:
            name = instance.jobs.ids[job]
            held = (
                "runs to its completion from an earlier start on; give that one an end"
                if busy == math.inf
                else f"already runs until {busy * unit!r} s"
            )
            problems.append(f"job {name!r} cannot start at {start * unit!r} s: it {held}")
        until[job] = limit if busy is None else max(busy, limit)
    return problems
