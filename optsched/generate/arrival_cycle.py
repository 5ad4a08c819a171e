"""Arrivals as a Poisson process whose rate follows the hours of a day and the days of a week."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from optsched.contention.calibration import Estimate

__all__ = ["ArrivalCycle", "fit_arrivals"]

Column = NDArray[np.float64]

HOUR_S, DAY_S, WEEK_S = 3600.0, 86_400.0, 604_800.0
HOURS, DAYS = 24, 7
STEPS = 200
FLAT_HOURS = (Estimate(1.0, 1.0, 1.0),) * HOURS
FLAT_DAYS = (Estimate(1.0, 1.0, 1.0),) * DAYS


@dataclass(frozen=True, slots=True)
class ArrivalCycle:
    """A rate of arrivals, times a factor of the hour, times a factor of the weekday.

    Parameters
    ----------
    rate_per_s
        Arrivals a second over a whole week.
    hours, weekdays
        24 and 7 factors of mean 1, from midnight (UTC) and from Monday.
    start_s
        Where in the week time 0 is, in seconds after Monday 00:00; 0 if nobody knows.

    Examples
    --------
    >>> cycle = ArrivalCycle(Estimate(1.0, 1.0, 1.0))
    >>> [float(t) for t in cycle.times_s(cycle.amounts(np.array([0.0, 5.0, 1e6])))]
    [0.0, 5.0, 1000000.0]
    """

    rate_per_s: Estimate
    hours: tuple[Estimate, ...] = FLAT_HOURS
    weekdays: tuple[Estimate, ...] = FLAT_DAYS
    start_s: float = 0.0

    def factors(self) -> Column:
        """Return the factor of each of the 168 hours of a week."""
        days = np.array([day.value for day in self.weekdays])
        hours = np.array([hour.value for hour in self.hours])
        return np.asarray(np.outer(days, hours).ravel())

    def amounts(self, time_s: Column) -> Column:
        """Return the seconds, weighted by the factors, from time 0 on."""
        return self._from_monday(time_s + self.start_s) - self._from_monday(
            np.array([self.start_s])
        )

    def times_s(self, amounts: Column) -> Column:
        """Return when so many weighted seconds have passed since time 0."""
        week = float(self.factors().sum()) * HOUR_S
        absolute = amounts + self._from_monday(np.array([self.start_s]))
        weeks = np.floor(absolute / week)
        rising = self._knots()
        # An hour without arrivals is a step, of which the end is meant.
        keep = np.concatenate([[True], np.diff(rising) > 0])
        edges = np.arange(len(rising)) * HOUR_S
        inside = np.interp(absolute - weeks * week, rising[keep], edges[keep])
        return np.asarray(np.maximum(weeks * WEEK_S + inside - self.start_s, 0.0))

    def _from_monday(self, time_s: Column) -> Column:
        weeks = np.floor(time_s / WEEK_S)
        knots = self._knots()
        inside = np.interp(time_s - weeks * WEEK_S, np.arange(len(knots)) * HOUR_S, knots)
        return np.asarray(weeks * knots[-1] + inside)

    def _knots(self) -> Column:
        return np.concatenate([[0.0], np.cumsum(self.factors() * HOUR_S)])


def fit_arrivals(arrival_s: Column, *, start_s: float, confidence: float = 0.95) -> ArrivalCycle:
    """Return the cycle under which the arrivals after the first are the likeliest.

    The hours are told apart from two days on, the weekdays from two weeks on. Intervals are those
    of the log-linear Poisson model (Fisher information).

    Parameters
    ----------
    arrival_s
        Ascending, the first at 0, the last later.
    start_s
        Where in the week time 0 is.
    confidence
        Level of each interval.

    Examples
    --------
    >>> cycle = fit_arrivals(np.arange(0.0, 86_401.0, 60.0), start_s=0.0)
    >>> round(cycle.rate_per_s.value * 60.0, 9), cycle.hours == FLAT_HOURS
    (1.0, True)
    """
    span_s = float(arrival_s[-1])
    counts, exposure_s = _cells(arrival_s, start_s)
    has_hours, has_days = span_s >= 2 * DAY_S, span_s >= 2 * WEEK_S
    rate, hours, days = counts.sum() / span_s, np.ones(HOURS), np.ones(DAYS)
    for _ in range(STEPS):
        if has_hours:
            hours = _ratio(counts.sum(axis=0), rate * (days @ exposure_s))
            hours /= hours.mean()
        if has_days:
            days = _ratio(counts.sum(axis=1), rate * (exposure_s @ hours))
            days /= days.mean()
        rate = counts.sum() / float(days @ exposure_s @ hours)
    expected = rate * np.outer(days, hours) * exposure_s
    halves = _halves(expected, hours, days, has_hours, has_days, confidence)

    def around(value: float, half: float) -> Estimate:
        low, high = (float(value) * math.exp(sign * min(half, 300.0)) for sign in (-1.0, 1.0))
        return Estimate(float(value), low, high)

    return ArrivalCycle(
        around(rate, halves[0]),
        tuple(map(around, hours, halves[1 : 1 + HOURS])) if has_hours else FLAT_HOURS,
        tuple(map(around, days, halves[1 + HOURS :])) if has_days else FLAT_DAYS,
        start_s,
    )


def _ratio(seen: Column, expected: Column) -> Column:
    """Return seen over expected, 1 where the time was never there to be seen."""
    return np.where(expected > 0, seen / np.where(expected > 0, expected, 1.0), 1.0)


def _cells(arrival_s: Column, start_s: float) -> tuple[Column, Column]:
    """Return arrivals after the first, and seconds seen, by weekday and hour."""
    end_s = start_s + float(arrival_s[-1])
    hours = np.arange(math.floor(start_s / HOUR_S), math.ceil(end_s / HOUR_S))
    seen_s = np.minimum((hours + 1) * HOUR_S, end_s) - np.maximum(hours * HOUR_S, start_s)
    cells = hours % (DAYS * HOURS)
    exposure_s = np.bincount(cells, seen_s, DAYS * HOURS).astype(np.float64)
    places = (np.floor((arrival_s[1:] + start_s) / HOUR_S).astype(np.int64)) % (DAYS * HOURS)
    counts = np.bincount(places, minlength=DAYS * HOURS).astype(np.float64)
    return counts.reshape(DAYS, HOURS), exposure_s.reshape(DAYS, HOURS)


def _halves(
    expected: Column,
    hours: Column,
    days: Column,
    has_hours: bool,
    has_days: bool,
    confidence: float,
) -> Sequence[float]:
    """Return half the width of each interval, on the scale of logarithms: rate, hours, weekdays."""
    design = np.zeros((DAYS, HOURS, 1 + HOURS + DAYS))
    design[:, :, 0] = 1.0
    if has_hours:
        design[:, :, 1 : 1 + HOURS] = np.eye(HOURS)[None, :, :]
    if has_days:
        design[:, :, 1 + HOURS :] = np.eye(DAYS)[:, None, :]
    flat = design.reshape(DAYS * HOURS, -1)
    covariance = np.linalg.pinv(flat.T @ (flat * expected.reshape(-1, 1)), hermitian=True)
    # Factors have mean 1, so each is compared with that mean, and the rate takes it over.
    mean_hour = np.concatenate([[0.0], hours / hours.sum() * has_hours, np.zeros(DAYS)])
    mean_day = np.concatenate([[0.0], np.zeros(HOURS), days / days.sum() * has_days])
    contrasts = np.eye(1 + HOURS + DAYS)
    contrasts[0] += mean_hour + mean_day
    contrasts[1 : 1 + HOURS] -= mean_hour
    contrasts[1 + HOURS :] -= mean_day
    variance = np.einsum("ij,jk,ik->i", contrasts, covariance, contrasts)
    normal = NormalDist().inv_cdf(0.5 + confidence / 2.0)
    return [float(x) for x in normal * np.sqrt(np.maximum(variance, 0.0))]
