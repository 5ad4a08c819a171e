"""Simulated annealing of an order of jobs and the servers of each, compiled by numba."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from optsched.planners.order_kernel import copy_parts, decode

__all__ = ["anneal"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Seeds = NDArray[np.uint64]

#: How often a partner of equal demand, or a server that fits, is looked for.
EQUAL_TRIES, FIT_TRIES = 30, 50
#: Most jobs are moved by no more places than this.
NEAR = 15


@njit(cache=True)
def _overflow(free: Floats, capacity: Ints, target: float) -> float:
    """Return the time that GPUs are busy beyond the target, added up."""
    over = 0.0
    for s in range(len(capacity)):
        for gpu in range(capacity[s]):
            over += max(0.0, free[s, gpu] - target)
    return over


@njit(cache=True)
def _uniform(state: Seeds) -> float:
    """Return a number in [0, 1): xorshift64* of Vigna, the same on every machine."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return float((x * np.uint64(2685821657736338717)) >> np.uint64(11)) * 2.0**-53


@njit(cache=True)
def _below(state: Seeds, limit: int) -> int:
    """Return a whole number from 0 to ``limit`` less 1."""
    return int(_uniform(state) * limit)


@njit(cache=True)
def _insert(order: Ints, source: int, target: int) -> None:
    """Move the job at one position to another."""
    job = order[source]
    if source < target:
        for at in range(source, target):
            order[at] = order[at + 1]
    else:
        for at in range(source, target, -1):
            order[at] = order[at - 1]
    order[target] = job


