"""From decisions to a schedule: the model says when each job ends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush

import numpy as np

from optsched.contention.rate_model import RateFunctions, rate_functions
from optsched.contention.sharing import contention_degree
from optsched.contention.slots import at_slot_boundary, slots_needed
from optsched.core.errors import StalledJobError
from optsched.core.instance import Instance
from optsched.core.placement import Placement
from optsched.core.schedule import Decision, Schedule
from optsched.judge.clock import progress_per_slot, seconds
from optsched.judge.decisions import Start, checked_starts, refuse

__all__ = ["replay"]

#: A job preempted with less than this share of its iterations left is complete.
ROUNDING = 1e-12


def replay(
    instance: Instance, decisions: Iterable[Decision], *, rates: RateFunctions | None = None
) -> Schedule:
    """Return the schedule that follows from decisions under the instance's rate model.

    A job without a decision does not appear, and one whose last decision has an end may stay
    incomplete, so parts of a schedule can be replayed as well. Whether the schedule keeps the
    rules (capacity, arrivals, gangs) is for :func:`optsched.judge.verify` to say.

    Parameters
    ----------
    instance
        The instance.
    decisions
        Starts in any order. A job that would complete before the end of its decision gives up its
        GPUs at its completion.
    rates
        The functions of the instance's rate model, if at hand; making them costs more than
        replaying a few jobs.

    Raises
    ------
    ScheduleError
        If a decision cannot be replayed: an unknown job or server, a start that is negative or no
        number, an end not after its start, a start or end within a slot, a job started while it
        runs or after it completed. All are listed.
    StalledJobError
        If a running job makes no progress, since no iteration fits into a slot.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Fabric
    >>> from optsched.core.jobs import Job
    >>> fabric = Fabric(inter_bytes_per_s=1e9, degradation=0.5)
    >>> jobs = [Job(name, 3, 10, gradient_bytes=750e6, compute_s=0.05) for name in "ab"]
    >>> pair = Instance("waiting-pays", Cluster.uniform(3, 2, fabric=fabric), jobs)
    >>> a, b = Placement.of({0: 2, 1: 1}), Placement.of({1: 1, 2: 2})
    >>> replay(pair, [Decision(0, a, 0.0), Decision(1, b, 0.0)]).end_s.tolist()
    [25.5, 25.5]
    >>> replay(pair, [Decision(0, a, 0.0), Decision(1, b, 10.5)]).end_s.tolist()
    [10.5, 21.0]
    """
    rates = rate_functions(instance) if rates is None else rates
    starts = checked_starts(instance, decisions)
    line = _TimeLine(instance, rates, starts)
    line.run()
    return line.schedule()


class _Run:
    """A job on a placement: since when it makes progress at which pace, and what is left."""

    __slots__ = (
        "degree",
        "is_last",
        "job",
        "left",
        "limit",
        "pace",
        "placement",
        "ready",
        "resources",
        "row",
        "since",
        "version",
    )

    def __init__(
        self,
        row: int,
        start: Start,
        resources: tuple[int, ...],
        left: float,
        ready: float,
    ) -> None:
        self.row = row
        self.since, self.job, self.placement, self.limit = start
        self.resources = resources
        self.left = left
        self.ready = ready
        #: τ in continuous time, iterations per slot in slotted time; negative before the first.
        self.pace = -1.0
        self.degree = 0
        self.is_last = False
        self.version = 0


class _TimeLine:
    """The event loop. Only spread jobs have events: what a local job does, nobody else changes.

    Progress is settled only when the pace of a job changes, so a job of constant pace ends at
    exactly ``start + iterations * τ``.
    """

    def __init__(self, instance: Instance, rates: RateFunctions, starts: list[Start]) -> None:
        self.instance = instance
        self.rates = rates
        self.starts = starts
        self.is_slotted = instance.slot_s is not None
        self.count = [0] * rates.resource_count
        self.members: dict[int, dict[int, _Run]] = {}
        self.ends: list[tuple[float, int, int, _Run]] = []
        self.end = [0.0] * len(starts)
        #: What is known of each job that has run: iterations left, end, placement, ready time.
        self.past: dict[int, tuple[float, float, Placement, float]] = {}
        self.problems: list[str] = []

    def run(self) -> None:
        """Go through all starts and ends; at one instant ends come first."""
        starts, ends = self.starts, self.ends
        row = 0
        while row < len(starts) or ends:
            now = starts[row][0] if row < len(starts) else math.inf
            if ends and ends[0][0] <= now:
                now = ends[0][0]
            before: dict[int, int] = {}
            fresh: list[_Run] = []
            while ends and ends[0][0] == now:
                _, _, version, run = heappop(ends)
                if version == run.version:
                    self.stop(run, now, before)
            while row < len(starts) and starts[row][0] == now:
                self.start(row, before, fresh)
                row += 1
            self.rate(now, before, fresh)
        if self.problems:
            refuse(self.problems)

    def start(self, row: int, before: dict[int, int], fresh: list[_Run]) -> None:
        """Start a job; if it is local, its end is known at once."""
        now, job, placement, _ = start = self.starts[row]
        past = self.past.get(job)
        if past is None:
            left, ready = float(self.instance.jobs.iterations.item(job)), now
        else:
            left, end, place, ready = past
            if left <= 0:
                self.refuse_late(job, now, end)
                return
            if end != now or place != placement:
                ready = now + self.restart_time(job)
        resources = self.rates.shared_resources(placement)
        run = _Run(row, start, resources, left, ready)
        if resources:
            count, members = self.count, self.members
            for resource in resources:
                before.setdefault(resource, count[resource])
                count[resource] += 1
                members.setdefault(resource, {})[row] = run
            fresh.append(run)
            return
        run.pace = self.pace(run, ())
        self.close(run, self.next_end(run))

    def stop(self, run: _Run, now: float, before: dict[int, int]) -> None:
        """End a spread run at its completion or preemption."""
        for resource in run.resources:
            before.setdefault(resource, self.count[resource])
            self.count[resource] -= 1
            del self.members[resource][run.row]
        self.close(run, now)

    def rate(self, now: float, before: dict[int, int], fresh: list[_Run]) -> None:
        """Give a new pace to the runs that have started, or whose resources are loaded anew."""
        affected = {run.row: run for run in fresh}
        count, rests_on_degree = self.count, self.rates.depends_on_maximum_load
        for resource, was in before.items():
            now_is = count[resource]
            if now_is != was:
                for row, run in self.members[resource].items():
                    # A degree rises with a load above it, and falls only if it was this load.
                    moves = run.degree < now_is if now_is > was else run.degree == was
                    if moves or not rests_on_degree:
                        affected[row] = run
        for run in affected.values():
            load = [count[resource] for resource in run.resources]
            degree = contention_degree(load)
            if degree == run.degree and rests_on_degree:
                continue
            run.degree = degree
            pace = self.pace(run, load)
            if pace != run.pace:
                if run.pace >= 0:
                    self.settle(run, now)
                run.pace = pace
                run.version += 1
                heappush(self.ends, (self.next_end(run), run.row, run.version, run))

    def pace(self, run: _Run, load: Sequence[int]) -> float:
        """Return τ, or in slotted time the iterations a slot."""
        tau = self.rates.iteration_time_s(run.job, run.placement, load)
        if self.is_slotted:
            return progress_per_slot(self.rates, tau)
        if tau == math.inf:
            self.stall(run)
        return tau

    def next_end(self, run: _Run) -> float:
        """Return when the run ends if its pace stays, and note whether it then is complete."""
        begin = run.since if run.since > run.ready else run.ready
        if not self.is_slotted:
            end = begin + run.left * run.pace
        elif run.pace > 0:
            end = begin + slots_needed(run.left, run.pace)
        else:
            # Look again after a slot: others may have left by the end of a restart.
            run.is_last = False
            return min(begin + 1.0, run.limit)
        run.is_last = end <= run.limit
        return end if run.is_last else run.limit

    def settle(self, run: _Run, now: float) -> None:
        """Subtract what was done since the last change of pace."""
        begin = run.since if run.since > run.ready else run.ready
        if now > begin:
            if self.is_slotted and run.pace <= 0:
                self.stall(run)
            done = (now - begin) * run.pace if self.is_slotted else (now - begin) / run.pace
            run.left = max(0.0, run.left - done)
        run.since = now

    def close(self, run: _Run, now: float) -> None:
        """Write down the end of a run and what is left of its job."""
        start = self.starts[run.row][0]
        if run.is_last:
            run.left = 0.0
        else:
            self.settle(run, now)
            if run.left <= ROUNDING * self.instance.jobs.iterations.item(run.job):
                run.left = 0.0
        if not start < now:
            self.problems.append(
                f"job {self.instance.jobs.ids[run.job]!r} takes no time at the clock's resolution "
                f"from {seconds(start)} on"
            )
        self.end[run.row] = now
        self.past[run.job] = (run.left, now, run.placement, run.ready)

    def restart_time(self, job: int) -> float:
        """Return the time without progress at a restart, in slotted time rounded up to slots."""
        restart_s = self.instance.restart_time_s(job)
        slot_s = self.instance.slot_s
        return restart_s if slot_s is None else float(at_slot_boundary(restart_s, slot_s))

    def refuse_late(self, job: int, now: float, end: float) -> None:
        """Note that a job was started after its completion."""
        unit = self.instance.slot_s or 1.0
        self.problems.append(
            f"job {self.instance.jobs.ids[job]!r} cannot start at {seconds(now * unit)}: "
            f"it completed at {seconds(end * unit)}"
        )

    def stall(self, run: _Run) -> None:
        """Raise the error of a job that makes no progress."""
        slot_s = self.instance.slot_s
        within = "" if slot_s is None else f" in a slot of {slot_s:g} s; use a longer slot_s"
        name = self.instance.jobs.ids[run.job]
        raise StalledJobError(f"job {name!r} runs, but completes no iteration{within}")

    def schedule(self) -> Schedule:
        """Return the schedule; the starts are already in its order."""
        known: dict[Placement, int] = {}
        unit = self.instance.slot_s
        place = [known.setdefault(start[2], len(known)) for start in self.starts]
        begin = np.array([start[0] for start in self.starts], dtype=np.float64)
        end = np.array(self.end, dtype=np.float64)
        return Schedule.from_columns(
            job=np.array([start[1] for start in self.starts], dtype=np.int64),
            placement=np.array(place, dtype=np.int64),
            start_s=begin if unit is None else begin * unit,
            end_s=end if unit is None else end * unit,
            placements=tuple(known),
        )
