"""What generators share: named streams of random numbers, and the workload of the literature."""

from __future__ import annotations

import random
from collections.abc import Sequence

from optsched.core.errors import InstanceError, Problem

__all__ = ["PHILLY_DEMANDS", "checked_capacity", "checked_count", "named_draws"]

#: GPUs of the 160 jobs of Yu et al. 2022, section 7: the Philly trace scaled down; 644 in all.
PHILLY_DEMANDS = (1,) * 80 + (2,) * 14 + (4,) * 26 + (8,) * 30 + (16,) * 8 + (32,) * 2

#: A generator that is asked for more than this was asked by mistake.
MAX_COUNT = 100_000


def named_draws(*parts: str | int) -> random.Random:
    """Return a random stream of its own for a name, the same on every platform.

    Streams with different names do not disturb each other: one that gains a draw leaves the others
    as they were.

    Examples
    --------
    >>> named_draws("jobs", 3).random() == named_draws("jobs", 3).random()
    True
    >>> named_draws("jobs", 3).random() == named_draws("jobs", 4).random()
    False
    """
    # A text seed goes through SHA-512, which no platform changes; hash() would differ by process.
    return random.Random("/".join(str(part) for part in parts))


def checked_count(generator: str, name: str, value: int) -> int:
    """Return a parameter that counts something, if it lies between 1 and ``MAX_COUNT``.

    Raises
    ------
    InstanceError
        If it does not.
    """
    if not 1 <= value <= MAX_COUNT:
        expected = f"a whole number from 1 to {MAX_COUNT:,}"
        raise InstanceError([Problem((generator, name), expected, f"{value!r}")])
    return value


def checked_capacity(generator: str, capacities: Sequence[int], largest: int) -> None:
    """Check that the servers drawn hold the largest job.

    Raises
    ------
    InstanceError
        If they do not.
    """
    if sum(capacities) < largest:
        expected = f"servers with at least {largest} GPUs together, the demand of the largest job"
        got = f"{sum(capacities)} on the {len(capacities)} servers drawn"
        remedy = "use more servers or another seed"
        raise InstanceError([Problem((generator, "servers"), expected, got, remedy)])
