"""The jobs that benchmarks/simulator.py runs: lognormal durations, Poisson arrivals, a ring."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optsched.contention import rate_functions
from optsched.core.cluster import Cluster, Fabric
from optsched.core.instance import Instance
from optsched.core.jobs import Jobs
from optsched.core.rate_model import RateModel

__all__ = ["GPUS_PER_SERVER", "workload"]

GPUS_PER_SERVER, SERVERS_PER_RACK = 8, 16
DEMANDS, SHARES = [1, 2, 4, 8, 16, 32], [0.50, 0.15, 0.12, 0.15, 0.05, 0.03]
GRADIENTS_BYTES = [50e6, 100e6, 250e6, 500e6, 1000e6]


def workload(jobs: int, servers: int, *, load: float, seed: int = 0) -> Instance:
    """Return jobs whose work at its best is ``load`` times what the cluster can do meanwhile."""
    generator = np.random.default_rng(seed)
    gpus = generator.choice(DEMANDS, jobs, p=SHARES)
    duration_s = np.clip(generator.lognormal(np.log(1500), 1.8, jobs), 60, 864_000)
    gradient_bytes = generator.choice(GRADIENTS_BYTES, jobs)
    compute_s = generator.uniform(0.08, 0.6, jobs)
    gaps = generator.exponential(1.0, jobs)
    fabric = Fabric(intra_bytes_per_s=100e9, inter_bytes_per_s=12.5e9, degradation=0.2)
    racks = -(-servers // SERVERS_PER_RACK)
    cluster = Cluster.uniform(servers, GPUS_PER_SERVER, racks=racks, fabric=fabric)
    model = RateModel.of("ring", contention_weight=0.6, server_overhead_s=0.002)
    ids = [str(job) for job in range(jobs)]

    def instance(iterations: NDArray[np.int64], arrival_s: NDArray[np.float64]) -> Instance:
        columns = Jobs.from_columns(
            ids=ids,
            gpus=gpus,
            iterations=iterations,
            gradient_bytes=gradient_bytes,
            compute_s=compute_s,
            arrival_s=arrival_s,
        )
        return Instance(f"load-{load}", cluster, columns, model)

    # What an iteration takes at its best rests on neither of the two columns.
    draft = instance(np.ones(jobs, dtype=np.int64), np.zeros(jobs))
    best_s = rate_functions(draft).best_iteration_times_s()
    iterations = np.maximum(1, np.round(duration_s / best_s)).astype(np.int64)
    work_gpu_s = float(np.mean(gpus * iterations * best_s))
    arrival_s = np.cumsum(gaps) * work_gpu_s / (load * cluster.total_gpus)
    return instance(iterations, arrival_s - arrival_s[0])
