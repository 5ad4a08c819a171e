"""What generators share: named streams of random numbers, and the workload of the literature."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from optsched.core.errors import InstanceError, Problem

__all__ = [
    "PHILLY_DEMANDS",
    "checked_capacity",
    "checked_count",
    "checked_range",
    "named_draws",
    "named_uniforms",
    "with_settings",
]

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


def named_uniforms(*parts: str | int, count: int) -> NDArray[np.float64]:
    """Return ``count`` numbers in [0, 1) from a stream of its own, the same on every platform.

    Examples
    --------
    >>> bool((named_uniforms("gaps", 3, count=5)[:2] == named_uniforms("gaps", 3, count=2)).all())
    True
    """
    text = "/".join(str(part) for part in parts)
    stream = np.random.PCG64(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))
    # NumPy promises the raw bits of a stream for good, but not what its distributions make of them.
    raw = np.asarray(stream.random_raw(count), np.uint64)
    return (raw >> np.uint64(11)).astype(np.float64) * 2.0**-53


def with_settings(name: str, defaults: dict[str, object], **settings: object) -> str:
    """Return a name to which the settings that are not the default are added.

    Examples
    --------
    >>> with_settings("poisson-9x4-0", {"load": 0.8, "mix": "philly"}, load=1.5, mix="philly")
    'poisson-9x4-0-load-1.5'
    """
    changed = (f"-{key}-{value}" for key, value in settings.items() if value != defaults[key])
    return name + "".join(changed).replace("_", "-")


def checked_count(generator: str, name: str, value: int, *, most: int = MAX_COUNT) -> int:
    """Return a parameter that counts something, if it lies between 1 and ``most``.

    Raises
    ------
    InstanceError
        If it does not.
    """
    if not 1 <= value <= most:
        expected = f"a whole number from 1 to {most:,}"
        raise InstanceError([Problem((generator, name), expected, f"{value!r}")])
    return value


def checked_range(generator: str, name: str, value: float, lowest: float, highest: float) -> float:
    """Return a parameter if it lies between two limits, which are allowed themselves.

    Raises
    ------
    InstanceError
        If it does not.
    """
    if not lowest <= value <= highest:
        expected = f"a number from {lowest:g} to {highest:g}"
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
