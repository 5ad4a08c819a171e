"""The longest-job bound: no job ends before its release date plus its best duration."""

from __future__ import annotations

from fractions import Fraction

from optsched.bounds.workload import Workload
from optsched.core.metrics import Objective
from optsched.core.result import Bound

__all__ = ["longest_bound"]


def longest_bound(workload: Workload, objective: Objective = "makespan") -> Bound:
    """Bound the makespan by ``max_j r_j + d_j``. See ``models/formulations/longest.md``.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.instance import Instance
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job("a", 4, 6, compute_s=1.0), Job("b", 1, 3, compute_s=1.0, arrival_s=4.0)]
    >>> bound = longest_bound(Workload.of(Instance("two", Cluster([Server("s0", 4)]), jobs)))
    >>> bound.value, bound.certificate["job"]
    (7.0, 'b')
    """
    job = int((workload.release + workload.duration).argmax())
    # Only the choice of the job was rounded; its own sum is exact.
    exact = Fraction(workload.release.item(job)) + Fraction(workload.duration.item(job))
    return Bound(
        objective,
        workload.makespan_s(exact),
        "longest",
        workload.problem_class,
        workload.assumptions,
        {
            "job": workload.instance.jobs.ids[job],
            "release_s": workload.release.item(job) * workload.unit_s,
            "duration_s": workload.duration.item(job) * workload.unit_s,
        },
    )
