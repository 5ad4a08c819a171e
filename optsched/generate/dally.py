"""The synthetic twin of Dally's workload: its demands, networks and durations, drawn anew."""

from __future__ import annotations

import itertools
import math
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from optsched.contention.dally import DALLY_NETWORKS, published_compute_scales
from optsched.contention.profiles import load_profile
from optsched.contention.tier_network import load_tiers
from optsched.core.cluster import Cluster
from optsched.core.instance import Instance
from optsched.core.jobs import Jobs
from optsched.core.rate_model import RateModel
from optsched.generate.draws import (
    checked_capacity,
    checked_count,
    checked_range,
    named_uniforms,
    with_settings,
)

__all__ = ["dally_500"]

Arrivals = Literal["batch", "poisson"]

#: Number of the 500 jobs by network and GPUs. Demands and networks go together: all jobs of more
#: than 32 GPUs, and ten of the eleven with 32, train MobileNetV3.
JOBS_BY_NETWORK: dict[str, dict[int, int]] = {
    "MobileNetV3": {1: 17, 2: 2, 4: 15, 8: 52, 16: 26, 32: 10, 40: 1, 48: 1, 56: 1},
    "BERT": {1: 94, 2: 4, 4: 7, 8: 15, 16: 5},
    "ResNet50": {1: 67, 2: 7, 4: 16, 8: 27, 16: 7, 32: 1},
    "AlexNet": {1: 27, 4: 9, 8: 13, 16: 4},
    "ResNet18": {1: 35, 4: 3},
    "VGG": {1: 30, 4: 2, 8: 2},
}
#: Median time of an iteration on one GPU; all times on one GPU, whatever the demand.
ITERATION_S = {
    "MobileNetV3": 0.77e-3,
    "BERT": 8.3e-3,
    "ResNet50": 1.5e-3,
    "AlexNet": 1.2e-3,
    "ResNet18": 0.57e-3,
    "VGG": 0.28e-3,
}
#: Durations on one GPU are lognormal, cut to the range that the trace has.
MEDIAN_S, SIGMA, LEAST_S, MOST_S = 55_980.0, 1.0, 7_200.0, 1_166_400.0
#: From the first to the last arrival of the 500 jobs of the Poisson trace there are 499 gaps.
MEAN_GAP_S = 6_818.0
LARGEST = 56
GPUS_PER_MACHINE = 8
DEFAULTS: dict[str, object] = {"jobs": 500, "arrivals": "batch", "congested": "false"}


