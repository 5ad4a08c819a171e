"""The demands of an instance that no schedule can meet, with numbers."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from optsched.contention import rate_functions
from optsched.core.errors import Problem
from optsched.core.instance import Instance
from optsched.core.placement import Placement
from optsched.exact.choices import server_classes, splits

__all__ = ["UnmetDemand", "is_unmet_demand", "unmet_demands"]

#: Placements that are tried for a job before it is given up to say something about it.
MOST_PLACEMENTS = 20_000


@dataclass(frozen=True, slots=True)
class UnmetDemand:
    """A job that can run nowhere.

    Parameters
    ----------
    job, gpus
        Its id and demand.
    reason
        Why, with numbers.
    """

    job: str
    gpus: int
    reason: str


def unmet_demands(instance: Instance) -> list[UnmetDemand]:
    """Return the jobs that complete no iteration in a slot wherever they run.

    A demand above the GPUs of the cluster is refused when an instance is made. In continuous time
    every job that has the GPUs gets on, however slowly.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Fabric, Server
    >>> from optsched.core.jobs import Job
    >>> fabric = Fabric(intra_bytes_per_s=1e9, inter_bytes_per_s=10e9)
    >>> slow = Server("s2", 4, inter_bytes_per_s=1e9)
    >>> cluster = Cluster([Server("s0", 1), Server("s1", 1), slow], fabric)
    >>> job = Job("a", 3, 4, gradient_bytes=3e9, compute_s=0.1)
    >>> for demand in unmet_demands(Instance("stall", cluster, [job], slot_s=1.0)):
    ...     print(demand.job, demand.reason)
    a its shortest iteration on any of 3 placements takes 4.1 s, and a slot has 1 s
    """
    if instance.slot_s is None:
        return []
    rates = rate_functions(instance)
    capacity: list[int] = instance.cluster.servers.gpus.tolist()
    classes = server_classes(instance, rates, symmetry=True)
    found = []
    for job, name in enumerate(instance.jobs.ids):
        gpus = instance.jobs.gpus.item(job)
        shortest_s, tried, has_place = float("inf"), 0, False
        for pairs in itertools.islice(splits(gpus, capacity, classes), MOST_PLACEMENTS):
            placement = Placement.of(pairs)
            load = (1,) * len(rates.shared_resources(placement))
            tau_s = rates.iteration_time_s(job, placement, load)
            if tau_s <= 0 or rates.progress_per_slot(tau_s) > 0:
                has_place = True
                break
            shortest_s, tried = min(shortest_s, tau_s), tried + 1
        if not has_place and tried < MOST_PLACEMENTS:
            places = "the only placement" if tried == 1 else f"any of {tried:,} placements"
            reason = (
                f"its shortest iteration on {places} takes {shortest_s:g} s, and a slot has "
                f"{instance.slot_s:g} s"
            )
            found.append(UnmetDemand(name, gpus, reason))
    return found


def is_unmet_demand(problem: Problem) -> bool:
    """Return True if a problem of an instance is that a job can run nowhere.

    Examples
    --------
    >>> expected = "at most 2, the GPUs of the whole cluster"
    >>> is_unmet_demand(Problem(("jobs", 3, "gpus"), expected, "3"))
    True
    >>> is_unmet_demand(Problem(("jobs", 3, "gpus"), "a whole number of at least 1", "-2"))
    False
    """
    if problem.path[:1] != ("jobs",) or problem.is_warning:
        return False
    return "of the whole cluster" in problem.expected or "within a slot" in problem.expected
