"""The judge's clock: seconds in continuous time, whole slots in slotted time."""

from __future__ import annotations

import math

__all__ = ["nearest_boundary", "seconds"]

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


def seconds(time_s: float) -> str:
    """Return a time for messages, with as many digits as tell it from its neighbours.

    Examples
    --------
    >>> seconds(0.1 + 0.2), seconds(1.5e9 + 0.25)
    ('0.3 s', '1500000000.25 s')
    """
    return f"{time_s:.15g} s"
