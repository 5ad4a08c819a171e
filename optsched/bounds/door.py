"""The door to all bounds: which there are, which apply, and which is the strongest."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from optsched.bounds.area import area_bound
from optsched.bounds.configuration import configuration_bound
from optsched.bounds.dual_feasible import dual_feasible_bound
from optsched.bounds.durations import durations_bound
from optsched.bounds.gpu_load import gpu_load_bound
from optsched.bounds.lagrangian import lagrangian_bound, lagrangian_preemptive_bound
from optsched.bounds.longest import longest_bound
from optsched.bounds.mean_busy_time import mean_busy_time_bound
from optsched.bounds.rate_configuration import rate_configuration_bound
from optsched.bounds.squashed_area import squashed_area_bound
from optsched.bounds.workload import Workload
from optsched.core.errors import UnknownNameError, UnsupportedError
from optsched.core.instance import Instance
from optsched.core.metrics import Objective, checked_objective
from optsched.core.result import Bound

__all__ = [
    "BOUNDS",
    "EFFORTS",
    "BoundEntry",
    "BoundSurvey",
    "Effort",
    "all_bounds",
    "bound",
    "survey_bounds",
]

Effort = Literal["instant", "seconds", "minutes"]

#: From the cheapest to the dearest; a call computes the bounds up to the effort it names.
EFFORTS: tuple[Effort, ...] = ("instant", "seconds", "minutes")


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
        Computes it of a workload and an objective. It raises ``UnsupportedError`` where it does not
        apply, and after an interrupt returns the best so far, which it says in its certificate.
    statement
        What it says, in a line.
    options
        Keyword arguments of the function at an effort above its cost.
    """

    objectives: tuple[Objective, ...]
    cost: Effort
    function: Callable[..., Bound]
    statement: str
    options: Mapping[Effort, Mapping[str, object]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BoundSurvey:
    """What came of asking for all bounds.

    Parameters
    ----------
    bounds
        Those that apply, the strongest first.
    skipped
        Why the others do not, by name.
    stopped_by
        ``interrupt`` if the user's interrupt cut it short, else empty.
    """

    bounds: tuple[Bound, ...]
    skipped: Mapping[str, str]
    stopped_by: str


_COMPLETIONS: tuple[Objective, ...] = ("mean_jct", "weighted_jct")

#: Name of each bound and what it is. All hold for release dates and in the time, continuous or
#: slotted, of the instance; all but ``gpu-load`` and ``lagrangian`` with preemption and migration;
#: and all but ``rate-configuration`` for every rate model.
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
    "squashed-area": BoundEntry(
        _COMPLETIONS,
        "seconds",
        squashed_area_bound,
        "the cluster as one machine of its whole speed; for comparison, mean-busy-time is above it",
    ),
    "configuration": BoundEntry(
        ("makespan",),
        "seconds",
        configuration_bound,
        "which sets of jobs run together on one pool of GPUs, and how long",
        {"minutes": {"thoroughness": 10.0}},
    ),
    "rate-configuration": BoundEntry(
        ("makespan",),
        "seconds",
        rate_configuration_bound,
        "which jobs run where together, at the rates that contention leaves them, and how long",
        {"minutes": {"exact_servers": 6, "steps": 2_000_000}},
    ),
    "gpu-load": BoundEntry(
        ("makespan",),
        "seconds",
        gpu_load_bound,
        "jobs in whole: the load of the busiest GPU if they are divided as evenly as possible",
        {"minutes": {"thoroughness": 20.0}},
    ),
    "lagrangian-preemptive": BoundEntry(
        _COMPLETIONS,
        "seconds",
        lagrangian_preemptive_bound,
        "every job alone, in its cheapest time, when GPU time has a price that falls",
        {"minutes": {"thoroughness": 10.0}},
    ),
    "lagrangian": BoundEntry(
        _COMPLETIONS,
        "seconds",
        lagrangian_bound,
        "every job alone, in its cheapest window, when GPU time has a price",
        {"minutes": {"thoroughness": 10.0}},
    ),
}


def survey_bounds(
    instance: Instance, objective: str = "makespan", *, effort: str = "instant"
) -> BoundSurvey:
    """Compute every bound up to an effort, and say why some do not apply.

    An interrupt (``KeyboardInterrupt``) ends it with what has been proven by then, unless nothing
    has.

    Parameters
    ----------
    instance, objective, effort
        As for :func:`all_bounds`.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.jobs import Job
    >>> from optsched.core.rate_model import RateModel
    >>> jobs = [Job("a", 3, 2, compute_s=2.0), Job("b", 2, 3, compute_s=1.0)]
    >>> two = Instance("two", Cluster([Server("s0", 4)]), jobs, RateModel("fixed"))
    >>> survey = survey_bounds(two, effort="seconds")
    >>> print(survey.bounds[0].value, survey.skipped["rate-configuration"])
    7.0 jobs share no network, so the rate-configuration LP has nothing to add to the configuration
    LP
    """
    wanted = checked_objective(objective)
    if effort not in EFFORTS:
        raise UnknownNameError("effort", effort, EFFORTS)
    affordable = EFFORTS[: EFFORTS.index(effort) + 1]
    started = time.perf_counter()
    workload = Workload.of(instance)
    # What all of them need is charged to each.
    shared_s = time.perf_counter() - started
    found: list[Bound] = []
    skipped: dict[str, str] = {}
    stopped_by = ""
    for name, entry in BOUNDS.items():
        if wanted not in entry.objectives or entry.cost not in affordable:
            continue
        started = time.perf_counter()
        try:
            computed = entry.function(workload, wanted, **entry.options.get(affordable[-1], {}))
        except UnsupportedError as reason:
            skipped[name] = str(reason)
            continue
        except KeyboardInterrupt:
            if not found:
                raise
            stopped_by = "interrupt"
            break
        runtime_s = shared_s + time.perf_counter() - started
        found.append(replace(computed, runtime_s=runtime_s))
        if "stopped_by" in computed.certificate:
            stopped_by = str(computed.certificate["stopped_by"])
            break
    # Sorting is stable.
    return BoundSurvey(tuple(sorted(found, key=lambda one: -one.value)), skipped, stopped_by)


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
        The most that it may cost: ``instant`` takes less than a second for 100,000 jobs,
        ``seconds`` up to some seconds, and ``minutes`` searches longer for the same bounds.

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
    >>> all_bounds(two, "makespan", effort="seconds")[0].method
    'configuration'
    """
    return list(survey_bounds(instance, objective, effort=effort).bounds)


def bound(instance: Instance, objective: str = "makespan", *, effort: str = "instant") -> Bound:
    """Return the strongest of :func:`all_bounds`, whatever the class it holds for.

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
