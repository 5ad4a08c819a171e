"""The best schedule so far, judged, and what is known about it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
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

__all__ = ["OnIncumbent", "OnProgress", "Progress", "Record"]

#: Linear programs on configurations take up to some seconds.
LEAST_TIME_FOR_BOUNDS_S = 10.0
#: Called with each better schedule, its objective, the bound, and the seconds since the start.
OnIncumbent = Callable[[Schedule, float, float, float], None]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a solver is.

    Parameters
    ----------
    seconds
        Since the start.
    value
        The best objective in seconds; None without a schedule.
    bound_s
        The best lower bound in seconds.
    schedule_from, bound_from
        What found the one and proved the other.
    """

    seconds: float
    value: float | None
    bound_s: float
    schedule_from: str
    bound_from: str

    @property
    def gap(self) -> float | None:
        """How far the value may be from the optimum, as a share of the bound."""
        if self.value is None or self.bound_s <= 0:
            return None
        return self.value / self.bound_s - 1.0


#: Called when there is a better schedule or a better bound.
OnProgress = Callable[[Progress], None]


@dataclass(slots=True, eq=False)
class Record:
    """What a solver has so far: every schedule goes through the judge before it counts.

    Parameters
    ----------
    instance, objective
        What is solved.
    method, seed, time_limit_s
        How; goes into the result.
    parameters
        Further parameters that go into the result.
    on_incumbent, on_progress
        Called with each better schedule, and with each better schedule or bound.
    """

    instance: Instance
    objective: Objective
    method: str
    time_limit_s: float | None
    seed: int
    parameters: Mapping[str, object] = field(default_factory=dict)
    on_incumbent: OnIncumbent | None = None
    on_progress: OnProgress | None = None
    started_s: float = field(default_factory=time.monotonic)
    schedule: Schedule | None = None
    judgement: Judgement | None = None
    value: float = float("inf")
    source: str = ""
    details: dict[str, object] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    _bound: Bound | None = None

    @property
    def bound(self) -> Bound:
        """The strongest bound that holds for all schedules of the class that is searched."""
        if self._bound is None:
            self._bound = strongest_bound(self.instance, self.objective)
        return self._bound

    def offer(self, schedule: Schedule, source: str) -> None:
        """Judge a schedule and keep it if it is the best so far."""
        judgement = verify(self.instance, schedule)
        if not judgement.is_valid:
            raise ScheduleError(f"{source} made an invalid schedule: {judgement.violations[0]}")
        value = judgement.objectives[self.objective]
        if self.bound.problem_class.contains(judgement.schedule_class):
            self._check(value, source, self.bound.value, self.bound.method)
        if value < self.value:
            self.schedule, self.judgement, self.value = schedule, judgement, value
            self.source = source
            if self.on_incumbent is not None:
                self.on_incumbent(schedule, value, self.bound.value, self.seconds())
            self._report()

    def prove(self, value_s: float, method: str) -> None:
        """Take a lower bound on all non-preemptive schedules that a search has proven."""
        if value_s <= self.bound.value:
            return
        if self.schedule is not None:
            self._check(self.value, self.source, value_s, method)
            # What is proven up to rounding is the optimum itself.
            value_s = min(value_s, self.value)
        is_slotted = self.instance.is_slotted
        start = "start at slot boundaries and " if is_slotted else ""
        once = "" if is_slotted else " once they have started"
        self._bound = Bound(
            self.objective,
            value_s,
            method,
            ProblemClass(
                "slotted" if is_slotted else "continuous",
                Preemption.NONE,
                self.instance.rate_model.name,
            ),
            (f"Jobs {start}run to their completion{once}.",),
            {name: count for name, count in self.details.items() if name.startswith("nodes")},
            self.seconds(),
        )
        self._report()

    def strengthen_bound(self) -> None:
        """Take the bounds that pay for the size, unless the time would go to them alone."""
        left_s = self.left_s()
        if left_s is not None and left_s < LEAST_TIME_FOR_BOUNDS_S:
            return
        effort = worthwhile_effort(self.instance, self.objective)
        stronger = strongest_bound(self.instance, self.objective, effort=effort)
        if stronger.value > self.bound.value:
            self._bound = stronger
            self._report()

    def meets_bound(self) -> bool:
        """Return True if the best schedule is as good as any can be, up to rounding."""
        return self.value <= self.bound.value * (1.0 + VIOLATION_TOLERANCE)

    def seconds(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self.started_s

    def left_s(self) -> float | None:
        """Return the seconds left, None without a limit."""
        if self.time_limit_s is None:
            return None
        return max(0.0, self.time_limit_s - self.seconds())

    def finished(self, status: Status, scope: str, proof: str) -> Result:
        """Return the result.

        Parameters
        ----------
        status, scope
            What is known, and among which schedules.
        proof
            What proves it, in words.
        """
        if proof:
            self.details["proof"] = proof
        if self.source:
            self.details["schedule_from"] = self.source
        has_schedule = self.schedule is not None
        asked = {"objective": self.objective, **self.parameters}
        made_by = versions(*self.packages)
        return Result(
            status=status,
            objective=self.objective,
            value=self.value if has_schedule else None,
            schedule=self.schedule,
            judgement=self.judgement,
            bound=self.bound if has_schedule else None,
            scope=scope,
            runtime_s=self.seconds(),
            provenance=Provenance(self.method, asked, self.seed, self.time_limit_s, made_by),
            details=self.details,
        )

    def _check(self, value: float, source: str, bound_s: float, method: str) -> None:
        if violates(value, bound_s):
            raise BoundViolatedError(
                f"{source} made a schedule of {self.objective} {value!r} s, below the bound "
                f"{method!r} of {bound_s!r} s, so one of the two is wrong"
            )

    def _report(self) -> None:
        if self.on_progress is not None:
            value = None if self.schedule is None else self.value
            bound = self.bound
            self.on_progress(
                Progress(self.seconds(), value, bound.value, self.source, bound.method)
            )
