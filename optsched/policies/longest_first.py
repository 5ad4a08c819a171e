"""Longest job first, for the makespan."""

from __future__ import annotations

from typing import Literal

from optsched.placement import PlacementRule
from optsched.placement.names import placement_named
from optsched.policies.composed import ComposedPolicy
from optsched.sim import LiveJob, Simulation

__all__ = ["LongestFirst"]


class LongestFirst(ComposedPolicy):
    """Start the longest job first, wide ones a little earlier, passing over those that do not fit.

    The order is falling ``duration · (1 + gpu_weight · gpus)``: longest processing time first
    (Graham 1969), the classic rule for a short makespan, with a word for gangs, which are harder to
    fit in later. It knows the true run times, and mean JCT is not its concern.

    Parameters
    ----------
    gpu_weight
        How much a GPU more counts, as a share of the duration; 0 or more.
    placement, fit
        As for :class:`~optsched.policies.fifo.Fifo`.

    Examples
    --------
    >>> LongestFirst(gpu_weight=0.0).gpu_weight
    0.0
    """

    def __init__(
        self,
        *,
        gpu_weight: float = 0.05,
        placement: Literal["consolidated", "first_fit"] | PlacementRule = "consolidated",
        fit: str = "best",
    ) -> None:
        if not 0 <= gpu_weight < float("inf"):
            raise ValueError(f"gpu_weight is at least 0, got {gpu_weight!r}")
        self.gpu_weight = gpu_weight
        super().__init__(self._key, placement=placement_named(placement, fit=fit))

    def _key(self, job: LiveJob, state: Simulation) -> float:
        return -job.duration_s * (1.0 + self.gpu_weight * job.gpus)
