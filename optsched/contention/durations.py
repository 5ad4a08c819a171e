"""How long jobs take at their best and at their worst."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optsched.contention.rate_model import RateFunctions, rate_functions
from optsched.contention.slots import slots_needed
from optsched.core.errors import StalledJobError
from optsched.core.instance import Instance

__all__ = ["best_durations_s", "duration_s", "worst_durations_s"]


def duration_s(
    instance: Instance, rates: RateFunctions, job: int, iteration_time_s: float
) -> float:
    """Return the run time of a whole job at a constant τ, in slotted time rounded up to slots.

    Raises
    ------
    StalledJobError
        If no iteration fits into a slot.
    """
    iterations = instance.jobs.iterations.item(job)
    if instance.slot_s is None:
        return iterations * iteration_time_s
    per_slot = rates.progress_per_slot(iteration_time_s)
    if per_slot <= 0:
        raise StalledJobError(
            f"job {instance.jobs.ids[job]!r} needs {iteration_time_s:g} s for an iteration and "
            f"completes none in a slot of {instance.slot_s:g} s; use a longer slot_s"
        )
    return slots_needed(iterations, per_slot) * instance.slot_s


def best_durations_s(instance: Instance, rates: RateFunctions | None = None) -> NDArray[np.float64]:
    """Return a proven lower limit of each job's run time, shape (n,).

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.jobs import Job
    >>> one = Instance("one", Cluster([Server("s0", 4)]), [Job("a", 2, 10, compute_s=0.3)])
    >>> best_durations_s(one).tolist(), best_durations_s(one.changed(slot_s=1.0)).tolist()
    ([3.0], [4.0])
    """
    rates = rate_functions(instance) if rates is None else rates
    best = rates.best_iteration_times_s()
    if instance.slot_s is None:
        return instance.jobs.iterations * best
    return np.array(
        [duration_s(instance, rates, job, tau) for job, tau in enumerate(best.tolist())]
    )


def worst_durations_s(
    instance: Instance,
    *,
    servers: int | None = None,
    degree: int | None = None,
    rates: RateFunctions | None = None,
) -> NDArray[np.float64]:
    """Return each job's run time in the worst case that is to count (ρ̂), shape (n,).

    Parameters
    ----------
    instance
        The instance.
    servers
        The most servers a job is taken to use; None: as many as it has GPUs.
    degree
        The highest contention degree that counts; None: the GPUs of the largest server, the limit
        of Yu et al. 2022, section 5.
    rates
        The functions of the instance's rate model, if at hand.

    Notes
    -----
    A job that would complete no iteration in a slot has an infinite worst duration.
    """
    rates = rate_functions(instance) if rates is None else rates
    most_servers = len(instance.cluster.servers) if servers is None else servers
    most_jobs = instance.cluster.max_gpus_per_server if degree is None else degree

    def worst_s(job: int) -> float:
        worst = rates.worst_iteration_time_s(job, most_servers, most_jobs)
        try:
            return duration_s(instance, rates, job, worst)
        except StalledJobError:
            return float("inf")

    return np.array([worst_s(job) for job in range(len(instance.jobs))])
