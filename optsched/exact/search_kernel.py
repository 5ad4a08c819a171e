"""The compiled tree search of the branch and bound over event-aligned schedules."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from optsched.exact.search_energy import is_overfull
from optsched.exact.search_limits import DONE, RUNNING, WAITING, limit
from optsched.exact.search_lookahead import Outlook, is_hopeless, iteration_time_s, look_ahead
from optsched.exact.search_memo import Memo, is_dominated
from optsched.exact.search_stack import SKIPPED, SearchStack, next_placement, occupy, open_choice
from optsched.exact.search_tables import SearchTables

__all__ = [
    "CALLS",
    "CHECKED",
    "CUT",
    "DEPTH",
    "DOMINATED",
    "EXHAUSTED",
    "FOUND",
    "HOPELESS",
    "NODES",
    "OVERFULL",
    "PAUSED",
    "explore",
]

Whole = NDArray[np.int64]
Real = NDArray[np.float64]

#: Why :func:`explore` came back: the tree is searched, there is a better schedule, or a pause.
EXHAUSTED, FOUND, PAUSED = 0, 1, 2
#: A job with less than this share of its iterations left is done; see also the judge.
ENDED = 1e-11
#: Positions in ``SearchStack.counters``.
DEPTH, NODES, CUT, DOMINATED, CALLS, HOPELESS, CHECKED, OVERFULL = 0, 1, 2, 3, 4, 5, 6, 7
#: The check of windows goes on for so many states, and then while it cuts one in so many.
TRIALS, WORTHWHILE = 2000, 40
#: Otherwise it is made for one state in so many.
RARELY = 32


@njit(cache=True)
def _advance(tables: SearchTables, stack: SearchStack, depth: int) -> bool:
    """Fill the next depth with the state at the next event; False if there is none."""
    jobs = len(tables.gpus)
    now, below = stack.now[depth], depth + 1
    arrival = np.inf
    length = np.inf
    pace = stack.remaining[below]
    for job in range(jobs):
        if stack.status[depth, job] == RUNNING:
            placement = stack.placed[depth, job]
            tau = iteration_time_s(tables, job, placement, stack.load[depth])
            pace[job] = tau
            length = min(length, stack.remaining[depth, job] * tau)
        elif stack.status[depth, job] == WAITING and tables.release[job] > now:
            arrival = min(arrival, tables.release[job])
    if length == np.inf and arrival == np.inf:
        return False
    stack.now[below] = now + length
    if arrival <= now + length:
        length = arrival - now
        stack.now[below] = arrival
    stack.done[below] = stack.done[depth]
    for job in range(jobs):
        status = stack.status[depth, job]
        remaining = stack.remaining[depth, job]
        if status == RUNNING:
            remaining -= length / pace[job]
            if remaining <= ENDED * tables.iterations[job]:
                status = DONE
                remaining = 0.0
                stack.done[below] += tables.weight[job] * stack.now[below]
        stack.remaining[below, job] = remaining
        stack.status[below, job] = status
        stack.placed[below, job] = stack.placed[depth, job]
        stack.began[below, job] = stack.began[depth, job]
        stack.ended[below, job] = stack.ended[depth, job]
        if status == DONE and stack.status[depth, job] == RUNNING:
            stack.ended[below, job] = below
    return True


@njit(cache=True)
def _pays(counters: Whole) -> bool:
    """Return True if the windows of a state are to be checked."""
    if counters[CHECKED] < TRIALS or counters[OVERFULL] * WORTHWHILE > counters[CHECKED]:
        return True
    return bool(counters[CALLS] % RARELY == 0)


@njit(cache=True)
def explore(
    tables: SearchTables,
    stack: SearchStack,
    memo: Memo,
    outlook: Outlook,
    prices: Real,
    sizes: Real,
    late: Whole,
    is_makespan: bool,
    uses_memo: bool,
    scale: float,
    goal: float,
    budget: int,
) -> int:
    """Search on from where the stack stands.

    Parameters
    ----------
    tables, stack, memo, outlook, prices
        The instance, the branch to go on with and what is known of it, the states seen, and prices
        for :func:`limit`.
    sizes
        Dual-feasible sizes for :func:`is_overfull`.
    late
        Jobs by falling release date.
    is_makespan, uses_memo
        The objective; whether to drop states seen before.
    scale
        A time as long as the schedule, to compare times with.
    goal
        Makespan, or Σ w C, that a schedule must be below to be of interest.
    budget
        About how many limits to compute before coming back.

    Returns
    -------
    int
        ``EXHAUSTED``, ``FOUND`` (the schedule is in the row below the depth of the stack) or
        ``PAUSED``.
    """
    jobs = len(tables.gpus)
    alike = np.empty(len(tables.capacity), dtype=np.int64)
    label = np.empty(jobs, dtype=np.int64)
    scratch = np.empty((7, jobs))
    points = np.empty((3, 2 * jobs + 2))
    counters = stack.counters
    stop_at = counters[CALLS] + counters[HOPELESS] // 4 + budget
    while counters[DEPTH] >= 0:
        depth = counters[DEPTH]
        position = stack.position[depth]
        if position < 0:
            counters[DEPTH] -= 1
            continue
        if position < stack.length[depth]:
            job = stack.waiting[depth, position]
            before = stack.chosen[depth, position]
            if stack.status[depth, job] == RUNNING:
                stack.status[depth, job] = WAITING
                occupy(tables, stack, depth, before, -1)
            elif before == SKIPPED:
                # Skipping came last: on to the next way to place the job before.
                stack.position[depth] -= 1
                continue
            placement = next_placement(tables, stack, depth, alike)
            stack.chosen[depth, position] = placement
            if placement != SKIPPED:
                stack.status[depth, job] = RUNNING
                stack.placed[depth, job] = placement
                stack.began[depth, job] = depth
                occupy(tables, stack, depth, placement, 1)
            if is_hopeless(
                tables,
                outlook,
                depth,
                prices[outlook.vector[depth]],
                is_makespan,
                stack.now[depth],
                stack.remaining[depth],
                stack.status[depth],
                stack.placed[depth],
                stack.load[depth],
                stack.free[depth],
                position + 1,
                goal,
            ):
                counters[HOPELESS] += 1
                continue
            stack.position[depth] += 1
            if position + 1 < stack.length[depth]:
                following = stack.waiting[depth, position + 1]
                stack.chosen[depth, position + 1] = tables.first[tables.demand[following]] - 1
            continue
        # All who wait are decided.
        if counters[CALLS] + counters[HOPELESS] // 4 >= stop_at:
            return PAUSED
        stack.position[depth] -= 1
        if not _advance(tables, stack, depth):
            continue
        below = depth + 1
        counters[CALLS] += 1
        is_whole = True
        for job in range(jobs):
            is_whole = is_whole and stack.status[below, job] == DONE
        if is_whole:
            value = stack.now[below] if is_makespan else stack.done[below]
            if value < goal:
                return FOUND
            counters[CUT] += 1
            continue
        lowest = limit(
            tables,
            prices,
            is_makespan,
            stack.now[below],
            stack.remaining[below],
            stack.status[below],
            stack.placed[below],
            stack.done[below],
            scratch,
            late,
            outlook.vector[depth],
            goal,
        )
        if lowest >= goal:
            counters[CUT] += 1
            continue
        if is_makespan and goal < np.inf and _pays(counters):
            counters[CHECKED] += 1
            if is_overfull(
                sizes,
                stack.now[below],
                scratch[0],
                stack.status[below],
                scratch[1],
                goal,
                points,
            ):
                counters[OVERFULL] += 1
                continue
        if uses_memo and is_dominated(
            tables,
            memo,
            is_makespan,
            stack.now[below],
            scale,
            stack.remaining[below],
            stack.status[below],
            stack.placed[below],
            stack.done[below],
            label,
        ):
            counters[DOMINATED] += 1
            continue
        counters[NODES] += 1
        counters[DEPTH] = below
        open_choice(tables, stack, below)
        look_ahead(
            tables,
            outlook,
            below,
            int(scratch[6, 0]),
            prices[int(scratch[6, 0])],
            is_makespan,
            stack.now[below],
            stack.remaining[below],
            stack.status[below],
            stack.placed[below],
            stack.done[below],
            stack.waiting[below, : stack.length[below]],
            stack.free[below].sum(),
        )
    return EXHAUSTED
