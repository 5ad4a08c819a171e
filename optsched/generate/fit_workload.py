"""A workload fitted to the jobs of an instance, such as a trace makes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from optsched.contention import rate_functions
from optsched.core.errors import InstanceError, Problem
from optsched.core.instance import Instance
from optsched.generate.arrival_cycle import HOUR_S, WEEK_S, ArrivalCycle, fit_arrivals
from optsched.generate.day_variation import fit_days
from optsched.generate.fit_durations import CANDIDATES, fit_law
from optsched.generate.misfit import Misfit, misfit
from optsched.generate.workload import DurationClass, Workload, demand_shares

__all__ = ["CLOCK_START", "demand_classes", "fit_workload"]

#: Demands with so many jobs have a law of their own; the others share one.
JOBS_OF_A_CLASS = 50
LEAST_JOBS = 20
#: In the metadata of a drawn instance: where in the week its time 0 is.
CLOCK_START = "clock_start_s"
#: 1970-01-01 was a Thursday.
MONDAY = datetime.fromisoformat("1970-01-05T00:00:00+00:00")


def fit_workload(
    instance: Instance,
    *,
    name: str | None = None,
    title: str = "",
    source: Mapping[str, str] | None = None,
    like: Workload | None = None,
    resamples: int = 200,
    confidence: float = 0.95,
    seed: int = 0,
) -> Workload:
    """Fit demands, durations and arrivals to the jobs of an instance.

    A duration is what the job takes at best on the cluster of the instance; for a trace that is its
    duration in the trace. Which hour and weekday time 0 is comes from the instance's metadata; if
    nothing is there, it is a Monday, midnight.

    Parameters
    ----------
    instance
        The jobs.
    name, title, source
        See :class:`Workload`; the name is the instance's if absent.
    like
        A workload whose classes of demands and kinds of law are to be used, so that the parameters
        can be compared; None chooses them.
    resamples, seed
        Draws of the bootstrap behind the intervals of the misfits.
    confidence
        Level of each interval.

    Raises
    ------
    InstanceError
        If there are too few jobs.

    Examples
    --------
    >>> from optsched.generate.poisson import poisson
    >>> fitted = fit_workload(poisson(jobs=2000, seed=1), resamples=20)
    >>> fitted.demands[1].low < 0.5 < fitted.demands[1].high
    True
    >>> fitted.class_of(1).gpus, fitted.class_of(1).misfit.distance.value < 0.05
    ((1,), True)
    """
    jobs = instance.jobs
    if len(jobs) < LEAST_JOBS:
        expected = f"at least {LEAST_JOBS} jobs to fit a workload to"
        raise InstanceError([Problem(("jobs",), expected, f"{len(jobs)}")])
    order = np.argsort(jobs.arrival_s, kind="stable")
    arrival_s = jobs.arrival_s[order] - jobs.arrival_s[order[0]]
    duration_s = jobs.iterations * rate_functions(instance).best_iteration_times_s()
    shares = demand_shares(jobs.gpus, confidence=confidence)
    groups = demand_classes(jobs.gpus) if like is None else [one.gpus for one in like.classes]
    classes = tuple(
        _class(duration_s, jobs.gpus, group, like, resamples, confidence, seed) for group in groups
    )
    cycle, gaps, dispersion, days = None, None, None, None
    if arrival_s[-1] > 0:
        start_s = like.arrivals.start_s if like and like.arrivals else _clock_start_s(instance)
        cycle = fit_arrivals(arrival_s, start_s=start_s, confidence=confidence)
        gaps = _gap_misfit(arrival_s, cycle, resamples, confidence, seed)
        dispersion = _dispersion(arrival_s, cycle)
        days = fit_days(arrival_s, cycle)
    servers = instance.cluster.servers
    return Workload(
        name=instance.name if name is None else name,
        title=title or instance.description or instance.name,
        jobs=len(jobs),
        servers=len(servers),
        gpus_per_server=max(1, round(instance.cluster.total_gpus / len(servers))),
        demands=shares,
        classes=classes,
        arrivals=cycle,
        arrival_misfit=gaps,
        dispersion=dispersion,
        days=days,
        confidence=confidence,
        source=dict(source or {}),
    )


def demand_classes(gpus: NDArray[np.int64]) -> list[tuple[int, ...]]:
    """Return the demands that share a law of durations, ascending.

    Rare demands share one law; if even together they are few, they share that of the demand that
    is the nearest.

    Examples
    --------
    >>> demand_classes(np.repeat([1, 2, 4, 8], [500, 30, 200, 40]))
    [(1,), (2, 8), (4,)]
    """
    demands, counts = np.unique(gpus, return_counts=True)
    frequent = [int(d) for d in demands[counts >= JOBS_OF_A_CLASS]]
    rare = [int(d) for d in demands[counts < JOBS_OF_A_CLASS]]
    classes: dict[int, list[int]] = {demand: [demand] for demand in frequent}
    if int(counts[counts < JOBS_OF_A_CLASS].sum()) >= LEAST_JOBS or not frequent:
        classes |= {rare[0]: rare} if rare else {}
    else:
        for demand in rare:
            nearest = min(frequent, key=lambda one: abs(math.log(one / demand)))
            classes[nearest].append(demand)
    return sorted(tuple(sorted(group)) for group in classes.values())


def _class(
    duration_s: NDArray[np.float64],
    gpus: NDArray[np.int64],
    group: tuple[int, ...],
    like: Workload | None,
    resamples: int,
    confidence: float,
    seed: int,
) -> DurationClass:
    sample = duration_s[np.isin(gpus, group) & (duration_s > 0)]
    if len(sample) < 2:
        expected = f"at least 2 jobs of {', '.join(map(str, group))} GPUs that take some time"
        raise InstanceError([Problem(("jobs",), expected, f"{len(sample)}")])
    known = None if like is None else like.class_of(group[0]).law
    candidates = CANDIDATES if known is None else ((known.kind, len(known.weights)),)
    fitted = fit_law(sample, candidates=candidates, confidence=confidence, start=known)
    return DurationClass(
        group,
        len(sample),
        fitted.law,
        fitted.weights,
        fitted.scales_s,
        fitted.shapes,
        misfit(
            fitted.law.distribution(sample), resamples=resamples, confidence=confidence, seed=seed
        ),
    )


def _clock_start_s(instance: Instance) -> float:
    """Return where in the week time 0 is, as the metadata tell; 0 if they do not."""
    told = instance.metadata.get(CLOCK_START) or instance.metadata.get("trace_origin", "")
    try:
        return float(told) % WEEK_S
    except ValueError:
        pass
    try:
        return (datetime.fromisoformat(told) - MONDAY).total_seconds() % WEEK_S
    except (ValueError, TypeError):
        return 0.0


def _gap_misfit(
    arrival_s: NDArray[np.float64],
    cycle: ArrivalCycle,
    resamples: int,
    confidence: float,
    seed: int,
) -> Misfit:
    """Return how far the gaps are from exponential ones, once the cycle is taken out."""
    gaps = np.diff(cycle.amounts(arrival_s)) * cycle.rate_per_s.value
    levels = -np.expm1(-np.maximum(gaps, 0.0))
    return misfit(levels, resamples=resamples, confidence=confidence, seed=seed)


def _dispersion(arrival_s: NDArray[np.float64], cycle: ArrivalCycle) -> float | None:
    """Return the squares of (seen − expected) over expected, on average over whole hours."""
    hours = int(arrival_s[-1] // HOUR_S)
    if hours < 2:
        return None
    edges = np.arange(hours + 1, dtype=np.float64) * HOUR_S
    expected = np.diff(cycle.amounts(edges)) * cycle.rate_per_s.value
    seen = np.histogram(arrival_s[1:], edges)[0]
    usable = expected > 0
    squares = (seen[usable] - expected[usable]) ** 2 / expected[usable]
    return float(squares.mean())
