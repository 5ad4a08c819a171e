"""The door to exact solving: bounds, quick schedules, and searches where they do not meet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from optsched.contention import rate_functions
from optsched.core.errors import LimitReachedError, StalledJobError, UnsupportedError
from optsched.core.instance import Instance
from optsched.core.metrics import checked_objective
from optsched.core.result import Result, Status
from optsched.core.schedule import Schedule
from optsched.exact.branch_and_bound import branch_and_bound
from optsched.exact.brute_force import brute_force
from optsched.exact.event_aligned import is_event_aligned
from optsched.exact.event_orders import event_orders
from optsched.exact.list_schedules import list_schedules
from optsched.exact.methods import ORDERS_IN_AUTO, applies, checked_method
from optsched.exact.outcome import SearchOutcome
from optsched.exact.record import OnIncumbent, Record
from optsched.sim import Policy, simulate

if TYPE_CHECKING:
    from optsched.planners import Planner

__all__ = ["OnIncumbent", "incumbent_planners", "solve"]

#: What a complete search says.
PROOFS = {
    "brute-force": "all event-aligned schedules enumerated",
    "branch-and-bound": "all event-aligned schedules searched",
    "event-orders": "all orders of events searched",
    "slots": "all slotted schedules enumerated",
}


def incumbent_policies() -> Iterator[tuple[str, Policy]]:
    """Yield policies that are quick and near the bound on large instances."""
    from optsched.policies import FewestGpus, Sjf
    from optsched.policies.longest_first import LongestFirst

    yield "longest-first", LongestFirst()
    yield "sjf", Sjf()
    yield "fewest-gpus", FewestGpus()


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

    All methods but ``brute-force`` compare quick schedules with the lower bounds first; if they
    meet, this is a proof for all schedules. Then ``auto`` searches in continuous time the
    event-aligned schedules (``branch-and-bound``) and, for few jobs, all others (``event-orders``);
    in slotted time it enumerates (``brute-force``) the event-aligned schedules and then all.

    Parameters
    ----------
    instance
        The instance.
    objective
        ``makespan``, ``mean_jct`` or ``weighted_jct``.
    method
        ``auto``, ``branch-and-bound``, ``event-orders`` or ``brute-force``; see :data:`METHODS`.
    time_limit_s
        Stop the search after so many seconds; None: never.
    seed
        Goes to the planners that schedules are taken from; the searches draw nothing.
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
    >>> from optsched.generate.hand import waiting_pays
    >>> result = solve(waiting_pays())
    >>> str(result.status), result.scope, result.value, result.bound.value, result.bound.method
    ('optimal', 'all', 21.0, 21.0, 'rate-configuration')
    >>> solve(waiting_pays(), method="branch-and-bound", time_limit_s=5.0).scope
    'event-aligned'
    """
    wanted = checked_objective(objective)
    checked_method(method, instance)
    record = Record(instance, wanted, method, time_limit_s, seed, on_incumbent)
    return _Portfolio(record).result()


