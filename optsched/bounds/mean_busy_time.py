"""The mean-busy-time bound on completion times: jobs as a fluid on one fast machine."""

from __future__ import annotations

import heapq
from collections import defaultdict
from fractions import Fraction
from operator import mul

import numpy as np
from numpy.typing import NDArray

from optsched.bounds.exact_sums import exact_dot, scaled_integers
from optsched.bounds.workload import Workload
from optsched.core.metrics import Objective
from optsched.core.result import Bound

__all__ = ["mean_busy_time_bound"]

#: Fractions of more denominators than this are each rounded down to a fixed point instead.
MOST_DENOMINATORS = 256
FIXED_POINT_BITS = 64
#: Ratios this far apart, as a share, are in the right order whatever was rounded, unless they are
#: so small that doubles lose digits.
SURELY_APART = 1e-12
SURELY_NORMAL = 1e-290


def mean_busy_time_bound(workload: Workload, objective: Objective = "mean_jct") -> Bound:
    """Bound the (weighted) sum of completion times by mean busy times plus half the durations.

    Let y_j(t) ≤ 1 be the rate at which job j works, in units of its best rate, so that ∫ y_j = d_j,
    and M_j = ∫ t y_j(t) dt / d_j its mean busy time. Then C_j ≥ M_j + d_j/2, and Σ w_j M_j is least
    when the cluster, taken for one machine of speed N, always works on the released job of the
    largest ratio w_j / (G_j d_j): Smith's rule with preemption (Goemans, "Improved approximation
    algorithms for scheduling with release dates", SODA 1997). In slotted time a job runs for d_j
    slots or more, and y_j = 1 in the last d_j of them gives the same.
    See ``models/formulations/mean-busy-time.md``.

    Examples
    --------
    Two jobs of 4 s that fill half of the cluster each, and one that fills all of it:

    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.instance import Instance
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job(name, gpus, 1, compute_s=4.0) for name, gpus in (("a", 1), ("b", 1), ("c", 2))]
    >>> bound = mean_busy_time_bound(Workload.of(Instance("m", Cluster([Server("s0", 2)]), jobs)))
    >>> bound.value == (1 + 3 + 6 + 3 * 2) / 3
    True
    """
    weights = workload.weights(objective)
    busy, preempted = _weighted_mean_busy_time(workload, weights)
    durations = exact_dot(weights, workload.duration)
    return Bound(
        objective,
        workload.jct_s(busy + durations / 2, objective),
        "mean-busy-time",
        workload.problem_class,
        workload.assumptions,
        {
            "weighted_mean_busy_s": workload.seconds(busy),
            "weighted_durations_s": workload.seconds(durations),
            "fluid_jobs_preempted": preempted,
        },
    )


def _weighted_mean_busy_time(
    workload: Workload, weights: NDArray[np.float64]
) -> tuple[Fraction, int]:
    """Return the least Σ wM of the fluid, never rounded up, and the fluid jobs preempted.

    The machine does one GPU-unit of work in 1/N units of time; with times counted in 1/N units,
    work and time are whole numbers of the same power of two.
    """
    total_gpus = workload.total_gpus
    count = len(weights)
    weight, weight_exponent = scaled_integers(weights)
    times, time_exponent = scaled_integers(np.concatenate([workload.duration, workload.release]))
    work = list(map(mul, workload.instance.jobs.gpus.tolist(), times[:count]))
    approximate = np.array(workload.instance.jobs.gpus * workload.duration)
    order = _smith_order(weight, work, weights, approximate)
    if workload.has_releases:
        release = [total_gpus * time for time in times[count:]]
        doubled, preempted = _with_releases(order, weight, work, release)
    else:
        doubled, preempted = _without_releases(order, weight, work), 0
    scale = Fraction(2) ** (weight_exponent + time_exponent)
    return doubled * scale / (2 * total_gpus), preempted


def _smith_order(
    weight: list[int],
    work: list[int],
    weights: NDArray[np.float64],
    approximate_work: NDArray[np.float64],
) -> list[int]:
    """Return the jobs by falling weight/work, exactly, jobs without work first.

    An order that is wrong by a rounding would have too high a value. So the order found in floating
    point is repaired by exact comparisons of those neighbours that no rounding error tells apart.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(approximate_work > 0, weights / approximate_work, np.inf)
    by_ratio = np.argsort(-ratio, kind="stable")
    ratio = ratio[by_ratio]
    is_sure = (ratio[:-1] * (1.0 - SURELY_APART) > ratio[1:]) & (ratio[1:] > SURELY_NORMAL)
    order: list[int] = by_ratio.tolist()
    for position in (np.flatnonzero(~is_sure) + 1).tolist():
        job = order[position]
        before = position - 1
        while before >= 0 and weight[job] * work[order[before]] > weight[order[before]] * work[job]:
            order[before + 1] = order[before]
            before -= 1
        order[before + 1] = job
    return order


def _without_releases(order: list[int], weight: list[int], work: list[int]) -> Fraction:
    """Return 2 Σ wM with all jobs there from time 0, one after the other."""
    doubled = now = 0
    for job in order:
        doubled += weight[job] * (2 * now + work[job])
        now += work[job]
    return Fraction(doubled)


def _with_releases(
    order: list[int], weight: list[int], work: list[int], release: list[int]
) -> tuple[Fraction, int]:
    """Return 2 Σ wM of the preemptive schedule by Smith's rule, and how many jobs it preempts."""
    rank = [0] * len(order)
    for position, job in enumerate(order):
        rank[job] = position
    arrivals = sorted(range(len(order)), key=release.__getitem__)
    arrivals_at = [release[job] for job in arrivals]
    count = len(arrivals)
    left = list(work)
    moment: dict[int, int] = defaultdict(int)
    doubled = now = arrived = 0
    waiting: list[int] = []
    while arrived < count or waiting:
        if not waiting:
            now = max(now, arrivals_at[arrived])
        while arrived < count and arrivals_at[arrived] <= now:
            heapq.heappush(waiting, rank[arrivals[arrived]])
            arrived += 1
        first = heapq.heappop(waiting)
        job = order[first]
        end = now + left[job]
        while arrived < count and arrivals_at[arrived] < end:
            other = rank[arrivals[arrived]]
            if other < first:
                break
            heapq.heappush(waiting, other)
            arrived += 1
        else:
            # A job that ran in one piece has its mean busy time in the middle: no division.
            if left[job] == work[job]:
                doubled += weight[job] * (now + end)
            else:
                moment[job] += left[job] * (now + end)
            now = end
            continue
        cut = arrivals_at[arrived]
        moment[job] += (cut - now) * (now + cut)
        left[job] -= cut - now
        now = cut
        heapq.heappush(waiting, first)
    return doubled + _sum_of_quotients(moment, weight, work), len(moment)


def _sum_of_quotients(moment: dict[int, int], weight: list[int], work: list[int]) -> Fraction:
    """Return Σ weight · moment / work, exact unless there are very many different works."""
    by_work: dict[int, int] = defaultdict(int)
    for job, value in moment.items():
        by_work[work[job]] += weight[job] * value
    if len(by_work) <= MOST_DENOMINATORS:
        return sum((Fraction(top, bottom) for bottom, top in by_work.items()), Fraction())
    fixed = sum((top << FIXED_POINT_BITS) // bottom for bottom, top in by_work.items())
    return Fraction(fixed, 1 << FIXED_POINT_BITS)
