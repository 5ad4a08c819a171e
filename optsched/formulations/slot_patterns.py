"""Patterns: how many GPUs of each server a job may hold, and what a slot is worth to it there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from optsched.formulations.slot_levels import JobLevels, SlotLevels

__all__ = ["Pattern", "count_patterns", "job_patterns", "most_sharing"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """GPUs that a job holds on each server.

    Parameters
    ----------
    counts
        GPUs by server; where GPUs are one pool, its single entry.
    slots
        Slots that the job takes at the least with it (d).
    rates
        Iterations a slot at contention degree 1, 2, … (φ) as far as the servers allow; 0 where none
        fits. A single entry if the degree does not matter: then the job takes ``slots``.
    """

    counts: tuple[int, ...]
    slots: int
    rates: tuple[int, ...]

    @property
    def is_spread(self) -> bool:
        """True if it is on several servers."""
        return sum(count > 0 for count in self.counts) > 1

    @property
    def is_steady(self) -> bool:
        """True if the job takes the same time whatever else runs."""
        return len(self.rates) == 1

    @property
    def used(self) -> list[int]:
        """The servers."""
        return [server for server, count in enumerate(self.counts) if count]


def job_patterns(levels: SlotLevels, job: int, *, canonical: bool = False) -> list[Pattern]:
    """Return the patterns of a job with which it makes progress when alone.

    Parameters
    ----------
    levels
        The instance.
    job
        The job.
    canonical
        Of patterns that only exchange servers of equal capacity, take one: that with the most GPUs
        on the first of them.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> levels = SlotLevels.of(waiting_pays().changed(slot_s=5.1))
    >>> [pattern.counts for pattern in job_patterns(levels, 0, canonical=True)]
    [(2, 1, 0), (1, 1, 1)]
    >>> len(job_patterns(levels, 0)), job_patterns(levels, 0)[0].rates
    (7, (4, 2))
    """
    one = levels.jobs[job]
    found = []
    for counts in _splits(one.gpus, _capacity(levels)):
        if canonical and not _is_canonical(counts, levels.capacity):
            continue
        pattern = _pattern(levels, one, counts)
        if pattern is not None:
            found.append(pattern)
    return found


def count_patterns(levels: SlotLevels, job: int) -> int:
    """Return how many patterns a job has at the most, without listing them.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> count_patterns(SlotLevels.of(waiting_pays().changed(slot_s=5.1)), 0)
    7
    """
    gpus = levels.jobs[job].gpus
    ways = [1] + [0] * gpus
    for capacity in _capacity(levels):
        ways = [sum(ways[max(0, g - capacity) : g + 1]) for g in range(gpus + 1)]
    return ways[gpus]


def most_sharing(levels: SlotLevels, server: int) -> int:
    """Return how many spread jobs may be on a server at once."""
    return min(len(levels.spreadable), levels.capacity[server])


def _capacity(levels: SlotLevels) -> tuple[int, ...]:
    return (sum(levels.capacity),) if levels.is_pool else levels.capacity


def _splits(gpus: int, capacity: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the ways to take so many GPUs, those with most on the first servers first."""
    if not capacity:
        if gpus == 0:
            yield ()
        return
    if gpus > sum(capacity):
        return
    for count in range(min(gpus, capacity[0]), -1, -1):
        for rest in _splits(gpus - count, capacity[1:]):
            yield (count, *rest)


def _is_canonical(counts: Sequence[int], capacity: Sequence[int]) -> bool:
    """Return True if of equal servers none holds more than one before it."""
    last: dict[int, int] = {}
    for count, size in zip(counts, capacity, strict=False):
        if count > last.get(size, count):
            return False
        last[size] = count
    return True


def _pattern(levels: SlotLevels, job: JobLevels, counts: tuple[int, ...]) -> Pattern | None:
    servers = sum(count > 0 for count in counts)
    slots = job.slots.get(servers)
    if slots is None:
        return None
    if servers == 1:
        return Pattern(counts, slots, (0,))
    degrees = max(most_sharing(levels, server) for server, count in enumerate(counts) if count)
    rates = tuple(job.rate(servers, degree) for degree in range(1, degrees + 1))
    return Pattern(counts, slots, rates[:1] if len(set(rates)) == 1 else rates)
