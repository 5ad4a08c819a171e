"""The judge's clock: seconds in continuous time, whole slots in slotted time."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from optsched.contention.rate_model import RateFunctions

__all__ = ["boundaries", "nearest_boundary", "progress_per_slot", "seconds", "tolerance_s"]

#: The share of a slot by which a time may miss its boundary.
BOUNDARY_TOLERANCE = 1e-6


def nearest_boundary(time_s: float, slot_s: float) -> int | None:
    """Return the slot that starts at ``time_s``, or None if none does.

    Examples
    --------
    >>> nearest_boundary(0.1 + 0.2, 0.1), nearest_boundary(0.25, 0.1)
    (3, None)
    """
    slot = round(time_s / slot_s)
    missed_s = abs(time_s - slot * slot_s)
    is_on_it = missed_s <= BOUNDARY_TOLERANCE * slot_s + 4.0 * math.ulp(time_s)
    return slot if is_on_it else None


def progress_per_slot(rates: RateFunctions, iteration_time_s: float) -> float:
    """Return the iterations one slot holds; infinitely many if one takes no time."""
    return rates.progress_per_slot(iteration_time_s) if iteration_time_s > 0 else math.inf


def seconds(time_s: float) -> str:
    """Return a time for messages, with as many digits as tell it from its neighbours.

    Examples
    --------
    >>> seconds(0.1 + 0.2), seconds(1.5e9 + 0.25)
    ('0.3 s', '1500000000.25 s')
    """
    return f"{time_s:.15g} s"


def boundaries(
    times_s: NDArray[np.float64], slot_s: float
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the slots nearest to the times, and whether each time is where its slot starts.

    Examples
    --------
    >>> slots, is_on = boundaries(np.array([0.1 + 0.2, 0.25]), 0.1)
    >>> slots.tolist(), is_on.tolist()
    ([3.0, 2.0], [True, False])
    """
    slots = np.rint(times_s / slot_s)
    allowed_s = BOUNDARY_TOLERANCE * slot_s + 4.0 * np.spacing(np.abs(times_s))
    return slots, np.abs(times_s - slots * slot_s) <= allowed_s


def tolerance_s(
    start_s: NDArray[np.float64], end_s: NDArray[np.float64], slot_s: float | None
) -> float:
    """Return how far a time may be off: a billionth of the span and a few units of the clock.

    It never grows with the clock itself; at Unix times a share of it would be seconds. In slotted
    time it is never more than a small part of a slot.

    Examples
    --------
    >>> tolerance_s(np.array([1.5e9]), np.array([1.5e9 + 1000.0]), None) < 3e-6
    True
    """
    if len(start_s) == 0:
        return 0.0
    latest_s = max(float(np.abs(start_s).max()), float(np.abs(end_s).max()))
    rounding_s = 4.0 * math.ulp(latest_s)
    span_s = float(end_s.max() - start_s.min())
    allowed_s = 1e-9 * span_s
    if slot_s is not None:
        allowed_s = min(allowed_s, BOUNDARY_TOLERANCE * slot_s)
    return allowed_s + rounding_s
