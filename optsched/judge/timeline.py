"""Loads and iteration times over time, when all starts and ends are known."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optsched.contention.rate_model import RateFunctions
from optsched.contention.sharing import contention_degree
from optsched.core.placement import Placement
from optsched.judge.segments import Segments

__all__ = ["Pieces", "constant_pieces"]


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Stretches of segments with one iteration time each, columns sorted by (segment, begin).

    Parameters
    ----------
    segment
        Position of the segment.
    begin, end
        On the judge's clock.
    iteration_time_s
        τ of the segment's job between the two.
    degree
        Its contention degree p; 0 on one server.
    """

    segment: NDArray[np.int64]
    begin: NDArray[np.float64]
    end: NDArray[np.float64]
    iteration_time_s: NDArray[np.float64]
    degree: NDArray[np.int64]


def constant_pieces(
    rates: RateFunctions, segments: Segments, placements: Sequence[Placement]
) -> Pieces:
    """Cut segments into stretches in which nothing changes that their iteration time rests on.

    A segment that shares no resource, or holds no whole slot, is one piece. The others are found
    by a sweep over their starts and ends, which counts the spread jobs on each resource
    (Yu et al. 2022, equation 6).
    """
    resources_of = [
        rates.shared_resources(placements[place]) if is_used else ()
        for place, is_used in enumerate(_used(segments.placement, len(placements)))
    ]
    shares = np.array([len(resources) > 0 for resources in resources_of], dtype=bool)
    is_sharing = shares[segments.placement] & (segments.end > segments.begin)
    alone = np.flatnonzero(~is_sharing)
    job, placement = segments.job[alone].tolist(), segments.placement[alone].tolist()
    load_of = [(1,) * len(resources) for resources in resources_of]
    alone_s = [
        rates.iteration_time_s(at, placements[place], load_of[place])
        for at, place in zip(job, placement, strict=True)
    ]
    sweep = _Sweep(rates, segments, placements, resources_of)
    sweep.run(np.flatnonzero(is_sharing))
    segment = np.concatenate([alone, np.array(sweep.segment, dtype=np.int64)])
    begin = np.concatenate([segments.begin[alone], np.array(sweep.begin, dtype=np.float64)])
    order = np.lexsort((begin, segment))
    end = np.concatenate([segments.end[alone], np.array(sweep.end, dtype=np.float64)])
    times_s = np.concatenate([np.array(alone_s), np.array(sweep.time_s, dtype=np.float64)])
    degree = np.concatenate([np.zeros_like(alone), np.array(sweep.degree, dtype=np.int64)])
    return Pieces(segment[order], begin[order], end[order], times_s[order], degree[order])


class _Sweep:
    """Goes through the starts and ends of segments that share resources, and notes the pieces."""

    def __init__(
        self,
        rates: RateFunctions,
        segments: Segments,
        placements: Sequence[Placement],
        resources_of: list[tuple[int, ...]],
    ) -> None:
        self.rates = rates
        self.job: list[int] = segments.job.tolist()
        self.place: list[int] = segments.placement.tolist()
        self.clock = segments
        self.placements = placements
        self.resources_of = resources_of
        self.count = [0] * rates.resource_count
        self.members: dict[int, set[int]] = {}
        self.rests_on_degree = rates.depends_on_maximum_load
        #: Since when, at which τ and which degree each running segment goes.
        self.current: dict[int, tuple[float, float, int]] = {}
        # A long run has millions of pieces: 40 bytes for each.
        self.segment = array("q")
        self.begin = array("d")
        self.end = array("d")
        self.time_s = array("d")
        self.degree = array("q")

    def run(self, rows: NDArray[np.int64]) -> None:
        """Sweep over the given segments."""
        times = np.concatenate([self.clock.begin[rows], self.clock.end[rows]])
        order = np.argsort(times, kind="stable").tolist()
        events = np.concatenate([rows, ~rows]).tolist()
        clock = times.tolist()
        at = 0
        while at < len(order):
            now = clock[order[at]]
            before: dict[int, int] = {}
            fresh: set[int] = set()
            while at < len(order) and clock[order[at]] == now:
                event = events[order[at]]
                # The complement of a segment's position stands for its end.
                if event >= 0:
                    self._join(event, before)
                    fresh.add(event)
                else:
                    self._leave(~event, now, before)
                    fresh.discard(~event)
                at += 1
            for resource, load in before.items():
                fresh.update(self._affected(resource, load))
            for segment in fresh:
                self._rate(segment, now)

    def _join(self, segment: int, before: dict[int, int]) -> None:
        for resource in self.resources_of[self.place[segment]]:
            before.setdefault(resource, self.count[resource])
            self.count[resource] += 1
            self.members.setdefault(resource, set()).add(segment)

    def _leave(self, segment: int, now: float, before: dict[int, int]) -> None:
        for resource in self.resources_of[self.place[segment]]:
            before.setdefault(resource, self.count[resource])
            self.count[resource] -= 1
            self.members[resource].discard(segment)
        self._note(segment, now)

    def _affected(self, resource: int, before: int) -> Iterable[int]:
        """Return the segments on a resource whose pieces its new load may end.

        Where only the degree matters, it rises with a load above it, and falls only if this load
        was the greatest.
        """
        after = self.count[resource]
        if after == before:
            return ()
        members = self.members[resource]
        if not self.rests_on_degree:
            return members
        current = self.current
        # Those that have just joined have no degree yet, and are looked at in any case.
        rated = [(segment, current[segment][2]) for segment in members if segment in current]
        if after > before:
            return [segment for segment, degree in rated if degree < after]
        return [segment for segment, degree in rated if degree == before]

    def _rate(self, segment: int, now: float) -> None:
        place = self.place[segment]
        load = [self.count[resource] for resource in self.resources_of[place]]
        time_s = self.rates.iteration_time_s(self.job[segment], self.placements[place], load)
        degree = contention_degree(load)
        current = self.current.get(segment)
        if current is None or current[1] != time_s or current[2] != degree:
            self._note(segment, now)
            self.current[segment] = (now, time_s, degree)

    def _note(self, segment: int, now: float) -> None:
        """Write down the piece that ends now."""
        current = self.current.pop(segment, None)
        if current is not None and now > current[0]:
            self.segment.append(segment)
            self.begin.append(current[0])
            self.end.append(now)
            self.time_s.append(current[1])
            self.degree.append(current[2])


def _used(positions: NDArray[np.int64], count: int) -> list[bool]:
    used = np.zeros(count, dtype=bool)
    used[positions] = True
    result: list[bool] = used.tolist()
    return result
