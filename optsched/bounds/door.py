"""The door to all bounds: which there are, which apply, and which is the strongest."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from optsched.bounds.area import area_bound
from optsched.bounds.dual_feasible import dual_feasible_bound
from optsched.bounds.durations import durations_bound
from optsched.bounds.longest import longest_bound
from optsched.bounds.mean_busy_time import mean_busy_time_bound
from optsched.bounds.workload import Workload
from optsched.core.errors import UnknownNameError
from optsched.core.instance import Instance
from optsched.core.metrics import Objective, checked_objective
from optsched.core.result import Bound

__all__ = ["BOUNDS", "EFFORTS", "BoundEntry", "Effort", "all_bounds", "bound"]

Effort = Literal["instant"]

#: From the cheapest to the dearest; a call computes the bounds up to the effort it names.
EFFORTS: tuple[Effort, ...] = ("instant",)


@dataclass(frozen=True, slots=True)
class BoundEntry:
    """A bound of the registry.

    Parameters
    ----------
    objectives
        The objectives it bounds.
    cost
        The effort from which on it is computed: ``instant`` is n log n.
    function
        Computes it.
    statement
        What it says, in a line.
    """

    objectives: tuple[Objective, ...]
    cost: Effort
    function: Callable[[Workload, Objective], Bound]
    statement: str


_COMPLETIONS: tuple[Objective, ...] = ("mean_jct", "weighted_jct")

#: Name of each bound and what it is. All hold for every rate model, for release dates, with
#: preemption and migration, and in the time, continuous or slotted, of the instance.
BOUNDS: dict[str, BoundEntry] = {
    "longest": BoundEntry(
        ("makespan",), "instant", longest_bound, "no job ends before its arrival plus best duration"
    ),
    "area": BoundEntry(
        ("makespan",), "instant", area_bound, "the GPU time of all jobs, spread over all GPUs"
    ),
    "dual-feasible": BoundEntry(
        ("makespan",),
        "instant",
        dual_feasible_bound,
        "the area with demands rounded so that GPUs no other job can use count as used",
    ),
    "durations": BoundEntry(
        _COMPLETIONS, "instant", durations_bound, "every job alone on the cluster"
    ),
    "mean-busy-time": BoundEntry(
        _COMPLETIONS,
        "instant",
        mean_busy_time_bound,
        "jobs as a fluid by Smith's rule, plus half their durations",
    ),
}


def all_bounds(
    instance: Instance, objective: str = "makespan", *, effort: str = "instant"
) -> list[Bound]:
    """Return every bound that applies, the strongest first; ties in the order of the registry.

    Parameters
    ----------
    instance
        The instance.
    objective
        ``makespan``, ``mean_jct`` or ``weighted_jct``.
    effort
        The most that it may cost; so far all bounds are ``instant``.

    Raises
    ------
    UnknownNameError
        If there is no such objective or effort.
    StalledJobError
        If, in slotted time, a job completes no iteration in a slot even at its best.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job("a", 3, 2, compute_s=2.0), Job("b", 2, 3, compute_s=1.0)]
    >>> two = Instance("two", Cluster([Server("s0", 4)]), jobs)
    >>> [(bound.method, bound.value) for bound in all_bounds(two, "makespan")]
    [('dual-feasible', 5.5), ('area', 4.5), ('longest', 4.0)]
    """
    wanted = checked_objective(objective)
    if effort not in EFFORTS:
        raise UnknownNameError("effort", effort, EFFORTS)
    affordable = EFFORTS[: EFFORTS.index(effort) + 1]
    started = time.perf_counter()
    workload = Workload.of(instance)
    # What all of them need is charged to each.
    shared_s = time.perf_counter() - started
    found = []
    for entry in BOUNDS.values():
        if wanted in entry.objectives and entry.cost in affordable:
            started = time.perf_counter()
            computed = entry.function(workload, wanted)
            runtime_s = shared_s + time.perf_counter() - started
            found.append(replace(computed, runtime_s=runtime_s))
    # Sorting is stable.
    return sorted(found, key=lambda one: -one.value)


def bound(instance: Instance, objective: str = "makespan", *, effort: str = "instant") -> Bound:
    """Return the strongest of :func:`all_bounds`.

    Parameters
    ----------
    instance, objective, effort
        As for :func:`all_bounds`.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job("a", 3, 2, compute_s=2.0), Job("b", 2, 3, compute_s=1.0)]
    >>> strongest = bound(Instance("two", Cluster([Server("s0", 4)]), jobs), "makespan")
    >>> strongest.method, strongest.value, str(strongest.problem_class)
    ('dual-feasible', 5.5, 'continuous, preemptive with migration')
    """
    return all_bounds(instance, objective, effort=effort)[0]
