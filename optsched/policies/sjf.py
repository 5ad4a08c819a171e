"""Shortest job first."""

from __future__ import annotations

from typing import Literal

from optsched.placement import PlacementRule
from optsched.policies.composed import ComposedPolicy, placement_named
from optsched.sim import LiveJob, Simulation

__all__ = ["Sjf"]


def by_duration(job: LiveJob, state: Simulation) -> float:
    """Order jobs by their run time at its best."""
    return job.duration_s


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
        placement: Literal["consolidated", "first_fit"] | PlacementRule = "consolidated",
        fit: str = "best",
    ) -> None:
        super().__init__(by_duration, placement=placement_named(placement, fit=fit))
