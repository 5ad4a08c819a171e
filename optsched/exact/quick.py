"""Schedules that are there at once, from which a search starts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from optsched.core.errors import LimitReachedError, StalledJobError, UnsupportedError
from optsched.core.instance import Instance
from optsched.core.metrics import Objective
from optsched.core.schedule import Schedule
from optsched.exact.list_schedules import list_schedules
from optsched.sim import Policy, simulate

if TYPE_CHECKING:
    from optsched.planners import Planner

__all__ = ["annealed_schedule", "incumbent_planners", "incumbent_policies", "quick_schedules"]

#: Moves of the annealing planner, and moves times jobs: about a second.
MOST_MOVES, WORK = 300_000, 20_000_000


def incumbent_policies() -> Iterator[tuple[str, Policy]]:
    """Yield policies that are quick and near the bound on large instances."""
    from optsched.policies import FewestGpus, Sjf
    from optsched.policies.longest_first import LongestFirst

    yield "longest-first", LongestFirst()
    yield "sjf", Sjf()
    yield "fewest-gpus", FewestGpus()


def incumbent_planners() -> Iterator[tuple[str, Planner]]:
    """Yield the names and planners whose schedules ``solve`` starts from besides list schedules.

    They are tried in this order, each only if the ones before left a gap.
    """
    # Planners are needed only here, and not by whoever calls the brute force alone.
    from optsched.planners import PLANNERS

    for name in ("list-scheduling", "sjf-bco"):
        yield name, PLANNERS[name]()


def quick_schedules(instance: Instance, *, seed: int = 0) -> Iterator[tuple[str, Schedule]]:
    """Yield schedules with what made them: list schedules, then policies, then planners.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> min(schedule.end_time_s for _, schedule in quick_schedules(waiting_pays()))
    21.0
    """
    for name, schedule in list_schedules(instance):
        yield f"list schedule: {name}", schedule
    for name, policy in incumbent_policies():
        with suppress(StalledJobError):
            yield name, simulate(instance, policy).schedule
    for name, planner in incumbent_planners():
        # A planner may find nothing, or stall a job in slotted time; others do not.
        with suppress(LimitReachedError, StalledJobError):
            yield name, planner.plan(instance, seed=seed).schedule


def annealed_schedule(
    instance: Instance, objective: Objective, *, seed: int = 0
) -> tuple[str, Schedule] | None:
    """Return the schedule of the planner that comes nearest to the bounds, in a second or two.

    None if it does not apply: where the servers matter and not only how many they are.
    """
    from optsched.planners.annealing import Annealing

    planner = Annealing(objective=objective, moves=min(MOST_MOVES, WORK // len(instance.jobs)))
    with suppress(StalledJobError, UnsupportedError):
        return "annealing", planner.plan(instance, seed=seed).schedule
    return None
