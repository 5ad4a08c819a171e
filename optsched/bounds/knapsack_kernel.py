"""The compiled knapsack: which jobs, together on N GPUs or fewer, are worth the most."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["best_configuration", "values_by_gpus"]


@njit(cache=True)
def best_configuration(
    gpus: NDArray[np.int64], values: NDArray[np.float64], total_gpus: int, taken: NDArray[np.bool_]
) -> float:
    """Mark the jobs of largest total value that fit, each at most once; return that value.

    Exact if the values are whole numbers whose sums stay below 2⁵³.

    Parameters
    ----------
    gpus, values
        Demand and value of each job, shape (n,); values are 0 or more.
    total_gpus
        The GPUs there are.
    taken
        Filled in, shape (n,).
    """
    count = len(gpus)
    best = np.zeros(total_gpus + 1)
    chosen = np.zeros((count, total_gpus + 1), dtype=np.bool_)
    for job in range(count):
        if values[job] <= 0.0:
            continue
        need = gpus[job]
        for free in range(total_gpus, need - 1, -1):
            with_it = best[free - need] + values[job]
            if with_it > best[free]:
                best[free] = with_it
                chosen[job, free] = True
    free = total_gpus
    for job in range(count - 1, -1, -1):
        taken[job] = chosen[job, free]
        if taken[job]:
            free -= gpus[job]
    most: float = best[total_gpus]
    return most


@njit(cache=True)
def values_by_gpus(
    gpus: NDArray[np.int64], values: NDArray[np.float64], total_gpus: int
) -> NDArray[np.float64]:
    """Return the largest total value of jobs that fit on 0, 1, …, ``total_gpus`` GPUs.

    Parameters
    ----------
    gpus, values, total_gpus
        As for :func:`best_configuration`.
    """
    best = np.zeros(total_gpus + 1)
    for job in range(len(gpus)):
        if values[job] > 0.0:
            for free in range(total_gpus, gpus[job] - 1, -1):
                best[free] = max(best[free], best[free - gpus[job]] + values[job])
    return best
