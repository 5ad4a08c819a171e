"""The least makespan in slots by decisions: does everything fit into T slots, from below."""

from __future__ import annotations

from collections.abc import Callable

from optsched.core.errors import UnsupportedError
from optsched.core.instance import Instance
from optsched.core.schedule import Schedule
from optsched.exact.limits import OnSchedule
from optsched.exact.outcome import SearchOutcome
from optsched.exact.slotted_search import SlottedSearch
from optsched.formulations.cpsat_slotted import cpsat_slotted

__all__ = ["complete_searches", "destructive"]

#: Searches of CP-SAT that can refute, by a linear relaxation, by none, by a large one, and so on.
SUBSOLVERS = ("default_lp", "no_lp", "max_lp", "quick_restart", "probing", "reduced_costs")
#: What finds solutions only.
HEURISTICS = {
    "use_lns": False,
    "use_rins_lns": False,
    "use_feasibility_jump": False,
    "use_feasibility_pump": False,
    "num_violation_ls": 0,
    "ignore_subsolvers": (
        "fj",
        "fs_random",
        "fs_random_no_lp",
        "fs_random_quick_restart",
        "fs_random_quick_restart_no_lp",
    ),
}


def destructive(
    instance: Instance,
    *,
    objective: str = "makespan",
    time_limit_s: float | None = None,
    deterministic_limit: float | None = None,
    workers: int = 1,
    seed: int = 0,
    hint: Schedule | None = None,
    below: float = float("inf"),
    lower_s: float = 0.0,
    known: Callable[[], float] | None = None,
    on_incumbent: OnSchedule | None = None,
    on_bound: Callable[[float], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> SearchOutcome:
    """Find the least makespan of a non-preemptive slotted schedule by refuting shorter ones.

    Decides whether all jobs fit into T slots, first for the lower bound, then for one slot more
    each time, until they do: a horizon that is tight leaves the solver less to search than an
    objective does. See ``models/formulations/destructive.md``.

    Parameters
    ----------
    instance, time_limit_s, deterministic_limit, workers, seed, hint, below, lower_s
        As for :func:`optsched.exact.cp_sat.cp_sat`.
    objective
        ``makespan``. A sum of completion times takes too many values to refute one by one.
    known, on_incumbent, on_bound, should_stop
        As for :func:`optsched.exact.cp_sat.cp_sat`.

    Returns
    -------
    SearchOutcome
        As that of ``cp_sat``; ``details`` has the number of horizons that were refuted.

    Raises
    ------
    UnsupportedError
        If the objective is another, time is continuous, or rates depend on more.
    TooLargeError, SolverMissingError, LimitReachedError, KeyboardInterrupt
        As ``cp_sat``.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> outcome = destructive(waiting_pays().changed(slot_s=5.1))
    >>> outcome.value, outcome.is_complete
    (25.5, True)
    """
    if objective != "makespan":
        raise UnsupportedError(
            f"method 'destructive' refutes values of the makespan one by one, not of {objective}; "
            "use method 'cp-sat'"
        )
    search = SlottedSearch(
        instance,
        "destructive",
        objective,
        time_limit_s=time_limit_s,
        deterministic_limit=deterministic_limit,
        workers=workers,
        seed=seed,
        below=below,
        known=known,
        on_incumbent=on_incumbent,
        on_bound=on_bound,
        should_stop=should_stop,
    )
    return search.run(_decide_upwards, hint, lower_s)


def complete_searches(workers: int) -> dict[str, object]:
    """Return parameters of CP-SAT by which no worker is busy with what can refute nothing.

    Which of the searches refutes a horizon in a few steps differs from instance to instance by a
    factor of ten and more, so one worker takes turns between two of them.

    Examples
    --------
    >>> parameters = complete_searches(1)
    >>> parameters["subsolvers"], parameters["interleave_search"]
    (('default_lp', 'no_lp'), True)
    >>> complete_searches(3)["subsolvers"]
    ('default_lp', 'no_lp', 'max_lp')
    """
    chosen = SUBSOLVERS[: max(2, workers)]
    return {
        **HEURISTICS,
        "subsolvers": chosen,
        "num_full_subsolvers": len(chosen),
        "interleave_search": workers == 1,
    }


def _decide_upwards(search: SlottedSearch) -> bool:
    """Decide horizons from the bound on; return True if nothing better than the best is left."""
    levels = search.levels
    search.counts["refuted"] = 0
    while not search.is_closed:
        if search.lower > levels.horizon:
            # Some best schedule would have ended by then, so there is none.
            return True
        goal = search.goal(upper=search.lower, is_decision=True)
        model = cpsat_slotted(levels, goal)
        if model is not None:
            parameters = complete_searches(search.workers)
            answer = search.solve(model, has_bound=False, parameters=parameters)
            if answer.status != "infeasible":
                return answer.status == "optimal"
        search.counts["refuted"] += 1
        search.raise_lower(search.lower + 1)
    return True
