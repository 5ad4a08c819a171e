"""The door to exact solving: bounds, quick schedules, and searches where they do not meet."""

from __future__ import annotations

from optsched.contention import slotted_instance
from optsched.core.errors import ScheduleError
from optsched.core.instance import Instance
from optsched.core.metrics import checked_objective
from optsched.core.result import Result
from optsched.core.schedule import Schedule
from optsched.exact.methods import checked_method
from optsched.exact.record import OnIncumbent, OnProgress, Record
from optsched.exact.solving import Solving
from optsched.judge import verify

__all__ = ["solve"]


def solve(
    instance: Instance,
    objective: str = "makespan",
    *,
    method: str = "auto",
    time_limit_s: float | None = 60.0,
    deterministic_limit: float | None = None,
    workers: int | None = None,
    seed: int = 0,
    hint: Schedule | None = None,
    slot_s: float | None = None,
    on_incumbent: OnIncumbent | None = None,
    on_progress: OnProgress | None = None,
) -> Result:
    """Find an optimal schedule with its proof, or the best found with its gap.

    All methods but ``brute-force`` compare quick schedules with the lower bounds first; if they
    meet, this is a proof for all schedules. Then ``auto`` makes a short search, and where that
    leaves a gap several at a time, each in a process of its own: in slotted time one that refutes
    horizons upwards (``destructive``) beside others that improve the schedule (``cp-sat``,
    ``lazy-contention``), in continuous time ``branch-and-bound`` beside ``event-orders``. They
    share the best objective and the best bound, and end when the two meet.

    Parameters
    ----------
    instance
        The instance.
    objective
        ``makespan``, ``mean_jct`` or ``weighted_jct``.
    method
        ``auto``, or one that is to be used alone; see :data:`METHODS`.
    time_limit_s
        Stop after so many seconds; None: never.
    deterministic_limit
        Stop after so much work instead, and do not look at any clock. One unit is a second of
        CP-SAT's deterministic time, 20,000 nodes of ``branch-and-bound``, 50,000 of
        ``event-orders``, 500 of ``brute-force``, or the nodes that ``milp-highs`` and ``milp-cbc``
        name: about a second of one core each. Searches that follow each other share the units;
        those side by side have all that is left, each.
    workers
        Processes and threads together; None: as many as there are cores for this process. With 1
        everything happens in this process, one search after the other, and two runs with the same
        seed and deterministic limit give the same incumbents, bound and schedule.
    seed
        Goes to planners and solvers.
    hint
        A schedule of the instance to start from.
    slot_s
        Length of a slot in seconds: solve the slotted instance in place of a continuous one. Its
        schedule is also one of the continuous instance if every job gives its GPUs back when it
        is done, but is proven optimal only among slotted ones.
    on_incumbent
        Called with each better schedule, its objective, the bound and the seconds since the start.
    on_progress
        Called with a :class:`Progress` when there is a better schedule or a better bound.

    Returns
    -------
    Result
        ``optimal`` with the scope of the proof, ``all`` (all non-preemptive schedules) or
        ``event-aligned``; ``feasible`` if a limit, an interrupt or the number of jobs left a gap;
        ``infeasible`` if in slotted time no placement lets some job progress. ``bound`` holds for
        all schedules of its class. Where a search has proven the bound, these are the
        non-preemptive ones. With ``slot_s`` the scope says of which slotted instance. ``details``
        says what found the schedule, what proved what, and what became of each search.

    Raises
    ------
    UnsupportedError
        If the method does not exist or does not apply; the text names one that does.
    SolverMissingError
        If the method needs a solver that is not there.
    LimitReachedError
        If the limit comes before the first schedule.
    InstanceError
        If slots of that length are too short for some job.
    ScheduleError
        If the hint is no valid schedule of the instance.
    BoundViolatedError
        If a schedule is better than a bound that holds for it.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> result = solve(waiting_pays())
    >>> str(result.status), result.scope, result.value, result.bound.value, result.bound.method
    ('optimal', 'all', 21.0, 21.0, 'rate-configuration')
    >>> solve(waiting_pays(), "makespan", method="branch-and-bound", time_limit_s=5.0).scope
    'event-aligned'
    >>> solve(waiting_pays(), slot_s=1.5).scope
    'all of the slotted instance, slot_s = 1.5'
    """
    wanted = checked_objective(objective)
    if workers is not None and workers < 1:
        raise ValueError(f"expected at least 1 worker, got {workers}")
    solved = instance if slot_s is None else slotted_instance(instance, slot_s)
    checked_method(method, solved, wanted)
    parameters: dict[str, object] = {}
    if deterministic_limit is not None:
        parameters["deterministic_limit"] = deterministic_limit
    if workers is not None:
        parameters["workers"] = workers
    if solved is not instance:
        parameters["slot_s"] = slot_s
    record = Record(
        solved,
        wanted,
        method,
        time_limit_s if deterministic_limit is None else None,
        seed,
        parameters,
        on_incumbent,
        on_progress,
    )
    if hint is not None:
        _check_hint(solved, hint, is_slotted_here=solved is not instance)
        record.offer(hint, "hint")
    of = f" of the slotted instance, slot_s = {slot_s:g}" if solved is not instance else ""
    return Solving(record, deterministic_limit, workers).result(of=of)


def _check_hint(instance: Instance, hint: Schedule, *, is_slotted_here: bool) -> None:
    judgement = verify(instance, hint)
    if judgement.is_valid:
        return
    which = f"slotted instance (slot_s = {instance.slot_s:g})" if is_slotted_here else "instance"
    raise ScheduleError(
        f"the hint is no valid schedule of the {which}: {judgement.violations[0]}; give one that "
        "'optsched verify' accepts, or none"
    )
