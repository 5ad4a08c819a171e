"""The branch of the tree that a search is on, and what may start at its end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from optsched.exact.search_limits import RUNNING, WAITING
from optsched.exact.search_tables import SearchTables

__all__ = ["SKIPPED", "SearchStack", "new_stack", "next_placement", "occupy", "open_choice"]

Whole = NDArray[np.int64]
Real = NDArray[np.float64]

#: In place of a placement: the job does not start now.
SKIPPED = -2


class SearchStack(NamedTuple):
    """The branch of the tree that is being searched, one row a depth; a depth is an event.

    Parameters
    ----------
    now, done
        Time, and Σ w C of the jobs that are done, shape (E,).
    remaining, status, placed
        The state before anything is started, and with the starts chosen so far, shape (E, n).
    began
        Depth at which each running or done job started, shape (E, n).
    ended
        Depth at which each job ended, shape (E, n).
    free, load
        Free GPUs and loads with the starts chosen so far, shapes (E, S) and (E, resources).
    waiting, chosen
        Jobs that may start, and the placement chosen for each, shape (E, n).
    length, position
        How many may start, and how many of them are decided, shape (E,).
    counters
        Depth; states extended; cut by limits; cut as seen before; states made; sets of starts cut
        before they were complete; states whose windows were checked; cut by that.
    """

    now: Real
    done: Real
    remaining: Real
    status: Whole
    placed: Whole
    began: Whole
    ended: Whole
    free: Whole
    load: Whole
    waiting: Whole
    chosen: Whole
    length: Whole
    position: Whole
    counters: Whole


def new_stack(tables: SearchTables) -> SearchStack:
    """Return a stack that holds the root: nothing started, at the first arrival."""
    jobs, servers = len(tables.gpus), len(tables.capacity)
    events = 2 * jobs + 2
    resources = int(tables.resources[0])
    stack = SearchStack(
        np.zeros(events),
        np.zeros(events),
        np.zeros((events, jobs)),
        np.zeros((events, jobs), dtype=np.int64),
        np.zeros((events, jobs), dtype=np.int64),
        np.zeros((events, jobs), dtype=np.int64),
        np.zeros((events, jobs), dtype=np.int64),
        np.zeros((events, servers), dtype=np.int64),
        np.zeros((events, resources), dtype=np.int64),
        np.zeros((events, jobs), dtype=np.int64),
        np.zeros((events, jobs + 1), dtype=np.int64),
        np.zeros(events, dtype=np.int64),
        np.zeros(events, dtype=np.int64),
        np.zeros(8, dtype=np.int64),
    )
    stack.now[0] = tables.release.min()
    stack.remaining[0] = tables.iterations
    open_choice(tables, stack, 0)
    return stack


@njit(cache=True)
def open_choice(tables: SearchTables, stack: SearchStack, depth: int) -> None:
    """Prepare the choice at a depth: what is free, and who may start."""
    stack.free[depth] = tables.capacity
    stack.load[depth] = 0
    count = 0
    for job in range(len(tables.gpus)):
        if stack.status[depth, job] == RUNNING:
            occupy(tables, stack, depth, stack.placed[depth, job], 1)
        elif stack.status[depth, job] == WAITING and tables.release[job] <= stack.now[depth]:
            stack.waiting[depth, count] = job
            count += 1
    stack.length[depth] = count
    stack.position[depth] = 0
    if count > 0:
        stack.chosen[depth, 0] = tables.first[tables.demand[stack.waiting[depth, 0]]] - 1


@njit(cache=True)
def occupy(tables: SearchTables, stack: SearchStack, depth: int, placement: int, sign: int) -> None:
    """Take the GPUs of a placement and load its resources, or with sign −1 give them back."""
    for server in range(len(tables.capacity)):
        stack.free[depth, server] -= sign * tables.taken[placement, server]
    for at in range(tables.crossings[placement]):
        stack.load[depth, tables.crossed[placement, at]] += sign


@njit(cache=True)
def _are_alike(
    tables: SearchTables, stack: SearchStack, depth: int, first: int, second: int
) -> bool:
    """Return True if two servers of one class hold the same GPUs of the same jobs."""
    if stack.free[depth, first] != stack.free[depth, second]:
        return False
    for job in range(len(tables.gpus)):
        if stack.status[depth, job] == RUNNING:
            placement = stack.placed[depth, job]
            if tables.taken[placement, first] != tables.taken[placement, second]:
                return False
    return True


@njit(cache=True)
def next_placement(tables: SearchTables, stack: SearchStack, depth: int, alike: Whole) -> int:
    """Return the next way to place the job that is being decided, SKIPPED after the last."""
    position = stack.position[depth]
    job = stack.waiting[depth, position]
    demand = tables.demand[job]
    candidate: int = stack.chosen[depth, position] + 1
    twin = tables.twin[job]
    if twin >= 0 and stack.status[depth, twin] == WAITING:
        return SKIPPED
    servers = len(tables.capacity)
    total = 0
    for server in range(servers):
        total += stack.free[depth, server]
    if total < tables.gpus[job]:
        return SKIPPED
    for server in range(servers):
        alike[server] = -1
        for other in range(server - 1, -1, -1):
            if tables.server_class[other] == tables.server_class[server] and _are_alike(
                tables, stack, depth, other, server
            ):
                alike[server] = other
                break
    while candidate < tables.last[demand]:
        fits = True
        for server in range(servers):
            count = tables.taken[candidate, server]
            if count > stack.free[depth, server] or (
                alike[server] >= 0 and count > tables.taken[candidate, alike[server]]
            ):
                fits = False
                break
        if fits:
            return candidate
        candidate += 1
    return SKIPPED
