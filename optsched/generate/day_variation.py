"""Busy and idle days: what a Poisson process with a weekly cycle leaves out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optsched.core.errors import InstanceError, Problem
from optsched.generate.arrival_cycle import DAY_S, HOUR_S, ArrivalCycle

__all__ = ["DayVariation", "fit_days", "varying_times_s"]

Column = NDArray[np.float64]

LEAST_DAYS = 14
MAX_DAYS = 200_000


@dataclass(frozen=True, slots=True)
class DayVariation:
    """The rate of each day is that of the cycle times a lognormal factor of mean 1.

    Parameters
    ----------
    spread
        σ of the factor's logarithm.
    memory
        Correlation of the logarithm from one day to the next, from 0 to 1.
    """

    spread: float
    memory: float

    def factors(self, uniform: Column) -> Column:
        """Return a factor for each day, from a uniform number each.

        Examples
        --------
        >>> DayVariation(0.0, 0.5).factors(np.array([0.2, 0.9])).tolist()
        [1.0, 1.0]
        """
        from scipy.special import ndtri

        fresh = ndtri(uniform + 2.0**-54)
        level, levels = float(fresh[0]), [float(fresh[0])]
        part = math.sqrt(1.0 - self.memory**2)
        for step in fresh[1:].tolist():
            level = self.memory * level + part * step
            levels.append(level)
        return np.asarray(np.exp(self.spread * np.array(levels) - self.spread**2 / 2.0))


def fit_days(arrival_s: Column, cycle: ArrivalCycle) -> DayVariation | None:
    """Return how much whole days differ from the cycle, by moments; None for under two weeks.

    What a Poisson process varies by itself is taken off.

    Examples
    --------
    >>> from optsched.generate.arrival_cycle import fit_arrivals
    >>> times = np.arange(0.0, 20 * DAY_S, 600.0)
    >>> fit_days(times, fit_arrivals(times, start_s=0.0))
    DayVariation(spread=0.0, memory=0.0)
    """
    first = math.ceil(cycle.start_s / DAY_S)
    last = math.floor((cycle.start_s + float(arrival_s[-1])) / DAY_S)
    if last - first < LEAST_DAYS:
        return None
    edges = np.arange(first, last + 1, dtype=np.float64) * DAY_S - cycle.start_s
    expected = np.diff(cycle.amounts(edges)) * cycle.rate_per_s.value
    usable = expected > 0
    seen = np.histogram(arrival_s, edges)[0]
    excess = np.where(usable, seen / np.where(usable, expected, 1.0) - 1.0, 0.0)
    chance = np.where(usable, 1.0 / np.where(usable, expected, 1.0), 0.0)
    variance = float((excess**2 - chance)[usable].mean())
    if variance <= 0:
        return DayVariation(0.0, 0.0)
    pairs = usable[1:] & usable[:-1]
    together = float((excess[1:] * excess[:-1])[pairs].mean()) if pairs.any() else 0.0
    square = math.log1p(variance)
    memory = math.log1p(max(together, 0.0)) / square
    return DayVariation(math.sqrt(square), min(memory, 0.99))


def varying_times_s(
    cycle: ArrivalCycle,
    variation: DayVariation,
    expected: Column,
    span_s: float | None,
    uniforms: Callable[[int], Column],
) -> Column:
    """Return arrivals on days that vary, the last expected at ``span_s``.

    Parameters
    ----------
    cycle, variation
        The rate.
    expected
        Arrivals of a process of rate 1, ascending from 0.
    span_s
        None: at the cycle's own rate.
    uniforms
        Draws so many uniform numbers, of which fewer are the first.

    Raises
    ------
    InstanceError
        If the span has more days than make sense.
    """
    gaps = max(len(expected) - 1, 1)
    length_s = gaps / cycle.rate_per_s.value if span_s is None else span_s
    days = 3 * math.ceil(length_s / DAY_S) + 30
    while days <= MAX_DAYS:
        edges = np.arange(24.0 * days + 1.0) * HOUR_S
        day = ((edges[:-1] + cycle.start_s % DAY_S) // DAY_S).astype(np.int64)
        amounts = np.diff(cycle.amounts(edges)) * variation.factors(uniforms(days + 1))[day]
        rising = np.concatenate([[0.0], np.cumsum(amounts)])
        whole = float(np.interp(length_s, edges, rising))
        if span_s is None or not whole > 0:
            wanted = expected / cycle.rate_per_s.value
        else:
            wanted = expected * (whole / gaps)
        if wanted[-1] <= rising[-1]:
            keep = np.concatenate([[True], np.diff(rising) > 0])
            return np.asarray(np.interp(wanted, rising[keep], edges[keep]))
        days *= 2
    expected_text = f"arrivals within {MAX_DAYS:,} days, for days that vary"
    got = f"{length_s / DAY_S:,.0f} days"
    remedy = "use days=steady or a higher load"
    raise InstanceError([Problem(("fitted", "days"), expected_text, got, remedy)])
