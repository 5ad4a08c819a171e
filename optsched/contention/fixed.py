"""The rate model of traces that say nothing of networks: the duration is given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from optsched.core.instance import Instance
from optsched.core.placement import Placement

__all__ = ["FixedRates"]


class FixedRates:
    """τ = ``compute_s`` on every placement; in slotted time durations are rounded up to slots.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.jobs import Job
    >>> from optsched.core.rate_model import RateModel
    >>> jobs = [Job("a", 3, 1, compute_s=60.0)]
    >>> one = Instance("one", Cluster([Server("s0", 2), Server("s1", 2)]), jobs, RateModel("fixed"))
    >>> FixedRates(one).iteration_time_s(0, Placement.of({0: 2, 1: 1}), ())
    60.0
    """

    is_level_model = True
    depends_on_maximum_load = True
    resource_count = 0

    def __init__(self, instance: Instance) -> None:
        self._compute_s = instance.jobs.compute_s
        self._slot_s = instance.slot_s

    def resource_name(self, resource: int) -> str:
        """Return what a resource is called; this model has none."""
        return f"resource {resource}"

    def shared_resources(self, placement: Placement) -> tuple[int, ...]:
        """Return no resources: nothing is shared."""
        return ()

    def iteration_time_s(self, job: int, placement: Placement, load: Sequence[int]) -> float:
        """Return the job's compute time."""
        return self._compute_s.item(job)

    def best_iteration_times_s(self) -> NDArray[np.float64]:
        """Return the compute times."""
        return self._compute_s

    def best_iteration_time_s(self, job: int) -> float:
        """Return the job's compute time."""
        return self._compute_s.item(job)

    def worst_iteration_time_s(self, job: int, servers: int, degree: int) -> float:
        """Return the job's compute time."""
        return self._compute_s.item(job)

    def progress_per_slot(self, iteration_time_s: float) -> float:
        """Return slot/τ, not rounded down, so that only the whole duration is rounded up."""
        if self._slot_s is None:
            raise ValueError("time is continuous; there are no slots")
        return self._slot_s / iteration_time_s
