"""Dally: delay scheduling with tuned timers, and preemption by network sensitivity."""

from __future__ import annotations

from typing import Literal

from optsched.placement.delay import DelayOffers, DelayTimers
from optsched.policies.composed import ComposedPolicy
from optsched.policies.parts.delay_timers import AutoTimers, FixedTimers
from optsched.policies.parts.leases import Leases
from optsched.policies.parts.network_sensitivity import NetworkSensitivity
from optsched.policies.parts.orders import by_arrival
from optsched.sim import Simulation

__all__ = ["Dally"]

INFINITY = float("inf")
VARIANTS = ("auto", "manual", "no-wait", "fully-consolidated", "no-preemption")


class Dally(ComposedPolicy):
    """Lease GPUs to the jobs that the network has slowed most; each insists on near GPUs first.

    Parameters
    ----------
    variant
        ``auto``: waits tuned by what jobs of the same demand have waited. ``manual``: the waits
        given here. ``no-wait``: any GPUs at once. ``fully-consolidated``: the best tier of the
        demand or none. ``no-preemption``: tuned waits, order of arrival, and no leases.
    lease_s
        Length of a lease, the unit of the waits; None: a quarter of the mean run time at its best,
        at most an hour.
    batch_s
        Seconds of computing between the moments at which a lease can end; 0: exactly on time.
    history_leases
        For tuned waits: how long an observation counts.
    rack_leases, network_leases
        For ``manual``: the waits after which a rack, and any GPUs, are taken, both from the time at
        which the job began to wait.
    sensitivity
        To ``compute`` alone, or to the ``best`` speed a job can have on this cluster (a variant of
        ours).
    fit
        ``first``, or ``best`` (ours), as for :class:`~optsched.placement.tiered.Tiered`.
    wake_at_expiry
        False: a wait that is over counts at the next event only, as in the public simulator.
    stale_history, batch_check_per_gpu
        Quirks of the public simulator: see
        :class:`~optsched.policies.parts.delay_timers.AutoTimers` and
        :class:`~optsched.policies.parts.leases.Leases`.

    Notes
    -----
    Sharma et al. (arXiv 2401.16492), after their public simulator.
    """

    def __init__(
        self,
        *,
        variant: Literal[
            "auto", "manual", "no-wait", "fully-consolidated", "no-preemption"
        ] = "auto",
        lease_s: float | None = None,
        batch_s: float = 0.0,
        history_leases: float = 24.0,
        rack_leases: float = 12.0,
        network_leases: float = 24.0,
        sensitivity: Literal["compute", "best"] = "compute",
        fit: Literal["first", "best"] = "first",
        wake_at_expiry: bool = True,
        stale_history: bool = False,
        batch_check_per_gpu: bool = False,
    ) -> None:
        if variant not in VARIANTS:
            raise ValueError(f"variant is one of {', '.join(VARIANTS)}, got {variant!r}")
        timers: DelayTimers = AutoTimers(history_leases, stale_history=stale_history)
        if variant == "manual":
            timers = FixedTimers(rack_leases, network_leases)
        elif variant == "no-wait":
            timers = FixedTimers(0.0, 0.0)
        elif variant == "fully-consolidated":
            timers = FixedTimers(INFINITY, INFINITY)
        self.timers = timers
        self.leases = Leases(lease_s, batch_s=batch_s, batch_check_per_gpu=batch_check_per_gpu)
        is_preemptive = variant != "no-preemption"
        super().__init__(
            NetworkSensitivity(relative_to=sensitivity) if is_preemptive else by_arrival,
            placement=DelayOffers(
                timers, unit_s=lambda: self.leases.lease_s, fit=fit, wakes=wake_at_expiry
            ),
            preemption=self.leases if is_preemptive else None,
        )

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run, and settle the lease, which is the unit of the waits."""
        self.leases.on_begin(state)
        super().on_begin(state)
