"""The compiled pricing of shapes: the best assignment of jobs to slots, demand by demand."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["assign_jobs", "assignment_values"]

Whole = NDArray[np.int64]
Values = NDArray[np.float64]


@njit(cache=True)
def _best_assignment(
    values: Values, first: int, after: int, types: Whole, copies: Whole, chosen: Whole
) -> float:
    """Fill in the type that each job of a demand takes, −1 for none; return the total value.

    A dynamic programme over the jobs; its states are the copies of each type that are left, as
    digits of a number of mixed radix.
    """
    kinds = len(types)
    jobs = after - first
    stride = np.empty(kinds + 1, dtype=np.int64)
    stride[0] = 1
    for kind in range(kinds):
        stride[kind + 1] = stride[kind] * (copies[kind] + 1)
    states = stride[kinds]
    best = np.zeros(states)
    taken = np.full((jobs, states), -1, dtype=np.int8)
    for job in range(jobs):
        # Descending, so that what is left after a slot is still that of the jobs before.
        for state in range(states - 1, 0, -1):
            highest = best[state]
            for kind in range(kinds):
                value = values[first + job, types[kind]]
                if value > 0.0 and state // stride[kind] % (copies[kind] + 1) > 0:
                    total = best[state - stride[kind]] + value
                    if total > highest:
                        highest = total
                        taken[job, state] = kind
            best[state] = highest
    state = states - 1
    for job in range(jobs - 1, -1, -1):
        kind = taken[job, state]
        chosen[job] = -1
        if kind >= 0:
            chosen[job] = types[kind]
            state -= stride[kind]
    most: float = best[states - 1]
    return most


@njit(cache=True)
def assignment_values(
    values: Values,
    first: Whole,
    after: Whole,
    begin: Whole,
    types: Whole,
    copies: Whole,
    demand: Whole,
    result: Values,
) -> None:
    """Find what each multiset of slots of one demand is worth at most.

    Parameters
    ----------
    values
        Value of each job in each slot type, shape (n, T), jobs sorted by demand.
    first, after
        Positions of the first job of each demand, and after the last.
    begin
        Where the distinct types of each multiset begin in the next two, shape (M + 1,).
    types, copies
        Distinct types of all multisets, and how often each occurs there.
    demand
        Position of each multiset's demand, shape (M,).
    result
        Filled in, shape (M,).
    """
    chosen = np.empty(len(values), dtype=np.int64)
    for one in range(len(demand)):
        low, high = begin[one], begin[one + 1]
        which = demand[one]
        result[one] = _best_assignment(
            values, first[which], after[which], types[low:high], copies[low:high], chosen
        )


@njit(cache=True)
def assign_jobs(
    values: Values,
    first: Whole,
    after: Whole,
    begin: Whole,
    types: Whole,
    copies: Whole,
    demand: Whole,
    multisets: Whole,
    result: Whole,
) -> None:
    """Fill in the slot type that each job takes in some multisets, −1 for none, shape (n,)."""
    result[:] = -1
    for one in multisets:
        low, high = begin[one], begin[one + 1]
        which = demand[one]
        _best_assignment(
            values,
            first[which],
            after[which],
            types[low:high],
            copies[low:high],
            result[first[which] : after[which]],
        )
