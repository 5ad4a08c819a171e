"""Slot types (G, u, p), multisets of them, and what it means that one offers at least another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optsched.core.errors import UnsupportedError

__all__ = ["ShapeTable", "SlotType"]

#: Entries of a vector by which shapes are compared; more make the filter slow.
MOST_DOWN_SETS = 4000


class SlotType(NamedTuple):
    """A place for one job: all that its rate depends on.

    Parameters
    ----------
    gpus
        Demand of the job (G).
    servers
        Servers it is spread over (u).
    degree
        Contention degree (p), 0 for a local slot.
    """

    gpus: int
    servers: int
    degree: int


class ShapeTable:
    """Shapes as rows of counts of slot types, and the vectors by which they are compared.

    Shape b offers at least what shape a does if the slots of a can be injected into those of b,
    each into one of its demand on no more servers and of no higher degree. By Hall's theorem this
    is so iff for every set D of types of one demand that is closed downwards (with a type also all
    better ones) b has as many slots in D as a: the slots of a in D have only those for neighbours.
    So the numbers of slots in all such D make a vector that is linear in the counts, and to offer
    more is to be larger in every entry. An entry is cut off at the number of jobs of the demand,
    since further slots stay empty.

    Parameters
    ----------
    types
        All slot types that occur.
    most
        Number of jobs of each demand.

    Raises
    ------
    UnsupportedError
        If there are too many closed sets.

    Examples
    --------
    >>> table = ShapeTable([SlotType(2, 1, 0), SlotType(2, 2, 1), SlotType(2, 2, 2)], {2: 2})
    >>> table.vectors(np.array([[0, 0, 3], [0, 1, 0], [1, 1, 0]], dtype=np.uint16)).tolist()
    [[2, 0, 0], [1, 1, 0], [2, 2, 1]]
    """

    def __init__(self, types: Iterable[SlotType], most: Mapping[int, int]) -> None:
        self.types = sorted(set(types))
        demands = sorted({one.gpus for one in self.types})
        closed: list[NDArray[np.bool_]] = []
        limits: list[int] = []
        for gpus in demands:
            own = [i for i, one in enumerate(self.types) if one.gpus == gpus]
            for chosen in _down_sets([self.types[i] for i in own]):
                member = np.zeros(len(self.types), dtype=np.bool_)
                member[[own[i] for i in chosen]] = True
                closed.append(member)
                limits.append(most[gpus])
                if len(closed) > MOST_DOWN_SETS:
                    raise UnsupportedError("the shapes have too many slot types to be compared")
        # No closed set if there are no types; then all shapes are empty, and alike.
        self._closed = np.array(closed, dtype=np.int64).reshape(len(closed), len(self.types)).T
        self._limits = np.array(limits, dtype=np.int64)

    def rows(self, shapes: Iterable[Mapping[SlotType, int]]) -> NDArray[np.uint16]:
        """Return the counts of each shape, shape (n, T)."""
        position = {one: i for i, one in enumerate(self.types)}
        listed = list(shapes)
        rows = np.zeros((len(listed), len(self.types)), dtype=np.uint16)
        for row, shape in zip(rows, listed, strict=True):
            for one, count in shape.items():
                row[position[one]] = count
        return rows

    def vectors(self, rows: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Return the vectors by which rows are compared, shape (n, m)."""
        slots = rows.astype(np.int64) @ self._closed
        vectors: NDArray[np.uint16] = np.minimum(slots, self._limits).astype(np.uint16)
        return vectors

    def joined(self, left: NDArray[np.uint16], right: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Return the vectors of all sums of a row of each, given their vectors."""
        sums = left[:, None, :].astype(np.uint32) + right[None, :, :]
        capped = np.minimum(sums, self._limits.astype(np.uint32)).astype(np.uint16)
        joined: NDArray[np.uint16] = capped.reshape(-1, left.shape[1])
        return joined

    def maximal(self, vectors: NDArray[np.uint16]) -> NDArray[np.int64]:
        """Return the positions of vectors that no other covers; of equal ones, one."""
        from optsched.bounds.shapes_kernel import mark_maximal

        if len(vectors) == 0:
            return np.zeros(0, dtype=np.int64)
        order = np.argsort(-vectors.sum(axis=1, dtype=np.int64), kind="stable")
        marked = np.zeros(len(vectors), dtype=np.bool_)
        mark_maximal(np.ascontiguousarray(vectors), order, marked)
        return np.flatnonzero(marked)

    def without_spare_slots(self, row: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Return a row without slots that no job needs, the worst taken off first."""
        row = row.copy()
        vector = self.vectors(row[None, :])[0]
        for position in range(len(row) - 1, -1, -1):
            while row[position]:
                row[position] -= 1
                if np.any(self.vectors(row[None, :])[0] != vector):
                    row[position] += 1
                    break
        return row


def _down_sets(types: Sequence[SlotType]) -> list[list[int]]:
    """Return all non-empty sets of types of one demand that are closed downwards, largest first."""
    found: list[list[int]] = []
    columns: dict[int, list[int]] = {}
    for position, one in enumerate(types):
        columns.setdefault(one.servers, []).append(position)
    ordered = [sorted(columns[u], key=lambda i: types[i].degree) for u in sorted(columns)]

    def extend(column: int, chosen: list[int], ceiling: float) -> None:
        if len(found) > MOST_DOWN_SETS:
            return
        if column == len(ordered):
            if chosen:
                found.append(chosen)
            return
        allowed = [i for i in ordered[column] if types[i].degree <= ceiling]
        # With fewer of this column than allowed, later columns end below its first absent degree.
        for count in range(len(allowed), -1, -1):
            absent = types[allowed[count]].degree - 1 if count < len(allowed) else ceiling
            extend(column + 1, chosen + allowed[:count], absent)

    extend(0, [], float("inf"))
    return sorted(found, key=len, reverse=True)
