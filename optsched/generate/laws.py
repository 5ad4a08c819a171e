"""Laws of durations: mixtures of lognormal, Weibull or exponential times, cut to a range."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from optsched.core.errors import UnknownNameError

__all__ = ["DurationLaw", "Kind"]

Kind = Literal["lognormal", "weibull", "exponential"]
Column = NDArray[np.float64]

#: What a scale and a shape of each kind are called.
SCALE_NAMES = {"lognormal": "medians_s", "weibull": "scales_s", "exponential": "means_s"}
SHAPE_NAMES = {"lognormal": "sigmas", "weibull": "shapes"}


@dataclass(frozen=True, slots=True)
class DurationLaw:
    """A mixture of times of one kind, given that the time lies in a range.

    Parameters
    ----------
    kind
        ``lognormal`` (scale: median, shape: σ of the logarithm), ``weibull`` (shape below 1: long
        tail) or ``exponential`` (scale: mean; two of them are hyperexponential).
    weights
        Shares of the parts before the range is cut out; they add up to 1.
    scales_s
        Scale of each part in seconds, ascending.
    shapes
        Shape of each part; 1 for exponential ones.
    low_s, high_s
        The range.

    Examples
    --------
    >>> law = DurationLaw("lognormal", (1.0,), (1000.0,), (2.0,), 1.0, 1e6)
    >>> [round(float(x)) for x in law.quantiles_s(np.array([0.5]), np.array([0.5]))]
    [1000]
    >>> round(float(law.distribution(np.array([1000.0]))[0]), 3)
    0.5
    """

    kind: Kind
    weights: tuple[float, ...]
    scales_s: tuple[float, ...]
    shapes: tuple[float, ...]
    low_s: float
    high_s: float

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise UnknownNameError("law of durations", self.kind, get_args(Kind))

    @property
    def name(self) -> str:
        """Kind and number of parts, such as ``lognormal-3``."""
        return f"{self.kind}-{len(self.weights)}"

    @property
    def covered(self) -> float:
        """Share of the whole mixture that lies in the range."""
        below = self._whole(np.log([self.low_s, self.high_s]))
        return float(below[1] - below[0])

    def distribution(self, duration_s: Column) -> Column:
        """Return the probability of a time of at most ``duration_s``."""
        below = self._whole(np.log([self.low_s, self.high_s]))
        share = (self._whole(np.log(duration_s)) - below[0]) / (below[1] - below[0])
        return np.asarray(np.clip(share, 0.0, 1.0))

    def log_density(self, log_s: Column) -> Column:
        """Return the logarithm of the density of the times' logarithm."""
        below = self._whole(np.log([self.low_s, self.high_s]))
        with np.errstate(divide="ignore"):
            density = np.log(self._density(log_s))
            return np.asarray(density - np.log(below[1] - below[0]))

    def quantiles_s(self, which: Column, place: Column) -> Column:
        """Return times from two uniform numbers each: which part, and where in it."""
        lows, highs = (
            np.array([self._part(math.log(end), part) for part in range(len(self.weights))])
            for end in (self.low_s, self.high_s)
        )
        # A mixture cut to a range is a mixture of parts cut to it, with other weights.
        shares = np.cumsum(np.array(self.weights) * (highs - lows))
        part = np.minimum(
            np.searchsorted(shares / shares[-1], which, side="right"), len(shares) - 1
        )
        level = lows[part] + place * (highs[part] - lows[part])
        scales, shapes = np.array(self.scales_s)[part], np.array(self.shapes)[part]
        if self.kind == "lognormal":
            from scipy.special import ndtri

            times = scales * np.exp(shapes * ndtri(level))
        else:
            times = scales * (-np.log1p(-level)) ** (1.0 / shapes)
        return np.asarray(np.clip(times, self.low_s, self.high_s))

    def mean_s(self) -> float:
        """Return the mean, by the trapezoidal rule over 20,000 steps of the logarithm."""
        grid = np.linspace(math.log(self.low_s), math.log(self.high_s), 20_001)
        density = np.exp(self.log_density(grid) + grid)
        return float(np.trapezoid(density, grid))

    def _whole(self, log_s: Column) -> Column:
        """Return the distribution of the whole mixture, before the range is cut out."""
        parts = [w * self._part(log_s, part) for part, w in enumerate(self.weights)]
        return np.asarray(sum(parts))

    def _part(self, log_s: Column | float, part: int) -> Column:
        z = (np.asarray(log_s) - math.log(self.scales_s[part])) * self._rate(part)
        if self.kind == "lognormal":
            from scipy.special import ndtr

            return np.asarray(ndtr(z))
        return -np.expm1(-np.exp(z))

    def _density(self, log_s: Column) -> Column:
        total = np.zeros_like(log_s)
        for part, weight in enumerate(self.weights):
            rate = self._rate(part)
            z = (log_s - math.log(self.scales_s[part])) * rate
            if self.kind == "lognormal":
                shape = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
            else:
                with np.errstate(over="ignore"):
                    shape = np.exp(z - np.exp(z))
            total += weight * rate * shape
        return total

    def _rate(self, part: int) -> float:
        return 1.0 / self.shapes[part] if self.kind == "lognormal" else self.shapes[part]
