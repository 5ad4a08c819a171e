"""The compiled tree search over orders of events."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from optsched.exact.order_program import node_bound
from optsched.exact.search_kernel import CALLS, CUT, DEPTH, EXHAUSTED, FOUND, NODES, PAUSED
from optsched.exact.search_limits import DONE, RUNNING, WAITING
from optsched.exact.search_lookahead import iteration_time_s
from optsched.exact.search_stack import SKIPPED, SearchStack, next_placement, open_choice
from optsched.exact.search_tables import SearchTables

__all__ = ["explore_orders"]

#: Position in ``SearchStack.counters`` of the number of jobs in each list.
LISTED = 5

Whole = NDArray[np.int64]
Real = NDArray[np.float64]


@njit(cache=True)
def _next_event(tables: SearchTables, stack: SearchStack, depth: int, alike: Whole) -> bool:
    """Put the state after the next possible event into the row below; False if there is none.

    ``position`` counts the jobs that could end, then those that could start, each on all its
    placements.
    """
    jobs = len(tables.gpus)
    below = depth + 1
    while stack.length[depth] < jobs:
        job = stack.length[depth]
        stack.length[depth] += 1
        if stack.status[depth, job] == RUNNING:
            _copy_state(stack, depth)
            stack.status[below, job] = DONE
            stack.ended[below, job] = depth
            return True
    while stack.position[depth] < stack.counters[LISTED]:
        # Jobs that have started keep their places in the list; they are passed over.
        job = stack.waiting[depth, stack.position[depth]]
        placement = SKIPPED
        if stack.status[depth, job] == WAITING:
            placement = next_placement(tables, stack, depth, alike)
            stack.chosen[depth, stack.position[depth]] = placement
        if placement != SKIPPED:
            _copy_state(stack, depth)
            stack.status[below, job] = RUNNING
            stack.placed[below, job] = placement
            stack.began[below, job] = depth
            return True
        stack.position[depth] += 1
    return False


@njit(cache=True)
def _copy_state(stack: SearchStack, depth: int) -> None:
    below = depth + 1
    stack.status[below] = stack.status[depth]
    stack.placed[below] = stack.placed[depth]
    stack.began[below] = stack.began[depth]
    stack.ended[below] = stack.ended[depth]


@njit(cache=True)
def _enter(tables: SearchTables, stack: SearchStack, depth: int, rates: Real) -> None:
    """Prepare a row for its events: loads, rates of the interval that opens, and the lists."""
    jobs = len(tables.gpus)
    open_choice(tables, stack, depth)
    # Nobody is left out for not having arrived; the program sees to arrivals.
    for job in range(jobs):
        stack.waiting[depth, job] = job
        stack.chosen[depth, job] = tables.first[tables.demand[job]] - 1
        rates[depth, job] = 0.0
        if stack.status[depth, job] == RUNNING:
            rates[depth, job] = 1.0 / iteration_time_s(
                tables, job, stack.placed[depth, job], stack.load[depth]
            )
    stack.length[depth] = 0
    stack.position[depth] = 0
    stack.counters[LISTED] = jobs


@njit(cache=True)
def explore_orders(
    tables: SearchTables,
    stack: SearchStack,
    rates: Real,
    prices: Real,
    is_makespan: bool,
    most: float,
    goal: float,
    budget: int,
) -> int:
    """Search on from where the stack stands; parameters as for :func:`node_bound`.

    Parameters
    ----------
    tables, stack, rates, prices, is_makespan, most
        As for :func:`node_bound`.
    goal
        Makespan, or Σ w C, that a schedule must be below to be of interest.
    budget
        Linear programs to solve before coming back.

    Returns
    -------
    int
        ``EXHAUSTED``, ``FOUND`` (the order is in the row below the depth) or ``PAUSED``.
    """
    jobs = len(tables.gpus)
    alike = np.empty(len(tables.capacity), dtype=np.int64)
    counters = stack.counters
    stop_at = counters[CALLS] + budget
    if counters[NODES] == 0:
        counters[NODES] = 1
        _enter(tables, stack, 0, rates)
    while counters[DEPTH] >= 0:
        depth = counters[DEPTH]
        if counters[CALLS] >= stop_at:
            return PAUSED
        if not _next_event(tables, stack, depth, alike):
            counters[DEPTH] -= 1
            continue
        below = depth + 1
        counters[CALLS] += 1
        is_whole = True
        for job in range(jobs):
            is_whole = is_whole and stack.status[below, job] == DONE
        _enter(tables, stack, below, rates)
        if node_bound(tables, stack, below, rates, prices, is_makespan, most) >= goal:
            counters[CUT] += 1
            continue
        if is_whole:
            return FOUND
        counters[NODES] += 1
        counters[DEPTH] = below
    return EXHAUSTED
