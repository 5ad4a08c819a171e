"""What a few servers can offer when spread jobs join them: exactly, or more than they can."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from optsched.bounds.packings import LocalPackings, WorkLimit
from optsched.bounds.slot_types import SlotType

__all__ = ["Shape", "connected_shapes", "fewest_servers", "relaxed_shapes"]

#: Number of slots of each type; no slots of a type that is absent.
Shape = Mapping[SlotType, int]
_Split = tuple[int, ...]
#: Demand and server set, as a bit mask, of each spread slot, sorted.
_Spread = tuple[tuple[int, int], ...]


def connected_shapes(
    capacities: Sequence[int], most: Mapping[int, int], packings: LocalPackings, limit: WorkLimit
) -> Iterator[Shape]:
    """Yield the shapes of all layouts in which spread jobs join all of the servers.

    Shapes that others cover may be among them, and some may come more than once. One spread slot is
    added after the other, demands never rising. What is remembered of the layouts with one set of
    spread slots is which GPUs they leave free on each server; layouts that differ by an exchange of
    servers of one capacity are one.

    Parameters
    ----------
    capacities
        GPUs of each server.
    most
        Number of jobs of each demand.
    packings
        Fills free GPUs with local slots.
    limit
        Counts the work.

    Examples
    --------
    Two servers of 2 GPUs joined by a job of 3, alone or beside a job of 1:

    >>> packings = LocalPackings({1: 1, 3: 2}, WorkLimit(1000))
    >>> for shape in connected_shapes((2, 2), {1: 1, 3: 2}, packings, WorkLimit(1000)):
    ...     print({tuple(one): count for one, count in shape.items()})
    {(3, 2, 1): 1, (1, 1, 0): 1}
    """
    count = len(capacities)
    if count == 1:
        for local in packings.of(tuple(capacities)):
            yield {SlotType(g, 1, 0): c for g, c in zip(packings.demands, local, strict=True) if c}
        return
    everywhere = (1 << count) - 1
    masks = [mask for mask in range(1, everywhere + 1) if mask & (mask - 1)]
    renamings = _renamings(capacities)
    layer: dict[_Spread, set[_Split]] = {(): {tuple(capacities)}}
    while layer:
        following: dict[_Spread, set[_Split]] = {}
        for spread, frees in layer.items():
            for gpus, mask in _next_slots(spread, masks, most):
                left = _after(frees, gpus, mask, limit)
                if left:
                    key, left = _canonical((*spread, (gpus, mask)), left, renamings)
                    following.setdefault(key, set()).update(left)
        for spread, frees in following.items():
            if _is_connected(spread, everywhere):
                yield from _completed(spread, frees, most, packings)
        layer = following


def _next_slots(
    spread: _Spread, masks: Sequence[int], most: Mapping[int, int]
) -> Iterator[tuple[int, int]]:
    """Yield the spread slots that may be added: their demand is not above those there are."""
    smallest = min((gpus for gpus, _ in spread), default=max(most))
    for gpus in most:
        if gpus > smallest or sum(g == gpus for g, _ in spread) == most[gpus]:
            continue
        for mask in masks:
            if mask.bit_count() <= gpus:
                yield gpus, mask


def _after(frees: set[_Split], gpus: int, mask: int, limit: WorkLimit) -> set[_Split]:
    """Return what may be free once a slot takes GPUs on all servers of a mask."""
    found = set()
    for free in frees:
        used = [server for server in range(len(free)) if mask >> server & 1]
        for taken in _splits(gpus, [free[server] for server in used]):
            left = list(free)
            for server, amount in zip(used, taken, strict=True):
                left[server] -= amount
            found.add(tuple(left))
    limit.spend(1 + len(frees) + len(found))
    return found


def _splits(gpus: int, rooms: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield all ways to take at least one GPU of each room and so many in all."""
    if len(rooms) == 1:
        if 1 <= gpus <= rooms[0]:
            yield (gpus,)
        return
    others = len(rooms) - 1
    for here in range(max(1, gpus - sum(rooms[1:])), min(rooms[0], gpus - others) + 1):
        for rest in _splits(gpus - here, rooms[1:]):
            yield (here, *rest)


