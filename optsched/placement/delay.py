"""Delay offers: insist on near GPUs for a while, then take farther ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from optsched.core.placement import Placement
from optsched.placement.tiered import MACHINE, NETWORK, RACK, Tier, Tiered, tier_of
from optsched.placement.waiting_clock import WaitingClock
from optsched.sim import FreePool, LiveJob, Simulation

__all__ = ["DelayOffers", "DelayTimers"]

INFINITY = float("inf")


class DelayTimers(Protocol):
    """How long a job insists on one machine, and how long on one rack."""

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""

    def waits(self, gpus: int) -> tuple[float, float]:
        """Return the waits after which a rack and any GPUs are taken, both on one clock."""

    def observe(self, gpus: int, tier: Tier, waited: float, now: float) -> bool:
        """Take note of a start; return True if the waits of its demand have changed."""

    @property
    def history(self) -> Sequence[tuple[float, int | None, float, float]]:
        """The waits at the beginning (of all demands: None) and their changes, with the time."""


class DelayOffers(WaitingClock):
    """Decline an offer of a farther tier than a job accepts yet; the offer goes to the next job.

    A job accepts the best tier that its demand can have on the empty cluster, a rack after its
    first wait, any GPUs after its second.

    Parameters
    ----------
    timers
        The waits.
    unit_s
        Seconds in the unit of the waits, or what returns them once a run has begun.
    fit
        As for :class:`~optsched.placement.tiered.Tiered`.
    clock
        ``waiting``: the clock starts when the job arrives and when it is stopped, so that all jobs
        of one demand and limit are answered alike. ``offers``: it starts when the job first
        declines an offer of enough GPUs (Zaharia et al.), and every job is asked on its own.
    keeps_tier
        A job that is stopped accepts again what it has had, and from a rack on waits only for the
        rest of its second wait (Zaharia et al.); else it begins with the best tier (Dally).
    wakes
        Whether a job asks again when a wait is over, or only when something else happens (so the
        public simulator of Sharma et al., arXiv 2401.16492).
    """

    def __init__(
        self,
        timers: DelayTimers,
        *,
        unit_s: float | Callable[[], float] = 1.0,
        fit: Literal["best", "first"] = "best",
        clock: Literal["waiting", "offers"] = "waiting",
        keeps_tier: bool = False,
        wakes: bool = True,
    ) -> None:
        super().__init__()
        if clock not in ("waiting", "offers"):
            raise ValueError(f"clock is 'waiting' or 'offers', got {clock!r}")
        self.timers = timers
        self.depends_on_demand_only = clock == "waiting" and wakes
        #: Demands of which waiting jobs are to be asked for their tier anew.
        self.changed_demands: set[int] = set()
        self._given_unit_s = unit_s
        #: Seconds in the unit of the waits.
        self.unit_s = 1.0
        self._tiered = Tiered(fit=fit)
        self._by_offers = clock == "offers"
        self._keeps_tier = keeps_tier
        self._wakes = wakes
        self._kept: dict[int, Tier] = {}
        self._declined_s: dict[int, float] = {}

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        super().on_begin(state)
        self.timers.on_begin(state)
        given = self._given_unit_s
        self.unit_s = given() if callable(given) else given
        self.changed_demands.clear()
        self._kept = {}
        self._declined_s = {}

    def on_start(self, job: LiveJob, state: Simulation) -> None:
        """Tell the timers how long the job has waited for its tier."""
        assert job.placement is not None
        now_s, unit_s = state.now_s, self.unit_s
        tier = tier_of(job.placement, state.instance.cluster)
        waited = (now_s - self.since_s[job.index]) / unit_s
        if self.timers.observe(job.gpus, tier, waited, now_s / unit_s):
            self.changed_demands.add(job.gpus)
        if self._keeps_tier:
            self._kept[job.index] = tier
        self._declined_s.pop(job.index, None)

    def on_finish(self, job: LiveJob, state: Simulation) -> None:
        """Forget a job that is done."""
        super().on_finish(job, state)
        self._kept.pop(job.index, None)

    def on_decline(self, job: LiveJob, state: Simulation) -> bool:
        """Start the clock of offers, at the first that a job declines; return True if it does."""
        if not self._by_offers or job.index in self._declined_s or job.gpus > state.free.total:
            return False
        self._declined_s[job.index] = state.now_s
        return True

    def details(self) -> dict[str, object]:
        """Return the timers of this run, and their changes.

        Rows are (time in s, GPUs or None for all demands, wait for a rack in s, wait for any GPUs
        in s); both waits count from the time at which a job begins to wait.
        """
        unit_s = self.unit_s
        rows = [
            (time * unit_s, gpus, for_rack * unit_s, for_network * unit_s)
            for time, gpus, for_rack, for_network in self.timers.history
        ]
        return {"timers": rows}

    def tier(self, job: LiveJob, state: Simulation) -> Tier:
        """Return the farthest tier that the job accepts now."""
        # A job that has declined nothing yet would do so now.
        return self._accepted(job, state, *self._relaxations_s(job, state))

    def next_time_s(self, job: LiveJob, state: Simulation) -> float:
        """Return when a waiting job will accept a farther tier."""
        if job.placement is not None or not self._wakes:
            return INFINITY
        if self._by_offers and job.index not in self._declined_s:
            return INFINITY
        rack_s, network_s = self._relaxations_s(job, state)
        accepted = self._accepted(job, state, rack_s, network_s)
        if accepted == NETWORK:
            return INFINITY
        return min(rack_s, network_s) if accepted == MACHINE else network_s

    def offer(self, job: LiveJob, free: FreePool, state: Simulation) -> Placement | None:
        """Return the best tier there is, unless the job does not accept it yet."""
        gpus = job.gpus
        if gpus > free.total:
            return None
        if gpus <= free.sizes[0]:
            near = self._tiered.on_one_machine(free, gpus)
            if near is not None:
                return near
        worst = self.tier(job, state)
        if worst == MACHINE:
            return None
        return self._tiered.place(free, gpus, state.instance.cluster, worst=worst)

    def _accepted(self, job: LiveJob, state: Simulation, rack_s: float, network_s: float) -> Tier:
        """Return the farthest tier that a job accepts, if farther ones from these times on."""
        if state.has_come(network_s):
            return NETWORK
        accepted = self._tiered.best_tier(job.gpus, state.instance.cluster)
        if self._keeps_tier:
            accepted = max(accepted, self._kept.get(job.index, MACHINE))
        if accepted == MACHINE and state.has_come(rack_s):
            return RACK
        return accepted

    def _relaxations_s(self, job: LiveJob, state: Simulation) -> tuple[float, float]:
        """Return when a waiting job accepts a rack, and any GPUs.

        A clock of offers that has not started is taken to start now.
        """
        since_s = self.since_s[job.index]
        if self._by_offers:
            since_s = self._declined_s.get(job.index, state.now_s)
        for_rack, for_network = self.timers.waits(job.gpus)
        if self._keeps_tier and self._kept.get(job.index) == RACK:
            for_network -= for_rack
        return since_s + for_rack * self.unit_s, since_s + for_network * self.unit_s
