"""First in, first out."""

from __future__ import annotations

from typing import Literal

from optsched.placement import PlacementRule
from optsched.policies.composed import ComposedPolicy, placement_named
from optsched.sim import LiveJob, Simulation

__all__ = ["Fifo", "FifoBackfill"]


def by_arrival(job: LiveJob, state: Simulation) -> float:
    """Order jobs by arrival; ties by position in the instance."""
    return job.arrival_s


class Fifo(ComposedPolicy):
    """Start jobs strictly in the order of arrival; one that cannot start holds up all behind it.

    Parameters
    ----------
    placement
        ``consolidated`` (fewest servers) or ``first_fit`` (any GPUs), or a rule of your own.
    fit
        For ``consolidated``: ``best`` or ``first``.
    """

    def __init__(
        self,
        *,
        placement: Literal["consolidated", "first_fit"] | PlacementRule = "consolidated",
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
        placement: Literal["consolidated", "first_fit"] | PlacementRule = "consolidated",
        fit: str = "best",
    ) -> None:
        super().__init__(by_arrival, placement=placement_named(placement, fit=fit))
