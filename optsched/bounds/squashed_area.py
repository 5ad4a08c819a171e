"""The squashed-area bound on completion times: the cluster as one machine of its whole speed."""

from __future__ import annotations

import heapq
from fractions import Fraction

import numpy as np

from optsched.bounds.exact_sums import scaled_integers
from optsched.bounds.workload import Workload
from optsched.core.errors import UnsupportedError
from optsched.core.metrics import Objective
from optsched.core.result import Bound

__all__ = ["squashed_area_bound"]


def squashed_area_bound(workload: Workload, objective: Objective = "mean_jct") -> Bound:
    """Bound the (weighted) sum of completion times by one machine that does all GPUs' work at once.

    A job is squashed to the time G_j d_j / N that the whole cluster would take for its area. On one
    machine with preemption the least sum is reached by the shortest remaining time first, and
    without release dates the least weighted sum by Smith's rule (Turek et al., "Scheduling parallel
    tasks to minimize average response time", SODA 1994). ``mean-busy-time`` is never below it: this
    one is here for comparison. See ``models/formulations/squashed-area.md``.

    Raises
    ------
    UnsupportedError
        For weights together with release dates, where one machine is a hard problem itself.

    Examples
    --------
    Two jobs of 4 s on one of two GPUs are 2 s each for both GPUs, and end at 2 s and 4 s:

    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.instance import Instance
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job(name, 1, 1, compute_s=4.0) for name in "ab"]
    >>> squashed_area_bound(Workload.of(Instance("two", Cluster([Server("s0", 2)]), jobs))).value
    3.0
    """
    weights = workload.weights(objective)
    has_equal_weights = bool(np.all(weights == weights[0]))
    if workload.has_releases and not has_equal_weights:
        raise UnsupportedError(
            "with weights and release dates one machine is a hard problem itself; "
            "mean-busy-time holds and is stronger"
        )
    total_gpus = workload.total_gpus
    count = len(weights)
    weight, weight_exponent = scaled_integers(weights)
    times, time_exponent = scaled_integers(np.concatenate([workload.duration, workload.release]))
    gpus = workload.instance.jobs.gpus.tolist()
    # In units of 1/N both work and time are whole numbers.
    work = [wide * time for wide, time in zip(gpus, times[:count], strict=True)]
    if workload.has_releases:
        release = [total_gpus * time for time in times[count:]]
        total = weight[0] * _shortest_remaining_first(work, release)
    else:
        total = _by_smiths_rule(work, weight)
    scale = Fraction(2) ** (weight_exponent + time_exponent)
    return Bound(
        objective,
        workload.jct_s(total * scale / total_gpus, objective),
        "squashed-area",
        workload.problem_class,
        workload.assumptions,
        {"weighted_completions_s": workload.seconds(total * scale / total_gpus)},
    )


def _by_smiths_rule(work: list[int], weight: list[int]) -> int:
    """Return the least Σ w C of jobs that are all there, exactly."""
    # Jobs without weight go last and count nothing.
    counted = [(length, height) for length, height in zip(work, weight, strict=True) if height]
    if len(set(weight)) == 1:
        counted.sort()
    else:
        counted.sort(key=lambda job: Fraction(job[0], job[1]))
    total = now = 0
    for length, height in counted:
        now += length
        total += height * now
    return total


def _shortest_remaining_first(work: list[int], release: list[int]) -> int:
    """Return the least Σ C on one machine with preemption and release dates, exactly."""
    arrivals = sorted(zip(release, work, strict=True))
    waiting: list[int] = []
    total = now = position = 0
    while position < len(arrivals) or waiting:
        if not waiting:
            now = max(now, arrivals[position][0])
        while position < len(arrivals) and arrivals[position][0] <= now:
            heapq.heappush(waiting, arrivals[position][1])
            position += 1
        left = heapq.heappop(waiting)
        until = arrivals[position][0] if position < len(arrivals) else now + left
        if now + left <= until:
            now += left
            total += now
        else:
            heapq.heappush(waiting, left - (until - now))
            now = until
    return total
