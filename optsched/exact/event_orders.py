"""Branch and bound over orders of events: optimal among all schedules in continuous time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from optsched.core.errors import ScheduleError
from optsched.core.instance import Instance
from optsched.core.metrics import Objective, checked_objective
from optsched.core.placement import Placement
from optsched.core.result import violates
from optsched.core.schedule import Schedule
from optsched.exact.limits import OnSchedule, SearchLimits, run_to_a_stop
from optsched.exact.objective_scale import ObjectiveScale
from optsched.exact.outcome import SearchOutcome
from optsched.exact.search_order import search_order
from optsched.exact.search_tables import search_tables
from optsched.formulations import event_lp
from optsched.judge import verify

__all__ = ["event_orders"]

#: A schedule counts as better only if it is so by more than this share.
TOLERANCE = 1e-9
#: Linear programs between two looks at the clock, and what they grow to over the number of jobs.
FIRST_BUDGET, WORK_A_TURN = 500, 50_000
#: Vectors of prices in each program, those that say most about the whole.
MOST_VECTORS = 4


def event_orders(
    instance: Instance,
    *,
    objective: str = "makespan",
    symmetry: bool = True,
    time_limit_s: float | None = None,
    deterministic_limit: float | None = None,
    below: float = float("inf"),
    known: Callable[[], float] | None = None,
    on_incumbent: OnSchedule | None = None,
) -> SearchOutcome:
    """Find the best of all non-preemptive schedules in continuous time.

    Branches on the next event: a running job ends, or a waiting job starts on some GPUs. When in
    time the events are is left to a linear program at every node, so a start may lie anywhere. It
    proves more than :func:`branch_and_bound` and reaches less far; give it that one's optimum as
    ``below``. See ``models/formulations/event-orders.md``.

    Parameters
    ----------
    instance, objective, symmetry, time_limit_s, known, on_incumbent
        As for :func:`branch_and_bound`.
    deterministic_limit
        The same, in units of 50,000 nodes.
    below
        Only look for schedules of a lower objective: with no schedule in the outcome and the
        search complete, there is none that is lower by more than a share of 10⁻⁹.

    Raises
    ------
    UnsupportedError
        If time is slotted or there are too many placements; the text names a method that applies.
    LimitReachedError
        If a limit comes before the first schedule, unless ``below`` was given.
    KeyboardInterrupt
        If it comes before the first schedule, unless ``below`` was given; afterwards an interrupt
        ends the search like a limit.

    Examples
    --------
    >>> from optsched.generate.hand import interior_start
    >>> outcome = event_orders(interior_start(), objective="weighted_jct")
    >>> round(9 * outcome.value, 6), outcome.scope, outcome.schedule.start_s.round(9).tolist()[:3]
    (832.0, 'all', [0.0, 3.0, 8.0])
    """
    wanted = checked_objective(objective)
    search = _OrderSearch(instance, wanted, symmetry=symmetry, below=below)
    limits = SearchLimits(
        "event-orders",
        time_limit_s=time_limit_s,
        deterministic_limit=deterministic_limit,
        below=below,
        known=known,
    )
    schedule, value, stopped_by = run_to_a_stop(search, limits, on_incumbent)
    nodes, cut = search.counts()
    return SearchOutcome(
        schedule,
        value,
        not stopped_by,
        "all",
        nodes,
        stopped_by,
        "event-orders",
        {"cut_by_limit": cut},
    )


class _OrderSearch:
    def __init__(
        self, instance: Instance, objective: Objective, *, symmetry: bool, below: float
    ) -> None:
        self.source = search_tables(
            instance, search_order(instance, objective), objective=objective, symmetry=symmetry
        )
        # Compiled code is loaded only when a search is really made.
        from optsched.exact.search_stack import new_stack
        from optsched.exact.state_prices import StatePrices

        self.instance = instance
        self.objective = objective
        self.scale = ObjectiveScale.of(instance, objective)
        self.tables = self.source.tables._replace(
            release=self.source.tables.release - self.scale.first_s
        )
        self.stack = new_stack(self.tables)
        self.rates = np.zeros_like(self.stack.remaining)
        self.prices = StatePrices(self.tables)
        self.best: tuple[Schedule, float] | None = None
        self.cutoff = below

    def counts(self) -> tuple[int, int]:
        """Return how many nodes were extended, and how many cut."""
        from optsched.exact.search_kernel import CUT, NODES

        return int(self.stack.counters[NODES]), int(self.stack.counters[CUT])

    def run(self, limits: SearchLimits, on_incumbent: OnSchedule | None) -> bool:
        """Search depth first; return False if a limit was reached."""
        from optsched.exact.order_kernel import explore_orders
        from optsched.exact.search_kernel import EXHAUSTED, FOUND

        if limits.are_reached(0):
            return False
        self.prices.add(self.tables.iterations)
        vectors = self.prices.vectors
        most_telling = np.argsort(-(vectors @ self.tables.iterations), kind="stable")
        vectors = np.ascontiguousarray(vectors[most_telling[:MOST_VECTORS]])
        budget, most_budget = FIRST_BUDGET, max(FIRST_BUDGET, WORK_A_TURN // len(self.tables.gpus))
        while True:
            self.cutoff = limits.cutoff(self.cutoff)
            goal = self.scale.internal(self.cutoff * (1.0 - TOLERANCE))
            outcome = explore_orders(
                self.tables,
                self.stack,
                self.rates,
                vectors,
                self.objective == "makespan",
                self.most(goal),
                goal,
                budget,
            )
            if outcome == EXHAUSTED:
                return True
            if outcome == FOUND:
                self.take(on_incumbent)
            if limits.are_reached(self.counts()[0]):
                return False
            budget = min(2 * budget, most_budget)

    def most(self, goal: float) -> float:
        """Return what no length of an interval of a schedule worth having exceeds.

        Nor does a useful schedule idle for longer than to the last arrival and then run each job
        alone at its slowest.
        """
        slowest = self.tables.time.max(axis=(1, 2)) @ self.tables.iterations
        horizon = float(self.tables.release.max() + slowest)
        weighted = horizon * float(max(1.0, self.tables.weight.sum()))
        return min(max(horizon, weighted), goal) if self.objective == "makespan" else weighted

    def take(self, on_incumbent: OnSchedule | None) -> None:
        """Solve the event LP of the order that was found, and take its schedule if it is better."""
        from optsched.exact.search_kernel import DEPTH

        row = int(self.stack.counters[DEPTH]) + 1
        events: list[tuple[int, str]] = [(0, "")] * row
        placements: dict[int, Placement] = {}
        for position, job in enumerate(self.source.job):
            events[int(self.stack.began[row, position])] = (job, "start")
            events[int(self.stack.ended[row, position])] = (job, "end")
            placements[job] = self.source.placements[int(self.stack.placed[row, position])]
        solution = event_lp(self.instance, placements, events, objective=self.objective)
        if solution is None:
            raise ScheduleError("the event LP has no solution for an order that the search found")
        judgement = verify(self.instance, solution.schedule)
        if not judgement.is_valid:
            raise ScheduleError(f"the search made an invalid schedule: {judgement.violations[0]}")
        value = judgement.objectives[self.objective]
        if violates(solution.value, value):
            raise ScheduleError(
                f"the event LP promised {solution.value!r} s, and the judge finds {value!r} s"
            )
        if value < self.cutoff:
            self.best, self.cutoff = (solution.schedule, value), value
            if on_incumbent is not None:
                on_incumbent(solution.schedule, value)
