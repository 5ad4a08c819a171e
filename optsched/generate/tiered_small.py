"""Instances on machines in two racks that are small enough for exact solvers."""

from __future__ import annotations

from dataclasses import replace

from optsched.contention.dally import DALLY_NETWORKS, published_compute_scales
from optsched.contention.profiles import load_profile
from optsched.contention.tier_network import load_tiers
from optsched.core.cluster import Cluster
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.generate.dally import ITERATION_S
from optsched.generate.draws import checked_count, checked_range, named_draws
from optsched.generate.small import NAMED_LOAD, arrivals_at_load_s

__all__ = ["tiered_small"]

GPUS_PER_MACHINE = 4
DEMANDS = (1, 2, 2, 3, 4, 4, 6, 8)
#: Run time without communication.
LEAST_S, MOST_S = 1_800.0, 28_800.0


def tiered_small(
    *, jobs: int = 6, servers: int = 4, load: float | None = None, seed: int = 0
) -> Instance:
    """Draw jobs of 1 to 8 GPUs for machines of 4 GPUs in two racks, with the networks of Dally.

    Parameters
    ----------
    jobs, servers
        Size of the instance; the first half of the machines, rounded up, is in the first rack.
    load
        None: all jobs are there at time 0. Else they arrive one by one, and the load is the
        GPU-seconds they need at their best for each second and each GPU.
    seed
        Seed of the draw.

    Raises
    ------
    InstanceError
        If a parameter is out of range.

    Notes
    -----
    The rates are those of ``dally-congested``, the networks and their times of an iteration those
    of :func:`~optsched.generate.dally.dally_500`, each as likely as the others.

    Examples
    --------
    >>> instance = tiered_small(seed=2)
    >>> instance.name, instance.cluster.total_gpus, instance.cluster.servers.rack.tolist()
    ('tiered-small-6x4-2', 16, [0, 0, 1, 1])
    >>> tiered_small(load=1.5).name
    'tiered-small-arrivals-6x4-0'
    """
    checked_count("tiered-small", "jobs", jobs)
    checked_count("tiered-small", "servers", servers)
    if load is not None:
        checked_range("tiered-small", "load", load, 1e-3, 1e3)
    draws = named_draws("tiered-small", f"{jobs}x{servers}", seed)
    total = servers * GPUS_PER_MACHINE
    demands = [demand for demand in DEMANDS if demand <= total]
    rows = []
    for position in range(jobs):
        network = draws.choice(sorted(DALLY_NETWORKS))
        gpus = draws.choice(demands)
        compute_s = ITERATION_S[network] / gpus
        profile = DALLY_NETWORKS[network].profile
        rows.append(
            Job(
                f"j{position}",
                gpus=gpus,
                iterations=round(draws.uniform(LEAST_S, MOST_S) / compute_s),
                gradient_bytes=load_profile(profile).gradient_bytes,
                compute_s=compute_s,
                profile=profile,
            )
        )
    family, settings, described = "tiered-small", "", ""
    parameters = f"jobs={jobs},servers={servers},seed={seed}"
    if load is not None:
        parameters += f",load={load!r}"
        described = f" Arrivals at load {load:g}."
        if load == NAMED_LOAD:
            family += "-arrivals"
        else:
            settings = f"-load-{load!r}"
    instance = Instance(
        f"{family}-{jobs}x{servers}-{seed}{settings}",
        Cluster.uniform(servers, GPUS_PER_MACHINE, racks=min(2, servers)),
        rows,
        RateModel.of(
            "tiered", **load_tiers("dally-congested").parameters, **published_compute_scales()
        ),
        restart_s_per_gpu=1.0,
        description=f"Machines of 4 GPUs in two racks, slow networks between them.{described}",
        metadata={"generator": f"tiered-small:{parameters}"},
    )
    if load is None:
        return instance
    gaps = named_draws("tiered-small", f"{jobs}x{servers}", "gaps", seed)
    arrivals_s = arrivals_at_load_s(instance, load, [gaps.random() for _ in rows])
    return instance.changed(
        jobs=[
            replace(job, arrival_s=arrival_s)
            for job, arrival_s in zip(rows, arrivals_s, strict=True)
        ]
    )
