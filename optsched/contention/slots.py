"""Slotted time: what fits into a slot, and how many slots some work takes."""

from __future__ import annotations

import math

__all__ = ["at_slot_boundary", "iterations_per_slot", "slots_needed"]

#: So that a slot of exactly k iterations counts k, whatever the division makes of it.
ROUNDING = 1e-9


def iterations_per_slot(slot_s: float, iteration_time_s: float) -> int:
    """Return φ = ⌊slot/τ⌋, the iterations that one slot holds (Yu et al. 2022, section 4).

    Examples
    --------
    >>> iterations_per_slot(1.0, 0.1), iterations_per_slot(1.0, 0.03), iterations_per_slot(1.0, 2.0)
    (10, 33, 0)
    """
    return math.floor(slot_s / iteration_time_s + ROUNDING)


def slots_needed(iterations: float, per_slot: float) -> int:
    """Return the slots that ``iterations`` take at ``per_slot`` iterations a slot, rounded up.

    Whole numbers are divided exactly. Otherwise a surplus of a billionth of a slot, or of a few
    units in the last place of the result, is taken for rounding.

    Examples
    --------
    >>> slots_needed(10, 3), slots_needed(9, 3), slots_needed(1, 1 / 2.5)
    (4, 3, 3)
    """
    if float(iterations).is_integer() and float(per_slot).is_integer():
        return -(-int(iterations) // int(per_slot))
    return _rounded_up(iterations / per_slot)


def at_slot_boundary(time_s: float, slot_s: float) -> int:
    """Return the first slot that starts at or after ``time_s``.

    Examples
    --------
    >>> at_slot_boundary(2.0, 0.5), at_slot_boundary(2.1, 0.5)
    (4, 5)
    >>> at_slot_boundary(1.5e9 + 0.5, 1.0)
    1500000001
    """
    return _rounded_up(time_s / slot_s)


def _rounded_up(slots: float) -> int:
    """Round up; what is forgiven grows with the clock's resolution, never with the clock itself.

    A billionth of a Unix time in seconds would be a slot and a half.
    """
    return math.ceil(slots - (ROUNDING + 4.0 * math.ulp(slots)))
