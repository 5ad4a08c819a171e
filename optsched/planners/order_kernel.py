"""What becomes of an order of jobs whose servers are given, compiled by numba.

Times are in units of the caller's (seconds or slots). A job's placement is a list of servers and
GPUs on each; a spread job never shares a server with another spread one, so that all durations are
constants.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["copy_parts", "decode", "place_in_order"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Beyond any time, so that capacities come before times in a sum of both.
FAR = 1e12


@njit(cache=True)
def decode(
    order: Ints,
    count: Ints,
    server: Ints,
    gpus: Ints,
    duration: Floats,
    release: Floats,
    weight: Floats,
    capacity: Ints,
    free: Floats,
    spread_free: Floats,
    start: Floats,
) -> tuple[float, float]:
    """Start every job, in order, as early as its GPUs allow; return Σ wC and the makespan.

    ``free[s]`` is left sorted: the times at which the GPUs of server s become free for good.
    """
    free[:] = 0.0
    spread_free[:] = 0.0
    total, last = 0.0, 0.0
    for job in order:
        parts = count[job]
        begin = release[job]
        for part in range(parts):
            s = server[job, part]
            begin = max(begin, free[s, gpus[job, part] - 1])
            if parts > 1:
                begin = max(begin, spread_free[s])
        end = begin + duration[job, parts]
        start[job] = begin
        total += weight[job] * end
        last = max(last, end)
        for part in range(parts):
            s, taken = server[job, part], gpus[job, part]
            if parts > 1:
                spread_free[s] = end
            # Of the GPUs free by now the job takes those that came free last: earlier holes stay.
            after = taken
            while after < capacity[s] and free[s, after] <= begin:
                after += 1
            slot = after - taken
            while after < capacity[s] and free[s, after] < end:
                free[s, slot] = free[s, after]
                slot += 1
                after += 1
            for _ in range(taken):
                free[s, slot] = end
                slot += 1
    return total, last


@njit(cache=True)
def place_in_order(
    order: Ints,
    count: Ints,
    server: Ints,
    gpus: Ints,
    demand: Ints,
    duration: Floats,
    release: Floats,
    capacity: Ints,
) -> None:
    """Give each job, in order, the servers on which it ends first, of equal ones the smallest."""
    servers, most = len(capacity), duration.shape[1] - 1
    free = np.zeros((servers, capacity.max()))
    spread_free, key = np.zeros(servers), np.zeros(servers)
    start, ones = np.zeros(len(demand)), np.ones(len(demand))
    some_s, some_g = np.zeros((1, most), np.int64), np.zeros((1, most), np.int64)
    for position in range(len(order)):
        job = order[position]
        best_end, smallest = np.inf, 0
        count[job] = 0
        for s in range(servers):
            if capacity[s] >= demand[job]:
                end = max(release[job], free[s, demand[job] - 1]) + duration[job, 1]
                if end < best_end or (end == best_end and capacity[s] < smallest):
                    best_end, smallest, count[job] = end, capacity[s], 1
                    server[job, 0], gpus[job, 0] = s, demand[job]
        # Spread: largest servers first, those that are ready first, smallest servers first.
        for filling in range(3 if demand[job] > 1 and most > 1 else 0):
            for s in range(servers):
                ready = max(spread_free[s], free[s, min(capacity[s], demand[job]) - 1])
                key[s] = ready + (filling - 1) * FAR * capacity[s]
            begin, parts = release[job], 0
            left = demand[job]
            while left > 0 and parts < most:
                s = 0
                for other in range(servers):
                    if key[other] < key[s]:
                        s = other
                if key[s] == np.inf:
                    break
                key[s] = np.inf
                taken = min(left, capacity[s])
                if parts == 0 and taken == left:
                    taken = max(1, left // 2)
                begin = max(begin, spread_free[s], free[s, taken - 1])
                some_s[0, parts], some_g[0, parts] = s, taken
                left -= taken
                parts += 1
            if left == 0 and parts > 1 and begin + duration[job, parts] < best_end:
                best_end, count[job] = begin + duration[job, parts], parts
                copy_parts(some_s, some_g, 0, server, gpus, job)
        # All that came before is decoded again, which is brief enough for a start.
        decode(
            order[: position + 1],
            count,
            server,
            gpus,
            duration,
            release,
            ones,
            capacity,
            free,
            spread_free,
            start,
        )


@njit(cache=True)
def copy_parts(
    from_s: Ints, from_g: Ints, source: int, to_s: Ints, to_g: Ints, target: int
) -> None:
    """Copy the placement of one job, in one list of placements, to another."""
    for part in range(from_s.shape[1]):
        to_s[target, part], to_g[target, part] = from_s[source, part], from_g[source, part]
