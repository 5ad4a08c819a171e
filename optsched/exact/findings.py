"""What searches found and proved, and what that comes to."""

from __future__ import annotations

from dataclasses import dataclass, field

from optsched.contention import rate_functions
from optsched.core.errors import LimitReachedError
from optsched.core.result import Status
from optsched.exact.event_aligned import is_event_aligned
from optsched.exact.outcome import SearchOutcome
from optsched.exact.record import Record
from optsched.exact.searches import SEARCHES

__all__ = ["Findings"]


@dataclass(slots=True, eq=False)
class Findings:
    """Puts together what searches of one instance say.

    Parameters
    ----------
    record
        Holds the best schedule and bound.
    searches
        By search: nodes, bound and why it stopped, or why it failed.
    aligned_by
        The search that has gone through all event-aligned schedules, empty if none has.
    is_infeasible
        True if there is no schedule.
    is_interrupted
        True if the user has had enough.
    stopped_by, proof
        Why the last search stopped, and in which words the optimum is proven.
    """

    record: Record
    searches: dict[str, dict[str, object]] = field(default_factory=dict)
    aligned_by: str = ""
    is_infeasible: bool = False
    is_interrupted: bool = False
    stopped_by: str = ""
    proof: str = ""

    def fail(self, search: str, reason: str) -> None:
        """Note why a search has broken down."""
        self.searches[search] = {"failed": reason}

    def take(self, search: str, outcome: SearchOutcome, *, is_brief: bool = False) -> None:
        """Note what a search that has ended found and proved."""
        record, source = self.record, SEARCHES[search].method
        if outcome.schedule is not None:
            # Only new if an interrupt came before it was reported.
            record.offer(outcome.schedule, source)
        record.packages = tuple(dict.fromkeys((*record.packages, *SEARCHES[search].packages)))
        record.details[f"nodes_{source.replace('-', '_')}"] = outcome.nodes
        if "root_limit_s" in outcome.details:
            record.details["root_limit_s"] = outcome.details["root_limit_s"]
        self.searches[search] = {
            "nodes": outcome.nodes,
            "is_complete": outcome.is_complete,
            "bound_s": outcome.bound,
            "stopped_by": outcome.stopped_by,
        }
        self.is_interrupted = self.is_interrupted or outcome.stopped_by == "interrupt"
        self.stopped_by = "" if is_brief else outcome.stopped_by
        if outcome.is_complete and record.schedule is None:
            # Nothing runs faster than alone, and each job alone was tried on every placement.
            self.is_infeasible = True
        elif outcome.is_complete and outcome.scope == "all":
            self.conclude(search, SEARCHES[search].proof)
        elif outcome.is_complete:
            self.finish_aligned(search)
        elif outcome.bound is not None:
            record.prove(outcome.bound, source)

    def finish_aligned(self, search: str) -> None:
        """Note that no event-aligned schedule is better, and what follows from it."""
        record, instance = self.record, self.record.instance
        self.aligned_by = search
        if record.schedule is not None and is_event_aligned(instance, record.schedule):
            record.details["event_aligned_optimum_s"] = record.value
        if not instance.is_slotted and not rate_functions(instance).resource_count:
            # What a job takes depends on its placement alone. So of any schedule the starts can be
            # moved forward, one after the other, to an arrival or to the end of a job whose GPUs
            # are taken over; nobody ends later for it.
            self.conclude(search, f"{SEARCHES[search].proof}; jobs share nothing but GPUs")

    def conclude(self, search: str, proof: str) -> None:
        """Note that no schedule at all is better than the best one."""
        if not self.record.meets_bound():
            self.record.prove(self.record.value, SEARCHES[search].method)
            self.proof = proof

    def conclusion(self) -> tuple[Status, str, str]:
        """Return the status, the scope and the proof."""
        record = self.record
        if self.is_infeasible:
            return Status.INFEASIBLE, "all", "some job stalls on every placement"
        if record.schedule is None:
            stopped_by = "interrupt" if self.is_interrupted else self.stopped_by
            until = stopped_by or "searches ended"
            raise LimitReachedError(f"no schedule of {record.instance.name!r} before the {until}")
        if record.meets_bound():
            return Status.OPTIMAL, "all", self.proof or f"meets bound {record.bound.method!r}"
        if self.is_interrupted:
            record.details["stopped_by"] = "interrupt"
        elif self.stopped_by:
            record.details["stopped_by"] = self.stopped_by
        elif record.left_s() == 0:
            record.details["stopped_by"] = "time limit"
        if self.aligned_by and is_event_aligned(record.instance, record.schedule):
            return Status.OPTIMAL, "event-aligned", SEARCHES[self.aligned_by].proof
        return Status.FEASIBLE, "all", ""
