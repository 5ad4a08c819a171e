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

    Whole numbers are divided exactly. Otherwise a surplus within a billionth of the result is
    taken for rounding.

    Examples
    --------
    >>> slots_needed(10, 3), slots_needed(9, 3), slots_needed(1, 1 / 2.5)
    (4, 3, 3)
    """
    if float(iterations).is_integer() and float(per_slot).is_integer():
        return -(-int(iterations) // int(per_slot))
    slots = iterations / per_slot
    return math.ceil(slots - ROUNDING * max(1.0, slots))


def at_slot_boundary(time_s: float, slot_s: float) -> int:
    """Return the first slot that starts at or after ``time_s``.

    Examples
    --------
    >>> at_slot_boundary(2.0, 0.5), at_slot_boundary(2.1, 0.5)
    (4, 5)
    """
    slots = time_s / slot_s
    return math.ceil(slots - ROUNDING * max(1.0, slots))
