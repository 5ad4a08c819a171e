"""Instances on which it is bad to wait for the fewest servers."""

from __future__ import annotations

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.generate.draws import checked_count, checked_range, with_settings

__all__ = ["packing_bad"]

ITERATIONS = 10
BYTES_PER_S = 1e9
DEFAULTS: dict[str, object] = {"spread_cost": 0.0}


def packing_bad(*, jobs: int = 6, spread_cost: float = 0.0, seed: int = 0) -> Instance:
    """Return jobs that all want the one large server, although the small ones are as good.

    n jobs of 2 GPUs, one server of 2 GPUs and 2(n − 1) of 1. An iteration takes 1 s on the large
    server and 1 + x s on two small ones, where no other job can be; there are 10, so T = 10 s.

    Whoever gives every job the fewest servers that the cluster allows, and lets it wait for them,
    runs all jobs on the large server, one after the other: makespan n T, mean JCT (n + 1) T/2.
    There is room for all of them at once: makespan (1 + x) T, and T for the one on the large
    server. A schedule in which no job is spread ends at n T at the earliest, another one not before
    (1 + x) T, so the least makespan is (1 + x) T (as x ≤ n − 1) and the ratio n/(1 + x): it grows
    with n without bound. For the mean JCT it is at least (n + 1) n/(2 (n + (n − 1) x)).

    Parameters
    ----------
    jobs
        How many jobs (n), at least 2.
    spread_cost
        Share that an iteration takes longer on two servers (x), from 0 to n − 1.
    seed
        Without effect: nothing is drawn.

    Raises
    ------
    InstanceError
        If a parameter is out of range.

    Examples
    --------
    >>> packing_bad(jobs=3).cluster.servers.gpus.tolist()
    [2, 1, 1, 1, 1]
    """
    name = "packing-bad"
    checked_count(name, "jobs", jobs)
    checked_range(name, "jobs", jobs, 2, jobs)
    checked_range(name, "spread_cost", spread_cost, 0.0, jobs - 1)
    # A ring of two sends each gradient once: m bytes an iteration.
    gradient_bytes = spread_cost * BYTES_PER_S
    small = 2 * (jobs - 1)
    servers = [Server("s0", 2), *(Server(f"s{position + 1}", 1) for position in range(small))]
    return Instance(
        with_settings(f"{name}-{jobs}x{small + 1}", DEFAULTS, spread_cost=spread_cost),
        Cluster(servers, Fabric(inter_bytes_per_s=BYTES_PER_S)),
        [
            Job(f"j{position}", 2, ITERATIONS, gradient_bytes=gradient_bytes, compute_s=1.0)
            for position in range(jobs)
        ],
        RateModel.of("ring", contention_weight=1.0, server_overhead_s=0.0),
        description="To wait for the fewest servers is bad: all jobs fit at once if they spread.",
        metadata={"generator": f"{name}:jobs={jobs},spread_cost={spread_cost!r}"},
    )
