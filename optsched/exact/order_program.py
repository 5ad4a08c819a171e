"""The linear program at a node of the search over event orders, as dense arrays, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from optsched.exact.search_limits import DONE, RUNNING, WAITING, alone_s
from optsched.exact.search_stack import SearchStack
from optsched.exact.search_tables import SearchTables
from optsched.solvers.dual_simplex import cover

__all__ = ["node_bound", "waiting_cost"]

Whole = NDArray[np.int64]
Real = NDArray[np.float64]


@njit(cache=True)
def waiting_cost(tables: SearchTables, prices: Real, status: Whole, order: Whole) -> float:
    """Return the least Σ w (C − now) of the waiting jobs, each alone or all as a fluid."""
    count = len(status)
    alone = 0.0
    for job in range(count):
        if status[job] == WAITING:
            alone += tables.weight[job] * tables.duration[job]
    found = alone
    for vector in range(len(prices)):
        jobs = 0
        together = 0.0
        for job in range(count):
            if status[job] != WAITING:
                continue
            work = prices[vector, job] * tables.iterations[job]
            if work <= 0.0:
                together += tables.weight[job] * tables.duration[job]
                continue
            at = jobs
            while at > 0:
                other = order[at - 1]
                before = prices[vector, other] * tables.iterations[other]
                if tables.weight[other] * work >= tables.weight[job] * before:
                    break
                order[at] = other
                at -= 1
            order[at] = job
            jobs += 1
        busy = 0.0
        for at in range(jobs):
            job = order[at]
            work = prices[vector, job] * tables.iterations[job]
            together += tables.weight[job] * (busy + (work + tables.duration[job]) / 2)
            busy += work
        found = max(found, together)
    return found


@njit(cache=True)
def node_bound(
    tables: SearchTables,
    stack: SearchStack,
    depth: int,
    rates: Real,
    prices: Real,
    is_makespan: bool,
    most: float,
) -> float:
    """Return a lower bound on the makespan or Σ w C of all schedules that begin with these events.

    Variables are the lengths L of the intervals 0 to ``depth``, the last of which is open, and what
    is still to come after it: one D for the makespan, otherwise a D for each running job and one
    for Σ w of all that wait. See ``models/formulations/event-orders.md``.

    Parameters
    ----------
    tables
        The instance.
    stack
        Its row ``depth`` is the state after that many events; ``began`` and ``ended`` are events.
    depth
        Number of events so far.
    rates
        Rate of each job in each interval, shape (events, n).
    prices
        Prices of iterations at which no state earns more than 1 a second.
    is_makespan
        The objective.
    most
        No variable of a schedule that is of interest exceeds this.
    """
    jobs = len(tables.gpus)
    status, began, ended = stack.status[depth], stack.began[depth], stack.ended[depth]
    intervals = depth + 1
    columns = intervals + (1 if is_makespan else jobs + 1)
    later = columns - 1
    rows = np.zeros((4 * jobs + len(prices) + 4, columns))
    right = np.zeros(len(rows))
    costs = np.zeros(columns)
    longest, latest, due, weight = 0.0, 0.0, 0.0, 0.0
    count = 0
    for job in range(jobs):
        state = status[job]
        if state == WAITING:
            longest = max(longest, tables.duration[job])
            latest = max(latest, tables.release[job] + tables.duration[job])
            due += tables.weight[job] * (tables.release[job] + tables.duration[job])
            weight += tables.weight[job]
            continue
        # A job has done its work when it ends, and no more than that before.
        for k in range(began[job] + 1, intervals if state == RUNNING else ended[job] + 1):
            rows[count, k] = -rates[k, job]
            if state == DONE:
                rows[count + 1, k] = rates[k, job]
        right[count] = -tables.iterations[job]
        count += 1
        if state == DONE:
            right[count] = tables.iterations[job]
            count += 1
        else:
            best = alone_s(tables, job, stack.placed[depth, job])
            for k in range(began[job] + 1, intervals):
                rows[count, k] = best * rates[k, job]
            rows[count, later if is_makespan else intervals + job] = 1.0
            right[count] = best * tables.iterations[job]
            count += 1
        if tables.release[job] > 0.0:
            for k in range(began[job] + 1):
                rows[count, k] = 1.0
            right[count] = tables.release[job]
            count += 1
    if is_makespan:
        costs[:] = 1.0
        rows[count, later] = 1.0
        right[count] = longest
        rows[count + 1, :] = 1.0
        right[count + 1] = latest
        count += 2
        for vector in range(len(prices)):
            for job in range(jobs):
                if status[job] == DONE:
                    continue
                right[count] += prices[vector, job] * tables.iterations[job]
                if status[job] == RUNNING:
                    for k in range(began[job] + 1, intervals):
                        rows[count, k] += prices[vector, job] * rates[k, job]
            rows[count, later] = 1.0
            count += 1
    else:
        for job in range(jobs):
            last = ended[job] + 1 if status[job] == DONE else intervals
            for k in range(last):
                costs[k] += tables.weight[job]
            costs[intervals + job] = tables.weight[job] if status[job] == RUNNING else 0.0
        costs[later] = 1.0
        rows[count, later] = 1.0
        right[count] = waiting_cost(tables, prices, status, np.empty(jobs, dtype=np.int64))
        rows[count + 1, :intervals] = weight
        rows[count + 1, later] = 1.0
        right[count + 1] = due
        count += 2
    duals, solution = np.empty(count), np.empty(columns)
    return cover(costs, rows[:count], right[:count], most, duals, solution)
