"""Why a job ends when it ends: its JCT in parts that add up to it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction

import numpy as np

from optsched.contention.rate_model import RateFunctions, rate_functions
from optsched.contention.slots import at_slot_boundary
from optsched.core.errors import ScheduleError
from optsched.core.instance import Instance
from optsched.core.schedule import Schedule
from optsched.judge import verify
from optsched.study.stretches import Stretch, alone, stretches_by_segment

__all__ = ["PARTS", "Explanation", "JobExplanation", "TimeParts", "explain"]

#: The parts of a JCT, in the order in which they are told, and what they are.
PARTS: Mapping[str, str] = {
    "waiting_s": "waiting before its first start",
    "preempted_s": "waiting after a preemption",
    "restarting_s": "restarting after a preemption, without progress",
    "compute_s": "computing",
    "communication_s": "communication and overhead where both are least",
    "spreading_s": "more of them on the servers it was given, even if alone there",
    "contention_s": "more of them since others shared its links",
    "rounding_s": "slots that held no whole iteration more",
}


@dataclass(frozen=True, slots=True)
class TimeParts:
    """The parts of a JCT in seconds; ``math.fsum`` of them is the JCT to the last bit.

    Parameters
    ----------
    waiting_s, preempted_s
        Without GPUs, before the first start and after a preemption.
    restarting_s
        With GPUs and without progress after a preemption.
    compute_s
        Iterations times compute time.
    communication_s
        Iterations times what the shortest iteration on this cluster takes beyond that.
    spreading_s
        What the iterations took longer than that on their placements, if nobody shared the links.
    contention_s
        What they took longer since others did.
    rounding_s
        What is left: in slotted time the parts of slots in which no whole iteration fitted. In
        continuous time it is the rounding of the schedule's times, nothing to speak of.
    """

    waiting_s: float
    preempted_s: float
    restarting_s: float
    compute_s: float
    communication_s: float
    spreading_s: float
    contention_s: float
    rounding_s: float

    @property
    def total_s(self) -> float:
        """The JCT."""
        return math.fsum(getattr(self, part) for part in PARTS)


@dataclass(frozen=True, slots=True)
class JobExplanation:
    """Why one job ends when it ends.

    Parameters
    ----------
    id, gpus
        The job and its demand.
    arrival_s, start_s, completion_s, jct_s
        Its times.
    parts
        The parts of its JCT.
    waiting_with_room_s
        The part of its waiting in which enough GPUs were free in the cluster: the scheduler chose
        to wait, or did not spread it.
    """

    id: str
    gpus: int
    arrival_s: float
    start_s: float
    completion_s: float
    jct_s: float
    parts: TimeParts
    waiting_with_room_s: float


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Why the jobs of a schedule end when they end.

    Parameters
    ----------
    instance, schedule
        What is explained.
    jobs
        One explanation a job, in the order of the instance.
    """

    instance: Instance
    schedule: Schedule
    jobs: Sequence[JobExplanation]

    @property
    def totals(self) -> TimeParts:
        """The parts summed over all jobs."""
        return TimeParts(
            **{part: math.fsum(getattr(job.parts, part) for job in self.jobs) for part in PARTS}
        )


def explain(instance: Instance, schedule: Schedule) -> Explanation:
    """Split the JCT of every job of a valid schedule into parts.

    Parameters
    ----------
    instance
        The instance; any rate model, continuous or slotted.
    schedule
        A valid schedule of it, with or without preemptions.

    Raises
    ------
    ScheduleError
        If the schedule is not valid.

    Examples
    --------
    Of two jobs that take 10.5 s alone and 25.5 s side by side, each loses 15 s to the other:

    >>> import optsched as osd
    >>> instance = osd.load("waiting-pays")
    >>> first, second = explain(instance, osd.run(instance, "fifo").schedule).jobs
    >>> round(first.parts.contention_s, 9), first.parts.compute_s, first.jct_s
    (15.0, 0.5, 25.5)
    >>> first.parts.total_s == first.jct_s
    True
    """
    judgement = verify(instance, schedule)
    if not judgement.is_valid:
        listed = "\n".join(f"  {violation}" for violation in judgement.violations)
        raise ScheduleError(f"only a valid schedule can be explained:\n{listed}")
    assert judgement.records is not None
    schedule = _on_slots(instance, schedule)
    rates = rate_functions(instance)
    rows: list[list[int]] = [[] for _ in range(len(instance.jobs))]
    for row, job in enumerate(schedule.job.tolist()):
        rows[job].append(row)
    stretches = stretches_by_segment(schedule, rates)
    room = _Room(instance, schedule)
    records = judgement.records
    explained = []
    for job, own in enumerate(rows):
        jct_s = records.jct_s.item(job)
        parts = _parts(instance, schedule, rates, job, own, stretches, jct_s)
        explained.append(
            JobExplanation(
                instance.jobs.ids[job],
                instance.jobs.gpus.item(job),
                instance.jobs.arrival_s.item(job),
                records.start_s.item(job),
                records.completion_s.item(job),
                jct_s,
                parts,
                room.seconds(instance.jobs.gpus.item(job), waits(instance, schedule, own)),
            )
        )
    return Explanation(instance, schedule, tuple(explained))


