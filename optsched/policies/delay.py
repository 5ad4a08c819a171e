"""Delay scheduling for gangs."""

from __future__ import annotations

from typing import Literal

from optsched.placement.delay import DelayOffers
from optsched.policies.composed import ComposedPolicy
from optsched.policies.parts.delay_timers import FixedTimers
from optsched.policies.parts.leases import Leases
from optsched.policies.parts.order import Order, OrderRule
from optsched.policies.parts.orders import LongestWaiting, by_arrival, by_duration

__all__ = ["Delay"]


class Delay(ComposedPolicy):
    """A job declines GPUs farther apart than it accepts yet, and the next job is asked.

    Parameters
    ----------
    rack_wait_s, network_wait_s
        For how long a job insists on one machine (T1), and then on one rack (T2).
    order
        ``arrival``; ``duration``: the shortest first; ``waiting``: the one that has waited longest
        since it arrived or was stopped.
    clock
        ``offers``: a wait begins with the first offer that a job declines (Zaharia et al.).
        ``waiting``: with its arrival or its last stop.
    lease_s
        Stop jobs after so long a time; they keep the tier they have had. None: never.
    fit
        As for :class:`~optsched.placement.tiered.Tiered`.

    Notes
    -----
    Zaharia et al., Delay scheduling (EuroSys 2010), with the tiers of a gang for the levels of
    locality of a task.
    """

    def __init__(
        self,
        *,
        rack_wait_s: float = 300.0,
        network_wait_s: float = 1500.0,
        order: Literal["arrival", "duration", "waiting"] = "arrival",
        clock: Literal["offers", "waiting"] = "offers",
        lease_s: float | None = None,
        fit: Literal["best", "first"] = "best",
    ) -> None:
        orders: dict[str, Order | OrderRule] = {
            "arrival": by_arrival,
            "duration": by_duration,
            "waiting": LongestWaiting(),
        }
        if order not in orders:
            raise ValueError(f"order is one of {', '.join(orders)}, got {order!r}")
        timers = FixedTimers(rack_wait_s, rack_wait_s + network_wait_s)
        super().__init__(
            orders[order],
            placement=DelayOffers(timers, fit=fit, clock=clock, keeps_tier=True),
            preemption=None if lease_s is None else Leases(lease_s),
        )
