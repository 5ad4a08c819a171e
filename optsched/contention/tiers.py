"""The rate model ``tiered``: time by tier, from overlapped all-reduces over hierarchical rings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from optsched.contention.collectives import AllReduceCost, Tier, allreduce_cost
from optsched.contention.sharing import degradation_factor
from optsched.contention.slots import iterations_per_slot
from optsched.contention.tier_layers import layer_times
from optsched.contention.tier_network import TierNetwork
from optsched.contention.tier_reach import reachable_spreads
from optsched.core.instance import Instance
from optsched.core.placement import Placement

__all__ = ["TieredRates"]


class TieredRates:
    """τ = ``compute_s`` over the efficiency of a network on so many GPUs, machines and racks.

    Parameters
    ----------
    instance
        The instance whose cluster and jobs the functions speak of.

    Notes
    -----
    Sharma et al. (arXiv 2401.16492), after their public simulator; ``docs/model.md`` has the
    formulas. Without contention nothing is shared. With it, a job loads the links of its servers if
    it has a ring of machines, and the uplinks of its racks if it has one of racks; the links
    of a tier are as many times slower as the law of the ring model says for the most loaded of
    them, with ξ₁ = 1 and the fabric's degradation.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> from optsched.core.rate_model import RateModel
    >>> model = RateModel.of("tiered", group_gpus=1, machine_bytes_per_s=4.0, machine_latency_s=0,
    ...     rack_bytes_per_s=1.0, rack_latency_s=0, **{"layers.net": "1 1 1 2"})
    >>> job = Job("a", gpus=2, iterations=10, compute_s=1.5, profile="net")
    >>> rates = TieredRates(Instance("one", Cluster.uniform(2, 2), [job], model))

    The layer's 2 bytes take 0.5 s between GPUs of a machine, behind the second it still computes,
    and 2 s between machines: then 4 s pass instead of 3.

    >>> rates.iteration_time_s(0, Placement.of({0: 2}), ())
    1.5
    >>> rates.iteration_time_s(0, Placement.of({0: 1, 1: 1}), ())
    2.0
    """

    is_level_model = False

    def __init__(self, instance: Instance) -> None:
        cluster, jobs, model = instance.cluster, instance.jobs, instance.rate_model
        self._cluster = cluster
        self._slot_s = instance.slot_s
        self._network = TierNetwork.of(model)
        self._degradation = cluster.fabric.degradation
        self._has_contention = bool(model.resolved["contention"])
        #: Without contention nothing is shared; with it two tiers count, each by its own maximum.
        self.depends_on_maximum_load = not self._has_contention
        self._rack: list[int] = cluster.servers.rack.tolist()
        self._gpus: list[int] = jobs.gpus.tolist()
        self._compute_s: list[float] = jobs.compute_s.tolist()
        names = sorted({name for name in jobs.profiles if name is not None})
        position = {name: kind for kind, name in enumerate(names)}
        self._kind = [-1 if name is None else position[name] for name in jobs.profiles]
        self._times = [layer_times(model, name) for name in names]
        self._efficiency: dict[tuple[int, ...], float] = {}
        self._extreme: dict[tuple[int, ...], float] = {}
        self._best_s: NDArray[np.float64] = np.array(
            [time / self.best_efficiency(job) for job, time in enumerate(self._compute_s)]
        )
        self._best_s.flags.writeable = False

    @property
    def resource_count(self) -> int:
        """Resource s is the link of server s to its rack, S + r the uplink of rack r."""
        if not self._has_contention:
            return 0
        return len(self._rack) + len(self._cluster.servers.rack_names)

    def resource_name(self, resource: int) -> str:
        """Return the id of the server, or ``uplink of RACK``."""
        servers = self._cluster.servers
        if resource < len(servers):
            return servers.ids[resource]
        return f"uplink of {servers.rack_names[resource - len(servers)]}"

    def shared_resources(self, placement: Placement) -> tuple[int, ...]:
        """Return the links of the tiers in which the job has rings; none without contention."""
        servers = placement.servers
        if not self._has_contention or len(servers) < 2:
            return ()
        racks = self._racks_of(servers)
        rings = self._network.dimensions(placement.gpus, len(servers), len(racks))
        tiers = {ring.tier for ring in rings}
        first = len(self._rack)
        return (
            *(servers if "rack" in tiers else ()),
            *((first + rack for rack in racks) if "network" in tiers else ()),
        )

    def tier(self, placement: Placement) -> Tier:
        """Return how far a placement is spread: over one machine, one rack, or the network."""
        servers = placement.servers
        if len(servers) < 2:
            return "machine"
        return "rack" if len(self._racks_of(servers)) == 1 else "network"

    def efficiency(self, job: int, placement: Placement, load: Sequence[int] = ()) -> float:
        """Return the share of the job's time that is computing, in (0, 1].

        ``load`` is aligned with :meth:`shared_resources`; none stands for no other job.
        """
        gpus = self._gpus[job]
        if gpus == 1:
            return 1.0
        servers = placement.servers
        machines = len(servers)
        racks = 1 if machines == 1 else len({self._rack[server] for server in servers})
        if not load:
            return self._efficiency_of(self._kind[job], gpus, machines, racks)
        links = len(load) - (racks if racks > 1 else 0)
        on_rack, on_network = max(load[:links], default=1), max(load[links:], default=1)
        return self._efficiency_of(self._kind[job], gpus, machines, racks, on_rack, on_network)

    def best_efficiency(self, job: int) -> float:
        """Return the efficiency that no placement of the job on this cluster exceeds."""
        gpus = self._gpus[job]
        if gpus == 1:
            return 1.0
        return self._extreme_efficiency(self._kind[job], gpus, len(self._rack), 0)

    def iteration_time_s(self, job: int, placement: Placement, load: Sequence[int]) -> float:
        """Return τ in seconds."""
        return self._compute_s[job] / self.efficiency(job, placement, load)

    def best_iteration_times_s(self) -> NDArray[np.float64]:
        """Return, for each job, its time over its best efficiency."""
        return self._best_s

    def best_iteration_time_s(self, job: int) -> float:
        """Return the lower limit of one job."""
        return self._best_s.item(job)

    def worst_iteration_time_s(self, job: int, servers: int, degree: int) -> float:
        """Return τ at the slowest spread over ``servers`` servers, or as many as it must use."""
        gpus = self._gpus[job]
        if gpus == 1:
            return self._compute_s[job]
        used = min(max(servers, self._cluster.fewest_servers(gpus)), len(self._rack))
        shared_by = max(1, degree) if self._has_contention else 1
        efficiency = self._extreme_efficiency(self._kind[job], gpus, used, shared_by)
        return self._compute_s[job] / efficiency

    def progress_per_slot(self, iteration_time_s: float) -> float:
        """Return φ, the whole iterations that one slot holds."""
        if self._slot_s is None:
            raise ValueError("time is continuous; there are no slots")
        return float(iterations_per_slot(self._slot_s, iteration_time_s))

    def _racks_of(self, servers: Sequence[int]) -> list[int]:
        return sorted({self._rack[server] for server in servers})

    def _efficiency_of(
        self,
        kind: int,
        gpus: int,
        machines: int,
        racks: int,
        on_rack: int = 1,
        on_network: int = 1,
    ) -> float:
        key = (kind, gpus, machines, racks, on_rack, on_network)
        found = self._efficiency.get(key)
        if found is None:
            cost = self._cost(gpus, machines, racks, on_rack, on_network)
            found = self._efficiency[key] = self._at(kind, cost)
        return found

    def _cost(
        self, gpus: int, machines: int, racks: int, on_rack: int = 1, on_network: int = 1
    ) -> AllReduceCost:
        return allreduce_cost(
            self._network.dimensions(
                gpus,
                machines,
                racks,
                rack_factor=degradation_factor(self._degradation, 1.0, on_rack),
                network_factor=degradation_factor(self._degradation, 1.0, on_network),
            )
        )

    def _at(self, kind: int, cost: AllReduceCost) -> float:
        times = self._times[kind] if kind >= 0 else None
        if times is None:
            raise ValueError("expected a job with a profile of known layers")
        return times.efficiency(cost)

    def _extreme_efficiency(self, kind: int, gpus: int, servers: int, shared_by: int) -> float:
        """Return the most efficient of all spreads, or the least under contention.

        The efficiency falls in both parts of the cost of an all-reduce, so that only the spreads
        need be looked at of which no other is better (or worse) in both.

        Parameters
        ----------
        shared_by
            0 for the most efficient, without contention; else the jobs on each link.
        """
        key = (kind, gpus, servers, shared_by)
        found = self._extreme.get(key)
        if found is None:
            load = max(1, shared_by)
            costs = {
                self._cost(gpus, machines, racks, load, load)
                for machines, racks in reachable_spreads(self._cluster, gpus, servers)
            }
            sign = 1 if shared_by == 0 else -1
            ends = _undominated(
                [(sign * cost.seconds_per_byte, sign * cost.latency_s) for cost in costs]
            )
            reached = [self._at(kind, AllReduceCost(sign * a, sign * b)) for a, b in ends]
            found = max(reached) if shared_by == 0 else min(reached)
            self._extreme[key] = found
        return found


def _undominated(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points that no other is at most equal to in both parts."""
    kept: list[tuple[float, float]] = []
    for point in sorted(points):
        if not kept or point[1] < kept[-1][1]:
            kept.append(point)
    return kept
