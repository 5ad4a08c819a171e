"""The compiled part of the Lagrangian bound: flat arrays in, flat arrays out."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["cheapest_windows", "optimise_prices"]

Column = NDArray[np.float64]


@njit(cache=True)
def cheapest_windows(
    gpus: Column,
    duration: Column,
    release: Column,
    weight: Column,
    cell: float,
    prices: Column,
    cheapest: Column,
    starts: Column,
) -> None:
    """Find, for each job, the start S at which ``w(S + d) + G(Λ(S + d) − Λ(S))`` is least.

    Between the starts at which S or S + d is a boundary of a price cell the expression is linear in
    S, so only these starts and the release date are tried.

    Parameters
    ----------
    gpus, duration, release, weight
        Columns of the jobs (G, d, r, w), shape (n,).
    cell
        Length of a price cell.
    prices
        Price of a GPU for a unit of time in each cell (λ), shape (K,); 0 afterwards.
    cheapest, starts
        Filled with the least value and its start, shape (n,).
    """
    cells = len(prices)
    # One more cell, of price 0, stands for all that follow.
    price = np.zeros(cells + 1)
    total = np.zeros(cells + 1)
    for k in range(cells):
        price[k] = prices[k]
        total[k + 1] = total[k] + prices[k] * cell
    for job in range(len(gpus)):
        g, d, r, w = gpus[job], duration[job], release[job], weight[job]
        whole = int(min(np.floor(d / cell), cells + 1.0))
        rest = d - whole * cell if whole <= cells else 0.0
        short = cell - rest
        best_start = r
        at = int(min(np.floor(r / cell), float(cells)))
        to = int(min(np.floor((r + d) / cell), float(cells)))
        paid = total[to] + price[to] * ((r + d) - to * cell)
        paid -= total[at] + price[at] * (r - at * cell)
        best = w * (r + d) + g * paid
        for k in range(int(min(np.ceil(r / cell), cells + 1.0)), cells + 1):
            due = w * (k * cell + d)
            if due >= best:
                break
            end = min(k + whole, cells)
            value = due + g * (total[end] + price[end] * rest - total[k])
            if value < best:
                best = value
                best_start = k * cell
        for k in range(int(min(np.ceil((r + d) / cell), cells + 1.0)), cells + 1):
            due = w * (k * cell)
            if due >= best:
                break
            at = k - whole - 1
            paid = total[at] + price[at] * short if at >= 0 else 0.0
            value = due + g * (total[k] - paid)
            if value < best:
                best = value
                best_start = k * cell - d
        cheapest[job] = best
        starts[job] = best_start


@njit(cache=True)
def _usage(gpus: Column, duration: Column, starts: Column, cell: float, use: Column) -> None:
    """Fill in the GPU time that the jobs, each in its window, take of every cell."""
    cells = len(use)
    change = np.zeros(cells + 2)
    use[:] = 0.0
    for job in range(len(gpus)):
        g = gpus[job]
        begin, end = starts[job], starts[job] + duration[job]
        first = int(min(max(np.floor(begin / cell), 0.0), float(cells)))
        last = int(min(np.floor(end / cell), float(cells)))
        if first < cells:
            use[first] -= g * (begin - first * cell)
        if last < cells:
            use[last] += g * (end - last * cell)
        change[first] += g * cell
        change[last] -= g * cell
    running = 0.0
    for k in range(cells):
        running += change[k]
        use[k] += running


@njit(cache=True)
def _make_falling(prices: Column, height: Column, width: NDArray[np.int64]) -> None:
    """Replace prices by the nearest that never rise (pool adjacent violators)."""
    pools = 0
    for k in range(len(prices)):
        height[pools], width[pools] = prices[k], 1
        while pools > 0 and height[pools - 1] < height[pools]:
            both = width[pools - 1] + width[pools]
            height[pools - 1] += (height[pools] - height[pools - 1]) * width[pools] / both
            width[pools - 1] = both
            pools -= 1
        pools += 1
    k = 0
    for pool in range(pools):
        for _ in range(width[pool]):
            prices[k] = height[pool]
            k += 1


@njit(cache=True)
def optimise_prices(
    gpus: Column,
    duration: Column,
    release: Column,
    weight: Column,
    total_gpus: float,
    cell: float,
    prices: Column,
    target: float,
    iterations: int,
    falling: bool,
    progress: Column,
) -> None:
    """Improve prices by subgradient steps of Polyak's length; the best so far are always in place.

    Parameters
    ----------
    gpus, duration, release, weight
        Columns of the jobs, shape (n,).
    total_gpus
        GPUs of the cluster (N).
    cell
        Length of a price cell.
    prices
        Prices to start from, shape (K,); holds the best ones found afterwards.
    target
        What the bound is hoped to reach; sets the length of the steps, and may be wrong.
    iterations
        Steps to take in this call.
    falling
        True: only prices that never rise.
    progress
        The state between calls, shape (3,): the best value so far (−∞ at first), the step
        factor θ (1 at first), and the number of steps since the last progress.
    """
    count, cells = len(gpus), len(prices)
    now = prices.copy()
    cheapest, starts = np.empty(count), np.empty(count)
    use, slope = np.empty(cells), np.empty(cells)
    height, width = np.empty(cells), np.empty(cells, dtype=np.int64)
    for _ in range(iterations):
        if progress[1] < 1e-5:
            break
        cheapest_windows(gpus, duration, release, weight, cell, now, cheapest, starts)
        value = cheapest.sum() - total_gpus * cell * now.sum()
        stalls = progress[2] + 1.0
        if value > progress[0]:
            if value > progress[0] + 1e-5 * abs(progress[0]):
                stalls = 0.0
            progress[0] = value
            prices[:] = now
        progress[2] = stalls
        if stalls >= 20.0:
            progress[1] *= 0.6
            progress[2] = 0.0
            now[:] = prices
            continue
        _usage(gpus, duration, starts, cell, use)
        norm = 0.0
        for k in range(cells):
            slope[k] = use[k] - total_gpus * cell
            if now[k] == 0.0 and slope[k] < 0.0:
                slope[k] = 0.0
            norm += slope[k] * slope[k]
        if norm == 0.0:
            progress[1] = 0.0
            break
        step = progress[1] * max(target - value, 0.001 * target) / norm
        for k in range(cells):
            now[k] = max(0.0, now[k] + step * slope[k])
        if falling:
            _make_falling(now, height, width)
