"""All that a cluster can offer at an instant: its Pareto-maximal shapes, by components."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optsched.bounds.components import (
    Shape,
    connected_shapes,
    fewest_servers,
    relaxed_shapes,
)
from optsched.bounds.packings import LocalPackings, WorkLimit
from optsched.bounds.slot_types import ShapeTable, SlotType

__all__ = ["POOLED_GPU", "ShapeSet", "enumerate_shapes"]

#: A GPU of the pool that small jobs share.
POOLED_GPU = SlotType(1, 1, 0)

_Servers = tuple[int, ...]
#: Pairs of shapes that are joined at once, to bound the memory.
PAIRS_AT_ONCE = 20_000
#: Shapes of one component that are compared at once, likewise.
SHAPES_AT_ONCE = 20_000
#: Pairs of shapes that are compared in about the time of one step.
COMPARISONS_PER_STEP = 200


@dataclass(frozen=True, slots=True, eq=False)
class ShapeSet:
    """Shapes that cover every state of the cluster.

    Parameters
    ----------
    types
        The slot types.
    rows
        Slots of each type in each shape, shape (n, T).
    exact_servers
        Components of up to so many servers were enumerated exactly; larger ones, if there can be
        any, offer more than they can.
    pooled
        Jobs of up to so many GPUs share what other slots leave as one pool of GPUs; its size is the
        number of slots of type :data:`POOLED_GPU`. 0: there is no pool.
    """

    types: tuple[SlotType, ...]
    rows: NDArray[np.uint16]
    exact_servers: int
    pooled: int


def enumerate_shapes(
    capacities: Sequence[int],
    most: Mapping[int, int],
    *,
    exact_servers: int,
    pooled: int = 0,
    steps: int = 10_000_000,
) -> ShapeSet:
    """Return the maximal shapes of a cluster.

    Spread jobs join servers to components. The shapes of a cluster are the sums of the shapes of
    components that part its servers, so they are built up over the numbers of servers of each
    capacity; what other shapes cover is dropped on the way.

    Parameters
    ----------
    capacities
        GPUs of each server.
    most
        Number of jobs of each demand.
    exact_servers
        Components of more servers than that are relaxed: the bound stays a bound.
    pooled
        Do not tell apart where jobs of up to so many GPUs are: they share the GPUs that are left.
        This makes few shapes of many, and shapes that offer more than the cluster can.
    steps
        Work allowed.

    Raises
    ------
    UnsupportedError
        If it takes more steps.

    Examples
    --------
    Two jobs of 3 GPUs on three servers of 2 meet on one of the servers:

    >>> shapes = enumerate_shapes([2, 2, 2], {3: 2}, exact_servers=3)
    >>> for row in shapes.rows:
    ...     print([(tuple(one), int(c)) for one, c in zip(shapes.types, row) if c])
    [((3, 2, 1), 1)]
    [((3, 2, 2), 2)]
    """
    if pooled:
        small = sum(gpus * number for gpus, number in most.items() if gpus <= pooled)
        large = {gpus: number for gpus, number in most.items() if gpus > pooled}
        pool = {POOLED_GPU.gpus: min(small, sum(capacities))}
        shapes = enumerate_shapes(
            capacities, {**pool, **large}, exact_servers=exact_servers, steps=steps
        )
        best = {_best_type(gpus, capacities) for gpus in most if gpus <= pooled}
        added = sorted(best - set(shapes.types))
        rows = np.pad(shapes.rows, ((0, 0), (0, len(added))))
        return ShapeSet((*shapes.types, *added), rows, exact_servers, pooled)
    limit = WorkLimit(steps)
    packings = LocalPackings(most, limit)
    classes = sorted(Counter(capacities).items(), reverse=True)
    sizes = [capacity for capacity, _ in classes]
    vectors = list(itertools.product(*(range(number + 1) for _, number in classes)))
    connected: dict[_Servers, list[Shape]] = {}
    for servers in vectors:
        own = [c for c, number in zip(sizes, servers, strict=True) for _ in range(number)]
        if not own:
            continue
        make = connected_shapes if len(own) <= exact_servers else relaxed_shapes
        connected[servers] = _maximal(make(own, most, packings, limit), most, limit)
    table = ShapeTable((one for shapes in connected.values() for s in shapes for one in s), most)
    joined = _Joined(table, connected, limit)
    rows = joined.rows_of(vectors[-1])
    reduced = np.array([table.without_spare_slots(row) for row in rows], dtype=np.uint16)
    return ShapeSet(tuple(table.types), reduced, exact_servers, 0)


def _maximal(shapes: Iterable[Shape], most: Mapping[int, int], limit: WorkLimit) -> list[Shape]:
    """Return the shapes that no others cover."""
    kept: list[Shape] = []
    remaining = iter(shapes)
    # Some at a time, for there may be very many that others cover.
    while fresh := list(itertools.islice(remaining, SHAPES_AT_ONCE)):
        distinct = {frozenset(shape.items()) for shape in (*kept, *fresh)}
        # In an order that does not depend on the hashes of a run.
        candidates = [dict(shape) for shape in sorted(distinct, key=sorted)]
        table = ShapeTable((one for shape in candidates for one in shape), most)
        positions = table.maximal(table.vectors(table.rows(candidates)))
        kept = [candidates[position] for position in positions.tolist()]
        limit.spend(len(candidates) * len(kept) // COMPARISONS_PER_STEP)
    return kept


def _best_type(gpus: int, capacities: Sequence[int]) -> SlotType:
    """Return the slot type in which a job is fastest, as far as the servers hold it."""
    servers = fewest_servers(capacities, gpus)
    return SlotType(gpus, servers, 0 if servers == 1 else 1)


class _Joined:
    """Builds the shapes of more and more servers of those of their components."""

    def __init__(
        self, table: ShapeTable, connected: Mapping[_Servers, list[Shape]], limit: WorkLimit
    ) -> None:
        self._table, self._limit = table, limit
        self._parts: dict[_Servers, tuple[NDArray[np.uint16], NDArray[np.uint16]]] = {}
        for servers, shapes in connected.items():
            rows = table.rows(shapes)
            limit.spend(len(rows))
            vectors = table.vectors(rows)
            kept = table.maximal(vectors)
            self._parts[servers] = rows[kept], vectors[kept]
        nothing = np.zeros((1, len(table.types)), dtype=np.uint16)
        self._known = {tuple(0 for _ in next(iter(connected))): (nothing, table.vectors(nothing))}

    def rows_of(self, servers: _Servers) -> NDArray[np.uint16]:
        """Return the maximal shapes of so many servers of each capacity."""
        return self._of(servers)[0]

    def _of(self, servers: _Servers) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
        if servers in self._known:
            return self._known[servers]
        first = next(i for i, number in enumerate(servers) if number)
        best: tuple[NDArray[np.uint16], NDArray[np.uint16]] | None = None
        # The component of the first server, in all its sizes; the rest is known or built likewise.
        for part in itertools.product(*(range(number + 1) for number in servers)):
            if part[first]:
                rest = tuple(map(int.__sub__, servers, part))
                best = self._with(best, self._parts[part], self._of(rest))
        assert best is not None
        self._known[servers] = best
        return best

    def _with(
        self,
        best: tuple[NDArray[np.uint16], NDArray[np.uint16]] | None,
        left: tuple[NDArray[np.uint16], NDArray[np.uint16]],
        right: tuple[NDArray[np.uint16], NDArray[np.uint16]],
    ) -> tuple[NDArray[np.uint16], NDArray[np.uint16]] | None:
        """Return the maximal ones of the best so far and of all sums of two shapes."""
        table = self._table
        at_once = max(1, PAIRS_AT_ONCE // max(1, len(right[0])))
        for begin in range(0, len(left[0]), at_once):
            rows, vectors = (both[begin : begin + at_once] for both in left)
            self._limit.spend(len(rows) * len(right[0]))
            sums = (rows[:, None, :] + right[0][None, :, :]).reshape(-1, rows.shape[1])
            joined = table.joined(vectors, right[1])
            if best is not None:
                sums, joined = np.concatenate([best[0], sums]), np.concatenate([best[1], joined])
            kept = table.maximal(joined)
            best = sums[kept], joined[kept]
        return best
