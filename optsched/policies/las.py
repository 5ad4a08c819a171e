"""Least attained service first."""

from __future__ import annotations

from collections.abc import Sequence

from optsched.placement import PlacementRule
from optsched.placement.names import PlacementName, placement_named
from optsched.policies.composed import ComposedPolicy
from optsched.policies.parts.displacement import Displacement
from optsched.policies.parts.leases import Leases
from optsched.policies.parts.orders import AttainedService
from optsched.policies.parts.service_queues import ServiceQueues, read_thresholds

__all__ = ["Las"]


class Las(ComposedPolicy):
    """Run the jobs that have had the least service, which takes no knowledge of their length.

    Parameters
    ----------
    thresholds
        Service at which a job sinks to the next queue (discretised LAS), like ``14400/144000``;
        only jobs of a higher queue stop others. None: continuous LAS, by the service itself, each
        job served for a lease at a time.
    service
        ``gpu_time``: GPUs times seconds (two-dimensional); ``time``: seconds alone.
    lease_s
        For continuous LAS; None: a quarter of the mean run time at its best, at most an hour.
    placement, fit
        As for :class:`~optsched.policies.srtf.Srtf`.
    """

    def __init__(
        self,
        *,
        thresholds: str | float | Sequence[float] | None = "14400/144000",
        service: str = "gpu_time",
        lease_s: float | None = None,
        placement: PlacementName | PlacementRule = "consolidated",
        fit: str = "best",
    ) -> None:
        rule = placement_named(placement, fit=fit)
        if thresholds is None:
            super().__init__(
                AttainedService(service=service), placement=rule, preemption=Leases(lease_s)
            )
            return
        if lease_s is not None:
            raise ValueError("lease_s is for continuous LAS, with thresholds=none")
        queues = ServiceQueues(read_thresholds(thresholds), service=service)
        super().__init__(
            queues,
            placement=rule,
            preemption=Displacement(queues.rank, standing=queues.standing),
        )
