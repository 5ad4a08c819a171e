"""The door to exact solving: bounds, quick schedules, and a search where they do not meet."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import metadata
from typing import TYPE_CHECKING

import numpy as np

from optsched.bounds import bound as strongest_bound
from optsched.core.errors import (
    BoundViolatedError,
    LimitReachedError,
    ScheduleError,
    StalledJobError,
)
from optsched.core.instance import Instance
from optsched.core.metrics import Objective, checked_objective
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
from optsched.exact.brute_force import SearchOutcome, Starts, brute_force
from optsched.exact.event_aligned import is_event_aligned
from optsched.exact.list_schedules import list_schedules
from optsched.exact.methods import METHODS, checked_method
from optsched.judge import verify

if TYPE_CHECKING:
    from optsched.planners import Planner

__all__ = ["OnIncumbent", "incumbent_planners", "solve"]

#: Called with each better schedule, its objective, the bound, and the seconds since the start.
OnIncumbent = Callable[[Schedule, float, float, float], None]


def incumbent_planners() -> Iterator[tuple[str, Planner]]:
    """Yield the names and planners whose schedules ``solve`` starts from besides list schedules.

    They are tried in this order, each only if the ones before left a gap.
    """
    # Planners are needed only here, and not by whoever calls the brute force alone.
    from optsched.planners import PLANNERS

    for name in ("list-scheduling", "sjf-bco"):
        yield name, PLANNERS[name]()


def solve(
    instance: Instance,
    *,
    objective: str = "makespan",
    method: str = "auto",
    time_limit_s: float | None = 60.0,
    seed: int = 0,
    on_incumbent: OnIncumbent | None = None,
) -> Result:
    """Find an optimal schedule with its proof, or the best found with its gap.

    Method ``auto`` compares quick schedules with the lower bounds; if they meet, this is a proof
    for all schedules. Otherwise, and always with method ``brute-force``, it enumerates the
    event-aligned schedules and, in slotted time, then those with starts at any slot.

    Parameters
    ----------
    instance
        The instance.
    objective
        ``makespan``, ``mean_jct`` or ``weighted_jct``.
    method
        ``auto`` or ``brute-force``; see :data:`METHODS`.
    time_limit_s
        Stop the search after so many seconds; None: never.
    seed
        Goes to the planners that schedules are taken from; the search itself draws nothing.
    on_incumbent
        Called with each better schedule, its objective, the bound and the seconds since the start.

    Returns
    -------
    Result
        ``optimal`` with the scope of the proof, ``all`` (all non-preemptive schedules) or
        ``event-aligned``; ``feasible`` if a limit, an interrupt or the number of jobs left a gap;
        ``infeasible`` if in slotted time no placement lets some job progress. ``bound`` holds for
        all schedules. Where the optimum was proven for all non-preemptive ones it is that optimum.

    Raises
    ------
    UnsupportedError
        If the method does not exist or does not apply; the text names one that does.
    LimitReachedError
        If the limit comes before the first schedule.
    BoundViolatedError
        If a schedule is better than a bound that holds for it.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Fabric
    >>> from optsched.core.jobs import Job
    >>> fabric = Fabric(inter_bytes_per_s=1e9, degradation=0.5)
    >>> jobs = [Job(name, 3, 10, gradient_bytes=750e6, compute_s=0.05) for name in "ab"]
    >>> result = solve(Instance("waiting-pays", Cluster.uniform(3, 2, fabric=fabric), jobs))
    >>> str(result.status), result.scope, result.value, result.bound.value
    ('optimal', 'event-aligned', 21.0, 10.5)
    """
    wanted = checked_objective(objective)
    checked_method(method, instance)
    return _Solving(instance, wanted, method, time_limit_s, seed, on_incumbent).result()


@dataclass(slots=True, eq=False)
class _Solving:
    """One call of :func:`solve`: the best schedule so far, and what is known about it."""

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
        if self._bound is None:
            self._bound = strongest_bound(self.instance, self.objective)
        return self._bound

    def result(self) -> Result:
        if self.method == "auto":
            try:
                self.offer_quick_schedules()
            except KeyboardInterrupt:
                if self.schedule is None:
                    raise
                self.details["stopped_by"] = "interrupt"
                return self.finished(Status.FEASIBLE, "all", "")
            if self.meets_bound():
                return self.finished(Status.OPTIMAL, "all", f"meets bound {self.bound.method!r}")
            most_jobs = METHODS["brute-force"].most_jobs
            if most_jobs is not None and len(self.instance.jobs) > most_jobs:
                if self.schedule is None:
                    raise LimitReachedError(
                        f"{self.instance.name!r} has {len(self.instance.jobs)} jobs, too many for "
                        "a search and for list schedules; compare planners with the lower bounds"
                    )
                self.details["search"] = f"none: more than {most_jobs} jobs"
                return self.finished(Status.FEASIBLE, "all", "")
        return self.searched()

    def offer_quick_schedules(self) -> None:
        """Take the best of the list schedules and the planners, until one meets the bound."""
        for source, schedule in self.quick_schedules():
            self.offer(schedule, source)
            if self.meets_bound() or (self.left_s() == 0 and self.schedule is not None):
                break

    def quick_schedules(self) -> Iterator[tuple[str, Schedule]]:
        for name, schedule in list_schedules(self.instance):
            yield f"list schedule: {name}", schedule
        for name, planner in incumbent_planners():
            # A planner may find nothing, or stall a job in slotted time; others do not.
            with suppress(LimitReachedError, StalledJobError):
                yield name, planner.plan(self.instance, seed=self.seed).schedule

    def searched(self) -> Result:
        """Search the event-aligned schedules, then in slotted time all others."""
        outcome = self.search("events")
        if outcome.is_complete and self.schedule is None:
            # Nothing runs faster than alone, and each job alone was tried on every placement.
            return self.finished(Status.INFEASIBLE, "all", "some job stalls on every placement")
        if self.meets_bound():
            return self.finished(Status.OPTIMAL, "all", f"meets bound {self.bound.method!r}")
        if not outcome.is_complete:
            return self.finished(Status.FEASIBLE, "all", "")
        aligned_value = self.value
        if self.schedule is not None and is_event_aligned(self.instance, self.schedule):
            self.details["event_aligned_optimum_s"] = aligned_value
        if self.instance.is_slotted and self.search("slots").is_complete:
            return self.finished(Status.OPTIMAL, "all", "all slotted schedules enumerated")
        if self.value < aligned_value:
            # Better than every event-aligned schedule, but the search among the others was cut.
            return self.finished(Status.FEASIBLE, "all", "")
        proof = "all event-aligned schedules enumerated"
        return self.finished(Status.OPTIMAL, "event-aligned", proof)

    def search(self, starts: Starts) -> SearchOutcome:
        """Run the brute force for schedules better than the best so far."""
        outcome = brute_force(
            self.instance,
            objective=self.objective,
            starts=starts,
            time_limit_s=self.left_s(),
            below=self.value,
            on_incumbent=lambda schedule, _: self.offer(schedule, "brute-force"),
        )
        if outcome.schedule is not None:
            # Only new if an interrupt came before it was reported.
            self.offer(outcome.schedule, "brute-force")
        self.details[f"nodes_{starts}"] = outcome.nodes
        if outcome.stopped_by:
            self.details["stopped_by"] = outcome.stopped_by
        return outcome

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

    def meets_bound(self) -> bool:
        """Return True if the best schedule is as good as any can be, up to rounding."""
        return self.value <= self.bound.value * (1.0 + VIOLATION_TOLERANCE)

    def left_s(self) -> float | None:
        """Return the seconds left, None without a limit."""
        if self.time_limit_s is None:
            return None
        return max(0.0, self.started_s + self.time_limit_s - time.monotonic())

    def finished(self, status: Status, scope: str, proof: str) -> Result:
        """Return the result."""
        if proof:
            self.details["proof"] = proof
        if self.source:
            self.details["schedule_from"] = self.source
        has_schedule = self.schedule is not None
        asked = {"objective": self.objective}
        provenance = Provenance(self.method, asked, self.seed, self.time_limit_s, _versions())
        return Result(
            status=status,
            objective=self.objective,
            value=self.value if has_schedule else None,
            schedule=self.schedule,
            judgement=self.judgement,
            bound=self.final_bound(status, scope) if has_schedule else None,
            scope=scope,
            runtime_s=time.monotonic() - self.started_s,
            provenance=provenance,
            details=self.details,
        )

    def final_bound(self, status: Status, scope: str) -> Bound:
        """Return the optimum itself where it is proven for all non-preemptive schedules."""
        if status is not Status.OPTIMAL or scope != "all" or self.meets_bound():
            return self.bound
        return Bound(
            self.objective,
            self.value,
            "brute-force",
            ProblemClass("slotted", Preemption.NONE, self.instance.rate_model.name),
            ("Jobs start at slot boundaries and run to their completion.",),
            {"nodes": self.details["nodes_slots"]},
            time.monotonic() - self.started_s,
        )


def _versions() -> dict[str, str]:
    try:
        own = metadata.version("optsched")
    except metadata.PackageNotFoundError:
        own = "unknown"
    return {"optsched": own, "python": platform.python_version(), "numpy": np.__version__}
