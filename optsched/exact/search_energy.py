"""A compiled test of non-preemptive jobs against windows of time, as a last check of a state."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from optsched.exact.search_limits import DONE, RUNNING

__all__ = ["is_overfull"]

Whole = NDArray[np.int64]
Real = NDArray[np.float64]

#: What windows may be overfull by, as a share of the goal.
ROUNDING = 1e-9


@njit(cache=True)
def is_overfull(
    sizes: Real, now: float, left: Real, status: Whole, starts: Real, goal: float, points: Real
) -> bool:
    """Return True if in some window of time the jobs must hold more than there is.

    A job that is not interrupted, starts at its earliest start or later and ends by the goal holds
    its GPUs in a window [a, b] for the least of its duration, of b − a, of what is left of it after
    a if it starts as early as it can, and of what it does before b if it ends at the goal. Slower
    jobs hold them for longer.

    Parameters
    ----------
    sizes
        Dual-feasible sizes, as shares of the cluster: of jobs that run together they sum to 1 or
        less. One vector a row.
    now
        The time.
    left
        Least time that each job still needs, shape (n,).
    status
        What has become of each job.
    starts
        Earliest start of each waiting job.
    goal
        The makespan to be undercut.
    points
        Work space, shape (3, 2 n + 2).
    """
    count = len(left)
    begins, ends = points[0], points[1]
    many = 1
    begins[0] = now
    last = 1
    ends[0] = goal
    for job in range(count):
        if status[job] == DONE:
            continue
        if status[job] == RUNNING:
            ends[last] = now + left[job]
            last += 1
            continue
        if starts[job] > now:
            begins[many] = starts[job]
            many += 1
        begins[many] = goal - left[job]
        many += 1
        ends[last] = starts[job] + left[job]
        last += 1
    slack = ROUNDING * goal
    parts, members = points[2], np.empty(count, dtype=np.int64)
    for i in range(many):
        begin = begins[i]
        for k in range(last):
            length = ends[k] - begin
            if length <= 0.0:
                continue
            end = ends[k]
            # The parts are the same for all sizes.
            inside = 0
            for job in range(count):
                if status[job] == DONE:
                    continue
                if status[job] == RUNNING:
                    part = min(end, now + left[job]) - begin
                else:
                    part = min(
                        min(left[job], length),
                        min(starts[job] + left[job] - begin, end - goal + left[job]),
                    )
                if part > 0.0:
                    parts[inside] = part
                    members[inside] = job
                    inside += 1
            for vector in range(len(sizes)):
                held = 0.0
                for at in range(inside):
                    held += sizes[vector, members[at]] * parts[at]
                if held > length + slack:
                    return True
    return False
