"""The master of column generation: cover every row once at the least total of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optsched.solvers import quiet_highs

__all__ = ["CoveringMaster"]


class CoveringMaster:
    """``min Σ x`` over ``x ≥ 0`` with ``A x ≥ 1``, columns being added between solutions.

    Its duals only steer the search for columns: what is claimed is computed exactly elsewhere.

    Parameters
    ----------
    rows
        The number of rows.

    Examples
    --------
    >>> master = CoveringMaster(2)
    >>> master.add([([0], [0.5]), ([1], [0.5])])
    >>> float(master.duals().sum())
    4.0
    >>> master.add([([0, 1], [0.5, 0.5])])
    >>> float(master.duals().sum())
    2.0
    """

    def __init__(self, rows: int) -> None:
        import highspy

        self._highs: Any = quiet_highs()
        # New columns leave the basis primal feasible.
        self._highs.setOptionValue("simplex_strategy", 4)
        self._highs.setOptionValue("presolve", "off")
        self._optimal = highspy.HighsModelStatus.kOptimal
        self._infinity = highspy.kHighsInf
        for _ in range(rows):
            self._highs.addRow(1.0, self._infinity, 0, [], [])

    def add(self, columns: Sequence[tuple[Sequence[int], Sequence[float]]]) -> None:
        """Add columns, each given by its rows and its entries there."""
        starts = np.cumsum([0, *(len(rows) for rows, _ in columns)])[:-1]
        count = len(columns)
        rows = np.concatenate([np.asarray(rows, dtype=np.int32) for rows, _ in columns])
        values = np.concatenate([np.asarray(entries, np.float64) for _, entries in columns])
        self._highs.addCols(
            count,
            np.ones(count),
            np.zeros(count),
            np.full(count, self._infinity),
            len(rows),
            starts.astype(np.int32),
            rows,
            values,
        )

    def duals(self) -> NDArray[np.float64] | None:
        """Solve and return the duals, none below 0; None if the solver did not get there."""
        self._highs.run()
        if self._highs.getModelStatus() != self._optimal:
            return None
        duals = np.array(self._highs.getSolution().row_dual, dtype=np.float64)
        return np.asarray(np.maximum(duals, 0.0))
