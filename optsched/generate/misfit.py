"""How far a fitted law is from its sample: the Kolmogorov-Smirnov distance, with an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optsched.contention.calibration import Estimate

__all__ = ["Misfit", "misfit"]

#: 95% of samples of the law itself are nearer than this over the root of their size.
KOLMOGOROV_95 = 1.358


@dataclass(frozen=True, slots=True)
class Misfit:
    """A Kolmogorov-Smirnov distance.

    Parameters
    ----------
    distance
        The distance, with the interval of a bootstrap over the sample.
    chance
        What 95% of samples of this size from the law itself stay below.

    Examples
    --------
    >>> Misfit(Estimate(0.02, 0.015, 0.04), 0.03).is_chance
    True
    """

    distance: Estimate
    chance: float

    @property
    def is_chance(self) -> bool:
        """True if chance alone explains the distance."""
        return self.distance.value <= self.chance


def misfit(
    levels: NDArray[np.float64],
    *,
    resamples: int = 200,
    confidence: float = 0.95,
    seed: int = 0,
) -> Misfit:
    """Return the distance between a sample and its law.

    Parameters
    ----------
    levels
        The law's probability of a value of at most each one of the sample, in any order.
    resamples, confidence, seed
        The bootstrap: how many samples are drawn from the sample, the level of the interval (with
        the bias taken off that drawing anew has), the seed.

    Examples
    --------
    >>> found = misfit(np.array([0.1, 0.3, 0.5, 0.7, 0.9]), resamples=50)
    >>> round(found.distance.value, 3)
    0.1
    """
    ordered = np.sort(levels)
    number = len(ordered)
    generator = np.random.default_rng(seed)
    ones = np.ones(number, dtype=np.int64)
    here = _distance(ordered, ones)
    draws = [
        _distance(ordered, np.bincount(generator.integers(0, number, number), minlength=number))
        for _ in range(resamples)
    ]
    tail = (1.0 - confidence) / 2.0
    # A sample drawn from the sample is further from the law than the sample is, by chance.
    shift = float(np.median(draws)) - here
    low, high = (float(x) - shift for x in np.quantile(draws, [tail, 1.0 - tail]))
    return Misfit(
        Estimate(here, min(max(low, 0.0), here), max(high, here)),
        KOLMOGOROV_95 / math.sqrt(number),
    )


def _distance(ordered: NDArray[np.float64], counts: NDArray[np.int64]) -> float:
    above = np.cumsum(counts) / counts.sum()
    below = above - counts / counts.sum()
    here = counts > 0
    return float(max((above - ordered)[here].max(), (ordered - below)[here].max()))
