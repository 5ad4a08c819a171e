"""Where the Lagrangian bounds start: prices of the jobs as a fluid, and a value to aim at."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["FluidPrices", "PricedJobs", "pooled_list_value"]

Column = NDArray[np.float64]

#: Waiting jobs that a list schedule passes over at one instant before it gives up.
MOST_PASSED_OVER = 8


@dataclass(frozen=True, slots=True, eq=False)
class PricedJobs:
    """The jobs as prices see them, columns of shape (n,).

    Parameters
    ----------
    gpus, duration, release, weight
        Demand (G), best duration (d), release date (r) and weight (w); G and d are above 0.
    total_gpus
        GPUs of the cluster (N).
    """

    gpus: Column
    duration: Column
    release: Column
    weight: Column
    total_gpus: int


class FluidPrices:
    """Prices that are optimal for the mean-busy-time bound, as a piecewise linear function of time.

    That bound turns jobs into a fluid on one machine of N GPUs, which always works on the released
    job of the largest w/(G d). While it works on job j the price of a GPU for a unit of time falls
    at the rate w/(G d): then ``w t / d + G λ(t)``, what a unit of j's fluid costs at t, is the same
    whenever j is worked on, and lower than elsewhere. The prices are found backwards from the end
    of every busy period, where they are 0.

    All is in floating point, since a bound holds for every choice of prices.

    Parameters
    ----------
    jobs
        The jobs.

    Examples
    --------
    >>> twos, ones = np.full(2, 2.0), np.ones(2)
    >>> prices = FluidPrices(PricedJobs(twos, twos, np.zeros(2), ones, total_gpus=2))
    >>> prices.end, prices.averages(cell=1.0, cells=5).tolist()
    (4.0, [0.875, 0.625, 0.375, 0.125, 0.0])
    """

    def __init__(self, jobs: PricedJobs) -> None:
        works = jobs.gpus * jobs.duration
        slopes = jobs.weight / works
        job, begin, end = _segments(jobs, works / jobs.total_gpus, slopes)
        self.end = end[-1]
        self._begin, self._end = np.array(begin), np.array(end)
        early, late = _prices(job, begin, end, slopes.tolist())
        self._early = np.array(early)
        length = self._end - self._begin
        area = (self._early + np.array(late)) / 2.0 * length
        self._paid = np.concatenate([[0.0], np.cumsum(area)])
        self._slope = slopes[np.array(job)]

    def averages(self, *, cell: float, cells: int) -> Column:
        """Return the mean price in each of a number of cells from time 0 on, shape (cells,)."""
        grid = np.arange(cells + 1) * cell
        at = np.searchsorted(self._begin, grid, side="right") - 1
        inside = np.maximum(at, 0)
        since = np.minimum(grid, self._end[inside]) - self._begin[inside]
        paid = self._early[inside] * since - self._slope[inside] * since * since / 2.0
        paid = np.where(at < 0, 0.0, self._paid[inside] + paid)
        return np.maximum(np.diff(paid) / cell, 0.0)


def _segments(
    jobs: PricedJobs, works: Column, ratios: Column
) -> tuple[list[int], list[float], list[float]]:
    """Return what the fluid works on, one piece after the other: job, begin, end."""
    count = len(works)
    arrivals = np.argsort(jobs.release, kind="stable").tolist()
    release: list[float] = jobs.release.tolist()
    left: list[float] = works.tolist()
    rank: list[float] = (-ratios).tolist()
    job, begin, end = [], [], []
    waiting: list[tuple[float, int]] = []
    now, arrived = 0.0, 0
    while arrived < count or waiting:
        if not waiting:
            now = max(now, release[arrivals[arrived]])
        while arrived < count and release[arrivals[arrived]] <= now:
            heapq.heappush(waiting, (rank[arrivals[arrived]], arrivals[arrived]))
            arrived += 1
        first = waiting[0][1]
        until = now + left[first]
        if arrived < count and release[arrivals[arrived]] < until:
            until = release[arrivals[arrived]]
            left[first] -= until - now
        else:
            heapq.heappop(waiting)
        job.append(first)
        begin.append(now)
        end.append(until)
        now = until
    return job, begin, end


def _prices(
    job: list[int], begin: list[float], end: list[float], slopes: list[float]
) -> tuple[list[float], list[float]]:
    """Return the price at the begin and at the end of each piece of the fluid."""
    count = len(job)
    early, late = [0.0] * count, [0.0] * count
    # The price at which the line of a job meets time 0; known once its last piece is.
    height: dict[int, float] = {}
    price = 0.0
    for piece in range(count - 1, -1, -1):
        if piece + 1 == count or end[piece] < begin[piece + 1]:
            price = 0.0
        which = job[piece]
        slope = slopes[which]
        if which in height:
            price = max(0.0, height[which] - slope * end[piece])
        else:
            height[which] = price + slope * end[piece]
        late[piece] = price
        price += slope * (end[piece] - begin[piece])
        early[piece] = price
    return early, late


def pooled_list_value(jobs: PricedJobs) -> float:
    """Return Σ w C of a list schedule on one pool of GPUs, without contention.

    Jobs are started by falling w/(√G d), one of the better orders for jobs of unequal width. It is
    neither an upper nor a lower bound of anything, only near what the bound can reach.
    """
    gpus: list[float] = jobs.gpus.tolist()
    duration: list[float] = jobs.duration.tolist()
    release: list[float] = jobs.release.tolist()
    weight: list[float] = jobs.weight.tolist()
    rank: list[float] = (-jobs.weight / (np.sqrt(jobs.gpus) * jobs.duration)).tolist()
    arrivals = np.argsort(jobs.release, kind="stable").tolist()
    count, arrived = len(gpus), 0
    free, now, value = float(jobs.total_gpus), 0.0, 0.0
    running: list[tuple[float, float]] = []
    waiting: list[tuple[float, int]] = []
    while arrived < count or waiting:
        while arrived < count and release[arrivals[arrived]] <= now:
            heapq.heappush(waiting, (rank[arrivals[arrived]], arrivals[arrived]))
            arrived += 1
        passed_over: list[tuple[float, int]] = []
        while waiting and free > 0 and len(passed_over) < MOST_PASSED_OVER:
            entry = heapq.heappop(waiting)
            job = entry[1]
            if gpus[job] > free:
                passed_over.append(entry)
                continue
            free -= gpus[job]
            heapq.heappush(running, (now + duration[job], gpus[job]))
            value += weight[job] * (now + duration[job])
        for entry in passed_over:
            heapq.heappush(waiting, entry)
        following = running[0][0] if running else float("inf")
        if arrived < count:
            following = min(following, release[arrivals[arrived]])
        now = following
        while running and running[0][0] <= now:
            free += heapq.heappop(running)[1]
    return value
