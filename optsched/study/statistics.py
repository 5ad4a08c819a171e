"""Means of repeated runs, with the interval that they leave open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Interval", "mean_interval"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and half its 95% confidence interval.

    Parameters
    ----------
    mean
        Mean of the values; NaN if there are none.
    half_width
        Half the interval by Student's distribution; NaN for fewer than two values.
    count
        How many values there are.
    """

    mean: float
    half_width: float
    count: int


def mean_interval(values: Sequence[float]) -> Interval:
    """Return mean and 95% interval of independent values.

    Examples
    --------
    >>> found = mean_interval([1.0, 2.0, 3.0])
    >>> found.mean, round(found.half_width, 3), found.count
    (2.0, 2.484, 3)
    """
    column = np.array(values, dtype=np.float64)
    if not len(column):
        return Interval(math.nan, math.nan, 0)
    if len(column) == 1:
        return Interval(float(column[0]), math.nan, 1)
    # SciPy takes long to load, and few commands need it.
    from scipy.special import stdtrit

    error = float(column.std(ddof=1)) / math.sqrt(len(column))
    half_width = float(stdtrit(len(column) - 1, 0.975)) * error
    return Interval(float(column.mean()), half_width, len(column))
