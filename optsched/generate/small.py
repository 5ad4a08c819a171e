"""Families of instances small enough for exact solvers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from optsched.contention import rate_functions
from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.generate.draws import checked_count, checked_range, named_draws

__all__ = [
    "NAMED_LOAD",
    "NAMED_SLOT_S",
    "arrivals_at_load_s",
    "contended",
    "forced",
    "light",
    "racks",
    "tight",
]

ITERATIONS = (100, 500)
GRADIENT_BYTES = (0.001, 0.006)
COMPUTE_S = (0.009, 0.028)

#: The slot of ``forced-slotted-…`` and the load of ``forced-arrivals-…``: their names imply them.
NAMED_SLOT_S = 1.0
NAMED_LOAD = 1.5

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
    fabric: Fabric = FABRIC
    racks: int = 1


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
CONTENDED = Family(
    "contended",
    "Jobs that spread and mostly communicate: to share a server may cost more than to wait.",
    (2, 2, 3),
    (2, 3, 3, 4, 4, 5),
    16.0,
    replace(FABRIC, degradation=0.5),
)
RACKS = Family(
    "racks",
    "Two racks whose uplinks are half as fast as a server's interface.",
    (2, 2, 3),
    (1, 2, 2, 3, 4, 4, 5),
    4.0,
    replace(FABRIC, uplink_bytes_per_s=0.5),
    racks=2,
)


def forced(
    *,
    jobs: int = 6,
    servers: int = 3,
    slot_s: float | None = None,
    load: float | None = None,
    seed: int = 0,
) -> Instance:
    """Draw jobs that have to spread over small servers, with gradients four times as large.

    Parameters
    ----------
    jobs, servers
        Size of the instance.
    slot_s
        Length of a slot; None for continuous time. Iterations take 0.01 to 0.1 s. The jobs are the
        same as without slots.
    load
        GPU-seconds that the jobs need at their best durations, for each second from the first to
        the expected last arrival and each GPU; the gaps between arrivals are exponential. None:
        all jobs are there at time 0.
    seed
        Seed of the draw.

    Examples
    --------
    >>> forced(jobs=5, seed=1).name, forced(seed=1).cluster.max_gpus_per_server
    ('forced-5x3-1', 3)
    >>> forced(slot_s=1.0).name, forced(load=1.5).name, forced(slot_s=0.5, load=3.0).name
    ('forced-slotted-6x3-0', 'forced-arrivals-6x3-0', 'forced-6x3-0-slot-s-0.5-load-3.0')
    """
    return _drawn(FORCED, jobs, servers, slot_s, load, seed)


def tight(
    *,
    jobs: int = 6,
    servers: int = 3,
    slot_s: float | None = None,
    load: float | None = None,
    seed: int = 0,
) -> Instance:
    """Draw jobs of 1 to 6 GPUs for servers of 3, 4 and 6; parameters as for :func:`forced`.

    Examples
    --------
    >>> tight(jobs=9).name
    'tight-9x3-0'
    """
    return _drawn(TIGHT, jobs, servers, slot_s, load, seed)


def light(
    *,
    jobs: int = 6,
    servers: int = 3,
    slot_s: float | None = None,
    load: float | None = None,
    seed: int = 0,
) -> Instance:
    """Draw mostly small jobs for servers of 4 and 8; parameters as for :func:`forced`.

    Examples
    --------
    >>> light(jobs=20, servers=5).name
    'light-20x5-0'
    """
    return _drawn(LIGHT, jobs, servers, slot_s, load, seed)


def contended(
    *,
    jobs: int = 6,
    servers: int = 3,
    slot_s: float | None = None,
    load: float | None = None,
    seed: int = 0,
) -> Instance:
    """Draw jobs that spend most of their time communicating; parameters as for :func:`forced`.

    Gradients are 16 times those of :func:`tight`, and α = 0.5, so that most pairs of jobs take
    longer side by side on one interface than one after the other.

    Examples
    --------
    >>> contended().cluster.fabric.degradation
    0.5
    """
    return _drawn(CONTENDED, jobs, servers, slot_s, load, seed)


def racks(
    *,
    jobs: int = 6,
    servers: int = 4,
    slot_s: float | None = None,
    load: float | None = None,
    seed: int = 0,
) -> Instance:
    """Draw jobs as :func:`forced` does, for servers in two racks with slow uplinks.

    Parameters
    ----------
    servers
        The first half of them, rounded up, is in rack ``r0``.
    jobs, slot_s, load, seed
        As for :func:`forced`.

    Examples
    --------
    >>> [server.rack for server in racks(servers=3).cluster.servers]
    ['r0', 'r0', 'r1']
    """
    return _drawn(RACKS, jobs, servers, slot_s, load, seed)


def _drawn(
    family: Family,
    jobs: int,
    servers: int,
    slot_s: float | None,
    load: float | None,
    seed: int,
) -> Instance:
    checked_count(family.name, "jobs", jobs)
    checked_count(family.name, "servers", servers)
    if load is not None:
        checked_range(family.name, "load", load, 1e-3, 1e3)
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
    if load is not None:
        parameters += f",load={load!r}"
    instance = Instance(
        _name(family, f"{jobs}x{servers}-{seed}", slot_s, load),
        Cluster(
            [
                Server(f"s{i}", gpus, rack=f"r{i * family.racks // servers}")
                for i, gpus in enumerate(capacities)
            ],
            family.fabric,
        ),
        rows,
        RATE_MODEL,
        slot_s=slot_s,
        description=family.description + _setting(slot_s, load),
        metadata={"generator": f"{family.name}:{parameters}"},
    )
    if load is None:
        return instance
    gaps = named_draws(family.name, f"{jobs}x{servers}", "gaps", seed)
    arrivals_s = arrivals_at_load_s(instance, load, [gaps.random() for _ in rows])
    return instance.changed(
        jobs=[
            replace(job, arrival_s=arrival_s)
            for job, arrival_s in zip(rows, arrivals_s, strict=True)
        ]
    )


def _name(family: Family, rest: str, slot_s: float | None, load: float | None) -> str:
    """Return the family's name with what it implies, other settings after the seed."""
    name, settings = family.name, ""
    if slot_s == NAMED_SLOT_S:
        name += "-slotted"
    elif slot_s is not None:
        settings += f"-slot-s-{slot_s!r}"
    if load == NAMED_LOAD:
        name += "-arrivals"
    elif load is not None:
        settings += f"-load-{load!r}"
    return f"{name}-{rest}{settings}"


def _setting(slot_s: float | None, load: float | None) -> str:
    slots = "" if slot_s is None else f" Slots of {slot_s:g} s."
    return slots + ("" if load is None else f" Arrivals at load {load:g}.")


def arrivals_at_load_s(instance: Instance, load: float, uniforms: Sequence[float]) -> list[float]:
    """Return arrivals in whole milliseconds, which hide the last digit of the logarithm.

    Parameters
    ----------
    instance
        The jobs, whose work and number the gaps depend on.
    load
        GPU-seconds of all jobs at their best, for each GPU and each second of the mean time from
        the first to the last arrival.
    uniforms
        A number in [0, 1) for each job; the first is not used.
    """
    jobs = instance.jobs
    best_s = rate_functions(instance.changed(slot_s=None)).best_iteration_times_s()
    gpu_seconds = math.fsum((jobs.gpus * jobs.iterations * best_s).tolist())
    gap_s = gpu_seconds / (load * instance.cluster.total_gpus * max(len(jobs) - 1, 1))
    gaps_ms = [0, *(round(-math.log1p(-one) * gap_s * 1000) for one in uniforms[1:])]
    return [float(ms) / 1000 for ms in np.cumsum(gaps_ms)]
