"""Finish-time fairness: what a job gets against an equal share of the cluster."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optsched.contention.durations import duration_s
from optsched.contention.rate_model import RateFunctions
from optsched.core.instance import Instance

__all__ = ["finish_time_fairness"]


def finish_time_fairness(
    instance: Instance, completion_s: NDArray[np.float64], rates: RateFunctions
) -> NDArray[np.float64]:
    """Return ρ of each job: its JCT over the JCT under an equal share, shape (n,).

    The latter is the run time of the job at its best, times the mean number of jobs in the system
    (arrived and not complete, the job itself included) between its arrival and its completion. A
    job with ρ above 1 would have been better off with its own share of the cluster.

    Parameters
    ----------
    instance
        The instance.
    completion_s
        When each job completes, shape (n,).
    rates
        The functions of its rate model.

    Notes
    -----
    Mahajan et al., Themis (NSDI 2020).

    Examples
    --------
    Two jobs of 2 s share one GPU; the second waits and shares the cluster with the first half of
    its time: 4 s over 2 · 1.5 s.

    >>> from optsched.contention import rate_functions
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job("a", 1, 2, compute_s=1.0), Job("b", 1, 2, compute_s=1.0)]
    >>> two = Instance("two", Cluster.uniform(1, 1), jobs)
    >>> finish_time_fairness(two, np.array([2.0, 4.0]), rate_functions(two)).round(3).tolist()
    [0.5, 1.333]
    """
    # From the first arrival on: sums of Unix times would lose seconds.
    origin_s = instance.jobs.arrival_s.min(initial=np.inf)
    arrival_s = instance.jobs.arrival_s - origin_s
    end_s = completion_s - origin_s
    jct_s = end_s - arrival_s
    in_system_s = _job_seconds(arrival_s, end_s, end_s) - _job_seconds(arrival_s, end_s, arrival_s)
    fair_s = in_system_s / jct_s * _best_durations_s(instance, rates)
    # A job that takes no time at its best cannot be treated fairly.
    fairness = np.full(len(jct_s), np.inf)
    np.divide(jct_s, fair_s, out=fairness, where=fair_s > 0)
    return fairness


def _best_durations_s(instance: Instance, rates: RateFunctions) -> NDArray[np.float64]:
    best_s = rates.best_iteration_times_s()
    if instance.slot_s is None:
        return instance.jobs.iterations * best_s
    # Slots hold any number of iterations that take no time.
    return np.array(
        [
            duration_s(instance, rates, job, tau) if tau > 0 else 0.0
            for job, tau in enumerate(best_s.tolist())
        ]
    )


def _job_seconds(
    arrival_s: NDArray[np.float64], end_s: NDArray[np.float64], until_s: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the seconds that all jobs together have been in the system until given times."""

    def since(times_s: NDArray[np.float64]) -> NDArray[np.float64]:
        ordered = np.sort(times_s)
        sums = np.concatenate([[0.0], np.cumsum(ordered)])
        count = np.searchsorted(ordered, until_s, side="right")
        seconds: NDArray[np.float64] = count * until_s - sums[count]
        return seconds

    return since(arrival_s) - since(end_s)
