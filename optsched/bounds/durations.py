"""The durations bound: no job's JCT is below its best duration."""

from __future__ import annotations

from optsched.bounds.exact_sums import exact_dot
from optsched.bounds.workload import Workload
from optsched.core.metrics import Objective
from optsched.core.result import Bound

__all__ = ["durations_bound"]


def durations_bound(workload: Workload, objective: Objective = "mean_jct") -> Bound:
    """Bound the (weighted) mean JCT by ``Σ w_j d_j / Σ w_j``.

    Every job alone on the cluster from its release date on. In slotted time the wait for the next
    slot boundary is counted too. See ``models/formulations/mean-busy-time.md``.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.instance import Instance
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job("a", 4, 6, compute_s=1.0), Job("b", 1, 3, compute_s=1.0, arrival_s=4.0)]
    >>> durations_bound(Workload.of(Instance("two", Cluster([Server("s0", 4)]), jobs))).value
    4.5
    """
    weights = workload.weights(objective)
    completions = exact_dot(weights, workload.release) + exact_dot(weights, workload.duration)
    return Bound(
        objective,
        workload.jct_s(completions, objective),
        "durations",
        workload.problem_class,
        workload.assumptions,
        {"weighted_completions_s": workload.seconds(completions)},
    )
