"""Smallest demand first."""

from __future__ import annotations

from optsched.placement import PlacementRule
from optsched.placement.names import PlacementName, placement_named
from optsched.policies.composed import ComposedPolicy
from optsched.policies.parts.orders import by_demand

__all__ = ["FewestGpus"]


class FewestGpus(ComposedPolicy):
    """Start the job with the fewest GPUs first: what SJF-BCO calls the smallest job.

    Parameters
    ----------
    placement, fit
        As for :class:`~optsched.policies.fifo.Fifo`.
    """

    def __init__(
        self,
        *,
        placement: PlacementName | PlacementRule = "consolidated",
        fit: str = "best",
    ) -> None:
        super().__init__(by_demand, placement=placement_named(placement, fit=fit))
