"""First in, first out."""

from __future__ import annotations

from optsched.placement import PlacementRule
from optsched.placement.names import PlacementName, placement_named
from optsched.policies.composed import ComposedPolicy
from optsched.policies.parts.orders import by_arrival

__all__ = ["Fifo", "FifoBackfill"]


class Fifo(ComposedPolicy):
    """Start jobs strictly in the order of arrival; one that cannot start holds up all behind it.

    Parameters
    ----------
    placement
        ``consolidated`` (fewest servers), ``first_fit`` (any GPUs), ``tiered`` (any GPUs, the
        nearest), or a rule of your own.
    fit
        For ``consolidated`` and ``tiered``: ``best`` or ``first``.
    """

    def __init__(
        self,
        *,
        placement: PlacementName | PlacementRule = "consolidated",
        fit: str = "best",
    ) -> None:
        rule = placement_named(placement, fit=fit)
        super().__init__(by_arrival, placement=rule, backfill=False)


class FifoBackfill(ComposedPolicy):
    """Start jobs in the order of arrival, passing over those that do not fit.

    There is no reservation: under a steady stream of small jobs a large one may wait for ever.

    Parameters
    ----------
    placement, fit
        As for :class:`Fifo`.
    """

    def __init__(
        self,
        *,
        placement: PlacementName | PlacementRule = "consolidated",
        fit: str = "best",
    ) -> None:
        super().__init__(by_arrival, placement=placement_named(placement, fit=fit))
