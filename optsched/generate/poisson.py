"""Jobs that arrive one by one at a chosen load, a hundred thousand of them in about a second."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from optsched.contention import rate_functions
from optsched.core.cluster import Cluster, Fabric
from optsched.core.instance import Instance
from optsched.core.jobs import Jobs
from optsched.core.rate_model import RateModel
from optsched.generate.draws import (
    PHILLY_DEMANDS,
    checked_capacity,
    checked_count,
    checked_range,
    named_uniforms,
    with_settings,
)
from optsched.generate.networks import MEASURED_NETWORKS, TEN_GIGABIT

__all__ = ["Mix", "poisson"]

Mix = Literal["datacenter", "philly"]
Column = NDArray[np.float64]
#: Draws uniform numbers for a column, by its name.
Uniforms = Callable[[str], Column]

SERVERS_PER_RACK = 16
MICROSECONDS = 1e6


class Workload(NamedTuple):
    """Columns of the jobs of a mix; either the durations or the iterations are drawn."""

    gpus: NDArray[np.int64]
    gradient_bytes: Column
    compute_s: Column
    server_overhead_s: Column | None
    profiles: list[str | None] | None
    duration_s: Column | None
    iterations: NDArray[np.int64] | None


DATACENTER_FABRIC = Fabric(
    intra_bytes_per_s=100e9, inter_bytes_per_s=12.5e9, reduce_bytes_per_s=math.inf, degradation=0.2
)
FABRICS: dict[str, Fabric] = {"datacenter": DATACENTER_FABRIC, "philly": TEN_GIGABIT}
RATE_MODELS = {
    "datacenter": RateModel.of("ring", contention_weight=0.6, server_overhead_s=0.002),
    "philly": RateModel.of("ring", contention_weight=1.0),
}
DEFAULTS: dict[str, object] = {"gpus_per_server": 8, "load": 0.8, "mix": "datacenter"}


def poisson(
    *,
    jobs: int = 1000,
    servers: int = 16,
    gpus_per_server: int = 8,
    load: float = 0.8,
    mix: Mix = "datacenter",
    seed: int = 0,
) -> Instance:
    """Draw jobs that arrive as a Poisson process which asks for a share ``load`` of the GPUs.

    Parameters
    ----------
    jobs, servers, gpus_per_server
        Size of the instance; the cluster has to hold the largest job, of 32 GPUs.
    load
        GPU-seconds that the jobs need at their best durations, for each second from the first to
        the last arrival and each GPU. Above 1 the queue grows as long as jobs arrive. The gaps are
        drawn, so the load of one instance is off by about load/√jobs.
    mix
        What the jobs are like. ``datacenter``: 1, 2, 4, 8, 16 and 32 GPUs with probabilities 0.50,
        0.15, 0.12, 0.15, 0.05 and 0.03; durations lognormal with median 1500 s and σ = 1.8, cut to
        60 s to 10 days; gradients of 50, 100, 250, 500 or 1000 MB; 0.08 to 0.6 s of compute in an
        iteration; 100 Gbit/s between servers in racks of 16, ξ₁ = 0.6, α = 0.2, ξ₂ = 2 ms.
        ``philly``: demands in the proportions of the 160 jobs of Yu et al. 2022, 1000 to 6000
        iterations, the four networks measured by Wang et al. 2020 on their 10 GbE, and 1 to 5 ms
        of overhead for each server.
    seed
        Seed of the draw. The first jobs of a longer draw are those of a shorter one, but for the
        scale of their arrivals.

    Raises
    ------
    InstanceError
        If a parameter is out of range, or the cluster is too small.

    Examples
    --------
    >>> instance = poisson(jobs=100, load=0.5, seed=3)
    >>> instance.name, instance.has_arrivals
    ('poisson-100x16-3-load-0.5', True)
    """
    checked_count("poisson", "jobs", jobs)
    checked_count("poisson", "servers", servers)
    checked_count("poisson", "gpus_per_server", gpus_per_server)
    checked_range("poisson", "load", load, 1e-3, 1e3)
    checked_capacity("poisson", [gpus_per_server] * servers, max(PHILLY_DEMANDS))

    def uniforms(column: str) -> Column:
        return named_uniforms("poisson", mix, column, seed, count=jobs)

    workload = _datacenter(uniforms) if mix == "datacenter" else _philly(uniforms)
    racks = -(-servers // SERVERS_PER_RACK)
    cluster = Cluster.uniform(servers, gpus_per_server, racks=racks, fabric=FABRICS[mix])
    ids = tuple(f"j{position}" for position in range(jobs))

    def instance(iterations: NDArray[np.int64], arrival_s: Column | None) -> Instance:
        settings = {"gpus_per_server": gpus_per_server, "load": load, "mix": mix}
        sizes = f"jobs={jobs},servers={servers},gpus_per_server={gpus_per_server}"
        return Instance(
            with_settings(f"poisson-{jobs}x{servers}-{seed}", DEFAULTS, **settings),
            cluster,
            Jobs.from_columns(
                ids=ids,
                gpus=workload.gpus,
                iterations=iterations,
                gradient_bytes=workload.gradient_bytes,
                compute_s=workload.compute_s,
                arrival_s=arrival_s,
                server_overhead_s=workload.server_overhead_s,
                profiles=workload.profiles,
            ),
            RATE_MODELS[mix],
            description=f"Poisson arrivals at load {load:g}, mix {mix}.",
            metadata={"generator": f"poisson:{sizes},load={load!r},mix={mix},seed={seed}"},
        )

    single = instance(np.ones(jobs, np.int64), None)
    best_s = rate_functions(single).best_iteration_times_s()
    iterations = workload.iterations
    if iterations is None:
        assert workload.duration_s is not None
        iterations = np.maximum(np.rint(workload.duration_s / best_s), 1.0).astype(np.int64)
    # Added up exactly, since NumPy's sums differ in the last digit from one processor to another.
    gpu_seconds = math.fsum((workload.gpus * iterations * best_s).tolist())
    mean_gap_s = gpu_seconds / (load * cluster.total_gpus * max(jobs - 1, 1))
    return instance(iterations, _arrivals_s(uniforms("gaps"), mean_gap_s))


def _datacenter(uniforms: Uniforms) -> Workload:
    """Draw the workload on which simulators of this kind were measured."""
    gpus = _chosen(uniforms("gpus"), (1, 2, 4, 8, 16, 32), (50, 15, 12, 15, 5, 3))
    megabytes = _chosen(uniforms("gradients"), (50, 100, 250, 500, 1000), (1, 1, 1, 1, 1))
    # Box and Muller's pair of uniform numbers for a normal one.
    radius = np.sqrt(-2.0 * np.log1p(-uniforms("duration-radius")))
    normal = radius * np.cos(2.0 * math.pi * uniforms("duration-angle"))
    return Workload(
        gpus,
        gradient_bytes=(megabytes * 1_000_000).astype(np.float64),
        compute_s=_milliseconds(0.08 + 0.52 * uniforms("compute")),
        server_overhead_s=None,
        profiles=None,
        duration_s=np.clip(1500.0 * np.exp(1.8 * normal), 60.0, 864_000.0),
        iterations=None,
    )


def _philly(uniforms: Uniforms) -> Workload:
    """Draw the jobs of ``paper-160:mode=physical``, but any number of them."""
    sizes = sorted(set(PHILLY_DEMANDS))
    counts = [PHILLY_DEMANDS.count(size) for size in sizes]
    which = _chosen(uniforms("network"), range(len(MEASURED_NETWORKS)), (1, 1, 1, 1))
    networks = [MEASURED_NETWORKS[position] for position in which.tolist()]
    return Workload(
        _chosen(uniforms("gpus"), sizes, counts),
        gradient_bytes=np.array([network.gradient_bytes for network in networks]),
        compute_s=np.array([network.compute_s for network in networks]),
        server_overhead_s=_milliseconds(0.001 + 0.004 * uniforms("overhead"), digits=6),
        profiles=[network.profile for network in networks],
        duration_s=None,
        iterations=np.floor(1000.0 + 5001.0 * uniforms("iterations")).astype(np.int64),
    )


def _chosen(
    uniform: Column,
    values: range | list[int] | tuple[int, ...],
    shares: list[int] | tuple[int, ...],
) -> NDArray[np.int64]:
    """Choose among values in proportion to whole shares."""
    limits = np.cumsum(np.array(shares, np.int64))
    drawn = np.floor(uniform * float(limits[-1]))
    return np.array(values, np.int64)[np.searchsorted(limits, drawn, side="right")]


def _milliseconds(seconds: Column, digits: int = 3) -> Column:
    return np.round(seconds, digits)


def _arrivals_s(uniform: Column, mean_gap_s: float) -> Column:
    """Return the arrivals of a Poisson process, the first at 0.

    The logarithm's last digit depends on the processor. Whole microseconds hide it, and their sum
    is exact.
    """
    gaps = np.rint(-np.log1p(-uniform) * (mean_gap_s * MICROSECONDS)).astype(np.int64)
    gaps[0] = 0
    return np.cumsum(gaps) / MICROSECONDS
