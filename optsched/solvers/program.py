"""Mixed-integer programs written with PuLP: one door to HiGHS and CBC, and honest answers."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from optsched.core.errors import SolverMissingError
from optsched.solvers.answers import MipSolver, ProgramAnswer, ProgramLimits, ProgramWatch
from optsched.solvers.cbc import run_cbc
from optsched.solvers.highs_program import run_highs
from optsched.solvers.stopping import kept_signals

__all__ = ["import_pulp", "solve_program"]


def solve_program(
    problem: Any,
    *,
    solver: MipSolver = "highs",
    limits: ProgramLimits | None = None,
    watch: ProgramWatch | None = None,
    start: Sequence[float] | None = None,
) -> ProgramAnswer:
    """Minimise a ``pulp.LpProblem``.

    PuLP calls a run optimal that ended at a time limit, and knows no bound. So it only writes the
    model here, as the same ``.mps`` for both solvers, and what they say is read from them: from
    HiGHS by its interface, from CBC by its solution and its log. Nothing is printed.

    Parameters
    ----------
    problem
        A ``pulp.LpProblem`` that is to be minimised.
    solver
        ``highs`` or ``cbc``.
    limits, watch
        See :class:`ProgramLimits` and :class:`ProgramWatch`.
    start
        A solution to start from, in the order of ``problem.variables()``.

    Raises
    ------
    SolverMissingError
        If the solver is not installed or does not run; the text says what to do.
    ValueError
        If the problem is to be maximised, or has no objective.

    Examples
    --------
    >>> import pulp
    >>> problem = pulp.LpProblem("whole", pulp.LpMinimize)
    >>> x = problem.add_variable("x", lowBound=0, cat="Integer")
    >>> problem += x
    >>> problem += 2 * x >= 3, "enough"
    >>> answer = solve_program(problem)
    >>> answer.status, answer.value, answer.bound, answer.by_name(problem)
    ('optimal', 2.0, 2.0, {'x': 2.0})
    """
    if solver not in get_args(MipSolver):
        raise ValueError(f"solver is one of {', '.join(get_args(MipSolver))}; got {solver!r}")
    if problem.sense != 1:
        raise ValueError("only minimisation is answered; write the objective with its sign changed")
    limits = ProgramLimits() if limits is None else limits
    watch = ProgramWatch() if watch is None else watch
    # In this order: what is written is gone before a request to end is carried out.
    with kept_signals() as stop, tempfile.TemporaryDirectory(prefix="optsched-") as directory:
        path = Path(directory) / "program.mps"
        # Renamed, the n-th variable is X and its number, whatever the names are.
        count = len(problem.variables())
        problem.writeMPS(str(path), rename=True)
        if len(problem.variables()) != count:
            raise ValueError("the problem has no objective, so PuLP adds a variable; minimise one")
        run = run_highs if solver == "highs" else run_cbc
        return run(path, count, limits, watch, start, stop)


def import_pulp() -> Any:
    """Return the module pulp.

    Raises
    ------
    SolverMissingError
        If it is not installed.
    """
    try:
        import pulp
    except ImportError as error:
        raise SolverMissingError(
            f"PuLP cannot be imported ({error}); install it: pip install 'pulp>=3.3.2,<5'"
        ) from error
    return pulp
