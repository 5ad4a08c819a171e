"""The interface of all rate models, and the door that turns an instance's data into one."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from optsched.contention.slots import iterations_per_slot
from optsched.core.checks import MAX_PROBLEMS_PER_RULE
from optsched.core.errors import InstanceError, Problem, suggest
from optsched.core.instance import Instance
from optsched.core.placement import Placement
from optsched.core.rate_model import PARAMETER_DEFAULTS, RateModel

__all__ = ["RATE_MODELS", "RateFunctions", "rate_functions", "rate_problems"]

#: Name of each rate model and where its class is.
RATE_MODELS = {
    "ring": "optsched.contention.ring:RingRates",
    "fixed": "optsched.contention.fixed:FixedRates",
    "tiered": "optsched.contention.tiers:TieredRates",
}


class RateFunctions(Protocol):
    """What the rest of the code may ask a rate model; jobs are positions in the instance."""

    @property
    def is_level_model(self) -> bool:
        """True if τ depends on (servers used, contention degree) only, and falls in neither."""

    @property
    def depends_on_maximum_load(self) -> bool:
        """True if τ depends on the loads through their maximum alone (all resources alike).

        Then ``iteration_time_s`` takes the maximum as the one load in place of all of them.
        """

    @property
    def resource_count(self) -> int:
        """Resources are numbered from 0 to this number less 1."""

    def resource_name(self, resource: int) -> str:
        """Return what a resource is called in messages and plots."""

    def shared_resources(self, placement: Placement) -> tuple[int, ...]:
        """Return the resources whose load matters on a placement; empty when local."""

    def iteration_time_s(self, job: int, placement: Placement, load: Sequence[int]) -> float:
        """Return τ in seconds, ``load`` being aligned with :meth:`shared_resources`."""

    def best_iteration_times_s(self) -> NDArray[np.float64]:
        """Return a proven lower limit of τ of every job over all placements, shape (n,)."""

    def best_iteration_time_s(self, job: int) -> float:
        """Return the lower limit of one job."""

    def worst_iteration_time_s(self, job: int, servers: int, degree: int) -> float:
        """Return an upper limit of τ on at most ``servers`` servers at contention ``degree``."""

    def progress_per_slot(self, iteration_time_s: float) -> float:
        """Return the iterations one slot holds at a given τ; slotted instances only."""


def rate_functions(instance: Instance) -> RateFunctions:
    """Return the functions of the instance's rate model.

    Raises
    ------
    InstanceError
        If the rate model is unknown or its parameters are wrong.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.jobs import Job
    >>> one = Instance("one", Cluster([Server("s0", 4)]), [Job("a", 2, 10, compute_s=0.5)])
    >>> rate_functions(one).best_iteration_time_s(0)
    0.5
    """
    problems = [one for one in _model_problems(instance) if not one.is_warning]
    if problems:
        raise InstanceError(problems)
    module, name = RATE_MODELS[instance.rate_model.name].split(":")
    functions: RateFunctions = getattr(importlib.import_module(module), name)(instance)
    return functions


def rate_problems(instance: Instance) -> list[Problem]:
    """Return what is wrong with the rates of an instance, warnings included.

    A job that takes no time at all, or that completes no iteration in a slot even at its best, is
    an error. One that completes none at its worst is a warning.
    """
    problems = _model_problems(instance)
    if any(not problem.is_warning for problem in problems):
        return problems
    rates = rate_functions(instance)
    best = rates.best_iteration_times_s()
    for job in np.flatnonzero(best <= 0)[:MAX_PROBLEMS_PER_RULE].tolist():
        problems.append(
            Problem(
                ("jobs", job, "compute_s"),
                "an iteration that takes some time",
                "none: no compute, communication or overhead",
                "give compute_s (or duration_s) above 0",
            )
        )
    has_errors = any(not problem.is_warning for problem in problems)
    if instance.slot_s is not None and not has_errors and instance.rate_model.name != "fixed":
        problems += _slot_problems(instance, rates, instance.slot_s)
    return problems


def _model_problems(instance: Instance) -> list[Problem]:
    """Return what is wrong with the parameters, and with what the model needs of the jobs."""
    problems = _parameter_problems(instance.rate_model)
    if instance.rate_model.name == "tiered" and not problems:
        from optsched.contention.tier_checks import job_problems

        problems = job_problems(instance)
    return problems


def _slot_problems(instance: Instance, rates: RateFunctions, slot_s: float) -> list[Problem]:
    errors: list[Problem] = []
    warnings: list[Problem] = []
    most = instance.cluster.max_gpus_per_server
    remedy = "use a longer slot_s or continuous time"
    for job in range(len(instance.jobs)):
        best = rates.best_iteration_time_s(job)
        if iterations_per_slot(slot_s, best) == 0:
            got = f"an iteration of at least {best:g} s"
            errors.append(
                Problem(("jobs", job), f"an iteration within a slot of {slot_s:g} s", got, remedy)
            )
            continue
        worst = rates.worst_iteration_time_s(job, len(instance.cluster.servers), most)
        if iterations_per_slot(slot_s, worst) == 0:
            expected = f"an iteration within a slot of {slot_s:g} s even at worst"
            got = f"up to {worst:g} s, so the job may stall"
            warnings.append(Problem(("jobs", job), expected, got, remedy, is_warning=True))
    return errors[:MAX_PROBLEMS_PER_RULE] + warnings[:MAX_PROBLEMS_PER_RULE]


def _parameter_problems(model: RateModel) -> list[Problem]:
    if model.name not in RATE_MODELS:
        near = suggest(model.name, RATE_MODELS)
        remedy = f"did you mean {near!r}?" if near else ""
        expected = f"one of {', '.join(RATE_MODELS)}"
        return [Problem(("rate_model", "name"), expected, repr(model.name), remedy)]
    if model.name == "tiered":
        from optsched.contention.tier_checks import parameter_problems

        return parameter_problems(model)
    problems = []
    known = PARAMETER_DEFAULTS[model.name]
    for name, value in model.parameters:
        path = ("rate_model", name)
        if name not in known:
            near = suggest(name, known)
            remedy = f"did you mean {near!r}?" if near else ""
            expected = f"one of {', '.join(known)}" if known else "no parameters"
            problems.append(Problem(path, expected, repr(name), remedy))
        elif isinstance(value, bool) or not isinstance(value, int | float):
            problems.append(Problem(path, "a number", repr(value)))
        elif name == "contention_weight" and not 0 < value <= 1:
            problems.append(Problem(path, "a number above 0 and at most 1", repr(value)))
        elif name == "server_overhead_s" and not 0 <= value < float("inf"):
            problems.append(Problem(path, "a number of at least 0", repr(value)))
    return problems
