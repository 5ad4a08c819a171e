"""The two settings on which the gaps of the annealing planner were first measured."""

from __future__ import annotations

import random
from typing import NamedTuple

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.generate.draws import PHILLY_DEMANDS, checked_capacity, checked_count
from optsched.generate.networks import MEASURED_NETWORKS, TEN_GIGABIT

__all__ = ["reference_a", "reference_f"]

#: Settings count the seed up by this much if the servers cannot hold the largest job.
NEXT_SEED = 100


class BaseDraw(NamedTuple):
    """What the settings have in common, one entry a server or a job."""

    capacities: list[int]
    demands: list[int]
    gradient_bytes: list[float]
    compute_s: list[float]
    iterations: list[int]


def reference_a(*, servers: int = 14, seed: int = 0) -> Instance:
    """Draw setting A: 160 jobs for which spreading is dear, so that whole jobs win.

    The units of data are arbitrary: gradients of 0.001 to 0.006 against an interface of 1, a
    server of 30 and a reduction of 20 a second. They stand as ``bytes`` and ``bytes_per_s``; only
    their ratios matter. Spreading adds 10 to 130% to an iteration.

    Parameters
    ----------
    servers
        How many servers; the published figures are of 6, 10, 14 and 20. Other numbers of servers
        draw other jobs, since all come from one stream.
    seed
        Seed of the draw, as in the published figures.

    Examples
    --------
    >>> reference_a(seed=4).cluster.total_gpus
    188
    """
    draw = _base_draw(checked_count("reference-a", "servers", servers), seed)
    columns = zip(draw.demands, draw.iterations, draw.gradient_bytes, draw.compute_s, strict=True)
    return Instance(
        f"reference-a-160x{servers}-{seed}",
        Cluster(
            _servers(draw.capacities),
            Fabric(
                intra_bytes_per_s=30.0,
                inter_bytes_per_s=1.0,
                reduce_bytes_per_s=20.0,
                degradation=0.2,
            ),
        ),
        [Job(f"j{position}", *values) for position, values in enumerate(columns)],
        RateModel.of("ring", contention_weight=0.5, server_overhead_s=0.0005),
        description="Reference setting A; units of data are arbitrary.",
        metadata={"generator": f"reference-a:servers={servers},seed={seed}"},
    )


def reference_f(*, servers: int = 14, seed: int = 0) -> Instance:
    """Draw setting F: the jobs of A's mix on 4- and 8-GPU servers, so that large jobs must spread.

    Four networks on 10 GbE, an overhead of 1 to 5 ms for each server of a job; bytes and seconds.

    Parameters
    ----------
    servers
        How many servers; 14 have 84 to 92 GPUs for seeds 0 to 2.
    seed
        Seed of the draw, as in the published figures.

    Raises
    ------
    InstanceError
        If the servers hold fewer than 32 GPUs.

    Examples
    --------
    >>> reference_f(seed=0).cluster.total_gpus
    92
    """
    base = _base_draw(checked_count("reference-f", "servers", servers), seed)
    draws = random.Random(5000 + seed)
    capacities = [draws.choice((4, 8)) for _ in range(servers)]
    checked_capacity("reference-f", capacities, max(PHILLY_DEMANDS))
    networks = [draws.choice(MEASURED_NETWORKS) for _ in base.demands]
    overheads_s = [draws.uniform(0.001, 0.005) for _ in base.demands]
    columns = zip(base.demands, base.iterations, networks, overheads_s, strict=True)
    return Instance(
        f"reference-f-160x{servers}-{seed}",
        Cluster(_servers(capacities), TEN_GIGABIT),
        [
            Job(
                f"j{position}",
                gpus,
                iterations,
                gradient_bytes=network.gradient_bytes,
                compute_s=network.compute_s,
                server_overhead_s=overhead_s,
                profile=network.profile,
            )
            for position, (gpus, iterations, network, overhead_s) in enumerate(columns)
        ],
        RateModel.of("ring", contention_weight=1.0),
        description="Reference setting F: servers of 4 and 8 GPUs on 10 GbE.",
        metadata={"generator": f"reference-f:servers={servers},seed={seed}"},
    )


def _base_draw(servers: int, seed: int) -> BaseDraw:
    """Draw column by column, in the order that reproduces the published instances."""
    while True:
        draws = random.Random(seed)
        capacities = [draws.choice((4, 8, 16, 32)) for _ in range(servers)]
        demands = list(PHILLY_DEMANDS)
        draws.shuffle(demands)
        base = BaseDraw(
            capacities,
            demands,
            [draws.uniform(0.001, 0.006) for _ in demands],
            [draws.uniform(0.009, 0.028) for _ in demands],
            [draws.randint(1000, 6000) for _ in demands],
        )
        if sum(capacities) >= max(PHILLY_DEMANDS):
            return base
        seed += NEXT_SEED


def _servers(capacities: list[int]) -> list[Server]:
    return [Server(f"s{position}", gpus) for position, gpus in enumerate(capacities)]
