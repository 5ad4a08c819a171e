"""Ring all-reduce with contention (Yu, Ji, Rajan, Liu 2022, equation 8, with a latency added)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from optsched.contention.resources import resources_of
from optsched.contention.sharing import contention_degree, degradation_factor
from optsched.contention.slots import iterations_per_slot
from optsched.core.instance import Instance
from optsched.core.placement import Placement

__all__ = ["RingRates"]


class RingRates:
    """The iteration time of a ring on u servers whose busiest resource carries p spread jobs.

    ``τ = Δ + m(w−1)/(wC) + 2m(w−1)/(wB) + ξ₂u + a[u ≥ 2]`` with ``B = bⁱ`` on one server and
    otherwise the least ``b_r / f(α, k_r)`` over the resources r that the ring crosses.

    Parameters
    ----------
    instance
        The instance whose cluster and jobs the functions speak of.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Fabric
    >>> from optsched.core.jobs import Job
    >>> cluster = Cluster.uniform(3, 2, fabric=Fabric(inter_bytes_per_s=1e9, degradation=0.5))
    >>> job = Job("a", gpus=3, iterations=10, gradient_bytes=750e6, compute_s=0.05)
    >>> rates = RingRates(Instance("one", cluster, [job]))
    >>> spread = Placement.of({0: 2, 1: 1})
    >>> rates.iteration_time_s(0, spread, [1, 1]), rates.iteration_time_s(0, spread, [1, 2])
    (1.05, 2.55)
    """

    def __init__(self, instance: Instance) -> None:
        cluster, jobs, model = instance.cluster, instance.jobs, instance.rate_model
        self._cluster = cluster
        self._slot_s = instance.slot_s
        fabric = cluster.fabric
        self._degradation = fabric.degradation
        self._contention_weight = model.value("contention_weight")
        self._latency_s = fabric.latency_s
        self._intra_bytes_per_s = fabric.intra_bytes_per_s
        workers = jobs.gpus
        self._gpus = workers
        self._ring_bytes = 2.0 * jobs.gradient_bytes * (workers - 1) / workers
        reduced_bytes = jobs.gradient_bytes * (workers - 1) / workers
        self._busy_s = jobs.compute_s + reduced_bytes / fabric.reduce_bytes_per_s
        own = jobs.server_overhead_s
        self._overhead_s = np.where(np.isnan(own), model.value("server_overhead_s"), own)

        resources = resources_of(cluster)
        self._resources = resources
        self._bytes_per_s = resources.bytes_per_s
        self._factors: list[float] = []
        #: True if all resources have one rate.
        self.depends_on_maximum_load = len(set(self._bytes_per_s)) == 1
        #: True if also only interfaces count, and one server is never slower than two.
        self.is_level_model = (
            self.depends_on_maximum_load
            and resources.are_interfaces
            and self._intra_bytes_per_s >= self._bytes_per_s[0]
        )
        self._local_s = self._times_s(1, self._intra_bytes_per_s)
        self._best_s = self._best_times_s()
        self._best_s.flags.writeable = False

    @property
    def resource_count(self) -> int:
        """Resources are numbered from 0 to this number less 1."""
        return len(self._bytes_per_s)

    def resource_name(self, resource: int) -> str:
        """Return what a resource is called: the id of a server, ``uplink of RACK``, or a link."""
        return self._resources.name(resource)

    def shared_resources(self, placement: Placement) -> tuple[int, ...]:
        """Return the resources that the ring crosses; none when local."""
        return self._resources.crossed(placement)

    def iteration_time_s(self, job: int, placement: Placement, load: Sequence[int]) -> float:
        """Return τ in seconds (equation 8)."""
        count = len(placement.servers)
        if count < 2:
            return self._local_s.item(job)
        if self.depends_on_maximum_load:
            factor = self._factor(contention_degree(load))
            return self._time_s(job, count, self._bytes_per_s[0] / factor)
        rates = self._bytes_per_s
        crossed = self._resources.crossed(placement)
        bandwidth = min(
            rates[resource] / self._factor(jobs)
            for resource, jobs in zip(crossed, load, strict=True)
        )
        return self._time_s(job, count, bandwidth)

    def best_iteration_times_s(self) -> NDArray[np.float64]:
        """Return, for each job, the least of a local and of an uncontended spread iteration."""
        return self._best_s

    def best_iteration_time_s(self, job: int) -> float:
        """Return the lower limit of one job."""
        return self._best_s.item(job)

    def worst_iteration_time_s(self, job: int, servers: int, degree: int) -> float:
        """Return τ at the slowest resource on ``servers`` servers, or on as many as it must use."""
        gpus = self._gpus.item(job)
        used = max(min(servers, gpus), self._cluster.fewest_servers(gpus))
        used = min(used, len(self._cluster.servers))
        worst = 0.0
        if gpus <= self._cluster.max_gpus_per_server:
            worst = self._time_s(job, 1, self._intra_bytes_per_s)
        if used > 1:
            bandwidth = min(self._bytes_per_s) / self._factor(degree)
            worst = max(worst, self._time_s(job, used, bandwidth))
        return worst

    def progress_per_slot(self, iteration_time_s: float) -> float:
        """Return φ, the whole iterations that one slot holds."""
        if self._slot_s is None:
            raise ValueError("time is continuous; there are no slots")
        return float(iterations_per_slot(self._slot_s, iteration_time_s))

    def _best_times_s(self) -> NDArray[np.float64]:
        """Return the limits; a spread ring is no faster than the second fastest interface."""
        cluster = self._cluster
        capacity = np.sort(cluster.servers.gpus)[::-1]
        fewest = np.searchsorted(np.cumsum(capacity), self._gpus) + 1
        best = np.full(len(self._gpus), np.inf)
        local = self._gpus <= int(capacity[0])
        best[local] = self._local_s[local]
        if len(capacity) > 1:
            fastest = self._resources.fastest_of_two_servers()
            spread = self._times_s(np.maximum(fewest, 2), fastest)
            can_spread = self._gpus > 1
            best[can_spread] = np.minimum(best, spread)[can_spread]
        return best

    def _factor(self, degree: int) -> float:
        factors = self._factors
        while len(factors) <= degree:
            factors.append(
                degradation_factor(self._degradation, self._contention_weight, len(factors))
            )
        return factors[degree]

    def _time_s(self, job: int, servers: int, bytes_per_s: float) -> float:
        time_s: float = (
            self._busy_s.item(job)
            + self._ring_bytes.item(job) / bytes_per_s
            + self._overhead_s.item(job) * servers
        )
        return time_s + self._latency_s if servers > 1 else time_s

    def _times_s(self, servers: int | NDArray[np.int64], bytes_per_s: float) -> NDArray[np.float64]:
        """Return what :meth:`_time_s` does, by the same expression, for all jobs."""
        times_s = self._busy_s + self._ring_bytes / bytes_per_s + self._overhead_s * servers
        return np.where(np.asarray(servers) > 1, times_s + self._latency_s, times_s)
