"""The order in which searches ask which job starts."""

from __future__ import annotations

import numpy as np

from optsched.bounds import Workload
from optsched.core.instance import Instance
from optsched.core.metrics import Objective

__all__ = ["search_order"]


def search_order(instance: Instance, objective: Objective) -> list[int]:
    """Return the jobs, for the makespan the largest first, otherwise by area and weight.

    It does not change what a search proves, only how soon it finds good schedules.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job("a", 1, 5, compute_s=1.0), Job("b", 2, 4, compute_s=1.0)]
    >>> pair = Instance("pair", Cluster.uniform(1, 2), jobs)
    >>> search_order(pair, "makespan"), search_order(pair, "mean_jct")
    ([1, 0], [0, 1])
    """
    workload = Workload.of(instance)
    area = instance.jobs.gpus * workload.duration
    key = -area
    if objective != "makespan":
        key = area / np.maximum(workload.weights(objective), 1e-9)
    return [int(job) for job in np.argsort(key, kind="stable")]
