"""CPU time of the simulator and of the judge, and how it grows with jobs and servers.

Run: python benchmarks/simulator.py [--jobs 20000]
Prints CPU seconds per 100,000 jobs on 64 servers of 8 GPUs at load 0.8, beside the time that a bare
heap takes to push and pop as many events, and the same for more servers at equal load.
"""

from __future__ import annotations

import argparse
import heapq
import platform
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from optsched.core.cluster import Cluster, Fabric
from optsched.core.instance import Instance
from optsched.core.jobs import Jobs
from optsched.core.rate_model import RateModel
from optsched.judge import verify
from optsched.policies import Fifo, Sjf
from optsched.sim import SimulationRun, simulate

Value = TypeVar("Value")
DEMANDS, SHARES = [1, 2, 4, 8, 16, 32], [0.50, 0.15, 0.12, 0.15, 0.05, 0.03]
GRADIENTS_BYTES = [50e6, 100e6, 250e6, 500e6, 1000e6]


def workload(jobs: int, servers: int, *, load: float = 0.8, seed: int = 0) -> Instance:
    """Return lognormal durations and Poisson arrivals on servers of 8 GPUs in racks of 16."""
    generator = np.random.default_rng(seed)
    gpus = generator.choice(DEMANDS, jobs, p=SHARES)
    duration_s = np.clip(generator.lognormal(np.log(1500), 1.8, jobs), 60, 864_000)
    gradient_bytes = generator.choice(GRADIENTS_BYTES, jobs)
    compute_s = generator.uniform(0.08, 0.6, jobs)
    iterations = np.maximum(1, np.round(duration_s / compute_s)).astype(np.int64)
    work_gpu_s = float(np.mean(gpus * iterations * compute_s))
    gaps_s = generator.exponential(work_gpu_s / (load * servers * 8), jobs)
    columns = Jobs.from_columns(
        ids=[str(job) for job in range(jobs)],
        gpus=gpus,
        iterations=iterations,
        gradient_bytes=gradient_bytes,
        compute_s=compute_s,
        arrival_s=np.cumsum(gaps_s) - gaps_s[0],
    )
    fabric = Fabric(intra_bytes_per_s=100e9, inter_bytes_per_s=12.5e9, degradation=0.2)
    cluster = Cluster.uniform(servers, 8, racks=-(-servers // 16), fabric=fabric)
    model = RateModel.of("ring", contention_weight=0.6, server_overhead_s=0.002)
    return Instance(f"load-{load}", cluster, columns, model)


def cpu_seconds(action: Callable[[], Value]) -> tuple[float, Value]:
    """Return the CPU time of an action and what it returned."""
    began = time.process_time()
    value = action()
    return time.process_time() - began, value


def heap_seconds(events: int, live: int = 300) -> float:
    """Return the CPU time of a bare heap that holds ``live`` events and serves ``events``."""
    generator = np.random.default_rng(0)
    times = generator.random(events).tolist()
    heap = [(time_s, 0, 0) for time_s in times[:live]]
    heapq.heapify(heap)
    began = time.process_time()
    for time_s in times:
        heapq.heapreplace(heap, (heap[0][0] + time_s, 0, 0))
    return time.process_time() - began


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=20_000)
    jobs = parser.parse_args().jobs
    scale = 100_000 / jobs
    print(f"Python {platform.python_version()}, {jobs:,} jobs, CPU s per 100,000 jobs")
    print(f"bare heap, 2 events a job: {heap_seconds(2 * jobs) * scale:.2f}")
    policies: dict[str, Callable[[], Fifo | Sjf]] = {
        "fifo consolidated": Fifo,
        "sjf consolidated": Sjf,
        "fifo first_fit": lambda: Fifo(placement="first_fit"),
        "sjf first_fit": lambda: Sjf(placement="first_fit"),
    }
    print(f"{'policy':<20}{'servers':>8}{'simulate':>10}{'judge':>8}{'re-rates':>10}{'util':>6}")
    for name, policy in policies.items():
        for servers in (64, 256):
            instance = workload(jobs, servers)
            seconds, run = cpu_seconds(lambda: simulate(instance, policy()))  # noqa: B023
            _print_row(name, servers, seconds * scale, instance, run, scale)


def _print_row(
    name: str, servers: int, seconds: float, instance: Instance, run: SimulationRun, scale: float
) -> None:
    judged, judgement = cpu_seconds(lambda: verify(instance, run.schedule))
    utilisation = judgement.metrics["utilisation"]
    print(
        f"{name:<20}{servers:>8}{seconds:>10.2f}{judged * scale:>8.2f}{run.re_rates:>10,}"
        f"{utilisation:>6.2f}"
    )


if __name__ == "__main__":
    main()