class _Portfolio:
    """Decides which searches run, and what their outcomes prove together."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.instance = record.instance
        self.method = record.method

    def result(self) -> Result:
        record = self.record
        if self.method != "brute-force":
            try:
                self.offer_quick_schedules()
            except KeyboardInterrupt:
                if record.schedule is None:
                    raise
                record.details["stopped_by"] = "interrupt"
                return record.finished(Status.FEASIBLE, "all", "")
            if not record.meets_bound():
                record.strengthen_bound()
            if record.meets_bound():
                return self.bound_is_met()
        try:
            outcome = self.search_aligned()
        except UnsupportedError as error:
            if self.method != "auto":
                raise
            if record.schedule is None:
                raise LimitReachedError(
                    f"{self.instance.name!r} has {len(self.instance.jobs)} jobs, too many for a "
                    "search and for list schedules; compare planners with the lower bounds"
                ) from error
            record.details["search"] = f"none: {str(error).split(';')[0]}"
            return record.finished(Status.FEASIBLE, "all", "")
        return self.concluded(outcome)

    def bound_is_met(self) -> Result:
        record = self.record
        return record.finished(Status.OPTIMAL, "all", f"meets bound {record.bound.method!r}")

    def offer_quick_schedules(self) -> None:
        """Take the best of the list schedules and the planners, until one meets the bound."""
        record = self.record
        for source, schedule in self.quick_schedules():
            record.offer(schedule, source)
            if record.meets_bound() or (record.left_s() == 0 and record.schedule is not None):
                break

    def quick_schedules(self) -> Iterator[tuple[str, Schedule]]:
        for name, schedule in list_schedules(self.instance):
            yield f"list schedule: {name}", schedule
        for name, policy in incumbent_policies():
            with suppress(StalledJobError):
                yield name, simulate(self.instance, policy).schedule
        for name, planner in incumbent_planners():
            # A planner may find nothing, or stall a job in slotted time; others do not.
            with suppress(LimitReachedError, StalledJobError):
                yield name, planner.plan(self.instance, seed=self.record.seed).schedule

    def search_aligned(self) -> SearchOutcome:
        """Search the event-aligned schedules by the method asked for, or by the best that applies.

        Raises
        ------
        UnsupportedError
            If none applies.
        """
        if self.method == "brute-force":
            return self.search("brute-force")
        if self.method in ("branch-and-bound", "event-orders"):
            return self.search("branch-and-bound")
        if applies("branch-and-bound", self.instance):
            try:
                return self.search("branch-and-bound")
            except UnsupportedError:
                # Too many placements for its tables.
                checked_method("brute-force", self.instance)
        checked_method("brute-force", self.instance)
        return self.search("brute-force")

    def concluded(self, outcome: SearchOutcome) -> Result:
        """Go on from the event-aligned schedules to all others, and say what is proven."""
        record = self.record
        if outcome.is_complete and record.schedule is None:
            # Nothing runs faster than alone, and each job alone was tried on every placement.
            return record.finished(Status.INFEASIBLE, "all", "some job stalls on every placement")
        if record.meets_bound():
            return self.bound_is_met()
        if not outcome.is_complete:
            return record.finished(Status.FEASIBLE, "all", "")
        aligned_value = record.value
        if record.schedule is not None and is_event_aligned(self.instance, record.schedule):
            record.details["event_aligned_optimum_s"] = aligned_value
        proof = PROOFS[outcome.method]
        if not self.instance.is_slotted and not rate_functions(self.instance).resource_count:
            # What a job takes depends on its placement alone. So of any schedule the starts can be
            # moved forward, one after the other, to an arrival or to the end of a job whose GPUs
            # are taken over; nobody ends later for it.
            return record.finished(
                Status.OPTIMAL, "all", f"{proof}; jobs share nothing but GPUs", by=outcome.method
            )
        wider = self.wider_search()
        if wider and self.search(wider).is_complete:
            by = "brute-force" if wider == "slots" else wider
            return record.finished(Status.OPTIMAL, "all", PROOFS[wider], by=by)
        if record.value < aligned_value:
            # Better than every event-aligned schedule, but the search among the others was cut.
            return record.finished(Status.FEASIBLE, "all", "")
        return record.finished(Status.OPTIMAL, "event-aligned", proof)

    def wider_search(self) -> str:
        """Return the search among all schedules that is to follow, empty if none is."""
        if self.instance.is_slotted:
            return "slots"
        if self.method == "event-orders":
            return "event-orders"
        is_small = len(self.instance.jobs) <= ORDERS_IN_AUTO
        has_time = self.record.left_s() != 0 and "stopped_by" not in self.record.details
        if self.method == "auto" and is_small and has_time:
            return "event-orders" if applies("event-orders", self.instance) else ""
        return ""

    def search(self, name: str) -> SearchOutcome:
        """Run a search for schedules better than the best so far."""
        record = self.record
        source = "brute-force" if name == "slots" else name

        def offer(schedule: Schedule, _: float) -> None:
            record.offer(schedule, source)

        if name == "branch-and-bound":
            outcome = branch_and_bound(
                self.instance,
                objective=record.objective,
                time_limit_s=record.left_s(),
                below=record.value,
                on_incumbent=offer,
            )
        elif name == "event-orders":
            outcome = event_orders(
                self.instance,
                objective=record.objective,
                time_limit_s=record.left_s(),
                below=record.value,
                on_incumbent=offer,
            )
        else:
            outcome = brute_force(
                self.instance,
                objective=record.objective,
                starts="slots" if name == "slots" else "events",
                time_limit_s=record.left_s(),
                below=record.value,
                on_incumbent=offer,
            )
        if outcome.schedule is not None:
            # Only new if an interrupt came before it was reported.
            record.offer(outcome.schedule, source)
        record.details[f"nodes_{name.replace('-', '_')}"] = outcome.nodes
        if "root_limit_s" in outcome.details:
            record.details["root_limit_s"] = outcome.details["root_limit_s"]
        if outcome.stopped_by:
            record.details["stopped_by"] = outcome.stopped_by
        return outcome
