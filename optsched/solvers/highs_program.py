"""Hand a written program to HiGHS, with incumbents and bounds as they come."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from optsched.core.errors import SolverMissingError
from optsched.solvers.answers import ProgramAnswer, ProgramLimits, ProgramWatch
from optsched.solvers.highs import SolutionStatus, quiet_highs
from optsched.solvers.stopping import Stop

__all__ = ["run_highs"]

#: A solution of HiGHS is one within its tolerances.
FEASIBLE = 2


def run_highs(
    path: Path,
    count: int,
    limits: ProgramLimits,
    watch: ProgramWatch,
    start: Sequence[float] | None,
    stop: Stop,
) -> ProgramAnswer:
    """Solve an ``.mps`` file whose variables are called X0000000 and so on.

    Parameters
    ----------
    path
        The file.
    count
        The number of its variables.
    limits, watch, start
        As :func:`~optsched.solvers.solve_program` has them.
    stop
        Notes the signals meanwhile.
    """
    try:
        import highspy

        highs = quiet_highs()
    except ImportError as error:
        raise SolverMissingError(
            f"HiGHS cannot be loaded ({error}); install highspy 1.16 or newer (1.15 does not load "
            "beside ortools 9.15): pip install 'highspy>=1.16', or use CBC"
        ) from error
    highs.readModel(str(path))
    columns = _columns(highs, count)
    kinds = highs.getLp().integrality_
    has_integers = any(kind != highspy.HighsVarType.kContinuous for kind in kinds)
    highs.setOptionValue("random_seed", limits.seed % 2**31)
    # "Optimal" is to mean it.
    highs.setOptionValue("mip_rel_gap", 0.0)
    if limits.time_limit_s is not None:
        highs.setOptionValue("time_limit", max(0.0, float(limits.time_limit_s)))
    if limits.most_nodes is not None:
        highs.setOptionValue("mip_max_nodes", limits.most_nodes)
    if start is not None:
        highs.setSolution(count, columns.astype(np.int32), np.asarray(start, dtype=np.float64))
    listener = _Listener(watch, columns, stop)
    if has_integers:
        listener.attach(highs, highspy.cb.HighsCallbackType)
    highs.run()
    if highs.getModelStatus() == highspy.HighsModelStatus.kUnboundedOrInfeasible:
        # The presolve cannot tell which; the solver can.
        highs.setOptionValue("presolve", "off")
        highs.run()
    if listener.error is not None:
        raise listener.error
    info, found = highs.getInfo(), highs.getModelStatus()
    status, stopped_by = _status(found, highspy.HighsModelStatus, is_asked=listener.has_stopped)
    has_values = info.primal_solution_status == FEASIBLE and status in ("optimal", "limit")
    value = float(info.objective_function_value) if has_values else None
    bound = float("-inf")
    if status == "infeasible":
        bound = float("inf")
    elif has_integers:
        bound = float(info.mip_dual_bound)
    elif status == "optimal" and value is not None:
        bound = value
    values: list[float] = []
    if has_values:
        values = np.array(highs.getSolution().col_value, dtype=np.float64)[columns].tolist()
    nodes = max(0, int(info.mip_node_count)) if has_integers else 0
    return ProgramAnswer(status, value, bound, values, nodes, stopped_by)


class _Listener:
    """Passes on what HiGHS tells while it runs, and stops it when asked.

    Nothing is raised within a callback; an error waits until HiGHS has stopped.
    """

    def __init__(self, watch: ProgramWatch, columns: np.ndarray, stop: Stop) -> None:
        self.watch = watch
        self.columns = columns
        self.stop = stop
        self.bound = float("-inf")
        self.has_stopped = False
        self.error: BaseException | None = None
        self._kinds: Any = None

    def attach(self, highs: Any, kinds: Any) -> None:
        self._kinds = kinds
        highs.setCallback(self.heard, None)
        highs.startCallback(kinds.kCallbackMipInterrupt)
        if self.watch.on_solution is not None:
            highs.startCallback(kinds.kCallbackMipImprovingSolution)

    def heard(self, kind: Any, _: str, told: Any, answer: Any, __: object) -> None:
        try:
            if kind == self._kinds.kCallbackMipImprovingSolution:
                if self.watch.on_solution is not None:
                    values = np.array(told.mip_solution, dtype=np.float64)[self.columns]
                    self.watch.on_solution(values.tolist())
            else:
                self.look(told.mip_dual_bound)
        except BaseException as error:
            self.error = error
        if self.has_stopped or self.error is not None or self.stop.is_asked:
            self.has_stopped = True
            answer.user_interrupt = 1

    def look(self, bound: float) -> None:
        if self.watch.on_bound is not None and self.bound < bound < 1e300:
            self.bound = bound
            self.watch.on_bound(bound)
        if self.watch.should_stop is not None and self.watch.should_stop():
            self.has_stopped = True


def _columns(highs: Any, count: int) -> np.ndarray:
    """Return the number that each variable has in HiGHS."""
    position = {name: column for column, name in enumerate(highs.getLp().col_names_)}
    return np.array([position[f"X{number:07d}"] for number in range(count)], dtype=np.int64)


def _status(found: Any, known: Any, *, is_asked: bool) -> tuple[SolutionStatus, str]:
    """Return the status, and what stopped HiGHS."""
    proofs: dict[Any, SolutionStatus] = {
        known.kOptimal: "optimal",
        known.kModelEmpty: "optimal",
        known.kInfeasible: "infeasible",
        known.kUnbounded: "unbounded",
    }
    if found in proofs:
        return proofs[found], ""
    stops = {
        known.kTimeLimit: "time limit",
        known.kSolutionLimit: "node limit",
        known.kInterrupt: "interrupt",
    }
    return "limit", "interrupt" if is_asked else stops.get(found, "solver")
