"""CP-SAT, quiet and honest: what it proved, what it found, and why it stopped."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from optsched.solvers.load_cpsat import load_cp_model

__all__ = ["CpSatAnswer", "CpSatLimits", "ValueOf", "solve_cp_model"]

#: Seconds between two looks at the flag that asks to stop.
LOOK_S = 0.05

CpSatStatus = Literal["optimal", "infeasible", "feasible", "unknown"]
#: Gives the value of a variable or a literal in a solution.
ValueOf = Callable[[Any], int]


@dataclass(frozen=True, slots=True)
class CpSatLimits:
    """How long the solver may search, and how.

    Parameters
    ----------
    time_limit_s
        Seconds; None: no limit.
    deterministic_limit
        CP-SAT's deterministic time, about a second of work each; None: no limit.
    workers
        Threads. With one, a seed and no limit in seconds, runs repeat bit for bit.
    seed
        Seed of the search.
    """

    time_limit_s: float | None = None
    deterministic_limit: float | None = None
    workers: int = 1
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class CpSatAnswer:
    """What CP-SAT found.

    Parameters
    ----------
    status
        ``optimal`` and ``infeasible`` only if proven. Without an objective a solution is optimal.
    value
        Objective of the best solution; None if there is none or no objective.
    bound
        A proven lower bound on the objective; −∞ if there is none, ∞ if it is infeasible.
    value_of
        Values in the best solution; None if there is none.
    stopped_by
        ``""``, ``"time limit"``, ``"deterministic limit"`` or ``"interrupt"``.
    branches, conflicts
        Decisions made and dead ends met.
    deterministic_time
        Deterministic time used.
    """

    status: CpSatStatus
    value: int | None
    bound: float
    value_of: ValueOf | None
    stopped_by: str
    branches: int
    conflicts: int
    deterministic_time: float


def solve_cp_model(
    model: Any,
    limits: CpSatLimits | None = None,
    *,
    on_solution: Callable[[ValueOf], None] | None = None,
    on_bound: Callable[[float], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    **parameters: object,
) -> CpSatAnswer:
    """Solve a model and say what is proven.

    The solver runs in a thread of its own, so that an interrupt reaches Python at once. Callbacks
    are called in the thread of the caller.

    Parameters
    ----------
    model
        A ``CpModel``.
    limits
        Time, workers and seed.
    on_solution
        Called with each solution as it is found; its argument gives the values of variables.
    on_bound
        Called with each better lower bound on the objective.
    should_stop
        Asked many times a second; True ends the search like an interrupt.
    parameters
        Further parameters of CP-SAT by name.

    Returns
    -------
    CpSatAnswer
        After an interrupt (``KeyboardInterrupt``) the best so far, ``stopped_by`` says so.

    Raises
    ------
    SolverMissingError
        If ortools cannot be used.
    ValueError
        If the model is invalid.

    Examples
    --------
    >>> from optsched.solvers import load_cp_model
    >>> model = load_cp_model().CpModel()
    >>> x, y = model.new_int_var(0, 9, "x"), model.new_int_var(0, 9, "y")
    >>> _ = model.add(2 * x + 3 * y >= 13)
    >>> model.minimize(x + y)
    >>> answer = solve_cp_model(model)
    >>> answer.status, answer.value, answer.bound, answer.value_of(y)
    ('optimal', 5, 5.0, 3)
    """
    cp_model = load_cp_model()
    return _Run(cp_model, model, limits or CpSatLimits(), parameters).result(
        on_solution, on_bound, should_stop
    )


class _Run:
    """One solve: a thread in which the solver runs, and a queue of what it has to say."""

    def __init__(
        self, cp_model: Any, model: Any, limits: CpSatLimits, parameters: dict[str, object]
    ) -> None:
        self.cp_model, self.model, self.limits = cp_model, model, limits
        self.solver = cp_model.CpSolver()
        self.news: queue.Queue[tuple[str, Any]] = queue.Queue()
        self.error: BaseException | None = None
        settings = self.solver.parameters
        settings.num_workers = limits.workers
        settings.random_seed = limits.seed
        # Ctrl-C is Python's, which tells us; otherwise the solver would keep it to itself.
        settings.catch_sigint_signal = False
        # A rule of the presolve adds up coefficients in 32 bits, and then proves too much (up to
        # 9.15, google/or-tools#5293). Models of small numbers are none the slower without it.
        settings.presolve_inclusion_work_limit = 0
        if limits.time_limit_s is not None:
            settings.max_time_in_seconds = max(0.0, limits.time_limit_s)
        if limits.deterministic_limit is not None:
            settings.max_deterministic_time = max(0.0, limits.deterministic_limit)
        for name, value in parameters.items():
            if isinstance(value, list | tuple):
                getattr(settings, name).extend(value)
            else:
                setattr(settings, name, value)

    def result(
        self,
        on_solution: Callable[[ValueOf], None] | None,
        on_bound: Callable[[float], None] | None,
        should_stop: Callable[[], bool] | None,
    ) -> CpSatAnswer:
        if on_bound is not None:
            self.solver.best_bound_callback = lambda bound: self.news.put(("bound", bound))
        thread = threading.Thread(
            target=self._solve, args=(on_solution is not None,), name="cp-sat", daemon=True
        )
        was_asked = False
        thread.start()
        try:
            while True:
                try:
                    kind, what = self.news.get(timeout=LOOK_S)
                except queue.Empty:
                    if should_stop is not None and not was_asked and should_stop():
                        was_asked = True
                    if was_asked:
                        self.solver.stop_search()
                    continue
                if kind == "end":
                    break
                if kind == "bound" and on_bound is not None:
                    on_bound(float(what))
                elif kind == "solution" and on_solution is not None:
                    on_solution(what)
        except KeyboardInterrupt:
            was_asked = True
        finally:
            # Also if a callback failed: no solver is left running.
            while thread.is_alive():
                self.solver.stop_search()
                thread.join(LOOK_S)
        if self.error is not None:
            raise self.error
        return self._answer(was_asked=was_asked)

    def _solve(self, is_listening: bool) -> None:
        try:
            callback = self._listener() if is_listening else None
            try:
                self.solver.solve(self.model, callback)
            except IndexError:
                # Presolve looks up what its symmetry step has removed and breaks off, before any
                # search (seen in 9.15). Without that step the same model is solved.
                self.solver.parameters.symmetry_level = 0
                self.solver.solve(self.model, callback)
        except BaseException as error:
            self.error = error
        finally:
            self.news.put(("end", None))

    def _listener(self) -> Any:
        """Return a callback that copies each solution, since the solver goes on meanwhile."""
        news, base = self.news, self.cp_model.CpSolverSolutionCallback

        class Listener(base):  # type: ignore[misc, valid-type]
            def on_solution_callback(self) -> None:
                news.put(("solution", _reader(list(self.Response().solution))))

        return Listener()

    def _answer(self, *, was_asked: bool) -> CpSatAnswer:
        cp_model, solver = self.cp_model, self.solver
        response = solver.response_proto
        names: dict[Any, CpSatStatus] = {
            cp_model.OPTIMAL: "optimal",
            cp_model.FEASIBLE: "feasible",
            cp_model.INFEASIBLE: "infeasible",
            cp_model.UNKNOWN: "unknown",
        }
        if response.status not in names:
            raise ValueError(f"CP-SAT takes the model for invalid: {self.model.validate()}")
        status = names[response.status]
        has_solution = status in ("optimal", "feasible")
        has_objective = self.model.has_objective()
        value, bound = None, float("-inf")
        if status == "infeasible":
            bound = float("inf")
        elif has_objective:
            bound = float(response.best_objective_bound)
            value = round(response.objective_value) if has_solution else None
        stopped_by = ""
        if status in ("feasible", "unknown"):
            stopped_by = "interrupt" if was_asked else self._limit_met()
        return CpSatAnswer(
            status,
            value,
            bound,
            _reader(list(response.solution)) if has_solution else None,
            stopped_by,
            int(response.num_branches),
            int(response.num_conflicts),
            float(response.deterministic_time),
        )

    def _limit_met(self) -> str:
        limits = self.limits
        if limits.time_limit_s is None:
            return "deterministic limit"
        if limits.deterministic_limit is None or self.solver.wall_time >= limits.time_limit_s:
            return "time limit"
        return "deterministic limit"


def _reader(values: list[int]) -> ValueOf:
    """Return a function that finds the value of a variable; a negated literal has index −i − 1."""

    def value_of(variable: Any) -> int:
        index: int = variable.index
        return values[index] if index >= 0 else 1 - values[-index - 1]

    return value_of
