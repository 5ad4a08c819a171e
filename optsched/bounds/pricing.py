"""What the best state of a cluster is worth, given what each job is worth in each slot type."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from optsched.bounds.shapes import ShapeSet

__all__ = ["ShapePricing"]

#: Shapes looked at for each column wanted, since several may give the same column.
LOOK_AHEAD = 8


class ShapePricing:
    """Finds ``max Σ value(j, t)`` over all assignments of jobs to the slots of one shape, exactly.

    A shape's worth is a sum over demands of the best assignment of the jobs of that demand to its
    slots of that demand. Few different multisets of slots of one demand occur, so each is assigned
    once for given values, and a shape costs a few additions.

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
        self.types = shapes.types
        demands, first = np.unique(gpus, return_index=True)
        after = np.append(first[1:], len(gpus))
        known: dict[tuple[tuple[int, int], ...], int] = {}
        index = np.zeros((len(shapes.rows), len(demands)), dtype=np.int64)
        owner: list[int] = []
        for position, demand in enumerate(demands.tolist()):
            own = [i for i, one in enumerate(self.types) if one.gpus == demand]
            for shape, row in enumerate(shapes.rows[:, own].tolist()):
                slots = tuple((i, count) for i, count in zip(own, row, strict=True) if count)
                if slots not in known or not slots:
                    known[slots] = len(owner)
                    owner.append(position)
                index[shape, position] = known[slots]
        listed = _by_position(known, len(owner))
        self._index = index
        self._columns = (
            first.astype(np.int64),
            after.astype(np.int64),
            np.cumsum([0, *map(len, listed)]),
            np.array([kind for slots in listed for kind, _ in slots], dtype=np.int64),
            np.array([count for slots in listed for _, count in slots], dtype=np.int64),
            np.array(owner, dtype=np.int64),
        )

    def worths(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what each shape is worth at most, values being of shape (n, T).

        Exact if the values are whole numbers whose sums stay below 2⁵³.
        """
        from optsched.bounds.pricing_kernel import assignment_values

        by_multiset = np.empty(len(self._columns[-1]))
        assignment_values(values, *self._columns, by_multiset)
        worths: NDArray[np.float64] = by_multiset[self._index].sum(axis=1)
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
        from optsched.bounds.pricing_kernel import assign_jobs

        worths = self.worths(values)
        order = np.argsort(-worths, kind="stable")[: LOOK_AHEAD * count]
        found: dict[bytes, NDArray[np.int64]] = {}
        for shape in order.tolist():
            if worths[shape] <= above or len(found) == count:
                break
            chosen = np.empty(len(values), dtype=np.int64)
            assign_jobs(values, *self._columns, self._index[shape], chosen)
            found.setdefault(chosen.tobytes(), chosen)
        return float(worths[order[0]]), list(found.values())


def _by_position(
    known: dict[tuple[tuple[int, int], ...], int], count: int
) -> Sequence[tuple[tuple[int, int], ...]]:
    """Return the multisets in the order of their positions; those not named are empty."""
    listed: list[tuple[tuple[int, int], ...]] = [()] * count
    for slots, position in known.items():
        listed[position] = slots
    return listed
