"""The workload of Yu et al. 2022: 160 jobs, scaled from the Philly trace, on up to 20 servers."""

from __future__ import annotations

from itertools import count
from typing import Literal

from optsched.contention import degradation_factor
from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.generate.draws import (
    PHILLY_DEMANDS,
    checked_capacity,
    checked_count,
    named_draws,
)
from optsched.generate.networks import MEASURED_NETWORKS, TEN_GIGABIT

__all__ = ["paper_160"]

CAPACITIES = (4, 8, 16, 32)
ITERATIONS = (1000, 6000)
SERVERS = 20
FEWEST_SERVERS = 6

CONTENTION_WEIGHT = 0.6
DEGRADATION = 0.2
INTER_BYTES_PER_S = 1.25e9
WORST_DEGREE = 4
WORST_SERVERS = 4
#: What the worst case that counts adds to the best iteration time.
GRADIENT_SHARE = 0.10
OVERHEAD_SHARE = 0.05
BEST_ITERATION_TIME_S = (0.01, 0.05 / (1 + GRADIENT_SHARE + OVERHEAD_SHARE))


def paper_160(
    *, servers: int = SERVERS, mode: Literal["paper", "physical"] = "paper", seed: int = 0
) -> Instance:
    """Draw the workload of Yu et al. 2022, section 7.

    160 jobs, 80 of 1 GPU, 14 of 2, 26 of 4, 30 of 8, 8 of 16 and 2 of 32, in random order, with
    1000 to 6000 iterations each; servers of 4, 8, 16 or 32 GPUs, all equally likely.

    Parameters
    ----------
    servers
        How many servers are used. One seed draws 20, of which a smaller cluster is the beginning;
        the jobs are the same on all of them. A draw is repeated if its first 6 servers have fewer
        than 32 GPUs: a test that looked at the servers in use would part the clusters of a seed.
    mode
        ``paper``: slotted, with iteration times in the paper's range. ``physical``: continuous,
        10 GbE and four networks as measured by Wang et al. 2020, with an overhead of 1 to 5 ms a
        server. Contention is small in the first and bites in the second.
    seed
        Seed of the draw.

    Raises
    ------
    InstanceError
        If fewer than 6 servers are asked for and do not hold 32 GPUs.

    Notes
    -----
    The paper gives the range of iteration times and says that contention and overhead add no more
    than 15%, but not the sizes behind them. In paper mode they follow from equation 8 itself. Let
    τ₀ be a job's time on one server, drawn from U[0.01, 0.05/1.15] s. Communication inside a
    server and the reduction are taken to cost nothing (bⁱ = C = ∞), so with w GPUs

        τ₀ = Δ + ξ₂,    τ(u, p) = Δ + 2m(w−1)/(w·bᵉ) · f(α, max(1, ξ₁p)) + ξ₂u   for u ≥ 2.

    The worst case that counts is p = 4 on u = min(w, 4) servers, where the effective number of
    jobs is k = 0.6 · 4 = 2.4 and f = 2.4 + 0.2 · 1.4 = 2.68. There the gradients shall add 10% of
    τ₀ and the further servers 5%:

        2m(w−1)/(w·bᵉ) · 2.68 = 0.10 τ₀    hence  m = 0.10 τ₀ bᵉ w / (2 · 2.68 · (w−1)),
        ξ₂ (u−1) = 0.05 τ₀                 hence  ξ₂ = 0.05 τ₀ / (min(w, 4) − 1),
        Δ = τ₀ − ξ₂.

    The overhead of the first server is part of τ₀, so the extra is exactly 15%, and the worst
    iteration lies in [0.0115, 0.05] s. A job of one GPU has no ring and no second server: m = ξ₂ =
    0 and Δ = τ₀. A job that more than 4 servers have to hold, because the cluster is small, adds a
    further 0.05/3 of τ₀ for each server beyond the fourth. bᵉ sets the unit of m only.

    Examples
    --------
    >>> small, large = paper_160(servers=6), paper_160(servers=20)
    >>> list(small.cluster.servers) == large.cluster.servers[:6], len(small.jobs)
    (True, 160)
    """
    checked_count("paper-160", "servers", servers)
    capacities = _capacities(seed, max(servers, SERVERS))[:servers]
    checked_capacity("paper-160", capacities, max(PHILLY_DEMANDS))
    demands = list(PHILLY_DEMANDS)
    named_draws("paper-160", seed, "demands").shuffle(demands)
    draws = named_draws("paper-160", seed, "iterations")
    iterations = [draws.randint(*ITERATIONS) for _ in demands]
    is_paper = mode == "paper"
    contention_weight = CONTENTION_WEIGHT if is_paper else 1.0
    fabric = Fabric(inter_bytes_per_s=INTER_BYTES_PER_S, degradation=DEGRADATION)
    rows = (_paper_jobs if is_paper else _physical_jobs)(seed, demands, iterations)
    return Instance(
        f"{'paper' if is_paper else 'physical'}-160x{servers}-{seed}",
        Cluster(
            [Server(f"s{position}", gpus) for position, gpus in enumerate(capacities)],
            fabric if is_paper else TEN_GIGABIT,
        ),
        rows,
        RateModel.of("ring", contention_weight=contention_weight),
        slot_s=1.0 if is_paper else None,
        description=(
            "The workload of Yu et al. 2022, "
            + ("iteration times as in the paper." if is_paper else "four networks on 10 GbE.")
        ),
        metadata={"generator": f"paper-160:servers={servers},mode={mode},seed={seed}"},
    )


def _capacities(seed: int, servers: int) -> list[int]:
    for attempt in count():
        draws = named_draws("paper-160", seed, "servers", attempt)
        capacities = [draws.choice(CAPACITIES) for _ in range(servers)]
        if sum(capacities[:FEWEST_SERVERS]) >= max(PHILLY_DEMANDS):
            return capacities
    raise AssertionError  # pragma: no cover


def _paper_jobs(seed: int, demands: list[int], iterations: list[int]) -> list[Job]:
    draws = named_draws("paper-160", seed, "iteration times")
    factor = degradation_factor(DEGRADATION, CONTENTION_WEIGHT, WORST_DEGREE)
    jobs = []
    for position, (gpus, todo) in enumerate(zip(demands, iterations, strict=True)):
        best_s = draws.uniform(*BEST_ITERATION_TIME_S)
        gradient_bytes = overhead_s = 0.0
        if gpus > 1:
            transfer_s = GRADIENT_SHARE * best_s / factor
            gradient_bytes = transfer_s * INTER_BYTES_PER_S * gpus / (2 * (gpus - 1))
            overhead_s = OVERHEAD_SHARE * best_s / (min(gpus, WORST_SERVERS) - 1)
        jobs.append(
            Job(
                f"j{position}",
                gpus,
                todo,
                gradient_bytes=gradient_bytes,
                compute_s=best_s - overhead_s,
                server_overhead_s=overhead_s,
            )
        )
    return jobs


def _physical_jobs(seed: int, demands: list[int], iterations: list[int]) -> list[Job]:
    draws = named_draws("paper-160", seed, "networks")
    jobs = []
    for position, (gpus, todo) in enumerate(zip(demands, iterations, strict=True)):
        network = draws.choice(MEASURED_NETWORKS)
        jobs.append(
            Job(
                f"j{position}",
                gpus,
                todo,
                gradient_bytes=network.gradient_bytes,
                compute_s=network.compute_s,
                server_overhead_s=draws.uniform(0.001, 0.005),
                profile=network.profile,
            )
        )
    return jobs
