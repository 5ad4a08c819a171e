"""What the best state of a cluster is worth, given what each job is worth in each slot type."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optsched.bounds.shapes import POOLED_GPU, ShapeSet

__all__ = ["ShapePricing"]

#: Shapes looked at for each column wanted, since several may give the same column.
LOOK_AHEAD = 8

#: Position of a slot type, and how many slots there are of it.
_Slots = tuple[tuple[int, int], ...]


class ShapePricing:
    """Finds ``max Σ value(j, t)`` over all assignments of jobs to the slots of one shape, exactly.

    A shape's worth is a sum over demands of the best assignment of the jobs of that demand to its
    slots of that demand. Few different multisets of slots of one demand occur, so each is assigned
    once for given values, and a shape costs a few additions. The jobs of a pool are added by a
    knapsack: each is worth what it is in its best slot type.

    Parameters
    ----------
    shapes
        The shapes.
    gpus
        Demand of each job, ascending, shape (n,).

    Examples
    --------
    Two jobs of 3 GPUs on three servers of 2, which run at a third of their rate when both run:

    >>> from optsched.bounds.shapes import enumerate_shapes
    >>> shapes = enumerate_shapes([2, 2, 2], {3: 2}, exact_servers=3)
    >>> pricing = ShapePricing(shapes, np.array([3, 3]))
    >>> pricing.most(np.array([[3.0, 1.0], [3.0, 1.0]]))
    3.0
    """

    def __init__(self, shapes: ShapeSet, gpus: NDArray[np.int64]) -> None:
        self._pooled = int(np.searchsorted(gpus, shapes.pooled, side="right"))
        self._pooled_gpus = gpus[: self._pooled]
        self._room = np.zeros(len(shapes.rows), dtype=np.int64)
        if self._pooled and POOLED_GPU in shapes.types:
            self._room = shapes.rows[:, shapes.types.index(POOLED_GPU)].astype(np.int64)
        demands, first = np.unique(gpus[self._pooled :], return_index=True)
        first = first.astype(np.int64) + self._pooled
        known: dict[tuple[int, _Slots], int] = {}
        index = np.zeros((len(shapes.rows), len(demands)), dtype=np.int64)
        for position, demand in enumerate(demands.tolist()):
            own = [i for i, one in enumerate(shapes.types) if one.gpus == demand]
            for shape, row in enumerate(shapes.rows[:, own].tolist()):
                slots = tuple((i, count) for i, count in zip(own, row, strict=True) if count)
                index[shape, position] = known.setdefault((position, slots), len(known))
        self._index = index
        listed = [slots for _, slots in known]
        self._columns = (
            first,
            np.append(first[1:], len(gpus)),
            np.cumsum([0, *map(len, listed)]),
            np.array([kind for slots in listed for kind, _ in slots], dtype=np.int64),
            np.array([count for slots in listed for _, count in slots], dtype=np.int64),
            np.array([position for position, _ in known], dtype=np.int64),
        )

    def worths(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what each shape is worth at most, values being of shape (n, T).

        Exact if the values are whole numbers whose sums stay below 2⁵³.
        """
        from optsched.bounds.knapsack_kernel import values_by_gpus
        from optsched.bounds.pricing_kernel import assignment_values

        by_multiset = np.empty(len(self._columns[-1]))
        assignment_values(values, *self._columns, by_multiset)
        worths: NDArray[np.float64] = by_multiset[self._index].sum(axis=1)
        if self._pooled:
            pooled = values[: self._pooled].max(axis=1)
            by_room = values_by_gpus(self._pooled_gpus, pooled, int(self._room.max()))
            worths += by_room[self._room]
        return worths

    def most(self, values: NDArray[np.float64]) -> float:
        """Return what the best shape is worth."""
        return float(self.worths(values).max(initial=0.0))

    def best(
        self, values: NDArray[np.float64], count: int, *, above: float
    ) -> tuple[float, list[NDArray[np.int64]]]:
        """Return the worth of the best shape, and the best different assignments.

        Parameters
        ----------
        values
            Value of each job in each slot type, shape (n, T).
        count
            How many assignments at most.
        above
            Each is worth more than this.

        Returns
        -------
        tuple of float and list of arrays
            Each assignment is the slot type of each job, −1 for none.
        """
        worths = self.worths(values)
        order = np.argsort(-worths, kind="stable")[: LOOK_AHEAD * count]
        found: dict[bytes, NDArray[np.int64]] = {}
        for shape in order.tolist():
            if worths[shape] <= above or len(found) == count:
                break
            chosen = self._assignment(values, shape)
            found.setdefault(chosen.tobytes(), chosen)
        return float(worths[order[0]]), list(found.values())

    def _assignment(self, values: NDArray[np.float64], shape: int) -> NDArray[np.int64]:
        """Return the slot type of each job in the best assignment to a shape."""
        from optsched.bounds.knapsack_kernel import best_configuration
        from optsched.bounds.pricing_kernel import assign_jobs

        chosen = np.empty(len(values), dtype=np.int64)
        assign_jobs(values, *self._columns, self._index[shape], chosen)
        if self._pooled:
            own = values[: self._pooled]
            taken = np.zeros(self._pooled, dtype=np.bool_)
            room = self._room.item(shape)
            best_configuration(self._pooled_gpus, own.max(axis=1), room, taken)
            chosen[: self._pooled] = np.where(taken, own.argmax(axis=1), -1)
        return chosen
