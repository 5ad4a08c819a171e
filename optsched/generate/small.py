"""Three families of instances small enough for exact solvers."""

from __future__ import annotations

from typing import NamedTuple

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.generate.draws import checked_count, named_draws

__all__ = ["forced", "light", "tight"]

ITERATIONS = (100, 500)
GRADIENT_BYTES = (0.001, 0.006)
COMPUTE_S = (0.009, 0.028)

#: As in setting A of ``reference-a``, units of data are arbitrary: only ratios matter.
FABRIC = Fabric(
    intra_bytes_per_s=30.0, inter_bytes_per_s=1.0, reduce_bytes_per_s=20.0, degradation=0.2
)
RATE_MODEL = RateModel.of("ring", contention_weight=1.0, server_overhead_s=0.0005)


class Family(NamedTuple):
    """What sets one family apart from the others."""

    name: str
    description: str
    capacities: tuple[int, ...]
    demands: tuple[int, ...]
    gradient_factor: float


FORCED = Family(
    "forced",
    "Small servers and large gradients: spreading and contention cannot be avoided.",
    (2, 2, 3),
    (1, 2, 2, 3, 4, 4, 5),
    4.0,
)
TIGHT = Family(
    "tight",
    "Demands that are no powers of two, so that servers are hard to fill.",
    (3, 4, 6),
    (1, 1, 2, 2, 3, 3, 4, 5, 6),
    1.0,
)
LIGHT = Family(
    "light",
    "Many small jobs: most run whole on one server.",
    (4, 4, 8),
    (1, 1, 1, 1, 2, 2, 4, 4, 8),
    1.0,
)


def forced(
    *, jobs: int = 6, servers: int = 3, slot_s: float | None = None, seed: int = 0
) -> Instance:
    """Draw jobs that have to spread over small servers, with gradients four times as large.

    Parameters
    ----------
    jobs, servers
        Size of the instance.
    slot_s
        Length of a slot; None for continuous time. Iterations take 0.01 to 0.1 s.
    seed
        Seed of the draw.

    Examples
    --------
    >>> forced(jobs=5, seed=1).name, forced(seed=1).cluster.max_gpus_per_server
    ('forced-5x3-1', 3)
    """
    return _drawn(FORCED, jobs, servers, slot_s, seed)


def tight(
    *, jobs: int = 6, servers: int = 3, slot_s: float | None = None, seed: int = 0
) -> Instance:
    """Draw jobs of 1 to 6 GPUs for servers of 3, 4 and 6; parameters as for :func:`forced`.

    Examples
    --------
    >>> tight(jobs=9).name
    'tight-9x3-0'
    """
    return _drawn(TIGHT, jobs, servers, slot_s, seed)


def light(
    *, jobs: int = 6, servers: int = 3, slot_s: float | None = None, seed: int = 0
) -> Instance:
    """Draw mostly small jobs for servers of 4 and 8; parameters as for :func:`forced`.

    Examples
    --------
    >>> light(jobs=20, servers=5).name
    'light-20x5-0'
    """
    return _drawn(LIGHT, jobs, servers, slot_s, seed)


def _drawn(family: Family, jobs: int, servers: int, slot_s: float | None, seed: int) -> Instance:
    checked_count(family.name, "jobs", jobs)
    checked_count(family.name, "servers", servers)
    draws = named_draws(family.name, f"{jobs}x{servers}", seed)
    capacities = [draws.choice(family.capacities) for _ in range(servers)]
    # A demand above the whole cluster is drawn again, which leaves the others in proportion.
    demands = [demand for demand in family.demands if demand <= sum(capacities)]
    rows = [
        Job(
            f"j{position}",
            gpus=draws.choice(demands),
            gradient_bytes=family.gradient_factor * draws.uniform(*GRADIENT_BYTES),
            compute_s=draws.uniform(*COMPUTE_S),
            iterations=draws.randint(*ITERATIONS),
        )
        for position in range(jobs)
    ]
    parameters = f"jobs={jobs},servers={servers},seed={seed}"
    if slot_s is not None:
        parameters += f",slot_s={slot_s!r}"
    return Instance(
        f"{family.name}-{jobs}x{servers}-{seed}" + ("" if slot_s is None else "-slotted"),
        Cluster([Server(f"s{i}", gpus) for i, gpus in enumerate(capacities)], FABRIC),
        rows,
        RATE_MODEL,
        slot_s=slot_s,
        description=family.description,
        metadata={"generator": f"{family.name}:{parameters}"},
    )
