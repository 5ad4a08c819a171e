"""Run one scheduler on one instance and have the result judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

from optsched.core.errors import ScheduleError
from optsched.core.instance import Instance
from optsched.core.metrics import checked_objective
from optsched.core.result import Provenance, Result, Status
from optsched.core.schedule import Schedule
from optsched.core.versions import versions
from optsched.files.catalogue import load
from optsched.judge import verify
from optsched.sim import Observer, simulate
from optsched.study.specification import Scheduler, make_scheduler

__all__ = ["default_objective", "run", "run_scheduler", "versions"]

OnResult = Callable[[Result], None]


def run(
    instance: Instance | str,
    scheduler: str | object,
    *,
    objective: str | None = None,
    seed: int = 0,
    observers: Iterable[Observer] = (),
) -> Result:
    """Schedule an instance and return the judged result, without a bound.

    Parameters
    ----------
    instance
        An instance, the name of one, or a path.
    scheduler
        A name with parameters, ``FILE.py:NAME``, or a planner or policy of your own.
    objective
        ``makespan``, ``mean_jct`` or ``weighted_jct``; None: makespan, or mean JCT if a job
        arrives after time 0.
    seed
        For schedulers that draw random numbers.
    observers
        Told of what happens in the simulation of a policy.

    Raises
    ------
    ScheduleError
        If the judge finds the schedule invalid; the message lists every violation.

    Examples
    --------
    >>> run("waiting-pays", "sjf").value
    25.5
    """
    resolved = load(instance) if isinstance(instance, str) else instance
    return run_scheduler(
        resolved,
        make_scheduler(scheduler),
        objective=objective,
        seed=seed,
        observers=observers,
    )


def run_scheduler(
    instance: Instance,
    scheduler: Scheduler,
    *,
    objective: str | None = None,
    seed: int = 0,
    observers: Iterable[Observer] = (),
) -> Result:
    """Do what :func:`run` does with a scheduler that is made already."""
    wanted = default_objective(instance) if objective is None else objective
    checked = checked_objective(wanted)
    began = time.perf_counter()
    schedule, details = _schedule(instance, scheduler, seed, observers)
    runtime_s = time.perf_counter() - began
    judgement = verify(instance, schedule)
    if not judgement.is_valid:
        listed = "\n".join(f"  {violation}" for violation in judgement.violations)
        raise ScheduleError(f"{scheduler.name} made an invalid schedule:\n{listed}")
    return Result(
        status=Status.FEASIBLE,
        objective=checked,
        value=judgement.objectives[checked],
        schedule=schedule,
        judgement=judgement,
        bound=None,
        scope="all",
        runtime_s=runtime_s,
        provenance=Provenance(scheduler.name, scheduler.parameters, seed, None, versions()),
        details=details,
    )


def default_objective(instance: Instance) -> str:
    """Return the objective that is of interest if none is named."""
    return "mean_jct" if instance.has_arrivals else "makespan"


def _schedule(
    instance: Instance, scheduler: Scheduler, seed: int, observers: Iterable[Observer]
) -> tuple[Schedule, Mapping[str, object]]:
    built = scheduler.build()
    if scheduler.kind == "planner":
        plan = built.plan(instance, seed=seed)
        return plan.schedule, plan.details
    finished = simulate(instance, built, observers=observers)
    details: dict[str, object] = {
        "instants": finished.instants,
        "re_rates": finished.re_rates,
        "preemptions": finished.preemptions,
    }
    tells = getattr(built, "details", None)
    if callable(tells):
        details |= tells()
    return finished.schedule, details
