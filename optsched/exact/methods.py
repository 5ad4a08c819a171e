"""The exact methods, and what each of them supports."""

from __future__ import annotations

from dataclasses import dataclass

from optsched.contention.rate_model import RATE_MODELS, rate_functions
from optsched.core.errors import TooLargeError, UnsupportedError, suggest
from optsched.core.instance import Instance
from optsched.core.metrics import OBJECTIVES, Objective
from optsched.exact.search_tables import SUPPORTED_MODELS, untabulated_model

__all__ = ["METHODS", "MOST_JOBS", "ORDERS_IN_AUTO", "MethodEntry", "applies", "checked_method"]

#: Beyond this a search is hopeless; well before, it needs a time limit.
MOST_JOBS = {"branch-and-bound": 20, "event-orders": 10, "brute-force": 12}
#: Rates that depend on the numbers of servers and of jobs that share one.
SLOT_MODELS = ("ring", "fixed")
#: Up to so many jobs ``auto`` goes on to the orders of events.
ORDERS_IN_AUTO = 7


@dataclass(frozen=True, slots=True)
class MethodEntry:
    """An exact method: one row of the matrix that ``optsched list methods`` prints.

    Parameters
    ----------
    statement
        What it does, in a line.
    proves
        Among which schedules its optimum is one.
    objectives
        The objectives it supports.
    rate_models
        The rate models it supports.
    uplinks, shared_tiers, release_dates, continuous, slotted
        True if it supports them; ``shared_tiers`` is contention in the rate model ``tiered``.
    most_jobs
        The most jobs it takes; None if there is no limit.
    """

    statement: str
    proves: str
    objectives: tuple[Objective, ...] = OBJECTIVES
    rate_models: tuple[str, ...] = tuple(RATE_MODELS)
    uplinks: bool = True
    shared_tiers: bool = True
    release_dates: bool = True
    continuous: bool = True
    slotted: bool = True
    most_jobs: int | None = None


METHODS: dict[str, MethodEntry] = {
    "auto": MethodEntry(
        "bounds and quick schedules; where they do not meet, in continuous time branch-and-bound "
        "beside event-orders, in slotted time lazy-contention, destructive and cp-sat beside each "
        "other, brute-force where these do not apply; else the best schedule with its gap",
        "all schedules where a bound is met or the last search ends, else event-aligned ones",
    ),
    "branch-and-bound": MethodEntry(
        "sets of starts at time 0, arrivals and completions, also none, with limits that see "
        "contention and a memory of states seen",
        "event-aligned schedules",
        rate_models=SUPPORTED_MODELS,
        shared_tiers=False,
        slotted=False,
        most_jobs=MOST_JOBS["branch-and-bound"],
    ),
    "event-orders": MethodEntry(
        "orders of starts and ends, their times by a linear program; after branch-and-bound",
        "all schedules, also with starts between events",
        rate_models=SUPPORTED_MODELS,
        shared_tiers=False,
        slotted=False,
        most_jobs=MOST_JOBS["event-orders"],
    ),
    "brute-force": MethodEntry(
        "every set of starts, also none, at time 0, arrivals and completions; "
        "in slotted time then at every slot",
        "event-aligned schedules; in slotted time all of them if the time suffices",
        most_jobs=MOST_JOBS["brute-force"],
    ),
    "cp-sat": MethodEntry(
        "constraint programming: starts, placements and shared slots in one model, minimised",
        "all slotted schedules",
        rate_models=SLOT_MODELS,
        uplinks=False,
        continuous=False,
    ),
    "lazy-contention": MethodEntry(
        "constraint programming with contention added only where a relaxed optimum goes wrong",
        "all slotted schedules",
        rate_models=SLOT_MODELS,
        uplinks=False,
        continuous=False,
    ),
    "destructive": MethodEntry(
        "constraint programming without an objective: horizons from the bound on are refuted "
        "until all jobs fit",
        "all slotted schedules",
        objectives=("makespan",),
        rate_models=SLOT_MODELS,
        uplinks=False,
        continuous=False,
    ),
    "milp-highs": MethodEntry(
        "a mixed-integer program of starts, placements and slots, solved by HiGHS; a second "
        "opinion for about five jobs",
        "all slotted schedules",
        rate_models=SLOT_MODELS,
        uplinks=False,
        continuous=False,
    ),
    "milp-cbc": MethodEntry(
        "a mixed-integer program of starts, placements and slots, solved by CBC in a process of "
        "its own; a second opinion for about five jobs",
        "all slotted schedules",
        rate_models=SLOT_MODELS,
        uplinks=False,
        continuous=False,
    ),
}


