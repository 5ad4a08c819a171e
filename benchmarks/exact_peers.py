"""Our constraint program beside PyJobShop's, on what both can express, in one run.

Run: python benchmarks/exact_peers.py [--seconds 60] [--instances 10] [--workers 2]
     [--sizes 12x4,20x5,40x8]

Whole jobs without contention: the families ``tight`` and ``light`` in slotted time, demands cut to
the largest server, on a network so slow that no iteration of a spread job fits into a slot. So each
job runs on one server, and our model is that of PyJobShop: a job is a task with a mode for each
server it fits on, a server a renewable resource of as many units as it has GPUs. Both minimise the
makespan by CP-SAT, with as many workers and seconds. ``cp-sat alone`` is our model without the
bounds, quick schedules and horizons that a search starts from otherwise.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import time
from collections.abc import Callable
from dataclasses import replace
from importlib import metadata
from statistics import mean, median
from typing import NamedTuple

from optsched.core.errors import LimitReachedError
from optsched.core.instance import Instance
from optsched.exact import cp_sat, destructive
from optsched.formulations.slot_levels import SlotLevels
from optsched.generate import GENERATORS

HEADER = (
    f"{'family':<8}{'size':<7}{'by':<14}{'proved':>8}{'median s':>10}{'worst s':>9}{'CPU s':>8}"
    f"{'mean value':>12}"
)


class Answer(NamedTuple):
    """A makespan in slots, and whether it is proven best."""

    value: float
    is_proven: bool


def whole_jobs(family: str, jobs: int, servers: int, seed: int) -> Instance:
    """Return an instance of a family in which no job can spread."""
    drawn = GENERATORS[family].function(jobs=jobs, servers=servers, slot_s=1.0, seed=seed)
    most = drawn.cluster.max_gpus_per_server
    rows = [
        replace(job, gpus=min(job.gpus, most), gradient_bytes=max(job.gradient_bytes, 1e-3))
        for job in drawn.jobs
    ]
    slow = replace(drawn.cluster.fabric, inter_bytes_per_s=1e-6)
    return drawn.changed(cluster=replace(drawn.cluster, fabric=slow), jobs=rows)


def by_pyjobshop(instance: Instance, seconds: float, workers: int) -> Answer:
    """Solve with PyJobShop."""
    from pyjobshop import Model, SolveStatus

    levels = SlotLevels.of(instance)
    model = Model()
    servers = [model.add_renewable(capacity=capacity) for capacity in levels.capacity]
    for job in levels.jobs:
        task = model.add_task(earliest_start=job.release)
        for server, capacity in zip(servers, levels.capacity, strict=True):
            if capacity >= job.gpus:
                model.add_mode(task, server, duration=job.slots[1], demands=job.gpus)
    result = model.solve(time_limit=seconds, display=False, num_workers=workers)
    return Answer(float(result.objective), result.status is SolveStatus.OPTIMAL)


def ours(search: Callable[..., object], **options: object) -> Callable[..., Answer]:
    """Return a function that solves with a search of ours."""

    def solve(instance: Instance, seconds: float, workers: int) -> Answer:
        try:
            found = search(instance, time_limit_s=seconds, workers=workers, **options)
        except LimitReachedError:
            return Answer(float("inf"), False)
        value = float("inf") if found.value is None else found.value / instance.slot_s
        return Answer(value, found.is_complete)

    return solve


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="limit for one instance")
    parser.add_argument("--instances", type=int, default=3, help="instances in a row")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--families", default="tight,light")
    parser.add_argument("--sizes", default="12x4,20x5,40x8")
    options = parser.parse_args()
    contestants = {
        "cp-sat": ours(cp_sat),
        "destructive": ours(destructive),
        # Some limit has to be given if no schedule is: one job after the other.
        "cp-sat alone": ours(cp_sat, below=1e9, lower_s=1e-9),
    }
    if importlib.util.find_spec("pyjobshop") is None:
        print("PyJobShop is not installed (pip install pyjobshop), so it is left out")
        version = "none"
    else:
        contestants["pyjobshop"] = by_pyjobshop
        version = metadata.version("pyjobshop")
    print(
        f"makespan of whole jobs, {options.seconds:g} s an instance, {options.workers} workers on "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, OR-Tools "
        f"{metadata.version('ortools')}, PyJobShop {version}, Python {platform.python_version()}"
    )
    print(HEADER)
    # What is compiled or loaded once is not counted.
    for solve in contestants.values():
        solve(whole_jobs("tight", 4, 3, 0), 10.0, options.workers)
    for family in options.families.split(","):
        for size in options.sizes.split(","):
            jobs, servers = (int(part) for part in size.split("x"))
            compare(family, jobs, servers, contestants, options)


def compare(
    family: str,
    jobs: int,
    servers: int,
    contestants: dict[str, Callable[..., Answer]],
    options: argparse.Namespace,
) -> None:
    """Print the lines of a family and size; proven values have to agree."""
    answers: dict[str, list[Answer]] = {name: [] for name in contestants}
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    processor_s: dict[str, list[float]] = {name: [] for name in contestants}
    for seed in range(options.instances):
        instance = whole_jobs(family, jobs, servers, seed)
        for name, solve in contestants.items():
            began, used = time.perf_counter(), time.process_time()
            answers[name].append(solve(instance, options.seconds, options.workers))
            seconds[name].append(time.perf_counter() - began)
            processor_s[name].append(time.process_time() - used)
        proven = {answers[name][-1].value for name in contestants if answers[name][-1].is_proven}
        best = min(answers[name][-1].value for name in contestants)
        if len(proven) > 1 or any(value > best for value in proven):
            raise SystemExit(f"{instance.name}: proven {sorted(proven)}, and there is {best:g}")
    for name in contestants:
        proved = sum(answer.is_proven for answer in answers[name])
        print(
            f"{family:<8}{f'{jobs}/{servers}':<7}{name:<14}"
            f"{f'{proved}/{options.instances}':>8}{median(seconds[name]):>10.2f}"
            f"{max(seconds[name]):>9.1f}{mean(processor_s[name]):>8.1f}"
            f"{mean(answer.value for answer in answers[name]):>12.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
