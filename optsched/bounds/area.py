"""The area bound: the GPU time of all jobs spread evenly over the cluster."""

from __future__ import annotations

import numpy as np

from optsched.bounds.released_area import ReleasedArea
from optsched.bounds.workload import Workload
from optsched.core.metrics import Objective
from optsched.core.result import Bound

__all__ = ["area_bound"]


def area_bound(workload: Workload, objective: Objective = "makespan") -> Bound:
    """Bound the makespan by ``max_r r + Σ{r_j ≥ r} G_j d_j / N`` over the release dates r.

    Job j holds G_j GPUs for d_j seconds or more, however it is preempted and moved, and no instant
    offers more than N GPUs. See ``models/formulations/area.md``.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.instance import Instance
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job("a", 3, 2, compute_s=2.0), Job("b", 2, 3, compute_s=1.0)]
    >>> area_bound(Workload.of(Instance("two", Cluster([Server("s0", 4)]), jobs))).value
    4.5
    """
    area = ReleasedArea(workload)
    release, _ = area.best_release(workload.distinct_gpus.astype(np.float64))
    exact = area.exact(workload.distinct_gpus.tolist(), 1, release)
    return Bound(
        objective,
        workload.makespan_s(exact),
        "area",
        workload.problem_class,
        workload.assumptions,
        {"release_s": release * workload.unit_s},
    )
