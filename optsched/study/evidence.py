"""Schedules and bounds of an instance from everywhere, held against each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from optsched.core.errors import ScheduleError
from optsched.core.instance import Instance
from optsched.core.metrics import Objective
from optsched.core.result import (
    Bound,
    Judgement,
    Preemption,
    Provenance,
    Result,
    Status,
    violates,
)
from optsched.core.schedule import Schedule
from optsched.judge import verify
from optsched.study.compare import ViolatedBoundError
from optsched.study.run import versions

__all__ = ["Candidate", "Evidence"]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A judged schedule, and where it comes from.

    Parameters
    ----------
    schedule, judgement
        The schedule and the judge's verdict.
    method
        What made it.
    value
        Its objective in seconds.
    """

    schedule: Schedule
    judgement: Judgement
    method: str
    value: float


@dataclass(slots=True, eq=False)
class Evidence:
    """Schedules and bounds, old and new; each new one is held against all of the other kind.

    Parameters
    ----------
    instance, objective
        What they are about.
    candidates
        Valid non-preemptive schedules; others are checked, but do not compete.
    bounds
        All bounds offered.

    Examples
    --------
    >>> from optsched.bounds import bound
    >>> from optsched.generate import waiting_pays
    >>> from optsched.study import run
    >>> pair = waiting_pays()
    >>> evidence = Evidence(pair, "makespan")
    >>> evidence.add_bounds([bound(pair)])
    >>> evidence.offer(run(pair, "fifo").schedule, "fifo")
    >>> evidence.best().value, evidence.is_settled()
    (25.5, False)
    """

    instance: Instance
    objective: Objective
    candidates: list[Candidate] = field(default_factory=list)
    bounds: list[Bound] = field(default_factory=list)

    def offer(self, schedule: Schedule, method: str) -> None:
        """Judge a schedule and take it up if it is one of those that compete.

        Raises
        ------
        ScheduleError
            If it is invalid.
        ViolatedBoundError
            If it is better than a bound of its class.
        """
        judgement = verify(self.instance, schedule)
        if not judgement.is_valid:
            raise ScheduleError(f"{method} made an invalid schedule: {judgement.violations[0]}")
        value = judgement.objectives[self.objective]
        candidate = Candidate(schedule, judgement, method, value)
        for bound in self.bounds:
            self._check(candidate, bound)
        if judgement.schedule_class.preemption is Preemption.NONE:
            self.candidates.append(candidate)

    def add_bounds(self, bounds: Iterable[Bound]) -> None:
        """Take up bounds; raises as :meth:`offer` does."""
        for bound in bounds:
            for candidate in self.candidates:
                self._check(candidate, bound)
            self.bounds.append(bound)

    def _check(self, candidate: Candidate, bound: Bound) -> None:
        made = candidate.judgement.schedule_class
        if bound.problem_class.contains(made) and violates(candidate.value, bound.value):
            raise ViolatedBoundError(self.instance, self._as_result(candidate), bound)

    def _as_result(self, candidate: Candidate) -> Result:
        return Result(
            Status.FEASIBLE,
            self.objective,
            candidate.value,
            candidate.schedule,
            candidate.judgement,
            None,
            "all",
            0.0,
            Provenance(candidate.method, versions=versions()),
        )

    def best(self) -> Candidate:
        """Return the best schedule, of equal ones the first."""
        return min(self.candidates, key=lambda candidate: candidate.value)

    def is_settled(self) -> bool:
        """Return True if the best schedule meets a bound."""
        return bool(self.candidates and self.bounds) and not violates(
            self.strongest()[0].value, self.best().value
        )

    def strongest(self) -> tuple[Bound, ...]:
        """Return the bounds that no other one makes superfluous, the strongest first."""
        kept: list[Bound] = []
        for bound in sorted(self.bounds, key=lambda one: -one.value):
            kind = bound.problem_class
            if not any(other.problem_class.contains(kind) for other in kept):
                # Certificates are not stored; who wants one has the bound computed again.
                kept.append(Bound(bound.objective, bound.value, bound.method, kind))
        return tuple(kept)
