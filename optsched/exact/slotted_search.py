"""What the searches by CP-SAT share: limits, the best schedule, the bound, and their judgement."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from operator import mul

from optsched.bounds import bound, worthwhile_effort
from optsched.core.errors import (
    BoundViolatedError,
    LimitReachedError,
    ScheduleError,
    TooLargeError,
)
from optsched.core.instance import Instance
from optsched.core.metrics import checked_objective
from optsched.core.schedule import Schedule
from optsched.exact.limits import OnSchedule
from optsched.exact.list_schedules import list_schedules
from optsched.exact.outcome import SearchOutcome
from optsched.exact.slot_value import SlotValue
from optsched.exact.slotted_runs import runs_of, schedule_of
from optsched.formulations.cpsat_slotted import CpSatGoal, CpSatModel, count_literals
from optsched.formulations.slot_levels import SlotLevels
from optsched.formulations.slot_patterns import Pattern
from optsched.formulations.slotted_program import SlottedRun
from optsched.judge import verify
from optsched.solvers import CpSatAnswer, CpSatLimits, solve_cp_model

__all__ = ["MOST_LITERALS", "SlottedSearch"]

#: A larger model takes minutes to make and gigabytes to solve.
MOST_LITERALS = 1_000_000


class SlottedSearch:
    """A search among the non-preemptive schedules of a slotted instance.

    Values are those of :class:`SlotValue`, whole numbers. ``lower`` is proven for all schedules.

    Parameters
    ----------
    instance, method, objective
        What is searched, and by which method.
    time_limit_s, deterministic_limit, workers, seed
        As for :func:`optsched.exact.cp_sat.cp_sat`, like all others.
    """

    def __init__(
        self,
        instance: Instance,
        method: str,
        objective: str,
        *,
        time_limit_s: float | None = None,
        deterministic_limit: float | None = None,
        workers: int = 1,
        seed: int = 0,
        below: float = math.inf,
        known: Callable[[], float] | None = None,
        on_incumbent: OnSchedule | None = None,
        on_bound: Callable[[float], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> None:
        self.deadline = math.inf if time_limit_s is None else time.monotonic() + time_limit_s
        self.units = math.inf if deterministic_limit is None else deterministic_limit
        self.instance, self.method = instance, method
        self.objective = checked_objective(objective)
        self.levels = SlotLevels.of(instance)
        self.value = SlotValue.of(self.levels, self.objective)
        self.workers, self.seed = workers, seed
        self.below, self.known = below, known
        self.on_incumbent, self.on_bound, self.should_stop = on_incumbent, on_bound, should_stop
        self.best: tuple[Schedule, float] | None = None
        self.best_runs: list[SlottedRun] | None = None
        self.lower = 0
        self.is_open = below == math.inf
        self.stopped_by = ""
        self.counts = {"solves": 0.0, "branches": 0.0, "conflicts": 0.0, "deterministic_time": 0.0}

    def run(
        self, search: Callable[[SlottedSearch], bool], hint: Schedule | None, lower_s: float
    ) -> SearchOutcome:
        """Search, unless the bound is met before; an interrupt ends it like a limit.

        Parameters
        ----------
        search
            Returns True if nothing better than the best is left.
        hint, lower_s
            A schedule and a lower bound to start from.
        """
        is_complete = False
        try:
            self.prepare(hint, lower_s)
            is_complete = self.is_closed or search(self) or self.is_closed
        except KeyboardInterrupt:
            self.stopped_by = "interrupt"
        return self.outcome(is_complete=is_complete)

    def prepare(self, hint: Schedule | None, lower_s: float) -> None:
        """Take the hint, or quick schedules, and a bound."""
        if self.levels.stuck:
            return
        if hint is not None:
            self.is_open = False
            self.offer(hint)
        elif self.below == math.inf:
            for _, schedule in list_schedules(self.instance):
                self.offer(schedule)
        if lower_s <= 0:
            # Of whole jobs alone, the model knows all that the dearer bounds do.
            is_spread = bool(self.levels.spreadable)
            effort = worthwhile_effort(self.instance, self.objective) if is_spread else "instant"
            lower_s = bound(self.instance, self.objective, effort=effort).value
        self.raise_lower(self.value.at_least(lower_s))

    @property
    def upper(self) -> int | None:
        """The largest value that is still of interest; None if any is."""
        limits = [self.below] if self.known is None else [self.below, self.known()]
        found = [self.value.less_than(limit) for limit in limits if limit < math.inf]
        if self.best_runs is not None:
            found.append(self.value.internal(self.best_runs) - 1)
        return min(found, default=None)

    @property
    def is_closed(self) -> bool:
        """True if nothing better is left to be found."""
        if self.levels.stuck:
            return True
        upper = self.upper
        return upper is not None and upper < self.lower

    def goal(self, *, upper: int | None = None, is_decision: bool = False) -> CpSatGoal:
        """Return the goal of schedules of interest, or of at most ``upper``.

        Raises
        ------
        TooLargeError
            If the model would be too large.
        """
        most = self.upper if upper is None else upper
        ends = self.value.ends(most)
        if most is not None and self.value.weights is not None:
            # What is no limit may be too large a number for the solver.
            most = min(most, sum(map(mul, self.value.weights, ends)))
        goal = CpSatGoal(ends, self.value.weights, self.lower, most, is_decision)
        literals = count_literals(self.levels, goal)
        if literals > MOST_LITERALS:
            raise TooLargeError(
                f"the model of {self.instance.name!r} would have about {literals:,} literals, "
                f"spread jobs times slots, and {MOST_LITERALS:,} is the most; use a longer slot_s, "
                "or method 'auto', which bounds the gap of the best schedule it finds"
            )
        return goal

    def solve(
        self,
        model: CpSatModel,
        *,
        hint: Sequence[SlottedRun] | None = None,
        take: Callable[[list[SlottedRun]], None] | None = None,
        has_bound: bool = True,
        parameters: Mapping[str, object] | None = None,
    ) -> CpSatAnswer:
        """Solve a model within what is left of the limits, and keep what it finds and proves.

        Parameters
        ----------
        model
            The model.
        hint
            Values to try first.
        take
            Called with the runs of each solution; by default they are judged as a schedule.
        has_bound
            Whether its bound is one on the objective.
        parameters
            Further parameters of CP-SAT.
        """
        if hint is not None:
            model.add_hint(hint)
        units = self.units - self.counts["deterministic_time"]
        limits = CpSatLimits(
            None if self.deadline == math.inf else max(0.0, self.deadline - time.monotonic()),
            None if units == math.inf else max(0.0, units),
            self.workers,
            self.seed,
        )
        keep = self.take if take is None else take
        answer = solve_cp_model(
            model.model,
            limits,
            on_solution=lambda value_of: keep(model.runs(value_of)),
            on_bound=self._take_bound if has_bound else None,
            should_stop=self._has_to_stop,
            **(parameters or {}),
        )
        self.counts["solves"] += 1
        self.counts["branches"] += answer.branches
        self.counts["conflicts"] += answer.conflicts
        self.counts["deterministic_time"] += answer.deterministic_time
        if answer.value_of is not None:
            keep(model.runs(answer.value_of))
        if has_bound and -math.inf < answer.bound < math.inf:
            self._take_bound(answer.bound)
        self.stopped_by = answer.stopped_by
        return answer

    def take(self, runs: Sequence[SlottedRun]) -> None:
        """Judge the schedule of runs, and keep it if it is the best so far."""
        self.offer(self.schedule(runs))

    def schedule(self, runs: Sequence[SlottedRun]) -> Schedule:
        """Return the schedule of the starts and placements of runs, as the judge replays it."""
        patterns = [(run.first, Pattern(run.counts, run.after - run.first, ())) for run in runs]
        return schedule_of(self.levels, patterns)

    def offer(self, schedule: Schedule) -> None:
        """Judge a schedule, and keep it if it is the best so far and below ``below``."""
        judgement = verify(self.instance, schedule)
        if not judgement.is_valid:
            raise ScheduleError(f"{self.method}: invalid schedule: {judgement.violations[0]}")
        value = judgement.objectives[self.objective]
        if value >= self.below or (self.best is not None and value >= self.best[1]):
            return
        runs = runs_of(self.levels, schedule)
        if self.value.internal(runs) < self.lower:
            raise BoundViolatedError(
                f"{self.method} made a schedule of {self.instance.name!r} of {self.objective} "
                f"{value!r} s, below the proven {self.value.bound_s(self.lower)!r} s"
            )
        self.best, self.best_runs = (schedule, value), runs
        if self.on_incumbent is not None:
            self.on_incumbent(schedule, value)

    def raise_lower(self, lower: int) -> None:
        """Take a proven lower bound on the value of every schedule."""
        if lower <= self.lower:
            return
        if self.best_runs is not None and lower > self.value.internal(self.best_runs):
            # What is not better than the best is left out of the models.
            lower = self.value.internal(self.best_runs)
        self.lower = lower
        if self.on_bound is not None:
            self.on_bound(self.value.bound_s(lower))

    def outcome(self, *, is_complete: bool) -> SearchOutcome:
        """Return what is known at the end."""
        schedule, value = (None, None) if self.best is None else self.best
        if not is_complete and schedule is None and self.is_open:
            if self.stopped_by == "interrupt":
                raise KeyboardInterrupt
            raise LimitReachedError(
                f"{self.method} found no schedule of {self.instance.name!r} before its "
                f"{self.stopped_by or 'end'}"
            )
        proven_s = self.value.bound_s(self.lower)
        if is_complete:
            # Schedules that are no better than this were left out, and all others do not exist.
            left_out_s = [self.below, *([] if self.known is None else [self.known()])]
            proven_s = min(left_out_s) if value is None else min(value, *left_out_s)
            proven_s = math.inf if self.levels.stuck else proven_s
            if self.on_bound is not None:
                self.on_bound(proven_s)
        return SearchOutcome(
            schedule,
            value,
            is_complete,
            "all",
            int(self.counts["branches"]),
            "" if is_complete else self.stopped_by,
            self.method,
            self.counts,
            proven_s,
        )

    def _take_bound(self, internal: float) -> None:
        # The solver counts in whole numbers, and tells them as a double.
        self.raise_lower(math.ceil(internal - 1e-6 - 4.0 * math.ulp(internal)))

    def _has_to_stop(self) -> bool:
        """Return True if it was asked to, or if others have closed the gap meanwhile."""
        if self.should_stop is not None and self.should_stop():
            return True
        return self.known is not None and self.value.less_than(self.known()) < self.lower
