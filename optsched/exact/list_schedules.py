"""Quick schedules to start a search from: list scheduling, with and without shared networks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from optsched.bounds import Workload
from optsched.contention import RateFunctions, rate_functions
from optsched.core.errors import StalledJobError
from optsched.core.instance import Instance
from optsched.core.placement import Placement
from optsched.core.schedule import Decision, Schedule
from optsched.judge import replay

__all__ = ["MOST_JOBS", "list_schedules"]

#: A schedule takes a replay for each event, so the work grows with the square of the jobs.
MOST_JOBS = 300
#: One job at a time is never best for more than a few.
FEW_JOBS = 20
RULES = ("unshared", "greedy", "sequential")


def list_schedules(instance: Instance) -> Iterator[tuple[str, Schedule]]:
    """Yield event-aligned schedules with their names, each in well under a second.

    Four orders of the jobs times three rules: start whatever fits (``greedy``), do so unless two
    spread jobs would share a server (``unshared``), or one job at a time (``sequential``). The
    first can be far from the optimum where contention wastes much, the last where it does not.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Fabric
    >>> from optsched.core.jobs import Job
    >>> fabric = Fabric(inter_bytes_per_s=1e9, degradation=0.5)
    >>> jobs = [Job(name, 3, 10, gradient_bytes=750e6, compute_s=0.05) for name in "ab"]
    >>> pair = Instance("waiting-pays", Cluster.uniform(3, 2, fabric=fabric), jobs)
    >>> ends_s = {name: schedule.end_time_s for name, schedule in list_schedules(pair)}
    >>> ends_s["greedy, shortest first"], ends_s["unshared, shortest first"]
    (25.5, 21.0)
    """
    if len(instance.jobs) > MOST_JOBS:
        return
    rates = rate_functions(instance)
    workload = Workload.of(instance)
    release_s: list[float] = (workload.release * workload.unit_s).tolist()
    for order_name, order in _orders(workload).items():
        for rule in RULES if len(instance.jobs) <= FEW_JOBS else RULES[:2]:
            # A placement that seemed to do may stall in slotted time; another order may not.
            try:
                schedule = _list_schedule(instance, rates, order, release_s, rule)
            except StalledJobError:
                continue
            yield f"{rule}, {order_name}", schedule


def _orders(workload: Workload) -> dict[str, list[int]]:
    jobs = workload.instance.jobs
    area = jobs.gpus * workload.duration
    keys = {
        "shortest first": workload.duration,
        "longest first": -workload.duration,
        "least area by weight first": area / np.maximum(jobs.weight, 1e-9),
        "largest area first": -area,
    }
    return {name: np.argsort(key, kind="stable").tolist() for name, key in keys.items()}


def _list_schedule(
    instance: Instance,
    rates: RateFunctions,
    order: Sequence[int],
    release_s: Sequence[float],
    rule: str,
) -> Schedule:
    """Go from event to event, at each start the waiting jobs in order where they fit."""
    waiting = list(order)
    decisions: list[Decision] = []
    ends_s: dict[int, float] = {}
    now_s = min(release_s)
    while True:
        running = [d for d in decisions if ends_s[d.job] > now_s]
        started = _starts(instance, rates, waiting, running, now_s, release_s, rule)
        if started:
            decisions += started
            schedule = replay(instance, decisions, rates=rates)
            ends_s = dict(zip(schedule.job.tolist(), schedule.end_s.tolist(), strict=True))
            begun = {decision.job for decision in started}
            waiting = [job for job in waiting if job not in begun]
            if not waiting:
                return schedule
        later_s = [release_s[job] for job in waiting] + list(ends_s.values())
        now_s = min(time_s for time_s in later_s if time_s > now_s)


def _starts(
    instance: Instance,
    rates: RateFunctions,
    waiting: Sequence[int],
    running: Sequence[Decision],
    now_s: float,
    release_s: Sequence[float],
    rule: str,
) -> list[Decision]:
    free: list[int] = instance.cluster.servers.gpus.tolist()
    is_shared = [False] * len(free)
    for decision in running:
        _occupy(decision.placement, free, is_shared)
    started: list[Decision] = []
    for job in waiting:
        if rule == "sequential" and (running or started):
            break
        if release_s[job] > now_s:
            continue
        closed = is_shared if rule == "unshared" else [False] * len(free)
        placement = _placement(rates, job, instance.jobs.gpus.item(job), free, closed)
        if placement is not None:
            started.append(Decision(job, placement, now_s))
            _occupy(placement, free, is_shared)
    return started


def _occupy(placement: Placement, free: list[int], is_shared: list[bool]) -> None:
    for server, count in placement.pairs:
        free[server] -= count
        is_shared[server] |= placement.is_spread


def _placement(
    rates: RateFunctions, job: int, gpus: int, free: Sequence[int], closed: Sequence[bool]
) -> Placement | None:
    """Return the faster of the tightest server and the fewest open ones, None if neither fits."""
    offers = []
    holding = [server for server, count in enumerate(free) if count >= gpus]
    if holding:
        offers.append(Placement.of({min(holding, key=lambda server: free[server]): gpus}))
    spread: dict[int, int] = {}
    left = gpus
    for server in sorted(range(len(free)), key=lambda server: -free[server]):
        if left > 0 and free[server] > 0 and not closed[server]:
            spread[server] = min(left, free[server])
            left -= spread[server]
    if left == 0:
        offers.append(Placement.of(spread))

    def alone_s(placement: Placement) -> float:
        load = [1] * len(rates.shared_resources(placement))
        return rates.iteration_time_s(job, placement, load)

    return min(offers, key=alone_s, default=None)
