"""Relaxation: a job asks for less locality the longer it waits."""

from __future__ import annotations

from optsched.core.placement import Placement
from optsched.placement.tiered import NETWORK, RACK, Tiered
from optsched.placement.waiting_clock import WaitingClock
from optsched.sim import FreePool, LiveJob, Simulation

__all__ = ["Relaxation"]

INFINITY = float("inf")


class Relaxation(WaitingClock):
    """At first the fewest machines, in one rack; then any machines of one rack; then any GPUs.

    A job that no rack of the cluster holds takes any GPUs at once.

    Parameters
    ----------
    rack_after_s, anywhere_after_s
        How long a job waits before it takes any machines of a rack, and any GPUs.
    """

    depends_on_demand_only = True

    def __init__(self, rack_after_s: float, anywhere_after_s: float) -> None:
        super().__init__()
        if not 0 <= rack_after_s <= anywhere_after_s:
            raise ValueError(
                "a job takes a rack after at least 0 s, and any GPUs no earlier, got "
                f"{rack_after_s!r} and {anywhere_after_s!r}"
            )
        self._after_s = (rack_after_s, anywhere_after_s)
        self._tiered = Tiered()

    def tier(self, job: LiveJob, state: Simulation) -> int:
        """Return the level of a waiting job: 0, 1 or 2."""
        if self._tiered.best_tier(job.gpus, state.instance.cluster) == NETWORK:
            return 2
        since_s = self.since_s[job.index]
        return sum(state.has_come(since_s + after_s) for after_s in self._after_s)

    def next_time_s(self, job: LiveJob, state: Simulation) -> float:
        """Return when the level of a waiting job changes."""
        level = self.tier(job, state)
        if job.placement is not None or level == 2:
            return INFINITY
        return self.since_s[job.index] + self._after_s[level]

    def offer(self, job: LiveJob, free: FreePool, state: Simulation) -> Placement | None:
        """Return a placement that the job's level allows."""
        cluster, level = state.instance.cluster, self.tier(job, state)
        worst = NETWORK if level == 2 else RACK
        found = self._tiered.place(free, job.gpus, cluster, worst=worst)
        if level == 0 and found is not None:
            return found if len(found.servers) == cluster.fewest_servers(job.gpus) else None
        return found
