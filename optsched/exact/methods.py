"""The exact methods, and what each of them supports."""

from __future__ import annotations

from dataclasses import dataclass

from optsched.contention.rate_model import RATE_MODELS
from optsched.core.errors import UnsupportedError, suggest
from optsched.core.instance import Instance
from optsched.core.metrics import OBJECTIVES, Objective

__all__ = ["METHODS", "MOST_JOBS", "MethodEntry", "checked_method"]

#: Enumeration beyond this is hopeless; from about 8 jobs on it needs a time limit.
MOST_JOBS = 12


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
    uplinks, release_dates, continuous, slotted
        True if it supports them.
    most_jobs
        The most jobs it takes; None if there is no limit.
    """

    statement: str
    proves: str
    objectives: tuple[Objective, ...] = OBJECTIVES
    rate_models: tuple[str, ...] = tuple(RATE_MODELS)
    uplinks: bool = True
    release_dates: bool = True
    continuous: bool = True
    slotted: bool = True
    most_jobs: int | None = None


METHODS: dict[str, MethodEntry] = {
    "auto": MethodEntry(
        "bounds and list schedules; where they do not meet, brute force up to "
        f"{MOST_JOBS} jobs, above that the best schedule with its gap",
        "all schedules where a bound is met or slotted brute force ends, else event-aligned ones",
    ),
    "brute-force": MethodEntry(
        "every set of starts, also none, at time 0, arrivals and completions; "
        "in slotted time then at every slot",
        "event-aligned schedules; in slotted time all of them if the time suffices",
        most_jobs=MOST_JOBS,
    ),
}


def checked_method(name: str, instance: Instance) -> str:
    """Return the name of a method that applies to an instance.

    Raises
    ------
    UnsupportedError
        If there is no such method, or if it does not apply; the text names one that does.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job(f"j{i}", 1, 10, compute_s=0.5) for i in range(13)]
    >>> checked_method("brute-force", Instance("many", Cluster([Server("s0", 4)]), jobs))
    Traceback (most recent call last):
    ...
    optsched.core.errors.UnsupportedError: method 'brute-force' takes at most 12 jobs, and 'many'
    has 13; use method 'auto', which bounds the gap of the best schedule it finds, or compare
    planners with the lower bounds (optsched compare)
    """
    entry = METHODS.get(name)
    if entry is None:
        near = suggest(name, METHODS)
        applies = near if near is not None and _applies(METHODS[near], instance) else "auto"
        raise UnsupportedError(
            f"no exact method is called {name!r}; {applies!r} applies to this instance"
        )
    if not _applies(entry, instance):
        raise UnsupportedError(
            f"method {name!r} takes at most {entry.most_jobs} jobs, and {instance.name!r} has "
            f"{len(instance.jobs)}; use method 'auto', which bounds the gap of the best schedule "
            "it finds, or compare planners with the lower bounds (optsched compare)"
        )
    return name


def _applies(entry: MethodEntry, instance: Instance) -> bool:
    """Return True if a method takes an instance of this many jobs."""
    return entry.most_jobs is None or len(instance.jobs) <= entry.most_jobs
