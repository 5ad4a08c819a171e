"""Find better schedules and bounds for the instances of the library, and keep what is better."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from optsched.bounds import survey_bounds, worthwhile_effort
from optsched.core.document import instance_sha256
from optsched.core.errors import (
    LimitReachedError,
    ScheduleError,
    StalledJobError,
    UnsupportedError,
)
from optsched.core.instance import Instance
from optsched.core.metrics import OBJECTIVES, Objective, checked_objective
from optsched.core.result import (
    Result,
    Status,
    violates,
)
from optsched.core.schedule import Schedule, schedule_sha256
from optsched.exact import solve
from optsched.files.known import KnownResult
from optsched.planners import Annealing
from optsched.study.evidence import Evidence
from optsched.study.run import run_scheduler, versions
from optsched.study.specification import Scheduler

__all__ = ["Certification", "certify", "objectives_of"]

#: Moves of the annealing for each second of the limit, which does not grow beyond so many seconds.
MOVES_PER_S, LONGEST_ANNEALING_S = 100_000, 600.0


@dataclass(frozen=True, slots=True, eq=False)
class Certification:
    """What came of certifying an instance for an objective.

    Parameters
    ----------
    instance
        The instance.
    result
        The best that is known now.
    schedule
        The schedule that has its value.
    previous
        What was known before; None if nothing was.
    changes
        What is better than before: ``schedule``, ``bound``, ``proof``.
    stopped_by
        ``interrupt`` if the user's interrupt cut the search short, else empty.
    """

    instance: Instance
    result: KnownResult
    schedule: Schedule
    previous: KnownResult | None
    changes: tuple[str, ...]
    stopped_by: str = ""


def certify(
    instance: Instance,
    *,
    objective: str = "makespan",
    time_limit_s: float = 60.0,
    effort: str | None = None,
    schedulers: Sequence[Scheduler] = (),
    schedule: Schedule | None = None,
    seed: int = 0,
    previous: KnownResult | None = None,
    previous_schedule: Schedule | None = None,
) -> Certification:
    """Search for better within a limit and put the outcome together with what was known.

    Bounds are computed, then the annealing planner and ``schedulers`` run, and :func:`solve` goes
    on from the best schedule.

    Nothing gets worse by it: of schedules and of bounds the better one stays, and of equal ones
    the older. All of it is checked again: the old schedule is judged anew, and every schedule is
    held against every bound of its class.

    Parameters
    ----------
    instance, objective
        What is certified.
    time_limit_s
        Limit of :func:`~optsched.exact.solve`; the moves of the annealing are in proportion to it.
        Bounds come on top.
    effort
        The most that bounds may cost; None: what pays for the size and the objective.
    schedulers
        Schedulers that are tried besides; a schedule that preempts is checked, but does not
        compete.
    schedule
        A schedule from elsewhere that competes.
    seed
        For what draws random numbers.
    previous, previous_schedule
        What was known, and its schedule, which has to be as good as it says; what was known of
        another content is left aside.

    Raises
    ------
    ViolatedBoundError
        If a schedule is better than a bound of its class, be they old or new.
    ScheduleError
        If the old schedule is invalid, or worse than what is known.
    LimitReachedError
        If there is no schedule, old or new.

    Examples
    --------
    >>> from optsched.generate import waiting_pays
    >>> done = certify(waiting_pays(), time_limit_s=5.0)
    >>> done.result.value, done.result.status_text, done.changes
    (21.0, 'optimal', ('schedule', 'bound', 'proof'))
    >>> again = certify(
    ...     waiting_pays(), previous=done.result, previous_schedule=done.schedule, time_limit_s=5.0
    ... )
    >>> again.changes, again.result == done.result
    ((), True)
    """
    wanted = checked_objective(objective)
    if previous is not None and previous.instance_sha256 != instance_sha256(instance):
        previous = previous_schedule = None
    evidence = Evidence(instance, wanted)
    if previous is not None:
        evidence.add_bounds(previous.bounds)
        if previous_schedule is None:
            raise ValueError(f"the schedule of what is known about {instance.name!r} is missing")
        evidence.offer(previous_schedule, previous.value_method)
        _check_value(evidence.best().value, previous)
    survey = survey_bounds(instance, wanted, effort=effort or worthwhile_effort(instance, wanted))
    evidence.add_bounds(survey.bounds)
    stopped_by = survey.stopped_by
    for scheduler in schedulers if not stopped_by else ():
        made = run_scheduler(instance, scheduler, objective=wanted, seed=seed)
        assert made.schedule is not None
        evidence.offer(made.schedule, scheduler.name)
    if schedule is not None:
        evidence.offer(schedule, "given")
    if not stopped_by and not evidence.is_settled():
        _anneal(evidence, time_limit_s, seed)
    found: Result | None = None
    if not stopped_by:
        hint = evidence.best().schedule if evidence.candidates else None
        found = solve(instance, objective=wanted, time_limit_s=time_limit_s, seed=seed, hint=hint)
        stopped_by = str(found.details.get("stopped_by", ""))
        if found.schedule is not None:
            evidence.offer(found.schedule, str(found.details.get("schedule_from", "solve")))
        if found.bound is not None:
            evidence.add_bounds([found.bound])
    if not evidence.candidates:
        raise LimitReachedError(f"no schedule of {instance.name!r} is known or was found in time")
    is_interrupted = stopped_by == "interrupt"
    result = _result(evidence, found, 0.0 if is_interrupted else time_limit_s, previous)
    changes = _changes(result, previous)
    if previous is not None and not changes:
        result = replace(previous, time_limit_s=result.time_limit_s)
    return Certification(
        instance,
        result,
        evidence.best().schedule,
        previous,
        changes,
        stopped_by if is_interrupted else "",
    )


def _anneal(evidence: Evidence, time_limit_s: float, seed: int) -> None:
    """Try the annealing planner, about as long as the limit at 160 jobs, and less at fewer."""
    moves = max(MOVES_PER_S, int(MOVES_PER_S * min(time_limit_s, LONGEST_ANNEALING_S)))
    planner = Annealing(objective=evidence.objective, moves=moves)
    # Where iteration times depend on which servers a job has it does not apply.
    with suppress(UnsupportedError, StalledJobError):
        evidence.offer(planner.plan(evidence.instance, seed=seed).schedule, "annealing")


def _check_value(value: float, previous: KnownResult) -> None:
    if violates(previous.value, value):
        raise ScheduleError(
            f"the stored schedule of {previous.instance!r} has {previous.objective} {value!r} s, "
            f"and {previous.value!r} s is said to be known; restore the file of the schedule, or "
            "take the entry out and certify it anew"
        )


def objectives_of(instance: Instance) -> list[Objective]:
    """Return the objectives that an instance is certified for.

    Examples
    --------
    >>> from optsched.generate import interior_start, waiting_pays
    >>> objectives_of(waiting_pays()), objectives_of(interior_start())
    (['makespan', 'mean_jct'], ['makespan', 'mean_jct', 'weighted_jct'])
    """
    has_weights = bool((instance.jobs.weight != instance.jobs.weight[0]).any())
    return [objective for objective in OBJECTIVES if objective != "weighted_jct" or has_weights]


def _result(
    evidence: Evidence, found: Result | None, time_limit_s: float, previous: KnownResult | None
) -> KnownResult:
    instance, best = evidence.instance, evidence.best()
    result = KnownResult(
        instance=instance.name,
        instance_sha256=instance_sha256(instance),
        objective=evidence.objective,
        value=best.value,
        value_method=best.method,
        status=Status.FEASIBLE,
        scope="all",
        proof="",
        bounds=evidence.strongest(),
        schedule_sha256=schedule_sha256(best.schedule),
        time_limit_s=max(time_limit_s, 0.0 if previous is None else previous.time_limit_s),
        version=versions()["optsched"],
        date=datetime.datetime.now(datetime.UTC).date(),
    )
    return (
        _proved(result, found)
        or _aligned(result, found)
        or _still_aligned(result, previous)
        or result
    )


def _proved(result: KnownResult, found: Result | None) -> KnownResult | None:
    """Return the result as an optimum among all schedules, if it meets its bound."""
    if not result.is_proved:
        return None
    proof = f"meets bound {result.bound.method!r}"
    if found is not None and found.status is Status.OPTIMAL and found.scope == "all":
        proof = str(found.details.get("proof", proof))
    return replace(result, status=Status.OPTIMAL, proof=proof)


def _aligned(result: KnownResult, found: Result | None) -> KnownResult | None:
    """Return it as an optimum among the event-aligned ones, if that was just proven of it."""
    if found is None or found.status is not Status.OPTIMAL or found.scope != "event-aligned":
        return None
    if found.value is None or violates(result.value, found.value):
        # There is a better one that is not event-aligned.
        return None
    proof = str(found.details.get("proof", ""))
    return replace(result, status=Status.OPTIMAL, scope=found.scope, proof=proof)


def _still_aligned(result: KnownResult, previous: KnownResult | None) -> KnownResult | None:
    if previous is None or previous.status is not Status.OPTIMAL or result.is_proved:
        return None
    if violates(result.value, previous.value):
        return None
    return replace(result, status=previous.status, scope=previous.scope, proof=previous.proof)


def _changes(result: KnownResult, previous: KnownResult | None) -> tuple[str, ...]:
    """Say what is better than before, by more than rounding."""
    if previous is None:
        return ("schedule", "bound", *(["proof"] if result.proof else []))
    changes = []
    if violates(result.value, previous.value):
        changes.append("schedule")
    before = {bound.problem_class: bound.value for bound in previous.bounds}
    if any(violates(before.get(bound.problem_class, 0.0), bound.value) for bound in result.bounds):
        changes.append("bound")
    if result.status_text != previous.status_text:
        changes.append("proof")
    return tuple(changes)
