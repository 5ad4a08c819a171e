"""Smallest demand first."""

from __future__ import annotations

from typing import Literal

from optsched.placement import PlacementRule
from optsched.policies.composed import ComposedPolicy, placement_named
from optsched.sim import LiveJob, Simulation

__all__ = ["FewestGpus"]


def by_demand(job: LiveJob, state: Simulation) -> tuple[int, float]:
    """Order jobs by GPUs, then by run time at its best."""
    return (job.gpus, job.duration_s)


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
        placement: Literal["consolidated", "first_fit"] | PlacementRule = "consolidated",
        fit: str = "best",
    ) -> None:
        super().__init__(by_demand, placement=placement_named(placement, fit=fit))
