"""HiGHS, quiet and honest: what it says is optimal, what is a bound, and what is neither."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from optsched.solvers.silence import silenced_output

__all__ = ["HighsModel", "LinearSolution", "quiet_highs"]

#: What the first model of this process was given.
_THREADS: dict[str, int] = {}

SolutionStatus = Literal["optimal", "infeasible", "unbounded", "limit"]


@dataclass(frozen=True, slots=True, eq=False)
class LinearSolution:
    """What HiGHS found.

    Parameters
    ----------
    status
        ``optimal`` only if it was proven; ``limit`` for any stop before that, failures included.
    value
        Objective of the solution; None if there is none.
    bound
        A lower bound on the objective, as far as the solver's tolerances go; −∞ if none is known.
    values, duals
        The variables, and of linear programs the duals of the rows, in the order in which they
        were added; empty if unknown.
    """

    status: SolutionStatus
    value: float | None
    bound: float
    values: NDArray[np.float64]
    duals: NDArray[np.float64]


def quiet_highs(*, threads: int = 1) -> Any:
    """Return an empty model of highspy that prints nothing and has its number of threads set.

    HiGHS has one pool of threads for the whole process; a model that asks for another number than
    the first one fails, or says 0. So all models of the package are made here.

    Parameters
    ----------
    threads
        Threads of the solver.

    Raises
    ------
    ValueError
        If another number of threads was used before in this process.

    Examples
    --------
    >>> quiet_highs().getNumCol()
    0
    """
    if threads < 1:
        raise ValueError(f"a solver needs at least one thread, got {threads}")
    before = _THREADS.setdefault("HiGHS", threads)
    if before != threads:
        raise ValueError(
            f"HiGHS already runs with {before} thread(s) in this process and cannot change to "
            f"{threads}; use the same number, or another process"
        )
    import highspy

    with silenced_output():
        highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", threads)
    if threads == 1:
        highs.setOptionValue("parallel", "off")
    return highs


class HighsModel:
    """A linear or mixed-integer program to be minimised.

    Parameters
    ----------
    threads
        Threads of the solver; see :func:`quiet_highs`.

    Examples
    --------
    >>> model = HighsModel()
    >>> x, y = model.add_variable(cost=2.0), model.add_variable(cost=3.0)
    >>> model.add_row({x: 1.0, y: 1.0}, lower=4.0)
    0
    >>> model.add_row({x: 1.0, y: 3.0}, lower=6.0)
    1
    >>> solution = model.minimise()
    >>> solution.status, solution.value, solution.values.round(9).tolist()
    ('optimal', 9.0, [3.0, 1.0])
    """

    def __init__(self, *, threads: int = 1) -> None:
        self._highs = quiet_highs(threads=threads)
        import highspy

        self._statuses = highspy.HighsModelStatus
        self._integer = highspy.HighsVarType.kInteger
        self._infinity: float = highspy.kHighsInf
        self._variables = 0
        self._rows = 0
        self._has_integers = False

    def add_variable(
        self,
        *,
        cost: float = 0.0,
        lower: float = 0.0,
        upper: float = float("inf"),
        is_integer: bool = False,
    ) -> int:
        """Add a variable and return its number."""
        upper = self._infinity if upper == float("inf") else upper
        self._highs.addCol(cost, lower, upper, 0, [], [])
        if is_integer:
            self._has_integers = True
            self._highs.changeColIntegrality(self._variables, self._integer)
        self._variables += 1
        return self._variables - 1

    def add_row(
        self,
        entries: Mapping[int, float],
        *,
        lower: float = float("-inf"),
        upper: float = float("inf"),
    ) -> int:
        """Add ``lower ≤ Σ entries[x] x ≤ upper`` and return the number of the row."""
        lower = -self._infinity if lower == float("-inf") else lower
        upper = self._infinity if upper == float("inf") else upper
        columns = np.fromiter(entries.keys(), dtype=np.int32)
        values = np.fromiter(entries.values(), dtype=np.float64)
        self._highs.addRow(lower, upper, len(columns), columns, values)
        self._rows += 1
        return self._rows - 1

    def minimise(self, *, time_limit_s: float | None = None) -> LinearSolution:
        """Solve.

        Parameters
        ----------
        time_limit_s
            Stop after so many seconds; None: never.
        """
        if time_limit_s is not None:
            # HiGHS adds up the times of all runs of one model.
            limit = self._highs.getRunTime() + time_limit_s
            self._highs.setOptionValue("time_limit", float(limit))
        with silenced_output():
            self._highs.run()
        status = self._status()
        info, solution = self._highs.getInfo(), self._highs.getSolution()
        has_values = info.primal_solution_status == 2
        values = np.array(solution.col_value, dtype=np.float64) if has_values else np.empty(0)
        duals = np.empty(0)
        bound = float("-inf")
        if status == "infeasible":
            bound = float("inf")
        elif self._has_integers:
            bound = float(info.mip_dual_bound)
        elif status == "optimal":
            bound = float(info.objective_function_value)
            duals = np.array(solution.row_dual, dtype=np.float64)
        value = float(info.objective_function_value) if has_values else None
        return LinearSolution(status, value, bound, values, duals)

    def _status(self) -> SolutionStatus:
        found = self._highs.getModelStatus()
        known: dict[Any, SolutionStatus] = {
            self._statuses.kOptimal: "optimal",
            # A model without variables.
            self._statuses.kModelEmpty: "optimal",
            self._statuses.kInfeasible: "infeasible",
            self._statuses.kUnbounded: "unbounded",
        }
        return known.get(found, "limit")
