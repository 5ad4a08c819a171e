"""The release date from which on to count jobs, so that a makespan bound becomes strongest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_release"]


def best_release(release: NDArray[np.float64], amounts: NDArray[np.float64]) -> float:
    """Return the release date r at which ``r + Σ{r_j ≥ r} amount_j`` is largest, up to rounding.

    Such a bound holds for every r, since no job released at r or later runs before r; the choice
    may therefore be made in floating point.

    Examples
    --------
    >>> best_release(np.array([0.0, 9.0]), np.array([4.0, 3.0]))
    9.0
    >>> best_release(np.array([0.0, 9.0]), np.array([40.0, 3.0]))
    0.0
    """
    order = np.argsort(release, kind="stable")
    dates, first = np.unique(release[order], return_index=True)
    since = amounts[order][::-1].cumsum()[::-1][first]
    return float(dates[int((dates + since).argmax())])
