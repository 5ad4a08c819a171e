"""Instances and schedules for pictures; what is packed here need not be what the model yields."""

import random
from collections.abc import Callable

import pytest

from optsched.core.cluster import Cluster, Fabric
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel
from optsched.core.schedule import Schedule, Segment

Case = tuple[Instance, Schedule]


def pack(instance: Instance, *, seed: int, pieces: int = 1) -> Schedule:
    """Place jobs one after the other, each at the first time at which enough GPUs are free.

    GPUs come from servers in random order, so that many jobs are spread. Each job runs in
    ``pieces`` segments of random length.
    """
    chance = random.Random(seed)
    free = instance.cluster.servers.gpus.tolist()
    running: list[tuple[float, Placement]] = []
    waiting = [job for job in range(len(instance.jobs)) for _ in range(pieces)]
    chance.shuffle(waiting)
    segments: list[Segment] = []
    held_until = [0.0] * len(instance.jobs)
    now = 0.0
    for job in waiting:
        needed = instance.jobs.gpus.item(job)
        while sum(free) < needed or held_until[job] > now:
            running.sort(key=lambda entry: entry[0])
            now, placement = running.pop(0)
            for server, count in placement.pairs:
                free[server] += count
        order = sorted(range(len(free)), key=lambda server: (-free[server], chance.random()))
        if chance.random() < 0.3:
            chance.shuffle(order)
        taken: dict[int, int] = {}
        for server in order:
            count = min(free[server], needed - sum(taken.values()))
            if count > 0:
                taken[server] = count
                free[server] -= count
        placement = Placement.of(taken)
        end_s = now + chance.uniform(0.2, 1.0) * 100.0
        held_until[job] = end_s
        segments.append(Segment(job, placement, now, end_s))
        running.append((end_s, placement))
    return Schedule.of(segments)


@pytest.fixture
def packed() -> Callable[..., Case]:
    """Return a function that draws a cluster, jobs and a schedule for them."""

    def build(
        servers: int, gpus_per_server: int, jobs: int, *, seed: int = 0, pieces: int = 1
    ) -> Case:
        chance = random.Random(seed)
        sizes = [size for size in (1, 2, 4, 8, 16, 32) if size <= servers * gpus_per_server]
        rows = [
            Job(f"job-{i}", chance.choice(sizes), 10, gradient_bytes=1e8, compute_s=1.0)
            for i in range(jobs)
        ]
        cluster = Cluster.uniform(servers, gpus_per_server)
        instance = Instance(f"random-{jobs}x{servers}", cluster, rows)
        return instance, pack(instance, seed=seed, pieces=pieces)

    return build


def waiting_pays_instance() -> Instance:
    """Return the example of the documentation: two jobs that should not run together."""
    fabric = Fabric(inter_bytes_per_s=1e9, degradation=0.5)
    jobs = [Job(name, 3, 10, gradient_bytes=750e6, compute_s=0.05) for name in ("a", "b")]
    return Instance("waiting-pays", Cluster.uniform(3, 2, fabric=fabric), jobs, RateModel("ring"))


@pytest.fixture
def together() -> Case:
    """Return both jobs at once: they share the middle server's interface for 25.5 s."""
    rows = [
        Segment(0, Placement.of({0: 2, 1: 1}), 0.0, 25.5),
        Segment(1, Placement.of({1: 1, 2: 2}), 0.0, 25.5),
    ]
    return waiting_pays_instance(), Schedule.of(rows)


@pytest.fixture
def one_after_the_other() -> Case:
    """Return the better schedule, in which nothing is shared."""
    rows = [
        Segment(0, Placement.of({0: 2, 1: 1}), 0.0, 10.5),
        Segment(1, Placement.of({1: 1, 2: 2}), 10.5, 21.0),
    ]
    return waiting_pays_instance(), Schedule.of(rows)
