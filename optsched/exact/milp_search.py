"""What a mixed-integer program of slotted time has found and proven, judged and in seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

import numpy as np

from optsched.core.errors import (
    BoundViolatedError,
    LimitReachedError,
    ScheduleError,
    TooLargeError,
)
from optsched.core.instance import Instance
from optsched.core.metrics import Objective
from optsched.core.result import violates
from optsched.core.schedule import Schedule
from optsched.exact.list_schedules import list_schedules
from optsched.exact.outcome import SearchOutcome
from optsched.exact.slotted_goal import TOLERANCE, SlottedScale
from optsched.exact.slotted_runs import runs_of, schedule_of
from optsched.formulations.milp_slotted import slotted_program
from optsched.formulations.slot_levels import SlotLevels
from optsched.formulations.slotted_program import SlottedProgram, count_binaries
from optsched.judge import verify
from optsched.solvers import ProgramAnswer

__all__ = ["MOST_BINARIES", "MilpSearch"]

#: A larger program takes minutes to write, and no solver ends with it.
MOST_BINARIES = 60_000


class MilpSearch:
    """Turns schedules into values of variables and back, and judges what a solver finds."""

    def __init__(
        self,
        instance: Instance,
        objective: Objective,
        solver: str,
        *,
        hint: Schedule | None = None,
        below: float = float("inf"),
        symmetry: bool = True,
        on_incumbent: Callable[[Schedule, float], None] | None = None,
        on_bound: Callable[[float], None] | None = None,
    ) -> None:
        self.levels = SlotLevels.of(instance)
        self.scale = SlottedScale.of(self.levels, objective)
        self.instance, self.objective, self.method = instance, objective, f"milp-{solver}"
        self.has_hint = hint is not None
        self.is_open = below == np.inf and hint is None
        self.below = below
        self.symmetry = symmetry
        self.on_incumbent, self.on_bound = on_incumbent, on_bound
        self.best: tuple[Schedule, float] | None = None
        self.model: SlottedProgram | None = None
        self.binaries = 0
        if hint is not None:
            self.offer(hint)

    def offer_list_schedules(self) -> None:
        """Take the best list schedule for the horizon, and to have one whatever happens."""
        if not self.levels.stuck:
            for _, schedule in list_schedules(self.instance):
                self.offer(schedule, is_told=False)

    def program(self, lower_s: float) -> SlottedProgram | None:
        """Write the program; None if there is nothing to look for.

        Raises
        ------
        TooLargeError
            If it would be too large.
        """
        if self.levels.stuck:
            return None
        upper = np.inf if self.below == np.inf else self.scale.below(self.below)
        if self.best is not None:
            upper = min(upper, _round_to(self.scale.internal(self.best[1]), self.scale.unit))
        lower = self.scale.internal(lower_s) if lower_s > 0 else 0.0
        goal = self.scale.goal(float(upper), lower=max(0.0, lower - 1e-6 * abs(lower)))
        self.binaries = count_binaries(self.levels, goal)
        if self.binaries > MOST_BINARIES:
            raise TooLargeError(
                f"the mixed-integer program of {self.instance.name!r} would have about "
                f"{self.binaries:,} binaries, patterns times slots, and {MOST_BINARIES:,} is the "
                "most; use method 'cp-sat', or a longer slot_s"
            )
        self.model = slotted_program(self.levels, goal, symmetry=self.symmetry)
        return self.model

    def start_values(self) -> Sequence[float] | None:
        """Return the values of the variables in the hint, None if it does not count."""
        if not self.has_hint or self.best is None or self.model is None or self.levels.is_pool:
            return None
        return self.model.start_values(runs_of(self.levels, self.best[0]))

    def take(self, values: Sequence[float]) -> None:
        """Judge a solution of the program and keep it if it is the best so far."""
        if self.model is not None:
            self.offer(schedule_of(self.levels, self.model.starts(values)))

    def tell(self, bound: float) -> None:
        """Pass on a lower bound."""
        if self.on_bound is not None:
            self.on_bound(self.lower_s(bound))

    def lower_s(self, bound: float) -> float:
        """Return in seconds what a bound of the program proves for all schedules.

        The program leaves out what is not better than ``below``, or worse than the best.
        """
        limits = [self.below]
        if self.best is not None:
            limits.append(self.best[1])
        return min(self.scale.lower_s(bound), *limits) if bound < np.inf else min(limits)

    def offer(self, schedule: Schedule, *, is_told: bool = True) -> None:
        """Judge a schedule and keep it if it is the best so far."""
        judgement = verify(self.instance, schedule)
        if not judgement.is_valid:
            raise ScheduleError(f"{self.method}: invalid schedule: {judgement.violations[0]}")
        value = judgement.objectives[self.objective]
        if value < self.below and (self.best is None or value < self.best[1]):
            self.best = (schedule, value)
            if is_told and self.on_incumbent is not None:
                self.on_incumbent(schedule, value)

    def nothing_to_solve(self) -> SearchOutcome:
        """Return the outcome where no job can run at all, or none in time."""
        bound = float("inf") if self.levels.stuck else self.lower_s(float("inf"))
        return self._outcome(is_complete=True, bound=bound)

    def outcome(self, answer: ProgramAnswer) -> SearchOutcome:
        """Return what is known when the solver has ended."""
        if answer.values:
            self.take(answer.values)
        if answer.status == "infeasible" and self.below == np.inf:
            # The program contains the schedule that its horizon is from.
            self.contradict(f"that there is no schedule up to {self.best and self.best[1]!r} s")
        bound = None if answer.bound == -np.inf else self.lower_s(answer.bound)
        proven = self.scale.lower_s(answer.bound) if np.isfinite(answer.bound) else -np.inf
        if self.best is not None and violates(self.best[1], proven):
            self.contradict(f"that no schedule is below {proven!r} s")
        is_complete = answer.status == "infeasible"
        if answer.status == "optimal" and self.best is not None:
            # The bound has to say so, not only the solver's word.
            value = self.best[1]
            allowed = 1e-9 if self.scale.unit > 0 else 4 * TOLERANCE
            is_complete = value - proven <= allowed * max(1.0, abs(value))
            if is_complete and self.scale.unit > 0:
                bound = value
        stopped_by = answer.stopped_by.replace("node limit", "deterministic limit")
        if not is_complete and self.best is None and self.is_open:
            if stopped_by == "interrupt":
                raise KeyboardInterrupt
            raise LimitReachedError(
                f"{self.method} found no schedule of {self.instance.name!r} within its limits"
            )
        return self._outcome(
            is_complete=is_complete,
            bound=bound,
            nodes=answer.nodes,
            stopped_by="" if is_complete else stopped_by or "solver",
        )

    def contradict(self, claim: str) -> NoReturn:
        """Raise the error of a solver that is refuted by a schedule."""
        value = None if self.best is None else self.best[1]
        raise BoundViolatedError(
            f"{self.method} says of {self.instance.name!r} {claim}, and there is one of "
            f"{self.objective} {value!r} s, so the solver or the program is wrong"
        )

    def _outcome(
        self, *, is_complete: bool, bound: float | None, nodes: int = 0, stopped_by: str = ""
    ) -> SearchOutcome:
        schedule, value = (None, None) if self.best is None else self.best
        details = {"most_binaries": float(self.binaries)}
        return SearchOutcome(
            schedule, value, is_complete, "all", nodes, stopped_by, self.method, details, bound
        )


def _round_to(value: float, unit: float) -> float:
    """Return the multiple of a unit nearest to a value that is one but for rounding."""
    return value if unit == 0 else round(value / unit) * unit
