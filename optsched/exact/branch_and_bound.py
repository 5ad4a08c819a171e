"""Branch and bound over event-aligned schedules in continuous time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from optsched.contention import rate_functions
from optsched.core.errors import ScheduleError
from optsched.core.instance import Instance
from optsched.core.metrics import Objective, checked_objective
from optsched.core.schedule import Decision, Schedule
from optsched.exact.limits import OnSchedule, SearchLimits, run_to_a_stop
from optsched.exact.objective_scale import ObjectiveScale
from optsched.exact.outcome import SearchOutcome
from optsched.exact.search_order import search_order
from optsched.exact.search_tables import search_tables
from optsched.judge import replay, verify

if TYPE_CHECKING:
    from optsched.exact.search_stack import SearchStack

__all__ = ["branch_and_bound"]

#: A schedule counts as better only if it is so by more than this share.
TOLERANCE = 1e-9
#: Limits to compute between two looks at the clock. It doubles from turn to turn up to this amount
#: of work over the jobs, some 0.1 s; a turn must not end by the clock, or no two runs were alike.
FIRST_BUDGET, WORK_A_TURN = 2_000, 200_000
#: Entries of the table of states; 24 bytes each.
FIRST_ENTRIES, MOST_ENTRIES = 1 << 14, 1 << 22
#: Vectors of prices; each costs time in every state, and is made at one of the first turns.
MOST_VECTORS, PRICED_TURNS = 24, 60
#: A further vector must see this share more than those there are.
WORTH_KEEPING = 1e-3


def branch_and_bound(
    instance: Instance,
    *,
    objective: str = "makespan",
    symmetry: bool = True,
    memo: bool = True,
    time_limit_s: float | None = None,
    deterministic_limit: float | None = None,
    below: float = float("inf"),
    known: Callable[[], float] | None = None,
    on_incumbent: OnSchedule | None = None,
) -> SearchOutcome:
    """Find the best event-aligned schedule in continuous time.

    The same schedules as :func:`brute_force` looks at, with compiled code, limits that see
    contention (:class:`StatePrices`), and a memory of the states seen. A value that is proven best
    is so up to a share of 10⁻⁹. See ``models/formulations/branch-and-bound.md``.

    Parameters
    ----------
    instance
        The instance, in continuous time, of rate model ``ring`` or ``fixed``, on any fabric.
    objective
        ``makespan``, ``mean_jct`` or ``weighted_jct``.
    symmetry
        Leave out what only renames identical servers and identical jobs.
    memo
        Leave out states that were reached before, no later and at no greater cost.
    time_limit_s
        Stop after so many seconds with the best so far.
    deterministic_limit
        Stop after so many times 20,000 nodes, about a second each. No other decision looks at the
        clock, so with this limit alone two runs do the same.
    below
        Only look for schedules of a lower objective.
    known
        Asked now and then which objective has been reached elsewhere; counts as ``below``.
    on_incumbent
        Called with each better schedule, replayed by the judge, and its objective.

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
    >>> from optsched.generate.hand import waiting_pays
    >>> outcome = branch_and_bound(waiting_pays())
    >>> outcome.value, outcome.scope, outcome.is_complete
    (21.0, 'event-aligned', True)
    """
    wanted = checked_objective(objective)
    search = _Search(instance, wanted, symmetry=symmetry, memo=memo, below=below)
    limits = SearchLimits(
        "branch-and-bound",
        time_limit_s=time_limit_s,
        deterministic_limit=deterministic_limit,
        below=below,
        known=known,
    )
    schedule, value, stopped_by = run_to_a_stop(search, limits, on_incumbent)
    return SearchOutcome(
        schedule,
        value,
        not stopped_by,
        "event-aligned",
        int(search.counts()["nodes"]),
        stopped_by,
        "branch-and-bound",
        search.counts(),
    )


class _Search:
    def __init__(
        self,
        instance: Instance,
        objective: Objective,
        *,
        symmetry: bool,
        memo: bool,
        below: float,
    ) -> None:
        self.source = search_tables(
            instance, search_order(instance, objective), objective=objective, symmetry=symmetry
        )
        # Compiled code is loaded only when a search is really made.
        from optsched.exact.search_lookahead import new_outlook
        from optsched.exact.search_memo import empty_memo
        from optsched.exact.search_stack import new_stack
        from optsched.exact.state_prices import StatePrices

        self.instance = instance
        self.objective = objective
        self.is_makespan = objective == "makespan"
        self.rates = rate_functions(instance)
        self.scale = ObjectiveScale.of(instance, objective)
        self.tables = self.source.tables._replace(
            release=self.source.tables.release - self.scale.first_s
        )
        self.late = np.argsort(-self.tables.release, kind="stable").astype(np.int64)
        #: A time about as long as the schedule, to tell times apart by.
        self.horizon = float(self.tables.release.max() + self.tables.duration.sum())
        self.stack = new_stack(self.tables)
        self.outlook = new_outlook(self.tables)
        self.uses_memo = memo
        self.memo = empty_memo(self.tables, FIRST_ENTRIES)
        self.prices = StatePrices(self.tables)
        self.best: tuple[Schedule, float] | None = None
        self.cutoff = below
        self.root_s = 0.0

    def counts(self) -> dict[str, float]:
        """Return how many states were extended and how many cut, and the limit of the root."""
        from optsched.exact.search_kernel import CUT, DOMINATED, HOPELESS, NODES, OVERFULL

        counters = self.stack.counters.tolist()
        return {
            "nodes": counters[NODES] + 1,
            "cut_by_limit": counters[CUT] + counters[HOPELESS],
            "cut_by_windows": counters[OVERFULL],
            "cut_as_seen": counters[DOMINATED],
            "root_limit_s": self.root_s,
        }

    def run(self, limits: SearchLimits, on_incumbent: OnSchedule | None) -> bool:
        """Search depth first; return False if a limit was reached."""
        from optsched.exact.search_kernel import EXHAUSTED, FOUND, NODES, explore

        if limits.are_reached(0):
            return False
        self.prices.add(self.tables.iterations)
        root = self.root_limit()
        self.root_s = self.scale.objective_s(root)
        budget, turns = FIRST_BUDGET, 0
        most = max(FIRST_BUDGET, WORK_A_TURN // len(self.tables.gpus))
        while True:
            self.cutoff = limits.cutoff(self.cutoff)
            goal = self.scale.internal(self.cutoff * (1.0 - TOLERANCE))
            if root >= goal:
                return True
            outcome = explore(
                self.tables,
                self.stack,
                self.memo,
                self.outlook,
                self.prices.vectors,
                self.prices.sizes,
                self.late,
                self.is_makespan,
                self.uses_memo,
                self.horizon,
                goal,
                budget,
            )
            if outcome == EXHAUSTED:
                return True
            if outcome == FOUND:
                self.take(on_incumbent)
            if limits.are_reached(int(self.stack.counters[NODES])):
                return False
            if outcome == FOUND:
                continue
            budget = min(2 * budget, most)
            self.make_room()
            turns += 1
            if turns <= PRICED_TURNS:
                self.add_prices()

    def root_limit(self) -> float:
        """Prepare the root, and return the limit of all that follows it."""
        from optsched.exact.search_limits import limit
        from optsched.exact.search_lookahead import look_ahead

        stack, vectors = self.stack, self.prices.vectors
        scratch = np.zeros((7, len(self.tables.gpus)))
        state = (stack.now[0], stack.remaining[0], stack.status[0], stack.placed[0], 0.0)
        found = limit(self.tables, vectors, self.is_makespan, *state, scratch, self.late, 0, np.inf)
        vector = int(scratch[6, 0])
        look_ahead(
            self.tables,
            self.outlook,
            0,
            vector,
            vectors[vector],
            self.is_makespan,
            *state,
            stack.waiting[0, : stack.length[0]],
            int(stack.free[0].sum()),
        )
        return float(found)

    def make_room(self) -> None:
        """Enlarge the table of states once it is half full."""
        from optsched.exact.search_memo import grown_memo

        entries = len(self.memo.first)
        if entries < MOST_ENTRIES and 2 * int(self.memo.used[0]) > entries:
            self.memo = grown_memo(self.memo)

    def add_prices(self) -> None:
        """Add prices that are best for states on the present branch."""
        from optsched.exact.search_kernel import DEPTH

        prices = self.prices
        for depth in range(1, int(self.stack.counters[DEPTH]) + 1):
            remaining = self.stack.remaining[depth].copy()
            if len(prices.vectors) >= MOST_VECTORS or np.count_nonzero(remaining) < 3:
                return
            known = float((prices.vectors @ remaining).max())
            if prices.add(remaining) and prices.vectors[-1] @ remaining < known * (
                1.0 + WORTH_KEEPING
            ):
                prices.vectors = prices.vectors[:-1]

    def take(self, on_incumbent: OnSchedule | None) -> None:
        """Replay the schedule that was found, and take it for the incumbent if it is better."""
        from optsched.exact.search_kernel import DEPTH

        schedule = self.replayed(self.stack, int(self.stack.counters[DEPTH]) + 1)
        judgement = verify(self.instance, schedule)
        if not judgement.is_valid:
            raise ScheduleError(f"the search made an invalid schedule: {judgement.violations[0]}")
        value = judgement.objectives[self.objective]
        if value < self.cutoff:
            self.best, self.cutoff = (schedule, value), value
            if on_incumbent is not None:
                on_incumbent(schedule, value)

    def replayed(self, stack: SearchStack, depth: int) -> Schedule:
        """Return the schedule of a row in which all jobs are done.

        The search says at which event a job starts; the judge's replay says when that is.
        """
        arrival_s: list[float] = self.instance.jobs.arrival_s[self.source.job].tolist()
        began, ended = stack.began[depth].tolist(), stack.ended[depth].tolist()
        decisions: list[Decision] = []
        ends_s: dict[int, float] = {}
        for event in sorted(set(began)):
            times_s = [ends_s[self.source.job[job]] for job, at in enumerate(ended) if at == event]
            times_s += [
                arrival_s[job]
                for job, release in enumerate(self.tables.release.tolist())
                if release == stack.now[event]
            ]
            for job, at in enumerate(began):
                if at == event:
                    placement = self.source.placements[stack.placed[depth, job]]
                    decisions.append(Decision(self.source.job[job], placement, max(times_s)))
            schedule = replay(self.instance, decisions, rates=self.rates)
            ends_s = dict(zip(schedule.job.tolist(), schedule.end_s.tolist(), strict=True))
        return schedule