def dally_500(
    *,
    jobs: int = 500,
    arrivals: Arrivals = "batch",
    racks: int = 2,
    machines: int = 8,
    congested: bool = False,
    mean_gap_s: float = MEAN_GAP_S,
    restart_s_per_gpu: float = 1.0,
    seed: int = 0,
) -> Instance:
    """Draw a workload like that of Dally's simulator, 500 jobs of two hours to two weeks.

    Numbers of jobs by network and demand are those of the original (scaled, by largest remainders,
    where there are not 500); which job comes when, and how long each takes, is drawn.

    Parameters
    ----------
    jobs
        Number of jobs.
    arrivals
        ``batch``: all at time 0; ``poisson``: one by one, the first at time 0.
    racks, machines
        Racks, and machines in each; a machine has 8 GPUs.
    congested
        Whether the network between racks is the congested one (``dally-congested``).
    mean_gap_s
        Mean time between arrivals.
    restart_s_per_gpu
        What a preempted job loses for each of its GPUs when it goes on.
    seed
        Seed of the draw.

    Raises
    ------
    InstanceError
        If a parameter is out of range, or the cluster is too small.

    Notes
    -----
    The workload is described by its statistics alone: no job of the original is in it. Networks are
    the shipped profiles, which compute as fast as in the published simulator.

    Examples
    --------
    >>> instance = dally_500(seed=3)
    >>> instance.name, instance.cluster.total_gpus, int((instance.jobs.gpus == 8).sum())
    ('dally-2x8-3', 128, 109)
    """
    checked_count("dally-500", "jobs", jobs)
    checked_count("dally-500", "racks", racks)
    checked_count("dally-500", "machines", machines)
    checked_count("dally-500", "machines", racks * machines)
    checked_range("dally-500", "mean_gap_s", mean_gap_s, 1e-3, 1e9)
    checked_range("dally-500", "restart_s_per_gpu", restart_s_per_gpu, 0.0, 1e6)
    drawn = _networks_and_gpus(jobs)
    order = np.argsort(named_uniforms("dally-500", "order", seed, count=jobs), kind="stable")
    chosen = [drawn[position] for position in order.tolist()]
    gpus = np.array([demand for _, demand in chosen], dtype=np.int64)
    capacities = [GPUS_PER_MACHINE] * (racks * machines)
    checked_capacity("dally-500", capacities, max(LARGEST, int(gpus.max())))
    alone_s = np.array([ITERATION_S[network] for network, _ in chosen])
    duration_s = _durations_s(named_uniforms("dally-500", "durations", seed, count=jobs))
    profiles = [DALLY_NETWORKS[network].profile for network, _ in chosen]
    size = {name: load_profile(name).gradient_bytes for name in set(profiles)}
    arrival_s = None
    if arrivals == "poisson":
        uniforms = named_uniforms("dally-500", "gaps", seed, count=jobs).tolist()
        gaps_s = [-mean_gap_s * math.log1p(-uniform) for uniform in uniforms]
        arrival_s = list(itertools.accumulate([0.0, *gaps_s[1:]]))
    tiers = load_tiers("dally-congested" if congested else "dally")
    settings = {"jobs": jobs, "arrivals": arrivals, "congested": str(congested).lower()}
    name = with_settings(f"dally-{racks}x{machines}-{seed}", DEFAULTS, **settings)
    return Instance(
        name,
        Cluster.uniform(racks * machines, GPUS_PER_MACHINE, racks=racks),
        Jobs.from_columns(
            ids=[f"j{position}" for position in range(jobs)],
            gpus=gpus,
            iterations=np.maximum(1, np.rint(duration_s / alone_s)).astype(np.int64),
            gradient_bytes=[size[profile] for profile in profiles],
            compute_s=alone_s / gpus,
            arrival_s=arrival_s,
            profiles=profiles,
        ),
        RateModel.of("tiered", **tiers.parameters, **published_compute_scales()),
        restart_s_per_gpu=restart_s_per_gpu,
        description=f"{jobs:,} jobs after the workload of Dally's simulator, {arrivals}, "
        f"{racks} × {machines} × {GPUS_PER_MACHINE} GPUs{', congested' if congested else ''}",
        metadata={
            "generator": f"dally-500:jobs={jobs},arrivals={arrivals},racks={racks},"
            f"machines={machines},congested={str(congested).lower()},mean_gap_s={mean_gap_s!r},"
            f"restart_s_per_gpu={restart_s_per_gpu!r},seed={seed}"
        },
    )


def _networks_and_gpus(jobs: int) -> list[tuple[str, int]]:
    """Return the network and demand of each job, in the proportions of the original."""
    shares = [
        (network, gpus, number * jobs / 500)
        for network, demands in JOBS_BY_NETWORK.items()
        for gpus, number in demands.items()
    ]
    whole = [math.floor(share) for _, _, share in shares]
    by_remainder = sorted(range(len(shares)), key=lambda i: whole[i] - shares[i][2])
    for position in by_remainder[: jobs - sum(whole)]:
        whole[position] += 1
    return [
        (network, gpus)
        for (network, gpus, _), number in zip(shares, whole, strict=True)
        for _ in range(number)
    ]


def _durations_s(uniforms: NDArray[np.float64]) -> NDArray[np.float64]:
    normal = NormalDist(math.log(MEDIAN_S), SIGMA)
    # Half a step of the uniform numbers keeps 0 away from the end of the distribution.
    # NumPy's exponential differs in the last digit from one processor to another.
    drawn = [math.exp(normal.inv_cdf(uniform + 2.0**-54)) for uniform in uniforms.tolist()]
    return np.array([min(max(LEAST_S, one), MOST_S) for one in drawn])
