"""The slotted optimum by CP-SAT with contention only where it turned out to matter."""

from __future__ import annotations

from collections.abc import Callable

from optsched.core.instance import Instance
from optsched.core.schedule import Schedule
from optsched.exact.limits import OnSchedule
from optsched.exact.outcome import SearchOutcome
from optsched.exact.slotted_search import SlottedSearch
from optsched.formulations.cpsat_slotted import cpsat_slotted
from optsched.formulations.lazy_contention import contended_jobs, repaired_schedule
from optsched.formulations.slotted_program import SlottedRun

__all__ = ["lazy_contention"]


def lazy_contention(
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
    """Find the best non-preemptive slotted schedule by models that know some contention only.

    At first every job takes its shortest, which is a relaxation. Where its optimum goes wrong the
    contention of the jobs concerned joins the model, until an optimum is a true schedule or a
    repaired one is as good: logic-based Benders decomposition. See
    ``models/formulations/lazy-contention.md``.

    Parameters
    ----------
    instance, objective, time_limit_s, deterministic_limit, workers, seed, hint, below, lower_s
        As for :func:`optsched.exact.cp_sat.cp_sat`.
    known, on_incumbent, on_bound, should_stop
        As for :func:`optsched.exact.cp_sat.cp_sat`.

    Returns
    -------
    SearchOutcome
        As that of ``cp_sat``; ``details`` has the rounds and the jobs whose contention was needed.

    Raises
    ------
    UnsupportedError, TooLargeError, SolverMissingError, LimitReachedError, KeyboardInterrupt
        As ``cp_sat``.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> outcome = lazy_contention(waiting_pays().changed(slot_s=5.1))
    >>> outcome.value, outcome.is_complete
    (25.5, True)
    """
    search = SlottedSearch(
        instance,
        "lazy-contention",
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
    return search.run(_activate_and_solve, hint, lower_s)


def _activate_and_solve(search: SlottedSearch) -> bool:
    """Solve ever less relaxed models; return True if nothing better than the best is left."""
    levels = search.levels
    active: frozenset[int] = frozenset()

    def take(runs: list[SlottedRun]) -> None:
        repaired = search.schedule(runs) if levels.is_pool else repaired_schedule(levels, runs)
        if repaired is not None:
            search.offer(repaired)

    search.counts["rounds"] = 0
    while not search.is_closed:
        search.counts["rounds"] += 1
        search.counts["active_jobs"] = len(active)
        model = cpsat_slotted(levels, search.goal(), active=active)
        if model is None:
            return True
        answer = search.solve(model, hint=search.best_runs, take=take)
        if answer.status == "infeasible":
            return True
        if answer.status != "optimal" or answer.value_of is None:
            return False
        wrong = contended_jobs(levels, model.runs(answer.value_of))
        if not wrong:
            return True
        active |= wrong
    return True
