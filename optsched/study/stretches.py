"""A schedule cut into stretches in which nothing about a job changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from optsched.contention.rate_model import RateFunctions
from optsched.core.placement import Placement
from optsched.core.schedule import Schedule

__all__ = ["Stretch", "stretches_by_segment"]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a segment with the same jobs on all resources that its job crosses.

    Parameters
    ----------
    begin_s, end_s
        From when to when.
    load
        Jobs on each of the resources of its placement, itself included; empty when local.
    """

    begin_s: float
    end_s: float
    load: tuple[int, ...]


def stretches_by_segment(schedule: Schedule, rates: RateFunctions) -> list[list[Stretch]]:
    """Return the stretches of each segment, in order.

    Examples
    --------
    >>> from optsched.contention import rate_functions
    >>> from optsched.core.schedule import Decision
    >>> from optsched.generate.hand import waiting_pays
    >>> from optsched.judge import replay
    >>> pair = waiting_pays()
    >>> places = [Placement.of({0: 2, 1: 1}), Placement.of({1: 1, 2: 2})]
    >>> schedule = replay(pair, [Decision(0, places[0], 0.0), Decision(1, places[1], 5.25)])
    >>> for stretch in stretches_by_segment(schedule, rate_functions(pair))[0]:
    ...     print(stretch.begin_s, stretch.end_s, stretch.load)
    0.0 5.25 (1, 1)
    5.25 18.0 (1, 2)
    """
    resources = [rates.shared_resources(placement) for placement in schedule.placements]
    crossed = [resources[place] for place in schedule.placement.tolist()]
    begin_s: list[float] = schedule.start_s.tolist()
    end_s: list[float] = schedule.end_s.tolist()
    found: list[list[Stretch]] = [
        [Stretch(begin, end, ())] if not crosses else []
        for begin, end, crosses in zip(begin_s, end_s, crossed, strict=True)
    ]
    members: defaultdict[int, set[int]] = defaultdict(set)
    #: Since when a running segment has had which load.
    state: dict[int, tuple[float, tuple[int, ...]]] = {}
    for now_s, ends, starts in _events(begin_s, end_s, crossed):
        touched: set[int] = set()
        for segment in ends:
            since_s, load = state.pop(segment)
            if now_s > since_s:
                found[segment].append(Stretch(since_s, now_s, load))
        for segment, step in [*((one, -1) for one in ends), *((one, 1) for one in starts)]:
            for resource in crossed[segment]:
                (members[resource].add if step > 0 else members[resource].remove)(segment)
                touched |= members[resource]
        for segment in touched & (state.keys() | set(starts)):
            load = tuple(len(members[resource]) for resource in crossed[segment])
            since_s, before = state.get(segment, (now_s, load))
            if before != load and now_s > since_s:
                found[segment].append(Stretch(since_s, now_s, before))
            state[segment] = (since_s if before == load else now_s, load)
    return found


def _events(
    begin_s: Sequence[float], end_s: Sequence[float], crossed: Sequence[tuple[int, ...]]
) -> Iterable[tuple[float, list[int], list[int]]]:
    """Yield the times at which segments that share resources end and start, with these."""
    ends, starts = defaultdict(list), defaultdict(list)
    for segment, crosses in enumerate(crossed):
        if crosses and end_s[segment] > begin_s[segment]:
            starts[begin_s[segment]].append(segment)
            ends[end_s[segment]].append(segment)
    for now_s in sorted(starts.keys() | ends.keys()):
        yield now_s, ends.get(now_s, []), starts.get(now_s, [])


def alone(rates: RateFunctions, placement: Placement) -> tuple[int, ...]:
    """Return the load of a job that shares nothing on its placement."""
    return (1,) * len(rates.shared_resources(placement))