def checked_method(name: str, instance: Instance, objective: Objective = "makespan") -> str:
    """Return the name of a method that applies to an instance.

    Raises
    ------
    UnsupportedError
        If there is no such method, or if it does not apply; the text names one that does.
    TooLargeError
        If there are too many jobs for it.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job(f"j{i}", 1, 10, compute_s=0.5) for i in range(13)]
    >>> checked_method("brute-force", Instance("many", Cluster([Server("s0", 4)]), jobs))
    Traceback (most recent call last):
    ...
    optsched.core.errors.TooLargeError: method 'brute-force' takes at most 12 jobs, and 'many'
    has 13; use method 'branch-and-bound', or 'auto'
    """
    if name not in METHODS:
        near = suggest(name, METHODS)
        instead = near if near is not None and applies(near, instance, objective) else "auto"
        raise UnsupportedError(
            f"no exact method is called {name!r}; {instead!r} applies to this instance"
        )
    entry = METHODS[name]
    problem = _problem(entry, instance, objective)
    if problem:
        raise UnsupportedError(f"method {name!r} {problem}; {_alternative(instance, objective)}")
    if entry.most_jobs is not None and len(instance.jobs) > entry.most_jobs:
        raise TooLargeError(
            f"method {name!r} takes at most {entry.most_jobs} jobs, and {instance.name!r} has "
            f"{len(instance.jobs)}; {_alternative(instance, objective)}"
        )
    return name


def applies(name: str, instance: Instance, objective: Objective = "makespan") -> bool:
    """Return True if a method takes an instance."""
    entry = METHODS[name]
    is_small = entry.most_jobs is None or len(instance.jobs) <= entry.most_jobs
    return is_small and not _problem(entry, instance, objective)


def _problem(entry: MethodEntry, instance: Instance, objective: Objective) -> str:
    """Return why a method does not take an instance whatever its size, empty if it does."""
    if objective not in entry.objectives:
        return f"takes the objectives {', '.join(entry.objectives)}, not {objective}"
    if instance.is_slotted and not entry.slotted:
        return f"takes continuous time only, and {instance.name!r} has slots"
    if not instance.is_slotted and not entry.continuous:
        return (
            f"takes slotted time only, and {instance.name!r} has none; give the length of a slot "
            "(--slot-s SECONDS, slot_s=) to solve the slotted instance in its place"
        )
    if instance.rate_model.name not in entry.rate_models:
        return (
            f"takes the rate models {', '.join(entry.rate_models)}, and {instance.name!r} has "
            f"{instance.rate_model.name!r}"
        )
    if not entry.shared_tiers and (model := untabulated_model(instance)):
        return f"takes no rate model in which links add up, and {instance.name!r} has {model}"
    if not entry.uplinks and _has_uplinks(instance):
        return f"takes no shared links beyond the servers' own, and {instance.name!r} has some"
    if not entry.release_dates and instance.has_arrivals:
        return f"takes jobs that are all there at time 0, and some of {instance.name!r} arrive"
    return ""


def _has_uplinks(instance: Instance) -> bool:
    """Return True if there are resources besides the servers' interfaces, and jobs cross them."""
    if instance.rate_model.name == "fixed":
        return False
    rates = rate_functions(instance)
    return rates.resource_count > len(instance.cluster.servers) and not rates.is_level_model


def _alternative(instance: Instance, objective: Objective) -> str:
    """Say which other method to use."""
    for name in ("branch-and-bound", "cp-sat", "brute-force"):
        if name in METHODS and applies(name, instance, objective):
            return f"use method {name!r}, or 'auto'"
    return (
        "use method 'auto', which bounds the gap of the best schedule it finds, or compare "
        "planners with the lower bounds (optsched compare)"
    )
