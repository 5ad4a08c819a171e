"""Sums of doubles without any rounding, and the one rounding at the end, which goes down.

A double is a whole number times a power of two. Sums and products of such numbers are again such
numbers, so a bound can be computed exactly and rounded once, towards minus infinity. Summed in
floating point, a bound could come out above the optimum.
"""

from __future__ import annotations

import math
from fractions import Fraction
from operator import mul

import numpy as np
from numpy.typing import NDArray

__all__ = ["exact_dot", "exact_group_sums", "exact_sum", "round_down", "scaled_integers"]

MANTISSA_BITS = 53
#: Mantissas are added up in two halves, so that 2²⁶ of them fit into a double without rounding.
HALF_BITS = 26
#: Whole numbers below this one are exact in a double.
EXACT_BELOW = 2.0**MANTISSA_BITS


def exact_sum(values: NDArray[np.float64]) -> Fraction:
    """Return the sum of finite doubles, without rounding.

    Examples
    --------
    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    Fraction(1, 1)
    """
    return exact_group_sums(values, np.zeros(len(values), dtype=np.int64), 1)[0]


def exact_group_sums(
    values: NDArray[np.float64], group: NDArray[np.int64], groups: int
) -> list[Fraction]:
    """Return the exact sum of each group of finite doubles.

    Parameters
    ----------
    values
        The doubles, shape (n,).
    group
        The group of each, from 0 to ``groups`` − 1, shape (n,).
    groups
        The number of groups.

    Examples
    --------
    >>> exact_group_sums(np.array([0.5, 0.25, 8.0]), np.array([0, 0, 2]), 3)
    [Fraction(3, 4), Fraction(0, 1), Fraction(8, 1)]
    """
    sums = [Fraction(0)] * groups
    if len(values) == 0:
        return sums
    mantissa, exponent = _whole_mantissas(values)
    lowest = int(exponent.min())
    span = int(exponent.max()) - lowest + 1
    cell = group * span + (exponent - lowest)
    high = np.bincount(cell, weights=mantissa >> HALF_BITS, minlength=groups * span)
    low = np.bincount(cell, weights=mantissa & (2**HALF_BITS - 1), minlength=groups * span)
    for position in np.flatnonzero((high != 0) | (low != 0)).tolist():
        whole = (int(high[position]) << HALF_BITS) + int(low[position])
        sums[position // span] += _scaled(whole, lowest + position % span)
    return sums


def exact_dot(left: NDArray[np.float64], right: NDArray[np.float64]) -> Fraction:
    """Return the sum of the products of two columns of doubles, without rounding.

    Examples
    --------
    >>> exact_dot(np.array([3.0, 0.5]), np.array([2.0, 0.5]))
    Fraction(25, 4)
    """
    if bool(np.all(left == 1.0)):
        return exact_sum(right)
    left_whole, left_exponent = scaled_integers(left)
    right_whole, right_exponent = scaled_integers(right)
    return _scaled(sum(map(mul, left_whole, right_whole)), left_exponent + right_exponent)


def scaled_integers(values: NDArray[np.float64]) -> tuple[list[int], int]:
    """Write doubles as whole numbers times one common power of two.

    Returns
    -------
    tuple of list of int and int
        The whole numbers, and the exponent of the power of two.

    Examples
    --------
    >>> scaled_integers(np.array([0.75, 2.0])), scaled_integers(np.array([3.0, 5.0]))
    (([3, 8], -2), ([3, 5], 0))
    """
    if bool(np.all((np.abs(values) < EXACT_BELOW) & (values == np.floor(values)))):
        return values.astype(np.int64).tolist(), 0
    mantissa, exponent = _whole_mantissas(values)
    used = mantissa[mantissa != 0]
    # Every mantissa may end in zeros; without them the numbers stay short and arithmetic fast.
    trailing = np.frexp((used & -used).astype(np.float64))[1] - 1
    lowest = int((exponent[mantissa != 0] + trailing).min())
    shift = exponent - lowest
    pairs = zip(mantissa.tolist(), shift.tolist(), strict=True)
    return [m << s if s >= 0 else m >> -s for m, s in pairs], lowest


def round_down(exact: Fraction) -> float:
    """Return the largest double that is not above an exact value.

    Examples
    --------
    >>> round_down(Fraction(1, 2)), Fraction(round_down(Fraction(1, 10))) <= Fraction(1, 10)
    (0.5, True)
    """
    nearest = float(exact)
    return nearest if Fraction(nearest) <= exact else math.nextafter(nearest, -math.inf)


def _whole_mantissas(values: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return m and e with ``values = m · 2**e`` and every m a whole number of at most 53 bits."""
    fraction, exponent = np.frexp(values)
    mantissa = np.ldexp(fraction, MANTISSA_BITS).astype(np.int64)
    return mantissa, np.where(mantissa == 0, 0, exponent.astype(np.int64) - MANTISSA_BITS)


def _scaled(whole: int, exponent: int) -> Fraction:
    return Fraction(whole << exponent) if exponent >= 0 else Fraction(whole, 1 << -exponent)
