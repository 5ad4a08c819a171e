"""How much effort on bounds pays for an instance."""

from __future__ import annotations

from optsched.core.instance import Instance
from optsched.core.metrics import checked_objective

__all__ = ["MOST_JOBS_FOR_LINEAR_PROGRAMS", "MOST_JOBS_FOR_PRICES", "worthwhile_effort"]

#: The Lagrangian of so many jobs takes a few seconds.
MOST_JOBS_FOR_PRICES = 10_000
#: With more jobs than this small ones fill every hole, and the linear programs on configurations
#: cost seconds and give what the area gives.
MOST_JOBS_FOR_LINEAR_PROGRAMS = 40


def worthwhile_effort(instance: Instance, objective: str) -> str:
    """Return the least effort whose bounds are not expected to be beaten by a larger one.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job(str(i), 1, 1, compute_s=1.0) for i in range(160)]
    >>> instance = Instance("many", Cluster.uniform(4, 8), jobs)
    >>> worthwhile_effort(instance, "makespan"), worthwhile_effort(instance, "mean_jct")
    ('instant', 'seconds')
    """
    is_makespan = checked_objective(objective) == "makespan"
    most = MOST_JOBS_FOR_LINEAR_PROGRAMS if is_makespan else MOST_JOBS_FOR_PRICES
    return "seconds" if len(instance.jobs) <= most else "instant"
