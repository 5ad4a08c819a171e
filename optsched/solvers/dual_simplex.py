"""A dense dual simplex for many small linear programs of the covering kind, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["cover"]

Whole = NDArray[np.int64]
Real = NDArray[np.float64]

#: Pivots by the largest shortfall before the rule that cannot cycle takes over.
FREE_PIVOTS = 60
MOST_PIVOTS = 2000
#: A shortfall below this share of the right side is met.
MET = 1e-11
#: Entries below this are taken for 0 as pivots.
SMALLEST_PIVOT = 1e-11


@njit(cache=True)
def cover(costs: Real, rows: Real, right: Real, most: float, duals: Real, solution: Real) -> float:
    """Return a lower bound on ``min c x`` subject to ``A x ≥ b``, ``x ≥ 0``, where c ≥ 0.

    Starts at x = 0, which is dual feasible since no cost is negative. The value is computed from
    the duals and the data, not read off the tableau: for any y ≥ 0 and any solution with no x
    above ``most`` it holds that ``c x ≥ y b − Σ max(0, (yA)_k − c_k) · most``. So rounding, and
    even a run cut short, can only make the bound weaker.

    Parameters
    ----------
    costs, rows, right
        c, shape (K,); A, shape (M, K); b, shape (M,).
    most
        No variable of a solution that is of interest exceeds this.
    duals, solution
        Filled with y, shape (M,), and x, shape (K,).

    Returns
    -------
    float
        The bound; ∞ if there is no solution.
    """
    count, variables = rows.shape
    table = np.empty((count, variables))
    shortfall = np.empty(count)
    cost = costs.copy()
    basic = np.empty(count, dtype=np.int64)
    other = np.arange(variables)
    largest = 0.0
    for i in range(count):
        basic[i] = variables + i
        shortfall[i] = -right[i]
        largest = max(largest, abs(right[i]))
        for k in range(variables):
            table[i, k] = -rows[i, k]
    is_empty = False
    for pivots in range(MOST_PIVOTS):
        leaving = -1
        lowest = -MET * max(1.0, largest)
        for i in range(count):
            if shortfall[i] < lowest:
                if pivots < FREE_PIVOTS:
                    lowest = shortfall[i]
                    leaving = i
                elif leaving < 0 or basic[i] < basic[leaving]:
                    leaving = i
        if leaving < 0:
            break
        entering = -1
        least = np.inf
        for k in range(variables):
            entry = -table[leaving, k]
            if entry > SMALLEST_PIVOT:
                ratio = cost[k] / entry
                if ratio < least or (ratio == least and other[k] < other[entering]):
                    least = ratio
                    entering = k
        if entering < 0:
            is_empty = True
            break
        _exchange(table, shortfall, cost, leaving, entering)
        basic[leaving], other[entering] = other[entering], basic[leaving]
    if is_empty:
        return np.inf
    duals[:] = 0.0
    solution[:] = 0.0
    for k in range(variables):
        if other[k] >= variables:
            duals[other[k] - variables] = max(0.0, cost[k])
    for i in range(count):
        if basic[i] < variables:
            solution[basic[i]] = max(0.0, shortfall[i])
    value = 0.0
    for i in range(count):
        value += duals[i] * right[i]
    for k in range(variables):
        excess = -costs[k]
        for i in range(count):
            excess += duals[i] * rows[i, k]
        if excess > 0.0:
            value -= excess * most
    return value


@njit(cache=True)
def _exchange(table: Real, right: Real, cost: Real, row: int, column: int) -> None:
    """Make the variable of a column basic in a row."""
    count, variables = table.shape
    pivot = table[row, column]
    for k in range(variables):
        table[row, k] /= pivot
    right[row] /= pivot
    table[row, column] = 1.0 / pivot
    for i in range(count):
        if i == row:
            continue
        factor = table[i, column]
        if factor != 0.0:
            for k in range(variables):
                if k != column:
                    table[i, k] -= factor * table[row, k]
            table[i, column] = -factor / pivot
            right[i] -= factor * right[row]
    factor = cost[column]
    if factor != 0.0:
        for k in range(variables):
            if k != column:
                cost[k] -= factor * table[row, k]
        cost[column] = -factor / pivot
