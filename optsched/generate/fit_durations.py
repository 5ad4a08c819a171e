"""The law of a sample of durations, by maximum likelihood, with intervals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from optsched.contention.calibration import Estimate
from optsched.generate.laws import DurationLaw, Kind

__all__ = ["FittedLaw", "fit_law"]

Column = NDArray[np.float64]

#: What is tried: lognormal mixtures, Weibull, hyperexponential.
CANDIDATES: tuple[tuple[Kind, int], ...] = (
    ("lognormal", 1),
    ("lognormal", 2),
    ("lognormal", 3),
    ("lognormal", 4),
    ("weibull", 1),
    ("exponential", 2),
)
#: A part narrower than this would be a spike at one duration.
LEAST_SIGMA, MOST_SIGMA = 0.05, 4.0
#: Jobs that it takes to tell so many parts apart.
LEAST_JOBS = {1: 1, 2: 60, 3: 1500, 4: 10_000}
#: Logarithms are rounded to this: far below the least σ, and a large sample has few values.
GRID = 1.0 / 256.0
EM_STEPS = 200
STEP = 1e-5


@dataclass(frozen=True, slots=True)
class FittedLaw:
    """A law, and how well the sample determines it.

    Parameters
    ----------
    law
        The law.
    weights, scales_s, shapes
        Its parameters with intervals.
    log_likelihood
        Of the logarithms of the sample.
    criterion
        Bayesian information criterion, 2 for each unit of likelihood: less is better.
    """

    law: DurationLaw
    weights: tuple[Estimate, ...]
    scales_s: tuple[Estimate, ...]
    shapes: tuple[Estimate, ...]
    log_likelihood: float
    criterion: float


def fit_law(
    duration_s: Column,
    *,
    candidates: Sequence[tuple[Kind, int]] = CANDIDATES,
    confidence: float = 0.95,
    start: DurationLaw | None = None,
) -> FittedLaw:
    """Return the law whose Bayesian information criterion is the least.

    The range is that of the sample. Intervals come from the information in the sample (outer
    products of the scores), on the scale of logarithms and of logits.

    Parameters
    ----------
    duration_s
        The sample, all above 0.
    candidates
        Kinds and numbers of parts to try.
    confidence
        Level of each interval.
    start
        A law to climb from besides the usual start, where it is of the same kind and size.

    Examples
    --------
    >>> sample = np.exp(5.0 + 1.5 * np.random.default_rng(1).standard_normal(2000))
    >>> fitted = fit_law(sample)
    >>> fitted.law.name, fitted.shapes[0].low < 1.5 < fitted.shapes[0].high
    ('lognormal-1', True)
    """
    values, counts = np.unique(np.rint(np.log(duration_s) / GRID) * GRID, return_counts=True)
    low_s, high_s = float(duration_s.min()), float(duration_s.max())
    # The rounding must not push the ends of the sample out of the range.
    ends = (low_s * math.exp(-GRID), high_s * math.exp(GRID))
    best = None
    for kind, parts in candidates:
        if len(duration_s) < LEAST_JOBS[parts]:
            continue
        starts = [_start(values, counts, kind, parts)]
        if start is not None and (start.kind, len(start.weights)) == (kind, parts):
            starts.append(_point(start))
        for point in starts:
            found = _climb(values, counts, kind, parts, point, ends)
            if best is None or found[0] < best[0]:
                best = found
    assert best is not None
    criterion, kind, point = best
    if start is not None and (start.kind, len(start.weights)) == (
        kind,
        len(_split(point, kind)[0]),
    ):
        point = _matched(point, kind, start)
    law = _law(kind, point, ends)
    likelihood = float(counts @ law.log_density(values))
    return FittedLaw(
        law, *_intervals(values, counts, kind, point, ends, confidence), likelihood, criterion
    )


def _climb(
    values: Column,
    counts: NDArray[np.int64],
    kind: Kind,
    parts: int,
    start: Column,
    ends: tuple[float, float],
) -> tuple[float, Kind, Column]:
    """Return the criterion, the kind and the parameters at the top."""
    from scipy.optimize import minimize

    number = int(counts.sum())

    def loss(point: Column) -> float:
        density = _law(kind, point, ends).log_density(values)
        value = -float(counts @ density) / number
        return value if math.isfinite(value) else 1e6

    bounds = _bounds(kind, parts, values)
    found = minimize(loss, np.clip(start, *np.array(bounds).T), method="L-BFGS-B", bounds=bounds)
    order = _ordered(found.x, kind)
    return 2.0 * number * float(found.fun) + len(start) * math.log(number), kind, order


def _start(values: Column, counts: NDArray[np.int64], kind: Kind, parts: int) -> Column:
    """Return parameters to climb from: for lognormal ones, of the mixture without a range."""
    share = np.cumsum(counts) / counts.sum()
    places = values[
        np.searchsorted(share, (np.arange(parts) + 0.5) / parts).clip(0, len(values) - 1)
    ]
    mean = float(counts @ values) / counts.sum()
    spread = math.sqrt(max(float(counts @ (values - mean) ** 2) / counts.sum(), LEAST_SIGMA**2))
    if kind == "weibull":
        return np.array([places[0] + 0.5, math.log(0.6)])
    if kind == "exponential":
        return np.concatenate([np.zeros(parts - 1), places])
    weights = np.full(parts, 1.0 / parts)
    sigmas = np.full(parts, spread / math.sqrt(parts))
    for _ in range(EM_STEPS if parts > 1 else 1):
        z = (values[:, None] - places) / sigmas
        density = weights / sigmas * np.exp(-0.5 * z * z) + 1e-300
        belongs = density / density.sum(axis=1, keepdims=True) * counts[:, None]
        size = np.maximum(belongs.sum(axis=0), 1e-9)
        weights = np.maximum(size / counts.sum(), 1e-6)
        places = belongs.T @ values / size
        variance = (belongs * (values[:, None] - places) ** 2).sum(axis=0) / size
        sigmas = np.sqrt(variance).clip(LEAST_SIGMA, MOST_SIGMA)
    logits = np.log(weights[1:] / weights[0])
    return np.concatenate([logits, places, np.log(sigmas)])


def _bounds(kind: Kind, parts: int, values: Column) -> list[tuple[float, float]]:
    places = [(float(values[0]), float(values[-1]))] * parts
    shapes = {
        "lognormal": [(math.log(LEAST_SIGMA), math.log(MOST_SIGMA))] * parts,
        "weibull": [(math.log(0.05), math.log(20.0))] * parts,
        "exponential": [],
    }
    return [(-15.0, 15.0)] * (parts - 1) + places + shapes[kind]


def _split(point: Column, kind: Kind) -> tuple[Column, Column, Column]:
    """Return weights, logarithms of scales, and shapes."""
    parts = (len(point) + 1) // (2 if kind == "exponential" else 3)
    logits = np.concatenate([[0.0], point[: parts - 1]])
    weights = np.exp(logits - logits.max())
    places = point[parts - 1 : 2 * parts - 1]
    shapes = np.ones(parts) if kind == "exponential" else np.exp(point[2 * parts - 1 :])
    return weights / weights.sum(), places, shapes


def _law(kind: Kind, point: Column, ends: tuple[float, float]) -> DurationLaw:
    weights, places, shapes = _split(point, kind)
    scales = np.exp(places)
    return DurationLaw(
        kind, tuple(weights.tolist()), tuple(scales.tolist()), tuple(shapes.tolist()), *ends
    )


def _point(law: DurationLaw) -> Column:
    weights = np.maximum(np.array(law.weights), 1e-6)
    shapes = np.log(law.shapes) if law.kind != "exponential" else np.zeros(0)
    return np.concatenate([np.log(weights[1:] / weights[0]), np.log(law.scales_s), shapes])


def _ordered(point: Column, kind: Kind) -> Column:
    """Return the parameters with the parts by their scale."""
    return _permuted(point, kind, np.argsort(_split(point, kind)[1], kind="stable"))


def _matched(point: Column, kind: Kind, like: DurationLaw) -> Column:
    """Return the parameters with each part in the place of that of ``like`` to which it is near."""
    _, places, shapes = _split(point, kind)
    apart = np.abs(np.subtract.outer(np.log(like.scales_s), places))
    apart += np.abs(np.subtract.outer(np.log(like.shapes), np.log(shapes)))
    rows = range(len(places))
    best = min(
        itertools.permutations(rows),
        key=lambda order: sum(float(apart[row, part]) for row, part in enumerate(order)),
    )
    return _permuted(point, kind, np.array(best))


def _permuted(point: Column, kind: Kind, order: NDArray[np.int64]) -> Column:
    weights, places, shapes = _split(point, kind)
    law = DurationLaw(
        kind,
        tuple(weights[order].tolist()),
        tuple(np.exp(places[order]).tolist()),
        tuple(shapes[order].tolist()),
        1.0,
        2.0,
    )
    return _point(law)


def _intervals(
    values: Column,
    counts: NDArray[np.int64],
    kind: Kind,
    point: Column,
    ends: tuple[float, float],
    confidence: float,
) -> tuple[tuple[Estimate, ...], tuple[Estimate, ...], tuple[Estimate, ...]]:
    shifts = np.eye(len(point)) * STEP
    scores = np.stack(
        [
            (
                _law(kind, point + shift, ends).log_density(values)
                - _law(kind, point - shift, ends).log_density(values)
            )
            / (2.0 * STEP)
            for shift in shifts
        ]
    )
    information = (scores * counts) @ scores.T
    covariance = np.linalg.pinv(information, hermitian=True)
    normal = NormalDist().inv_cdf(0.5 + confidence / 2.0)
    deviation = normal * np.sqrt(np.maximum(np.diag(covariance), 0.0))
    weights, places, shapes = _split(point, kind)
    parts = len(weights)

    def around(log_value: float, half: float) -> Estimate:
        half = min(half, 300.0)
        return Estimate(math.exp(log_value), math.exp(log_value - half), math.exp(log_value + half))

    scales = tuple(
        around(place, half)
        for place, half in zip(places, deviation[parts - 1 : 2 * parts - 1], strict=True)
    )
    shape_deviation = np.zeros(parts) if kind == "exponential" else deviation[2 * parts - 1 :]
    shape = tuple(
        around(math.log(value), half) for value, half in zip(shapes, shape_deviation, strict=True)
    )
    # Slope of each weight over the logits, and from there to the logit of the weight.
    slopes = (np.diag(weights) - np.outer(weights, weights))[:, 1:]
    block = covariance[: parts - 1, : parts - 1]
    spread = normal * np.sqrt(np.maximum(np.diag(slopes @ block @ slopes.T), 0.0))
    return tuple(_share(w, half) for w, half in zip(weights, spread, strict=True)), scales, shape


def _share(weight: float, half: float) -> Estimate:
    """Return a weight and its interval, which stays between 0 and 1."""
    if not 0.0 < weight < 1.0:
        return Estimate(float(weight), float(weight), float(weight))
    logit = math.log(weight / (1.0 - weight))
    reach = min(half / (weight * (1.0 - weight)), 300.0)
    low, high = (1.0 / (1.0 + math.exp(-(logit + sign * reach))) for sign in (-1.0, 1.0))
    return Estimate(float(weight), low, high)