def waits(instance: Instance, schedule: Schedule, rows: Sequence[int]) -> list[tuple[float, float]]:
    """Return from when to when the job of some segments held no GPUs, from its arrival on."""
    found = []
    since_s = instance.jobs.arrival_s.item(schedule.job.item(rows[0]))
    for row in rows:
        if schedule.start_s.item(row) > since_s:
            found.append((since_s, schedule.start_s.item(row)))
        since_s = max(since_s, schedule.end_s.item(row))
    return found


def _on_slots(instance: Instance, schedule: Schedule) -> Schedule:
    """Return a schedule whose times are the same numbers wherever they are the same slot."""
    slot_s = instance.slot_s
    if slot_s is None:
        return schedule
    return Schedule.from_columns(
        job=schedule.job,
        placement=schedule.placement,
        start_s=np.rint(schedule.start_s / slot_s) * slot_s,
        end_s=np.rint(schedule.end_s / slot_s) * slot_s,
        placements=schedule.placements,
    )


def _parts(
    instance: Instance,
    schedule: Schedule,
    rates: RateFunctions,
    job: int,
    rows: Sequence[int],
    stretches: Sequence[Sequence[Stretch]],
    jct_s: float,
) -> TimeParts:
    compute_s = instance.jobs.compute_s.item(job)
    best_s = rates.best_iteration_time_s(job)
    left = float(instance.jobs.iterations.item(job))
    restarting_s = spreading_s = contention_s = 0.0
    ready_s = -math.inf
    for row, is_restart in zip(rows, _restarts(schedule, rows), strict=True):
        placement = schedule.placements[schedule.placement.item(row)]
        if is_restart:
            ready_s = schedule.start_s.item(row) + _restart_s(instance, job)
        alone_s = rates.iteration_time_s(job, placement, alone(rates, placement))
        for stretch in stretches[row]:
            begin_s = min(max(stretch.begin_s, ready_s), stretch.end_s)
            restarting_s += begin_s - stretch.begin_s
            tau_s = rates.iteration_time_s(job, placement, stretch.load)
            done = min(left, _iterations(instance, rates, stretch.end_s - begin_s, tau_s))
            left -= done
            spreading_s += done * (alone_s - best_s)
            contention_s += done * (tau_s - alone_s)
    gaps = waits(instance, schedule, rows)
    arrival_s, start_s = instance.jobs.arrival_s.item(job), schedule.start_s.item(rows[0])
    done = instance.jobs.iterations.item(job)
    waiting_s = max(0.0, start_s - arrival_s)
    parts = {
        "waiting_s": waiting_s,
        "preempted_s": math.fsum(end_s - begin_s for begin_s, end_s in gaps if begin_s >= start_s),
        "restarting_s": restarting_s,
        "compute_s": done * compute_s,
        "communication_s": done * (best_s - compute_s),
        "spreading_s": spreading_s,
        "contention_s": contention_s,
    }
    # The rest in exact arithmetic, so that nothing is lost in the sum.
    rest = Fraction(jct_s) - sum(map(Fraction, parts.values()))
    return TimeParts(**parts, rounding_s=float(rest))


def _restarts(schedule: Schedule, rows: Sequence[int]) -> list[bool]:
    """Return which segments begin after a preemption; one may also go on where the last was."""
    found = [False]
    for before, row in itertools.pairwise(rows):
        goes_on = schedule.start_s.item(row) <= schedule.end_s.item(before)
        places = [schedule.placements[schedule.placement.item(one)] for one in (before, row)]
        found.append(not (goes_on and places[0] == places[1]))
    return found


def _restart_s(instance: Instance, job: int) -> float:
    seconds = instance.restart_time_s(job)
    if instance.slot_s is None:
        return seconds
    return at_slot_boundary(seconds, instance.slot_s) * instance.slot_s


def _iterations(
    instance: Instance, rates: RateFunctions, seconds: float, iteration_time_s: float
) -> float:
    """Return how many iterations a time holds."""
    if iteration_time_s <= 0:
        return math.inf
    if instance.slot_s is None:
        return seconds / iteration_time_s
    return round(seconds / instance.slot_s) * rates.progress_per_slot(iteration_time_s)


class _Room:
    """Free GPUs of the cluster over time, and for how long there were enough of them."""

    def __init__(self, instance: Instance, schedule: Schedule) -> None:
        gpus = instance.jobs.gpus[schedule.job]
        times = np.concatenate([schedule.start_s, schedule.end_s])
        self.times_s, inverse = np.unique(times, return_inverse=True)
        change = np.zeros(len(self.times_s), dtype=np.int64)
        np.add.at(change, inverse, np.concatenate([-gpus, gpus]))
        self.total = instance.cluster.total_gpus
        self.free = self.total + np.cumsum(change)

    def seconds(self, gpus: int, intervals: Sequence[tuple[float, float]]) -> float:
        """Return for how long in some intervals so many GPUs were free."""
        found = []
        for begin_s, end_s in intervals:
            first = int(np.searchsorted(self.times_s, begin_s, side="right"))
            last = int(np.searchsorted(self.times_s, end_s, side="left"))
            edges = np.concatenate([[begin_s], self.times_s[first:last], [end_s]])
            before = self.total if first == 0 else self.free[first - 1]
            free = np.concatenate([[before], self.free[first:last]])
            found.append(float(np.diff(edges)[free >= gpus].sum()))
        return math.fsum(found)


assert tuple(PARTS) == tuple(field.name for field in fields(TimeParts))
