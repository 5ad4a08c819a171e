"""Shortest job first."""

from __future__ import annotations

from optsched.placement import PlacementRule
from optsched.placement.names import PlacementName, placement_named
from optsched.policies.composed import ComposedPolicy
from optsched.policies.parts.orders import by_duration

__all__ = ["Sjf"]


class Sjf(ComposedPolicy):
    """Start the shortest job first, passing over those that do not fit; no preemption.

    The duration is the job's run time at its best, which the simulator knows and a cluster has to
    predict.

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
        super().__init__(by_duration, placement=placement_named(placement, fit=fit))
