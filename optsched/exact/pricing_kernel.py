"""The set of running jobs, with placements, that earns most at given prices of iterations."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from optsched.exact.search_limits import RUNNING, WAITING
from optsched.exact.search_lookahead import iteration_time_s
from optsched.exact.search_stack import SKIPPED, SearchStack, next_placement, occupy
from optsched.exact.search_tables import SearchTables

__all__ = ["best_state"]

Whole = NDArray[np.int64]
Real = NDArray[np.float64]


@njit(cache=True)
def _earned(tables: SearchTables, stack: SearchStack, prices: Real, rates: Real) -> float:
    """Return what the jobs placed so far earn a second; fill in their rates."""
    total = 0.0
    for job in range(len(prices)):
        rates[job] = 0.0
        if stack.status[0, job] == RUNNING:
            tau = iteration_time_s(tables, job, stack.placed[0, job], stack.load[0])
            rates[job] = 1.0 / tau
            total += prices[job] / tau
    return total


@njit(cache=True)
def best_state(
    tables: SearchTables,
    stack: SearchStack,
    prices: Real,
    order: Whole,
    budget: int,
    best_rates: Real,
) -> float:
    """Return the most that jobs running at one instant can earn a second, −1 if it takes too long.

    Depth first over the jobs with the exact loads of those that are placed; the others are taken
    to run at their best on the GPUs that are left, as one pool, which a knapsack tabulates.

    Parameters
    ----------
    tables
        The instance, without twins.
    stack
        A stack at its root; only its first row is used.
    prices
        Price of an iteration of each job, shape (n,).
    order
        The jobs that have a price, those that earn most by GPU first.
    budget
        Placements to try at most.
    best_rates
        Filled with the rates of the best state, 0 for jobs that do not run, shape (n,).
    """
    count = len(order)
    pool = 0
    for server in range(len(tables.capacity)):
        stack.free[0, server] = tables.capacity[server]
        pool += tables.capacity[server]
    stack.load[0] = 0
    stack.status[0] = WAITING
    fluid = np.zeros((count + 1, pool + 1))
    for at in range(count - 1, -1, -1):
        job = order[at]
        gain = prices[job] * tables.iterations[job] / tables.duration[job]
        for free in range(pool + 1):
            fluid[at, free] = fluid[at + 1, free]
            if free >= tables.gpus[job]:
                fluid[at, free] = max(
                    fluid[at, free], gain + fluid[at + 1, free - tables.gpus[job]]
                )
    alike = np.empty(len(tables.capacity), dtype=np.int64)
    rates = np.zeros(len(prices))
    best = 0.0
    best_rates[:] = 0.0
    if count == 0:
        return best
    free_gpus = pool
    stack.waiting[0, :count] = order
    stack.position[0] = 0
    stack.chosen[0, 0] = tables.first[tables.demand[order[0]]] - 1
    while stack.position[0] >= 0:
        position = stack.position[0]
        if position == count:
            stack.position[0] -= 1
            continue
        job = order[position]
        before = stack.chosen[0, position]
        if stack.status[0, job] == RUNNING:
            stack.status[0, job] = WAITING
            occupy(tables, stack, 0, before, -1)
            free_gpus += tables.gpus[job]
        elif before == SKIPPED:
            stack.position[0] -= 1
            continue
        placement = next_placement(tables, stack, 0, alike)
        stack.chosen[0, position] = placement
        if placement != SKIPPED:
            stack.status[0, job] = RUNNING
            stack.placed[0, job] = placement
            occupy(tables, stack, 0, placement, 1)
            free_gpus -= tables.gpus[job]
        budget -= 1
        if budget < 0:
            return -1.0
        earned = _earned(tables, stack, prices, rates)
        if earned > best:
            best = earned
            best_rates[:] = rates
        if earned + fluid[position + 1, free_gpus] > best * (1.0 + 1e-12):
            stack.position[0] += 1
            if position + 1 < count:
                stack.chosen[0, position + 1] = tables.first[tables.demand[order[position + 1]]] - 1
    return best
