"""What a planner is and what it gives back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, get_args

import numpy as np

from optsched.contention import best_durations_s, rate_functions, worst_durations_s
from optsched.core.errors import LimitReachedError, StalledJobError
from optsched.core.instance import Instance
from optsched.core.schedule import Schedule
from optsched.planners.dispatch import Task

__all__ = [
    "Plan",
    "Planner",
    "check_choices",
    "check_limits",
    "default_horizon_s",
    "no_plan",
    "task_of",
]


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A whole schedule, and what the planner tells of its search."""

    schedule: Schedule
    details: Mapping[str, object] = field(default_factory=dict)


class Planner(Protocol):
    """Knows all jobs in advance and returns a whole schedule."""

    def plan(self, instance: Instance, *, seed: int = 0) -> Plan:
        """Return a schedule of the instance; the same seed gives the same one."""


def check_choices(planner: object, **kinds: object) -> None:
    """Raise ValueError if a parameter of a planner is not a word of its literal type.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from typing import Literal
    >>> check_choices(SimpleNamespace(dispatch="wiat"), dispatch=Literal["wait", "queue"])
    Traceback (most recent call last):
    ValueError: dispatch is one of wait, queue; got 'wiat'
    """
    for name, kind in kinds.items():
        value, allowed = getattr(planner, name), get_args(kind)
        if value not in allowed:
            raise ValueError(f"{name} is one of {', '.join(allowed)}; got {value!r}")


def check_limits(planner: object) -> None:
    """Raise ValueError if a planner's horizon or worst case is none that can be.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> check_limits(SimpleNamespace(horizon_s=None, estimate_servers=4, estimate_degree=0))
    Traceback (most recent call last):
    ValueError: estimate_degree is none or a whole number of at least 1; got 0
    """
    for name in ("estimate_servers", "estimate_degree"):
        value = getattr(planner, name)
        if value is not None and not (isinstance(value, int) and value >= 1):
            raise ValueError(f"{name} is none or a whole number of at least 1; got {value!r}")
    horizon_s = getattr(planner, "horizon_s")  # noqa: B009
    if horizon_s is not None and not 0 < horizon_s < math.inf:
        raise ValueError(f"horizon_s is none or a number of seconds above 0; got {horizon_s!r}")


def task_of(
    instance: Instance, *, estimate_servers: int | None, estimate_degree: int | None
) -> Task:
    """Return the instance with the durations that a dispatch needs.

    Parameters
    ----------
    instance
        The instance.
    estimate_servers, estimate_degree
        The worst case that counts in ρ̂: the most servers and the highest contention degree. None
        takes what the cluster allows.
    """
    rates = rate_functions(instance)
    estimate_s = worst_durations_s(
        instance, servers=estimate_servers, degree=estimate_degree, rates=rates
    )
    if instance.slot_s is not None:
        # A job that stalls at its worst is counted at the slowest pace that is still one.
        slowest_s = instance.jobs.iterations * instance.slot_s
        estimate_s = np.where(np.isinf(estimate_s), slowest_s, estimate_s)
    return Task(instance, rates, best_durations_s(instance, rates), estimate_s)


def default_horizon_s(task: Task) -> float:
    """Return a horizon no schedule that runs jobs one by one exceeds: Σ ρ̂ + the last arrival."""
    return float(np.sum(task.estimate_s) + task.instance.jobs.arrival_s.max())


def no_plan(
    planner: str, horizon_s: float, stalled: StalledJobError | None = None
) -> LimitReachedError | StalledJobError:
    """Return the error for a planner that found no schedule under any cap.

    Parameters
    ----------
    planner
        Its name.
    horizon_s
        The highest cap.
    stalled
        What stopped a schedule that a cap admitted, if anything did.
    """
    if stalled is not None:
        return StalledJobError(f"{planner} found no schedule in which all jobs progress: {stalled}")
    return LimitReachedError(
        f"{planner} found no schedule with at most {horizon_s:g} s of work a GPU; raise horizon_s"
    )
