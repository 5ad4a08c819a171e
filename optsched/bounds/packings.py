"""Local slots: the fullest ways to fill the free GPUs of servers with jobs that stay on one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from optsched.core.errors import UnsupportedError

__all__ = ["MOST_SLOTS", "LocalPackings", "WorkLimit"]

#: Numbers of slots, also sums of two, are kept in 16 bits.
MOST_SLOTS = 30_000

Counts = tuple[int, ...]


class WorkLimit:
    """Counts steps of an enumeration and ends it when there are too many.

    Counting makes the end the same on every machine, which a clock would not.

    Parameters
    ----------
    steps
        Steps allowed.

    Examples
    --------
    >>> limit = WorkLimit(3)
    >>> limit.spend(2)
    >>> limit.spend(2)
    Traceback (most recent call last):
    ...
    optsched.core.errors.UnsupportedError: the shapes take more than 3 steps to enumerate
    """

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.spent = 0

    def spend(self, steps: int) -> None:
        """Count some steps.

        Raises
        ------
        UnsupportedError
            If these are more than are left.
        """
        self.spent += steps
        if self.spent > self.steps:
            raise UnsupportedError(f"the shapes take more than {self.steps:,} steps to enumerate")


class LocalPackings:
    """The maximal numbers of local slots of each demand on servers with some free GPUs.

    Parameters
    ----------
    most
        Number of jobs of each demand; no more slots than that are counted.
    limit
        Counts the work.

    Examples
    --------
    >>> packings = LocalPackings({1: 3, 2: 1, 3: 1}, WorkLimit(1000))
    >>> packings.demands, sorted(packings.of((1, 3)))
    ((3, 2, 1), [(0, 0, 3), (0, 1, 2), (1, 0, 1)])
    """

    def __init__(self, most: Mapping[int, int], limit: WorkLimit) -> None:
        self.demands = tuple(sorted(most, reverse=True))
        self._most = tuple(most[gpus] for gpus in self.demands)
        self._limit = limit
        self._known: dict[tuple[int, ...], list[Counts]] = {}
        self._pooled: dict[tuple[int, Counts], list[Counts]] = {}

    def of(self, free: tuple[int, ...]) -> list[Counts]:
        """Return the maximal counts for servers with so many free GPUs, given in falling demand."""
        key = tuple(sorted(free))
        if key not in self._known:
            if len(key) == 1:
                self._known[key] = self.pooled(key[0], self._most)
            else:
                sums = {
                    tuple(map(min, map(int.__add__, first, last), self._most))
                    for first in self.of(key[:-1])
                    for last in self.of(key[-1:])
                }
                self._known[key] = self._maximal(sums)
        return self._known[key]

    def pooled(self, free: int, most: Counts) -> list[Counts]:
        """Return the maximal counts for one pool of free GPUs, none above its own limit."""
        key = (free, most)
        if key not in self._pooled:
            self._pooled[key] = list(self._filled(free, most, 0, (), free + 1))
        return self._pooled[key]

    def _filled(
        self, free: int, most: Counts, position: int, chosen: Counts, least_absent: int
    ) -> Iterator[Counts]:
        """Yield maximal counts; ``least_absent``: the smallest demand that may have one more."""
        self._limit.spend(1)
        if position == len(self.demands):
            if free < least_absent:
                yield chosen
            return
        gpus = self.demands[position]
        highest = min(most[position], free // gpus)
        # What the last demand leaves nothing else can fill.
        lowest = highest if position + 1 == len(self.demands) else 0
        for count in range(highest, lowest - 1, -1):
            absent = min(least_absent, gpus) if count < most[position] else least_absent
            yield from self._filled(
                free - count * gpus, most, position + 1, (*chosen, count), absent
            )

    def _maximal(self, counts: set[Counts]) -> list[Counts]:
        kept: list[Counts] = []
        for one in sorted(counts, key=sum, reverse=True):
            self._limit.spend(1 + len(kept) // 8)
            if not any(all(map(int.__le__, one, other)) for other in kept):
                kept.append(one)
        return kept
