"""The slotted optimum by mixed-integer programming, a second opinion from HiGHS and from CBC."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from optsched.core.instance import Instance
from optsched.core.metrics import checked_objective
from optsched.core.schedule import Schedule
from optsched.exact.milp_search import MOST_BINARIES, MilpSearch
from optsched.exact.outcome import SearchOutcome
from optsched.solvers import (
    MipSolver,
    ProgramAnswer,
    ProgramLimits,
    ProgramWatch,
    solve_program,
)

__all__ = ["MOST_BINARIES", "NODES_PER_UNIT", "milp", "write_milp"]

#: Nodes of the search tree that count as one unit of a deterministic limit.
NODES_PER_UNIT = 100


def milp(
    instance: Instance,
    *,
    solver: MipSolver = "highs",
    objective: str = "makespan",
    time_limit_s: float | None = None,
    deterministic_limit: float | None = None,
    workers: int = 1,
    seed: int = 0,
    hint: Schedule | None = None,
    below: float = float("inf"),
    lower_s: float = 0.0,
    symmetry: bool = True,
    on_incumbent: Callable[[Schedule, float], None] | None = None,
    on_bound: Callable[[float], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> SearchOutcome:
    """Find the best non-preemptive slotted schedule by a time-indexed mixed-integer program.

    Its linear relaxation is weak, so it is of use up to about five jobs, as a check of the other
    methods: it shares with them the table of iterations a slot holds, and nothing else. See
    ``models/formulations/milp-slotted.md``.

    Parameters
    ----------
    instance
        The instance, in slotted time, whose rates depend on servers used and contention degree.
    solver
        ``highs`` or ``cbc``.
    objective
        ``makespan``, ``mean_jct`` or ``weighted_jct``.
    time_limit_s
        Stop after so many seconds, the writing of the program included, with the best so far.
    deterministic_limit
        Stop after so many units, each :data:`NODES_PER_UNIT` nodes of the search tree. The root of
        the tree is solved in any case, and may be most of the work.
    workers
        Threads of CBC; HiGHS uses one, whatever is asked for.
    seed
        Seed of the solver's random numbers.
    hint
        A schedule to start from; no worse one is returned. Without it and without ``below`` quick
        list schedules say how far ahead to look.
    below
        Only look for schedules of a lower objective.
    lower_s
        A lower limit of the objective that is known from elsewhere.
    symmetry
        Leave out what only exchanges equal servers or identical jobs.
    on_incumbent
        Called with each better schedule, replayed by the judge, and its objective. CBC tells of its
        last one only.
    on_bound
        Called with each better lower bound in seconds.
    should_stop
        Asked many times a second; True ends the search like an interrupt.

    Returns
    -------
    SearchOutcome
        Complete if the solver proved its value best, up to a share of 10⁻⁵ where weights have no
        common measure. ``bound`` is what it proved for all non-preemptive slotted schedules, as far
        as its tolerances go.

    Raises
    ------
    UnsupportedError
        If time is continuous, or rates depend on more.
    TooLargeError
        If the program would have more than :data:`MOST_BINARIES` binaries.
    SolverMissingError
        If the solver is not installed.
    LimitReachedError
        If the limit comes before the first schedule, unless ``below`` or a hint was given.
    KeyboardInterrupt
        If it comes before the first schedule, unless ``below`` or a hint was given; afterwards an
        interrupt ends the search like a limit.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> pair = waiting_pays().changed(slot_s=5.1)
    >>> outcome = milp(pair, objective="mean_jct")
    >>> outcome.value, outcome.bound, outcome.is_complete
    (20.4, 20.4, True)
    """
    began_s = time.monotonic()
    search = MilpSearch(
        instance,
        checked_objective(objective),
        solver,
        hint=hint,
        below=below,
        symmetry=symmetry,
        on_incumbent=on_incumbent,
        on_bound=on_bound,
    )
    try:
        if hint is None and below == np.inf:
            search.offer_list_schedules()
        program = search.program(lower_s)
        if program is None:
            return search.nothing_to_solve()
        nodes = None if deterministic_limit is None else int(deterministic_limit * NODES_PER_UNIT)
        left_s = None
        if time_limit_s is not None:
            left_s = max(0.0, began_s + time_limit_s - time.monotonic())
        answer = solve_program(
            program.problem,
            solver=solver,
            limits=ProgramLimits(left_s, nodes, workers, seed),
            watch=ProgramWatch(search.take, search.tell, should_stop),
            start=search.start_values(),
        )
    except KeyboardInterrupt:
        answer = ProgramAnswer("limit", None, -np.inf, stopped_by="interrupt")
    return search.outcome(answer)


def write_milp(instance: Instance, objective: str, directory: Path) -> list[Path]:
    """Write the program that :func:`milp` solves as ``milp-slotted.mps`` and ``.lp``.

    The horizon is that of the best list schedule. Returns the files.

    Raises
    ------
    UnsupportedError
        As :func:`milp`.

    Examples
    --------
    >>> import tempfile
    >>> from optsched.generate.hand import waiting_pays
    >>> with tempfile.TemporaryDirectory() as name:
    ...     files = write_milp(waiting_pays().changed(slot_s=5.1), "makespan", Path(name))
    ...     [(file.name, file.stat().st_size > 0) for file in files]
    [('milp-slotted.mps', True), ('milp-slotted.lp', True)]
    """
    search = MilpSearch(instance, checked_objective(objective), "highs")
    search.offer_list_schedules()
    program = search.program(0.0)
    return [] if program is None else program.write(directory)
