"""The optimum over event-aligned schedules, or over all slotted ones, by enumeration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from optsched.bounds import Workload
from optsched.contention import RateFunctions, rate_functions
from optsched.core.errors import StalledJobError
from optsched.core.instance import Instance
from optsched.core.metrics import Objective, checked_objective, objective_value
from optsched.core.schedule import Decision, Schedule
from optsched.exact.choices import Choice, Choices
from optsched.exact.limits import OnSchedule, SearchLimits, run_to_a_stop
from optsched.exact.outcome import SearchOutcome
from optsched.exact.remaining import RemainingWork
from optsched.judge import replay

__all__ = ["Starts", "brute_force"]

Starts = Literal["events", "slots"]

#: A partial schedule is dropped if it cannot beat the incumbent by more than this share.
ROUNDING = 1e-12


def brute_force(
    instance: Instance,
    *,
    objective: str = "makespan",
    starts: Starts = "events",
    symmetry: bool = True,
    pruning: bool = True,
    time_limit_s: float | None = None,
    deterministic_limit: float | None = None,
    below: float = float("inf"),
    on_incumbent: OnSchedule | None = None,
) -> SearchOutcome:
    """Find the best non-preemptive schedule by trying all of a class.

    At time 0, at every arrival and at every completion each subset of the waiting jobs is started
    on each combination of free GPUs, including none as long as a job runs or is yet to arrive: to
    wait can pay. The judge's replay says when the jobs end. Such schedules are called
    *event-aligned*. In continuous time an optimum may need a start between events (there is an
    example for ``weighted_jct``, ``interior-start``), so this is an optimum of its class only. With
    ``starts="slots"`` a job may start at each slot boundary, and a slotted optimum has no scope
    attached to it.

    Parameters
    ----------
    instance
        The instance; any rate model, with or without arrivals.
    objective
        ``makespan``, ``mean_jct`` or ``weighted_jct``.
    starts
        ``events``, or in slotted time ``slots``.
    symmetry
        Leave out what only renames identical servers and identical jobs; see :class:`Choices`.
    pruning
        Drop partial schedules whose lower limit is not below the incumbent; see
        :class:`RemainingWork`.
    time_limit_s
        Stop after so many seconds with the best so far.
    deterministic_limit
        Stop after so many times 500 nodes.
    below
        Only look for schedules of a lower objective.
    on_incumbent
        Called with each better schedule and its objective.

    Raises
    ------
    LimitReachedError
        If a limit comes before the first schedule, unless ``below`` was given.
    KeyboardInterrupt
        If it comes before the first schedule, unless ``below`` was given; afterwards an interrupt
        ends the search like a limit.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Fabric
    >>> from optsched.core.jobs import Job
    >>> fabric = Fabric(inter_bytes_per_s=1e9, degradation=0.5)
    >>> jobs = [Job(name, 3, 10, gradient_bytes=750e6, compute_s=0.05) for name in "ab"]
    >>> pair = Instance("waiting-pays", Cluster.uniform(3, 2, fabric=fabric), jobs)
    >>> outcome = brute_force(pair)
    >>> outcome.value, outcome.scope
    (21.0, 'event-aligned')
    """
    wanted = checked_objective(objective)
    if starts == "slots" and not instance.is_slotted:
        raise ValueError("time is continuous, so there are no slots to start at; use 'events'")
    search = _Search(instance, wanted, starts, symmetry=symmetry, pruning=pruning, below=below)
    limits = SearchLimits(
        "brute-force",
        time_limit_s=time_limit_s,
        deterministic_limit=deterministic_limit,
        below=below,
    )
    schedule, value, stopped_by = run_to_a_stop(search, limits, on_incumbent)
    return SearchOutcome(
        schedule,
        value,
        not stopped_by,
        "all" if starts == "slots" else "event-aligned",
        search.nodes,
        stopped_by,
        "brute-force",
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    """A partial schedule.

    Parameters
    ----------
    decisions, ends_s
        What has been decided, and when each started job ends if no other is started.
    now_s
        Time of the next choice.
    limit_s
        A lower limit on the objective of whatever it becomes.
    """

    decisions: tuple[Decision, ...]
    ends_s: dict[int, float]
    now_s: float
    limit_s: float = 0.0


class _Search:
    def __init__(
        self,
        instance: Instance,
        objective: Objective,
        starts: Starts,
        *,
        symmetry: bool,
        pruning: bool,
        below: float,
    ) -> None:
        workload = Workload.of(instance)
        self.instance = instance
        self.objective: Objective = objective
        self.rates: RateFunctions = rate_functions(instance)
        self.choices = Choices(instance, self.rates, symmetry=symmetry)
        self.release_s: list[float] = (workload.release * workload.unit_s).tolist()
        self.remaining = RemainingWork(workload, objective, self.release_s) if pruning else None
        self.slot_s = instance.slot_s if starts == "slots" else None
        self.best: tuple[Schedule, float] | None = None
        self.cutoff = below
        self.limits = SearchLimits("brute-force")
        self.nodes = 0

    def run(self, limits: SearchLimits, on_incumbent: OnSchedule | None) -> bool:
        """Search depth first; return False if a limit was reached."""
        self.limits = limits
        jobs = len(self.release_s)
        first_s = min(self.release_s)
        root = _Node((), {}, first_s, self.limit_s(first_s, {}))
        # Not recursive: with starts at all slots a branch can be as deep as the horizon.
        stack = [self.extended(root)]
        while stack and not self.is_late():
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
            elif len(node.ends_s) < jobs:
                stack.append(self.extended(node))
            else:
                self.finish(node, on_incumbent)
        # A branch that was cut short by the limit looks like one that was searched.
        return not limits.stopped_by

    def extended(self, node: _Node) -> Iterator[_Node]:
        """Yield what a node becomes by each choice, at the time of the next one."""
        self.nodes += 1
        now_s, ends_s = node.now_s, node.ends_s
        unstarted = [job for job in range(len(self.release_s)) if job not in ends_s]
        waiting = [job for job in unstarted if self.release_s[job] <= now_s]
        running = [(d.job, d.placement) for d in node.decisions if ends_s[d.job] > now_s]
        # To leave all GPUs idle cannot help once all have arrived: what follows can be moved ahead.
        may_wait = bool(running) or len(waiting) < len(unstarted)
        made: dict[Choice, _Node] = {}

        def admits(choice: Choice) -> bool:
            """Drop a choice, and with it all larger ones, that stalls a job or cannot improve.

            Its limit lets the other jobs start now, so it also holds for the larger ones.
            """
            if self.is_late():
                return False
            started = self.started(node, choice)
            if started is None or self.cannot_improve(self.limit_s(now_s, started.ends_s)):
                return False
            made[choice] = started
            return True

        for choice in self.choices.of(waiting, running, admits=admits):
            if self.cannot_improve(node.limit_s) or self.is_late():
                # The incumbent has become better since this node was made, or time is up.
                return
            if not choice and not may_wait:
                return
            started = made.pop(choice) if choice else node
            if len(started.ends_s) == len(self.release_s):
                next_s = now_s
            else:
                next_s = self.next_choice_s(now_s, started.ends_s)
            limit_s = self.limit_s(next_s, started.ends_s)
            if not self.cannot_improve(limit_s):
                yield _Node(started.decisions, started.ends_s, next_s, limit_s)

    def is_late(self) -> bool:
        """Return True if a limit is reached, and from then on."""
        return self.limits.are_reached(self.nodes)

    def limit_s(self, next_s: float, ends_s: dict[int, float]) -> float:
        """Return the lower limit of a node, 0 without pruning."""
        return 0.0 if self.remaining is None else self.remaining.limit_s(next_s, ends_s)

    def cannot_improve(self, limit_s: float) -> bool:
        """Return True if a lower limit rules out anything better than the incumbent."""
        return self.remaining is not None and limit_s >= self.cutoff * (1.0 - ROUNDING)

    def started(self, node: _Node, choice: Choice) -> _Node | None:
        """Return the node with a choice made, None if a job would make no progress by it."""
        added = (Decision(job, placement, node.now_s) for job, placement in choice)
        decisions = (*node.decisions, *added)
        try:
            schedule = replay(self.instance, decisions, rates=self.rates)
        except StalledJobError:
            # Further jobs would only add load, so no completion of this is valid either.
            return None
        ends_s = dict(zip(schedule.job.tolist(), schedule.end_s.tolist(), strict=True))
        return _Node(decisions, ends_s, node.now_s)

    def next_choice_s(self, now_s: float, ends_s: dict[int, float]) -> float:
        """Return the next completion or arrival, or the next slot if starts are not aligned."""
        ends = [end_s for end_s in ends_s.values() if end_s > now_s]
        unstarted = [s for job, s in enumerate(self.release_s) if job not in ends_s]
        arrivals = [release_s for release_s in unstarted if release_s > now_s]
        if self.slot_s is not None and len(arrivals) < len(unstarted):
            return (round(now_s / self.slot_s) + 1) * self.slot_s
        return min(ends + arrivals)

    def finish(self, node: _Node, on_incumbent: OnSchedule | None) -> None:
        """Take a complete schedule for the incumbent if it is better."""
        completion_s = np.array([node.ends_s[job] for job in range(len(node.ends_s))])
        value = objective_value(self.objective, self.instance.jobs, completion_s)
        if value < self.cutoff:
            schedule = replay(self.instance, node.decisions, rates=self.rates)
            self.best = (schedule, value)
            self.cutoff = value
            if on_incumbent is not None:
                on_incumbent(schedule, value)