def _renamings(capacities: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the permutations that only exchange servers of one capacity."""
    return [
        order
        for order in itertools.permutations(range(len(capacities)))
        if all(capacities[a] == capacities[b] for a, b in enumerate(order))
    ]


def _canonical(
    spread: _Spread, frees: set[_Split], renamings: Sequence[tuple[int, ...]]
) -> tuple[_Spread, set[_Split]]:
    """Return the first of all that renaming servers makes of a set of spread slots."""
    best, chosen = None, renamings[0]
    for order in renamings:
        renamed = tuple(sorted((gpus, _renamed(mask, order)) for gpus, mask in spread))
        if best is None or renamed < best:
            best, chosen = renamed, order
    assert best is not None
    where = [chosen.index(server) for server in range(len(chosen))]
    return best, {tuple(free[server] for server in where) for free in frees}


def _renamed(mask: int, order: tuple[int, ...]) -> int:
    return sum(1 << order[server] for server in range(len(order)) if mask >> server & 1)


def _is_connected(spread: _Spread, everywhere: int) -> bool:
    reached, waiting = 0, [mask for _, mask in spread]
    reached = waiting.pop()
    grown = True
    while grown:
        grown = False
        for mask in list(waiting):
            if mask & reached:
                reached |= mask
                waiting.remove(mask)
                grown = True
    return reached == everywhere


def _completed(
    spread: _Spread, frees: set[_Split], most: Mapping[int, int], packings: LocalPackings
) -> Iterator[Shape]:
    """Yield the shapes of spread slots with the free GPUs filled up."""
    loads = [
        sum(mask >> server & 1 for _, mask in spread) for server in range(len(next(iter(frees))))
    ]
    slots: dict[SlotType, int] = {}
    used: dict[int, int] = {}
    for gpus, mask in spread:
        degree = max(load for server, load in enumerate(loads) if mask >> server & 1)
        one = SlotType(gpus, mask.bit_count(), degree)
        slots[one] = slots.get(one, 0) + 1
        used[gpus] = used.get(gpus, 0) + 1
    rooms = [most[gpus] - used.get(gpus, 0) for gpus in packings.demands]
    filled = {
        tuple(min(count, room) for count, room in zip(local, rooms, strict=True))
        for free in {tuple(sorted(free)) for free in frees}
        for local in packings.of(free)
    }
    for local in filled:
        shape = dict(slots)
        for gpus, count in zip(packings.demands, local, strict=True):
            if count:
                shape[SlotType(gpus, 1, 0)] = count
        yield shape


def relaxed_shapes(
    capacities: Sequence[int], most: Mapping[int, int], packings: LocalPackings, limit: WorkLimit
) -> Iterator[Shape]:
    """Yield shapes that cover those of all layouts in which spread jobs join all of the servers.

    The GPUs of the servers are pooled, and contention counts as little as it can: if one spread job
    joins all servers it is alone on them; of two or more each meets another one, so that its degree
    is at least 2, on no fewer servers than can hold it. A spread job on u servers joins at most
    ``min(G, u) - 1`` more, which says how many are needed. Where a job fits on one server a
    local slot is better than a spread one, so no more spread slots of such demands than needed.

    Parameters
    ----------
    capacities, most, packings, limit
        As for :func:`connected_shapes`; more than one server.

    Examples
    --------
    >>> packings = LocalPackings({1: 1, 3: 2}, WorkLimit(1000))
    >>> for shape in relaxed_shapes((2, 2), {1: 1, 3: 2}, packings, WorkLimit(1000)):
    ...     print({tuple(one): count for one, count in shape.items()})
    {(3, 2, 1): 1, (1, 1, 0): 1}
    """
    count, total, largest = len(capacities), sum(capacities), max(capacities)
    spreadable = sorted((gpus for gpus in most if gpus >= 2), reverse=True)
    for gpus in spreadable:
        if count <= gpus <= total:
            one = SlotType(gpus, count, 1)
            yield from _pooled({one: 1}, total - gpus, largest, most, packings, limit)
    for slots in _joining(spreadable, count, total, largest, most, limit):
        left = total - sum(gpus * number for gpus, number in slots.items())
        spread = {
            SlotType(gpus, max(2, fewest_servers(capacities, gpus)), 2): number
            for gpus, number in slots.items()
        }
        yield from _pooled(spread, left, largest, most, packings, limit)


def _joining(
    demands: Sequence[int],
    servers: int,
    total: int,
    largest: int,
    most: Mapping[int, int],
    limit: WorkLimit,
) -> Iterator[dict[int, int]]:
    """Yield the numbers of two or more spread slots that could join the servers."""
    ranges = [range(min(most[gpus], total // gpus) + 1) for gpus in demands]
    links = [min(gpus, servers) - 1 for gpus in demands]

    def extend(position: int, chosen: list[int], left: int) -> Iterator[dict[int, int]]:
        limit.spend(1)
        if position < len(demands):
            for number in ranges[position]:
                if number * demands[position] > left:
                    break
                rest = left - number * demands[position]
                yield from extend(position + 1, [*chosen, number], rest)
            return
        slots, joined = sum(chosen), sum(n * link for n, link in zip(chosen, links, strict=True))
        if slots < 2 or joined < servers - 1:
            return
        for gpus, number, link in zip(demands, chosen, links, strict=True):
            if number and gpus <= largest and slots > 2 and joined - link >= servers - 1:
                # One of these would be better off as a local slot.
                return
        yield {gpus: n for gpus, n in zip(demands, chosen, strict=True) if n}

    return extend(0, [], total)


def _pooled(
    spread: Shape,
    left: int,
    largest: int,
    most: Mapping[int, int],
    packings: LocalPackings,
    limit: WorkLimit,
) -> Iterator[Shape]:
    """Yield spread slots with the GPUs left, as one pool, filled by what fits on one server."""
    used: dict[int, int] = {}
    for one, number in spread.items():
        used[one.gpus] = used.get(one.gpus, 0) + number
    rooms = [most[gpus] - used.get(gpus, 0) if gpus <= largest else 0 for gpus in packings.demands]
    for local in packings.pooled(left, tuple(rooms)):
        limit.spend(1)
        shape = dict(spread)
        for gpus, number in zip(packings.demands, local, strict=True):
            if number:
                shape[SlotType(gpus, 1, 0)] = number
        yield shape


def fewest_servers(capacities: Sequence[int], gpus: int) -> int:
    """Return the fewest servers that hold so many GPUs, the largest taken first.

    Examples
    --------
    >>> fewest_servers((2, 4, 2), 6)
    2
    """
    held = itertools.accumulate(sorted(capacities, reverse=True))
    return next(count for count, room in enumerate(held, start=1) if room >= gpus)
