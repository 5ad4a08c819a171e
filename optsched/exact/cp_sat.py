"""The slotted optimum by constraint programming: one model with all contention, minimised."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from optsched.core.instance import Instance
from optsched.core.schedule import Schedule
from optsched.exact.limits import OnSchedule
from optsched.exact.outcome import SearchOutcome
from optsched.exact.slotted_search import SlottedSearch
from optsched.formulations.cpsat_slotted import cpsat_slotted

__all__ = ["cp_sat", "write_cp_sat"]


def cp_sat(
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
    """Find the best non-preemptive slotted schedule by one model of CP-SAT.

    See ``models/formulations/cpsat-slotted.md``. The optimum of Σ w C is one of all schedules,
    since the model reaches as far as a best one can.

    Parameters
    ----------
    instance
        The instance, in slotted time, whose rates depend on servers used and contention degree.
    objective
        ``makespan``, ``mean_jct`` or ``weighted_jct``.
    time_limit_s
        Stop after so many seconds with the best so far.
    deterministic_limit
        Stop after so much of CP-SAT's deterministic time, about a second each. With one worker, a
        seed and no limit in seconds two runs find the same.
    workers
        Threads of CP-SAT.
    seed
        Seed of its search.
    hint
        A schedule to start from; no worse one is returned. Without it and without ``below`` quick
        list schedules are taken.
    below
        Only look for schedules of a lower objective.
    lower_s
        A lower bound in seconds that is known to hold; 0 computes one.
    known
        Says which objective has been reached elsewhere meanwhile.
    on_incumbent
        Called with each better schedule, replayed by the judge, and its objective.
    on_bound
        Called with each better lower bound in seconds.
    should_stop
        Asked many times a second; True ends the search like an interrupt.

    Returns
    -------
    SearchOutcome
        ``bound`` holds for all non-preemptive slotted schedules. It is infinite, and there is no
        schedule, if no placement lets some job progress. Weights that are no simple fractions are
        rounded, and the value then is best up to a share of 10⁻⁹.

    Raises
    ------
    UnsupportedError
        If time is continuous, or rates depend on more; the text names a method that applies.
    TooLargeError
        If there are too many spread jobs and slots.
    SolverMissingError
        If ortools cannot be used.
    LimitReachedError
        If the limit comes before the first schedule, unless ``below`` or a hint was given.
    KeyboardInterrupt
        If it comes before the first schedule, unless ``below`` or a hint was given; afterwards an
        interrupt ends the search like a limit.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> pair = waiting_pays().changed(slot_s=5.1)
    >>> outcome = cp_sat(pair, objective="mean_jct")
    >>> outcome.value, outcome.bound, outcome.is_complete
    (20.4, 20.4, True)
    """
    search = SlottedSearch(
        instance,
        "cp-sat",
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
    return search.run(_minimise, hint, lower_s)


def _minimise(search: SlottedSearch) -> bool:
    """Minimise; return True if nothing better than the best is left."""
    model = cpsat_slotted(search.levels, search.goal())
    if model is None:
        return True
    answer = search.solve(model, hint=search.best_runs)
    return answer.status in ("optimal", "infeasible")


def write_cp_sat(instance: Instance, objective: str, directory: Path) -> list[Path]:
    """Write the model that :func:`cp_sat` solves as ``cpsat-slotted.txt`` and ``.pb``.

    Its horizon is that of the best list schedule.

    Parameters
    ----------
    instance, objective
        As for :func:`cp_sat`.
    directory
        Where to write; it has to exist.

    Returns
    -------
    list of Path
        The two files: the model as text, and in the binary format that CP-SAT reads.
    """
    search = SlottedSearch(instance, "cp-sat", objective)
    search.prepare(None, 0.0)
    upper = None if search.best_runs is None else search.value.internal(search.best_runs)
    model = None if search.levels.stuck else cpsat_slotted(search.levels, search.goal(upper=upper))
    if model is None:
        return []
    text, binary = directory / "cpsat-slotted.txt", directory / "cpsat-slotted.pb"
    text.write_text(str(model.model.proto), encoding="utf-8")
    model.model.export_to_file(str(binary))
    return [text, binary]
