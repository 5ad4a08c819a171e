"""The compiled filter that keeps the largest of many vectors."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["mark_maximal"]


@njit(cache=True)
def mark_maximal(
    vectors: NDArray[np.uint16], order: NDArray[np.int64], is_maximal: NDArray[np.bool_]
) -> int:
    """Mark the vectors that no other one is at least as large as in every entry.

    Parameters
    ----------
    vectors
        The vectors, shape (n, m).
    order
        Their positions by falling sum, so that none is below a later one.
    is_maximal
        Filled in, shape (n,); of equal vectors the first in ``order`` is marked.

    Returns
    -------
    int
        How many are marked.
    """
    count, width = vectors.shape
    kept = np.empty(count, dtype=np.int64)
    found = 0
    is_maximal[:] = False
    for position in order:
        is_covered = False
        for rank in range(found):
            other = kept[rank]
            is_below = True
            for entry in range(width):
                if vectors[position, entry] > vectors[other, entry]:
                    is_below = False
                    break
            if is_below:
                is_covered = True
                # What covers one vector is likely to cover the next: try it earlier.
                kept[rank], kept[rank // 2] = kept[rank // 2], kept[rank]
                break
        if not is_covered:
            kept[found] = position
            found += 1
            is_maximal[position] = True
    return found
