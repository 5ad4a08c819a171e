"""Compiled lower limits on what a state of the branch and bound can still become."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from optsched.exact.search_tables import SearchTables

__all__ = ["DONE", "RUNNING", "WAITING", "alone_s", "limit"]

WAITING, RUNNING, DONE = 0, 1, 2

Whole = NDArray[np.int64]
Real = NDArray[np.float64]


@njit(cache=True)
def alone_s(tables: SearchTables, job: int, placement: int) -> float:
    """Return τ of a job on a placement whose resources nobody else uses."""
    count = tables.crossings[placement]
    slowest = 0.0
    if count == 0:
        slowest = tables.time[job, tables.row[placement, 0], 0]
    for at in range(count):
        slowest = max(slowest, tables.time[job, tables.row[placement, at], 1])
    return slowest


@njit(cache=True)
def _earliest_starts(
    tables: SearchTables, now: float, left: Real, status: Whole, starts: Real, ends: Real
) -> None:
    """Fill in when enough GPUs for each waiting job can be free, by the running jobs' ends."""
    count = len(left)
    free = 0
    for server in range(len(tables.capacity)):
        free += tables.capacity[server]
    running = 0
    # Two columns of a sorted list: ends, and GPUs that become free.
    for job in range(count):
        if status[job] == RUNNING:
            free -= tables.gpus[job]
            end = now + left[job]
            at = running
            while at > 0 and ends[at - 1, 0] > end:
                ends[at, 0], ends[at, 1] = ends[at - 1, 0], ends[at - 1, 1]
                at -= 1
            ends[at, 0], ends[at, 1] = end, float(tables.gpus[job])
            running += 1
    for job in range(count):
        if status[job] == WAITING:
            start, held = now, free
            for at in range(running):
                if held >= tables.gpus[job]:
                    break
                start = ends[at, 0]
                held += int(ends[at, 1])
            starts[job] = max(start, tables.release[job])


@njit(cache=True)
def _turn(turn: int, hint: int) -> int:
    """Return the vector of a turn: the hint first, then the others in their order."""
    if turn == 0:
        return hint
    return turn if turn > hint else turn - 1


@njit(cache=True)
def _windows(
    price: Real, now: float, left: Real, remaining: Real, status: Whole, starts: Real
) -> float:
    """Return the latest x plus the work that cannot be done before x, at these prices.

    x is the earliest start of some waiting job. Before x a job does no more than it can alone from
    its earliest start on.
    """
    found = now
    count = len(left)
    for other in range(count):
        window = starts[other]
        if status[other] != WAITING or window <= now:
            continue
        is_new = True
        for before in range(other):
            is_new = is_new and (status[before] != WAITING or starts[before] != window)
        if not is_new:
            continue
        total = window
        for job in range(count):
            if status[job] == DONE:
                continue
            begin = starts[job] if status[job] == WAITING else now
            share = 1.0
            if begin < window:
                share = max(0.0, 1.0 - (window - begin) / left[job])
            total += price[job] * remaining[job] * share
        found = max(found, total)
    return found


@njit(cache=True)
def limit(
    tables: SearchTables,
    prices: Real,
    is_makespan: bool,
    now: float,
    remaining: Real,
    status: Whole,
    placed: Whole,
    done: float,
    scratch: Real,
    late: Whole,
    hint: int,
    enough: float,
) -> float:
    """Return a lower limit on the makespan, or on Σ w C, of whatever a state becomes.

    Parameters
    ----------
    tables
        The instance.
    prices
        Prices of an iteration of each job at which no set of running jobs earns more than 1 a
        second, one vector a row.
    is_makespan
        The objective.
    now
        The time; no job that waits starts before.
    remaining, status, placed
        Iterations left, what has become of each job, and the placement of those that run.
    done
        Σ w C of the jobs that are done.
    scratch
        Work space, shape (7, n); the vector that says most is left in its last row.
    late
        Jobs by falling release date.
    hint
        The vector to try first.
    enough
        A limit as high as this is not improved any further.
    """
    count = len(remaining)
    left, starts, work, ratio = scratch[0], scratch[1], scratch[2], scratch[3]
    ends = scratch[4:6].T
    most = -1.0
    scratch[6, 0] = 0.0
    for job in range(count):
        left[job] = 0.0
        if status[job] == RUNNING:
            left[job] = remaining[job] * alone_s(tables, job, placed[job])
        elif status[job] == WAITING:
            left[job] = tables.duration[job]
    _earliest_starts(tables, now, left, status, starts, ends)
    if is_makespan:
        found = now
        for job in range(count):
            if status[job] == RUNNING:
                found = max(found, now + left[job])
            elif status[job] == WAITING:
                found = max(found, starts[job] + left[job])
        for turn in range(len(prices)):
            if found >= enough:
                return found
            vector = _turn(turn, hint)
            total = 0.0
            for at in range(count):
                job = late[at]
                if status[job] != DONE:
                    total += prices[vector, job] * remaining[job]
                    if tables.release[job] > now and status[job] == WAITING:
                        found = max(found, tables.release[job] + total)
            if total > most:
                most = total
                scratch[6, 0] = vector
            found = max(found, now + total)
        if found >= enough:
            return found
        best = prices[int(scratch[6, 0])]
        return max(found, _windows(best, now, left, remaining, status, starts))
    each = done
    for job in range(count):
        if status[job] == RUNNING:
            each += tables.weight[job] * (now + left[job])
        elif status[job] == WAITING:
            each += tables.weight[job] * (starts[job] + left[job])
    found = each
    order = np.empty(count, dtype=np.int64)
    for turn in range(len(prices)):
        if found >= enough:
            return found
        vector = _turn(turn, hint)
        together = done
        jobs = 0
        for job in range(count):
            if status[job] == DONE:
                continue
            work[job] = prices[vector, job] * remaining[job]
            if work[job] <= 0.0:
                begin = starts[job] if status[job] == WAITING else now
                together += tables.weight[job] * (begin + left[job])
                continue
            ratio[job] = tables.weight[job] / work[job]
            at = jobs
            while at > 0 and ratio[order[at - 1]] < ratio[job]:
                order[at] = order[at - 1]
                at -= 1
            order[at] = job
            jobs += 1
        busy = now
        for at in range(jobs):
            job = order[at]
            together += tables.weight[job] * (busy + (work[job] + left[job]) / 2)
            busy += work[job]
        if together > most:
            most = together
            scratch[6, 0] = vector
        found = max(found, together)
    return found
