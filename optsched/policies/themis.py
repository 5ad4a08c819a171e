"""Themis: finish-time fairness with leases, the greedy form."""

from __future__ import annotations

from typing import Literal

from optsched.placement import Tiered
from optsched.policies.composed import ComposedPolicy
from optsched.policies.parts.fairness import FinishTimeFairness
from optsched.policies.parts.leases import Leases

__all__ = ["Themis"]

LONGEST_LEASE_S = 1200.0


class Themis(ComposedPolicy):
    """Lease GPUs, the nearest first, to the job that is farthest behind its fair share.

    Parameters
    ----------
    lease_s
        Length of a lease; None: a quarter of the mean run time at its best, at most 20 minutes.
    fit
        As for :class:`~optsched.placement.tiered.Tiered`.

    Notes
    -----
    Mahajan et al., Themis (NSDI 2020): the greedy form, without the partial-allocation auction.
    """

    def __init__(
        self, *, lease_s: float | None = None, fit: Literal["best", "first"] = "best"
    ) -> None:
        super().__init__(
            FinishTimeFairness(),
            placement=Tiered(fit=fit),
            preemption=Leases(lease_s, longest_s=LONGEST_LEASE_S),
        )
