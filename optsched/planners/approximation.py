"""The approximation ratio that Yu et al. 2022 state for SJF-BCO (Theorem 5)."""

from __future__ import annotations

from dataclasses import dataclass

from optsched.contention import worst_durations_s
from optsched.planners.dispatch import Task

__all__ = ["TheoremFive", "theorem_5"]

#: What the proof takes for granted; a schedule of ours need not satisfy all of it.
HYPOTHESES = (
    "all jobs are present at time 0 and none is preempted",
    "every estimate is within [l·ρ, u·ρ] of the time a job really takes",
    "a job starts as soon as as many GPUs as it needs are free (no head-of-line blocking, no "
    "restriction to chosen servers): every job is placed by FA-FFP",
    "the load cap is lowered until some GPU's load equals it",
    "placing on the least loaded GPUs gives loads no larger than any other choice would",
)


@dataclass(frozen=True, slots=True)
class TheoremFive:
    """The stated ratio n_g·φ·u/l and its factors.

    Parameters
    ----------
    ratio
        n_g·φ·u/l.
    largest_demand
        n_g, GPUs of the largest job.
    spread_of_durations
        φ, the largest quotient of a job's worst and best duration.
    overestimate
        u, the most an estimate ρ̂ exceeds a duration.
    underestimate
        l, the least quotient of an estimate and a duration, at most 1.
    holds_at
        The hypotheses of the proof.
    """

    ratio: float
    largest_demand: int
    spread_of_durations: float
    overestimate: float
    underestimate: float
    holds_at: tuple[str, ...] = HYPOTHESES


def theorem_5(task: Task) -> TheoremFive:
    """Return the ratio for an instance, durations being anything that the rate model allows.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.instance import Instance
    >>> from optsched.core.jobs import Job
    >>> from optsched.planners.plan import task_of
    >>> instance = Instance("one", Cluster.uniform(1, 4), [Job("a", 2, 5, compute_s=1.0)])
    >>> theorem_5(task_of(instance, estimate_servers=None, estimate_degree=None)).ratio
    2.0
    """
    best_s = task.best_s
    worst_s = worst_durations_s(task.instance, rates=task.rates)
    largest = int(task.instance.jobs.gpus.max())
    spread = float((worst_s / best_s).max())
    over = max(1.0, float((task.estimate_s / best_s).max()))
    under = min(1.0, float((task.estimate_s / worst_s).min()))
    # A job that may stall has no longest duration: spread is infinite and under is 0.
    ratio = largest * spread * over / under if under > 0 else float("inf")
    return TheoremFive(ratio, largest, spread, over, under)
