"""How long each job takes on so many servers, if it shares none with another spread job."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optsched.contention import RateFunctions, rate_functions
from optsched.contention.durations import duration_s
from optsched.core.errors import StalledJobError, UnsupportedError
from optsched.core.instance import Instance
from optsched.core.placement import Placement

__all__ = ["durations_alone_s"]

#: No job is spread over more servers than this.
MOST_SERVERS = 30


def durations_alone_s(instance: Instance) -> NDArray[np.float64]:
    """Return each job's seconds on 1, 2, … servers without contention; infinite where it cannot be.

    Column u is for u servers, column 0 is of no use.

    Raises
    ------
    UnsupportedError
        If iteration times depend on which servers a job has, not on how many.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> two = Instance("two", Cluster.uniform(2, 2), [Job("a", 3, 10, compute_s=0.5)])
    >>> durations_alone_s(two).tolist()
    [[inf, inf, 5.0]]
    """
    rates = rate_functions(instance)
    if not rates.is_level_model:
        raise UnsupportedError(
            "annealing takes instances whose iteration times depend on how many servers a job has, "
            f"not on which, and {instance.name!r} has others; use sjf-bco or a policy such as sjf"
        )
    capacity = np.sort(instance.cluster.servers.gpus)[::-1]
    largest_first = np.argsort(-instance.cluster.servers.gpus, kind="stable").tolist()
    demands = instance.jobs.gpus.tolist()
    most = max(1, min(len(capacity), MOST_SERVERS, max(demands)))
    table = np.full((len(demands), most + 1), np.inf)
    for job, demand in enumerate(demands):
        for servers in range(1, min(most, demand) + 1):
            if int(capacity[:servers].sum()) >= demand:
                where = _spread(demand, largest_first[:servers], capacity.tolist())
                table[job, servers] = _alone_s(instance, rates, job, where)
    return table


def _spread(demand: int, servers: list[int], capacity: list[int]) -> Placement:
    """Return the GPUs on these servers, at least one on each; the capacities are aligned."""
    left = demand - len(servers)
    taken = {}
    for server, gpus in zip(servers, capacity, strict=False):
        more = min(left, gpus - 1)
        taken[server] = 1 + more
        left -= more
    return Placement.of(taken)


def _alone_s(instance: Instance, rates: RateFunctions, job: int, where: Placement) -> float:
    load = [1] * len(rates.shared_resources(where))
    try:
        return duration_s(instance, rates, job, rates.iteration_time_s(job, where, load))
    except StalledJobError:
        return float("inf")
