"""The event LP: the best times of starts and ends once their order is fixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from optsched.contention import RateFunctions, rate_functions
from optsched.core.errors import ScheduleError, UnsupportedError
from optsched.core.instance import Instance
from optsched.core.metrics import Objective, checked_objective
from optsched.core.placement import Placement
from optsched.core.schedule import Decision, Schedule
from optsched.judge import replay
from optsched.solvers import HighsModel

__all__ = ["EventSolution", "event_lp"]

#: A start this close to an end, as a share of the whole span, is meant to be at that end.
SAME_TIME = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class EventSolution:
    """The best schedule of one order of events.

    Parameters
    ----------
    value
        Its objective in seconds, as the LP has it.
    times_s
        Time of each event.
    schedule
        The schedule, as the judge replays it: no job ends later than in the LP.
    """

    value: float
    times_s: tuple[float, ...]
    schedule: Schedule


def event_lp(
    instance: Instance,
    placements: Mapping[int, Placement] | Sequence[Placement],
    events: Sequence[tuple[int, str]],
    *,
    objective: str = "makespan",
) -> EventSolution | None:
    """Find the best times for an order of starts and ends of all jobs.

    Between two consecutive events the same jobs run, at constant rates, so the work done is linear
    in the lengths of the intervals. Exact for the given placements and order, with starts between
    events and in continuous time. See ``models/formulations/event-lp.md``.

    Parameters
    ----------
    instance
        The instance, in continuous time.
    placements
        Placement of each job.
    events
        ``(job, "start")`` and ``(job, "end")`` of each job, in their order.
    objective
        ``makespan``, ``mean_jct`` or ``weighted_jct``.

    Returns
    -------
    EventSolution or None
        None if no times fit the order.

    Raises
    ------
    UnsupportedError
        If time is slotted.
    ScheduleError
        If a job does not start and end exactly once, in this order, or servers are overfull.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> places = [Placement.of({0: 2, 1: 1}), Placement.of({1: 1, 2: 2})]
    >>> order = [(0, "start"), (0, "end"), (1, "start"), (1, "end")]
    >>> event_lp(waiting_pays(), places, order).times_s
    (0.0, 10.5, 10.5, 21.0)
    """
    wanted = checked_objective(objective)
    if instance.is_slotted:
        raise UnsupportedError(f"{instance.name!r} has slotted time; the event LP is continuous")
    program = _EventProgram(instance, placements, events, wanted)
    solution = program.model.minimise()
    if solution.status == "infeasible":
        return None
    if solution.status != "optimal" or solution.value is None:
        raise ScheduleError(f"the event LP was not solved: {solution.status}")
    return program.solution(solution.values, solution.value)


class _EventProgram:
    """The LP. Interval k ends with event k; it is of length L_k and starts at event k − 1."""

    def __init__(
        self,
        instance: Instance,
        placements: Mapping[int, Placement] | Sequence[Placement],
        events: Sequence[tuple[int, str]],
        objective: Objective,
    ) -> None:
        self.instance = instance
        self.rates: RateFunctions = rate_functions(instance)
        self.placement = {job: placements[job] for job in range(len(instance.jobs))}
        self.events = list(events)
        self.objective = objective
        self.start_of, self.end_of = self.positions()
        self.first_s = float(instance.jobs.arrival_s.min())
        self.model = HighsModel()
        self.length = [self.model.add_variable(cost=cost) for cost in self.interval_costs()]
        self.progress_rows()
        self.arrival_rows()

    def positions(self) -> tuple[dict[int, int], dict[int, int]]:
        """Return the positions of starts and ends, after checking that they make sense."""
        jobs = len(self.instance.jobs)
        starts = {job: k for k, (job, kind) in enumerate(self.events) if kind == "start"}
        ends = {job: k for k, (job, kind) in enumerate(self.events) if kind == "end"}
        is_whole = len(self.events) == 2 * jobs and set(starts) == set(ends) == set(range(jobs))
        if not is_whole or any(starts[job] > ends[job] for job in starts):
            raise ScheduleError("an order of events needs a start and then an end of every job")
        free = self.instance.cluster.servers.gpus.copy()
        for job, kind in self.events:
            for server, count in self.placement[job].pairs:
                free[server] += count if kind == "end" else -count
            if (free < 0).any():
                raise ScheduleError(
                    f"job {self.instance.jobs.ids[job]!r} finds its GPUs taken in this order"
                )
        return starts, ends

    def running(self, interval: int) -> list[int]:
        """Return the jobs that run in an interval."""
        return [job for job, at in self.start_of.items() if at < interval <= self.end_of[job]]

    def interval_costs(self) -> list[float]:
        """Objective: Σ L for the makespan, else Σ_k L_k times the weight that is not done yet."""
        count = len(self.events)
        if self.objective == "makespan":
            return [1.0] * count
        weight = self.instance.jobs.weight
        if self.objective == "mean_jct":
            weight = np.ones(len(weight))
        return [
            float(sum(weight[job] for job, end in self.end_of.items() if end >= k))
            for k in range(count)
        ]

    def progress_rows(self) -> None:
        """Σ_k r_jk L_k ≥ F_j over the intervals in which j runs, at the rates of who runs there."""
        work: dict[int, dict[int, float]] = {job: {} for job in self.start_of}
        for k in range(len(self.events)):
            running = self.running(k)
            load: dict[int, int] = {}
            for job in running:
                for resource in self.rates.shared_resources(self.placement[job]):
                    load[resource] = load.get(resource, 0) + 1
            for job in running:
                crossed = self.rates.shared_resources(self.placement[job])
                tau = self.rates.iteration_time_s(
                    job, self.placement[job], [load[resource] for resource in crossed]
                )
                work[job][self.length[k]] = 1.0 / tau
        for job, entries in work.items():
            self.model.add_row(entries, lower=float(self.instance.jobs.iterations[job]))

    def arrival_rows(self) -> None:
        """Σ_k L_k up to the start of j ≥ its arrival, counted from the first arrival."""
        for job, start in self.start_of.items():
            arrival_s = float(self.instance.jobs.arrival_s[job]) - self.first_s
            if arrival_s > 0:
                self.model.add_row({self.length[k]: 1.0 for k in range(start + 1)}, lower=arrival_s)

    def solution(self, lengths: np.ndarray, value: float) -> EventSolution:
        """Return the schedule of a solution: starts at its times, ends as the judge has them."""
        times_s = (self.first_s + np.cumsum(np.maximum(lengths, 0.0))).tolist()
        span_s = times_s[-1] - self.first_s
        decisions: list[Decision] = []
        ends_s: dict[int, float] = {}
        for k, (job, kind) in enumerate(self.events):
            if kind == "end":
                continue
            # Rounding must not let a start slip before the end it waits for.
            marks = [ends_s[other] for other, end in self.end_of.items() if end < k]
            marks.append(float(self.instance.jobs.arrival_s[job]))
            near = [mark for mark in marks if abs(mark - times_s[k]) <= SAME_TIME * span_s]
            decisions.append(Decision(job, self.placement[job], max(near, default=times_s[k])))
            partial = replay(self.instance, decisions, rates=self.rates)
            ends_s = dict(zip(partial.job.tolist(), partial.end_s.tolist(), strict=True))
        return EventSolution(
            self._objective_s(value),
            tuple(times_s),
            replay(self.instance, decisions, rates=self.rates),
        )

    def _objective_s(self, value: float) -> float:
        """Return the objective in seconds of a value of the LP, which counts from first_s."""
        if self.objective == "makespan":
            return value + self.first_s
        jobs = self.instance.jobs
        weight = jobs.weight if self.objective == "weighted_jct" else np.ones(len(jobs))
        waited = float((weight * (jobs.arrival_s - self.first_s)).sum())
        return (value - waited) / float(weight.sum())
