"""Tiny slotted instances on which every exact method can be held against the others."""

import random

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel

CAPACITIES = (1, 2, 2, 3, 4)
DEMANDS = (1, 2, 2, 3, 3, 4)


def tiny_instance(seed, *, jobs=None, arrivals=False, model="ring", twins=False):
    """Draw 3 to 5 jobs on 2 or 3 servers whose rates are a few iterations a slot of a second.

    Parameters
    ----------
    seed
        Seed of the draw; with the other parameters it names the instance.
    jobs
        Number of jobs; None draws it.
    arrivals
        Whether jobs arrive, also within slots.
    model
        ``ring`` or ``fixed``.
    twins
        Whether the last job is a copy of the one before it, and the servers are equal.
    """
    draws = random.Random(f"tiny {seed} {jobs} {arrivals} {model} {twins}")
    count = draws.choice((3, 3, 4, 4, 5)) if jobs is None else jobs
    servers = draws.choice((2, 3, 3))
    capacities = [draws.choice(CAPACITIES) for _ in range(servers)]
    if twins:
        capacities = [draws.choice((2, 2, 3))] * servers
    demands = [demand for demand in DEMANDS if demand <= sum(capacities)]
    gradient = 1.0 if draws.random() < 0.6 else 0.3
    rows = [
        Job(
            f"j{position}",
            gpus=draws.choice(demands),
            iterations=draws.randint(4, 14),
            gradient_bytes=gradient * draws.uniform(0.05, 0.3),
            compute_s=draws.uniform(0.08, 0.25),
            arrival_s=draws.choice((0.0, 0.5, 1.0, 2.3)) if arrivals else 0.0,
            weight=draws.choice((1.0, 2.0, 0.5)),
        )
        for position in range(count)
    ]
    if twins:
        last = rows[-2]
        names = ("gpus", "iterations", "gradient_bytes", "compute_s", "arrival_s", "weight")
        rows[-1] = Job(rows[-1].id, **{name: getattr(last, name) for name in names})
    fabric = Fabric(
        intra_bytes_per_s=20.0,
        inter_bytes_per_s=1.0,
        reduce_bytes_per_s=20.0,
        degradation=draws.choice((0.0, 0.2, 0.5)),
    )
    rates = RateModel("fixed")
    if model == "ring":
        rates = RateModel.of(
            "ring",
            contention_weight=draws.choice((0.5, 1.0, 1.0)),
            server_overhead_s=draws.choice((0.0, 0.01, 0.03)),
        )
    cluster = Cluster([Server(f"s{i}", gpus) for i, gpus in enumerate(capacities)], fabric)
    kinds = "".join(("-arrivals" * arrivals, "-fixed" * (model == "fixed"), "-twins" * twins))
    return Instance(f"tiny-{seed}{kinds}", cluster, rows, rates, slot_s=1.0)


def tiny_instances(count, *, seed=0, **options):
    """Return ``count`` of them; see :func:`tiny_instance`."""
    return [tiny_instance(seed + number, **options) for number in range(count)]
