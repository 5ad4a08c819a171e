"""Over how many machines and racks a job can be spread on a cluster."""

from __future__ import annotations

import itertools

from optsched.core.cluster import Cluster

__all__ = ["reachable_spreads"]


def reachable_spreads(cluster: Cluster, gpus: int, servers: int) -> list[tuple[int, int]]:
    """Return the numbers of machines and racks over which a job may be spread.

    No placement is over other numbers. Where servers or racks are unequal some may be listed that
    no placement has, as capacity is counted by the largest machines and by the largest racks, each
    on their own.

    Parameters
    ----------
    cluster
        The cluster.
    gpus
        Demand of the job.
    servers
        The most machines to use.

    Examples
    --------
    >>> reachable_spreads(Cluster.uniform(4, 2, racks=2), gpus=3, servers=4)
    [(2, 1), (2, 2), (3, 2)]
    """
    capacity: dict[int, int] = {}
    machines_in: dict[int, int] = {}
    for rack, size in zip(
        cluster.servers.rack.tolist(), cluster.servers.gpus.tolist(), strict=True
    ):
        capacity[rack] = capacity.get(rack, 0) + size
        machines_in[rack] = machines_in.get(rack, 0) + 1
    # At position r: the most GPUs, and the most machines, of r + 1 racks.
    gpus_of = list(itertools.accumulate(sorted(capacity.values(), reverse=True)))
    machines_of = list(itertools.accumulate(sorted(machines_in.values(), reverse=True)))
    spreads = []
    for machines in range(cluster.fewest_servers(gpus), min(servers, gpus) + 1):
        for racks in range(1, min(machines, len(gpus_of)) + 1):
            if gpus_of[racks - 1] >= gpus and machines_of[racks - 1] >= machines:
                spreads.append((machines, racks))
    return spreads
