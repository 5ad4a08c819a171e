"""Compare schedulers on instances, each run judged and held against a lower bound."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from optsched.bounds import all_bounds, worthwhile_effort
from optsched.core.document import instance_sha256
from optsched.core.errors import BoundViolatedError, UnknownNameError, UnsupportedError
from optsched.core.instance import Instance
from optsched.core.metrics import checked_objective
from optsched.core.result import Bound, Result, violates
from optsched.files.catalogue import group_members, group_names, is_generator, load, shipped_names
from optsched.files.known import known_bounds
from optsched.files.library import family_of
from optsched.study.comparison import Comparison, RunRow
from optsched.study.run import default_objective, run_scheduler
from optsched.study.specification import Scheduler, SchedulerSpecError, make_scheduler

__all__ = ["DEFAULT_SCHEDULERS", "ViolatedBoundError", "compare", "strongest_bound"]

DEFAULT_SCHEDULERS = ("sjf-bco", "list-scheduling", "first-fit", "random")

#: Called after each run with (runs done, runs in all, the row).
OnProgress = Callable[[int, int, RunRow], None]


class ViolatedBoundError(BoundViolatedError):
    """A run that beat a bound of its own class, with both sides for inspection.

    Parameters
    ----------
    instance, result, bound
        What was scheduled, the schedule, and the bound it is below.
    """

    def __init__(self, instance: Instance, result: Result, bound: Bound) -> None:
        self.instance, self.result, self.bound = instance, result, bound
        super().__init__(
            f"{result.provenance.method} on {instance.name!r} has {bound.objective} "
            f"{result.value!r} s, below the bound {bound.value!r} s of {bound.method} "
            f"({bound.problem_class}), so one of the two is wrong"
        )


@dataclass(frozen=True, slots=True)
class _Case:
    """An instance to run, with the seed that goes with it."""

    family: str
    seed: int
    instance: Callable[[], Instance]
    is_drawn: bool


def compare(
    instances: Sequence[str | Instance] | str | Instance,
    schedulers: Iterable[str | object] = DEFAULT_SCHEDULERS,
    *,
    objective: str | None = None,
    effort: str | None = None,
    seeds: int = 1,
    use_known: bool = True,
    on_progress: OnProgress | None = None,
    on_instance: Callable[[Instance], None] | None = None,
) -> Comparison:
    """Run every scheduler on every instance and hold each result against a lower bound.

    A generator draws ``seeds`` instances, and seed i also seeds the schedulers on instance i. On
    an instance that does not change, the seeds go to the schedulers; one that uses no random
    numbers runs once.

    Parameters
    ----------
    instances
        Instances, names, paths, or groups of shipped instances: ``library``, in whose outcome each
        family stands for itself, or a pattern such as ``forced-*``. A name that is a generator's
        too (``forced``) draws.
    schedulers
        As for :func:`~optsched.study.run.run`.
    effort
        The most the bounds may cost, ``instant``, ``seconds`` or ``minutes``; None: what pays for
        the size and objective, see :func:`~optsched.bounds.worthwhile_effort`; on an instance of
        which certified bounds are known ``instant``.
    objective
        One for all instances. None: mean JCT if some job of theirs arrives after time 0, else
        makespan.
    seeds
        How many seeds, from 0.
    use_known
        Hold results on fixed instances also against the certified bounds of
        :func:`~optsched.files.known`, where these are stronger. Drawn instances never are, so that
        all seeds are held against the same bounds.
    on_progress
        Called after each run.
    on_instance
        Called with each instance before it is run.

    Raises
    ------
    ViolatedBoundError
        If a schedule is better than a bound of its own class.
    UnsupportedError
        If no bound holds for a schedule, so that there is nothing to hold it against.
    SchedulerSpecError
        If a scheduler is named twice, or there is none.

    Examples
    --------
    >>> comparison = compare("waiting-pays", ["sjf", "fifo:placement=first_fit"])
    >>> [(row.scheduler, row.value) for row in comparison.runs]
    [('sjf', 25.5), ('fifo:placement=first_fit', 25.5)]
    """
    if seeds < 1:
        raise ValueError(f"seeds is at least 1, got {seeds}")
    wanted = [instances] if isinstance(instances, str | Instance) else list(instances)
    made = _made(schedulers)
    cases = _all_cases(wanted, seeds)
    objective = checked_objective(objective or _default_objective(cases))
    total = sum(len(_seeds_of(case, scheduler, seeds)) for case in cases for scheduler in made)
    rows: list[RunRow] = []
    for case in cases:
        instance = case.instance()
        if on_instance is not None:
            on_instance(instance)
        certified = [] if case.is_drawn or not use_known else known_bounds(instance, objective)
        cheapest = "instant" if certified else worthwhile_effort(instance, objective)
        bounds = [*all_bounds(instance, objective, effort=effort or cheapest), *certified]
        for scheduler in made:
            for seed in _seeds_of(case, scheduler, seeds):
                result = run_scheduler(instance, scheduler, objective=objective, seed=seed)
                rows.append(_row(case, instance, scheduler, seed, result, bounds))
                if on_progress is not None:
                    on_progress(len(rows), total, rows[-1])
    return Comparison(tuple(rows))


def _made(schedulers: Iterable[str | object]) -> list[Scheduler]:
    """Make the schedulers; a name stands for one of them in the outcome, so each has its own."""
    made: list[Scheduler] = []
    seen: Counter[str] = Counter()
    for given in schedulers:
        scheduler = make_scheduler(given)
        name = scheduler.name
        seen[name] += 1
        if seen[name] > 1 and isinstance(given, str):
            raise SchedulerSpecError(f"{name}: is named twice; leave one out")
        made.append(
            scheduler if seen[name] == 1 else replace(scheduler, name=f"{name}#{seen[name]}")
        )
    if not made:
        raise SchedulerSpecError("expected at least one scheduler, got none")
    return made


def _unique(names: Iterable[str | Instance]) -> list[str | Instance]:
    """Drop texts that stand there twice: the same runs again would feign certainty."""
    listed = list(names)
    return [
        name
        for position, name in enumerate(listed)
        if not isinstance(name, str) or name not in listed[:position]
    ]


def _all_cases(wanted: Iterable[str | Instance], seeds: int) -> list[_Case]:
    """Return what is to be run; of two that share a name the second gets a longer one."""
    cases: list[_Case] = []
    for position, name in enumerate(_unique(wanted)):
        found = _cases(name, seeds)
        if {case.family for case in cases} & {case.family for case in found}:
            label = name if isinstance(name, str) else f"#{position + 1}"
            found = [replace(case, family=f"{case.family} ({label})") for case in found]
        cases += found
    return cases


def _default_objective(cases: Iterable[_Case]) -> str:
    """Return the default for all cases; those drawn for one name are alike."""
    firsts = [case for case in cases if not (case.is_drawn and case.seed)]
    kinds = [default_objective(case.instance()) for case in firsts]
    return "mean_jct" if "mean_jct" in kinds else "makespan"


def _cases(name: str | Instance, seeds: int) -> list[_Case]:
    if isinstance(name, Instance):
        return [_Case(name.name, 0, lambda: name, is_drawn=False)]
    if is_generator(name):
        return [
            _Case(name, seed, lambda seed=seed: load(name, seed=seed), is_drawn=True)  # type: ignore[misc]
            for seed in range(seeds)
        ]
    members = _members(name)
    if members:
        return [
            _Case(
                (family_of(member) or name) if name == "library" else name,
                0,
                lambda member=member: load(member),  # type: ignore[misc]
                is_drawn=False,
            )
            for member in members
        ]
    instance = load(name)
    return [_Case(instance.name, 0, lambda: instance, is_drawn=False)]


def _members(name: str) -> list[str]:
    """Return the shipped instances of a group (``library``) or pattern (``forced-*``)."""
    if any(character in name for character in "*?["):
        members = fnmatch.filter(shipped_names(), name)
        if not members:
            hint = "(`optsched list instances` shows all names)"
            raise UnknownNameError("shipped instance", name, shipped_names(), hint)
        return members
    return group_members(name) if name in group_names() else []


def _seeds_of(case: _Case, scheduler: Scheduler, seeds: int) -> Sequence[int]:
    if case.is_drawn:
        return (case.seed,)
    return range(seeds) if scheduler.is_random else (0,)


def _row(
    case: _Case,
    instance: Instance,
    scheduler: Scheduler,
    seed: int,
    result: Result,
    bounds: Sequence[Bound],
) -> RunRow:
    assert result.value is not None and result.judgement is not None
    bound = strongest_bound(instance, result, bounds)
    return RunRow(
        instance=f"{instance.name}#{instance_sha256(instance)[:12]}",
        family=case.family,
        scheduler=scheduler.name,
        seed=seed,
        objective=result.objective,
        value=result.value,
        bound=bound.value,
        bound_method=bound.method,
        is_optimal=result.value <= bound.value * (1 + 1e-9),
        ratio=result.value / bound.value,
        seconds=result.runtime_s,
    )


def strongest_bound(instance: Instance, result: Result, bounds: Sequence[Bound]) -> Bound:
    """Return the strongest bound whose class holds the schedule; no such bound may be beaten.

    Parameters
    ----------
    instance, result
        What was scheduled, and the judged outcome.
    bounds
        Bounds of the result's objective.

    Raises
    ------
    ViolatedBoundError
        If the schedule is better than a bound of its own class.
    UnsupportedError
        If no bound holds for the schedule.
    """
    assert result.value is not None and result.judgement is not None
    made = result.judgement.schedule_class
    applicable = [bound for bound in bounds if bound.problem_class.contains(made)]
    for bound in applicable:
        if violates(result.value, bound.value):
            raise ViolatedBoundError(instance, result, bound)
    if not applicable:
        known = ", ".join(f"{bound.method} ({bound.problem_class})" for bound in bounds) or "none"
        raise UnsupportedError(
            f"no lower bound holds for the {made} schedule of {result.provenance.method} on "
            f"{instance.name!r}, so there is no ratio; bounds of the instance: {known}"
        )
    return max(applicable, key=lambda bound: bound.value)