@njit(cache=True)
def _draw_placement(
    state: Seeds,
    job: int,
    spread: bool,
    count: Ints,
    server: Ints,
    gpus: Ints,
    demand: Ints,
    duration: Floats,
    capacity: Ints,
    shuffled: Ints,
) -> bool:
    """Place a job anew, whole on a server or over several in random order; False if in vain."""
    servers, most = len(capacity), duration.shape[1] - 1
    if not spread:
        for _ in range(FIT_TRIES):
            s = _below(state, servers)
            if capacity[s] >= demand[job]:
                count[job], server[job, 0], gpus[job, 0] = 1, s, demand[job]
                return bool(duration[job, 1] < np.inf)
        return False
    left, parts = demand[job], 0
    while left > 0 and parts < min(most, servers):
        other = parts + _below(state, servers - parts)
        shuffled[parts], shuffled[other] = shuffled[other], shuffled[parts]
        s = shuffled[parts]
        taken = min(left, capacity[s])
        if parts == 0 and taken == left:
            taken = max(1, left // 2)
        server[job, parts], gpus[job, parts] = s, taken
        left -= taken
        parts += 1
    count[job] = parts
    return bool(left == 0 and parts > 1 and duration[job, parts] < np.inf)


@njit(cache=True)
def _draw_pair(state: Seeds, order: Ints, demand: Ints) -> tuple[int, int]:
    """Return two positions, half of the time of jobs of one demand."""
    jobs = len(order)
    a, b = _below(state, jobs), _below(state, jobs)
    if _uniform(state) < 0.5:
        for _ in range(EQUAL_TRIES):
            if a != b and demand[order[a]] == demand[order[b]]:
                break
            b = _below(state, jobs)
    return a, b


@njit(cache=True)
def anneal(
    state: Seeds,
    moves: int,
    hot: float,
    cold: float,
    share: float,
    bound: float,
    best_value: float,
    is_makespan: bool,
    order: Ints,
    count: Ints,
    server: Ints,
    gpus: Ints,
    best_order: Ints,
    best_count: Ints,
    best_server: Ints,
    best_gpus: Ints,
    demand: Ints,
    duration: Floats,
    release: Floats,
    weight: Floats,
    capacity: Ints,
) -> float:
    """Run one cooling cycle and return the best objective.

    The makespan itself tells little about a move. What is minimised is the time that GPUs are busy
    beyond a target, which lies the ``share`` of the way from the bound to the best makespan.

    Parameters
    ----------
    state
        State of the random numbers, one number above 0; it is changed.
    moves, hot, cold
        Moves of the cycle, and the temperatures at its ends.
    share, bound, best_value, is_makespan
        The target, and what is minimised; else it is Σ wC.
    order, count, server, gpus
        The order of the jobs and their placements, changed by the moves.
    best_order, best_count, best_server, best_gpus
        The best so far, overwritten by what is better.
    demand, duration, release, weight, capacity
        The instance.
    """
    jobs, most, largest = len(order), duration.shape[1] - 1, capacity.max()
    free = np.zeros((len(capacity), largest))
    spread_free, start = np.zeros(len(capacity)), np.zeros(jobs)
    old_s, old_g = np.zeros((2, most), np.int64), np.zeros((2, most), np.int64)
    old_n = np.zeros(2, np.int64)
    shuffled = np.arange(len(capacity))
    target = bound + share * (best_value - bound)
    value, temperature = np.inf, hot
    for move in range(-1, moves):
        if move % 64 == 0:
            temperature = hot * (cold / hot) ** (move / moves)
        first = second = -1
        a = b = 0
        kind = 1.0 if move < 0 else _uniform(state)
        if move < 0:
            pass
        elif kind < 0.3:
            a = _below(state, jobs)
            if _uniform(state) < 0.7:
                b = min(max(a + _below(state, 2 * NEAR + 1) - NEAR, 0), jobs - 1)
            else:
                b = _below(state, jobs)
            if a == b:
                continue
            _insert(order, a, b)
        elif kind < 0.6:
            first = _below(state, jobs)
            spread = demand[first] > largest or (
                demand[first] > 1 and most > 1 and _uniform(state) < 0.25
            )
            old_n[0] = count[first]
            copy_parts(server, gpus, first, old_s, old_g, 0)
            if not _draw_placement(
                state, first, spread, count, server, gpus, demand, duration, capacity, shuffled
            ):
                count[first] = old_n[0]
                copy_parts(old_s, old_g, 0, server, gpus, first)
                continue
        else:
            a, b = _draw_pair(state, order, demand)
            if a == b:
                continue
            first, second = order[a], order[b]
            if demand[first] != demand[second] and not (
                count[first] == 1
                and count[second] == 1
                and capacity[server[first, 0]] >= demand[second]
                and capacity[server[second, 0]] >= demand[first]
            ):
                continue
            old_n[0], old_n[1] = count[first], count[second]
            copy_parts(server, gpus, first, old_s, old_g, 0)
            copy_parts(server, gpus, second, old_s, old_g, 1)
            if demand[first] == demand[second]:
                count[first], count[second] = old_n[1], old_n[0]
                copy_parts(old_s, old_g, 1, server, gpus, first)
                copy_parts(old_s, old_g, 0, server, gpus, second)
            else:
                server[first, 0], server[second, 0] = old_s[1, 0], old_s[0, 0]
            order[a], order[b] = second, first
        total, last = decode(
            order,
            count,
            server,
            gpus,
            duration,
            release,
            weight,
            capacity,
            free,
            spread_free,
            start,
        )
        new = _overflow(free, capacity, target) if is_makespan else total
        if new <= value or _uniform(state) < np.exp((value - new) / temperature):
            value = new
            reached = last if is_makespan else total
            if reached < best_value * (1 - 1e-12):
                best_value = reached
                for job in range(jobs):
                    best_order[job], best_count[job] = order[job], count[job]
                    copy_parts(server, gpus, job, best_server, best_gpus, job)
                if best_value <= bound * (1 + 1e-9):
                    return best_value
                if is_makespan:
                    target = bound + share * (best_value - bound)
                    value = _overflow(free, capacity, target)
            continue
        if second >= 0:
            order[a], order[b] = first, second
            count[second] = old_n[1]
            copy_parts(old_s, old_g, 1, server, gpus, second)
        if first >= 0:
            count[first] = old_n[0]
            copy_parts(old_s, old_g, 0, server, gpus, first)
        else:
            _insert(order, b, a)
    return best_value
