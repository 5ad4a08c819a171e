"""The best schedule so far, judged, and what is known about it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from optsched.bounds import bound as strongest_bound
from optsched.bounds import worthwhile_effort
from optsched.core.errors import BoundViolatedError, ScheduleError
from optsched.core.instance import Instance
from optsched.core.metrics import Objective
from optsched.core.result import (
    VIOLATION_TOLERANCE,
    Bound,
    Judgement,
    Preemption,
    ProblemClass,
    Provenance,
    Result,
    Status,
    violates,
)
from optsched.core.schedule import Schedule
from optsched.core.versions import versions
from optsched.judge import verify

__all__ = ["OnIncumbent", "Record"]

#: Linear programs on configurations take up to some seconds.
LEAST_TIME_FOR_BOUNDS_S = 10.0
#: Called with each better schedule, its objective, the bound, and the seconds since the start.
OnIncumbent = Callable[[Schedule, float, float, float], None]


@dataclass(slots=True, eq=False)
class Record:
    """What a solver has so far: every schedule goes through the judge before it counts.

    Parameters
    ----------
    instance, objective
        What is solved.
    method, seed, time_limit_s
        How; goes into the result.
    on_incumbent
        Called with each better schedule.
    """

    instance: Instance
    objective: Objective
    method: str
    time_limit_s: float | None
    seed: int
    on_incumbent: OnIncumbent | None
    started_s: float = field(default_factory=time.monotonic)
    schedule: Schedule | None = None
    judgement: Judgement | None = None
    value: float = float("inf")
    source: str = ""
    details: dict[str, object] = field(default_factory=dict)
    _bound: Bound | None = None

    @property
    def bound(self) -> Bound:
        """The strongest bound, which holds for all schedules."""
        if self._bound is None:
            self._bound = strongest_bound(self.instance, self.objective)
        return self._bound

    def offer(self, schedule: Schedule, source: str) -> None:
        """Judge a schedule and keep it if it is the best so far."""
        judgement = verify(self.instance, schedule)
        if not judgement.is_valid:
            raise ScheduleError(f"{source} made an invalid schedule: {judgement.violations[0]}")
        value = judgement.objectives[self.objective]
        if self.bound.problem_class.contains(judgement.schedule_class) and violates(
            value, self.bound.value
        ):
            raise BoundViolatedError(
                f"{source} made a schedule of {self.objective} {value!r} s, below the bound "
                f"{self.bound.method!r} of {self.bound.value!r} s, so one of the two is wrong"
            )
        if value < self.value:
            self.schedule, self.judgement, self.value = schedule, judgement, value
            self.source = source
            if self.on_incumbent is not None:
                seconds = time.monotonic() - self.started_s
                self.on_incumbent(schedule, value, self.bound.value, seconds)

    def strengthen_bound(self) -> None:
        """Take the bounds that pay for the size, unless the time would go to them alone."""
        left_s = self.left_s()
        if left_s is not None and left_s < LEAST_TIME_FOR_BOUNDS_S:
            return
        effort = worthwhile_effort(self.instance, self.objective)
        stronger = strongest_bound(self.instance, self.objective, effort=effort)
        if stronger.value > self.bound.value:
            self._bound = stronger

    def meets_bound(self) -> bool:
        """Return True if the best schedule is as good as any can be, up to rounding."""
        return self.value <= self.bound.value * (1.0 + VIOLATION_TOLERANCE)

    def left_s(self) -> float | None:
        """Return the seconds left, None without a limit."""
        if self.time_limit_s is None:
            return None
        return max(0.0, self.started_s + self.time_limit_s - time.monotonic())

    def finished(self, status: Status, scope: str, proof: str, *, by: str = "") -> Result:
        """Return the result.

        Parameters
        ----------
        status, scope
            What is known, and among which schedules.
        proof
            What proves it, in words.
        by
            The search that proved the optimum among all schedules.
        """
        if proof:
            self.details["proof"] = proof
        if self.source:
            self.details["schedule_from"] = self.source
        has_schedule = self.schedule is not None
        asked = {"objective": self.objective}
        provenance = Provenance(self.method, asked, self.seed, self.time_limit_s, versions())
        return Result(
            status=status,
            objective=self.objective,
            value=self.value if has_schedule else None,
            schedule=self.schedule,
            judgement=self.judgement,
            bound=self._final_bound(by) if has_schedule else None,
            scope=scope,
            runtime_s=time.monotonic() - self.started_s,
            provenance=provenance,
            details=self.details,
        )

    def _final_bound(self, by: str) -> Bound:
        """Return the optimum itself where a search proved it for all non-preemptive schedules."""
        if not by or self.meets_bound():
            return self.bound
        is_slotted = self.instance.is_slotted
        assumption = "Jobs run to their completion once they have started."
        if is_slotted:
            assumption = "Jobs start at slot boundaries and run to their completion."
        return Bound(
            self.objective,
            self.value,
            by,
            ProblemClass(
                "slotted" if is_slotted else "continuous",
                Preemption.NONE,
                self.instance.rate_model.name,
            ),
            (assumption,),
            {name: count for name, count in self.details.items() if name.startswith("nodes")},
            time.monotonic() - self.started_s,
        )
