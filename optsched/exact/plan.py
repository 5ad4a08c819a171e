"""Which searches a method makes, in which order and for how long."""

from __future__ import annotations

import math
from dataclasses import dataclass

from optsched.core.instance import Instance
from optsched.core.metrics import Objective
from optsched.exact.methods import METHODS, ORDERS_IN_AUTO, applies, checked_method

__all__ = ["Plan", "Step", "enumeration_plan", "goes_on_to_orders", "plan_for"]


@dataclass(frozen=True, slots=True)
class Step:
    """A search with its part of the limit.

    Parameters
    ----------
    search
        Name of the search.
    share
        The part of what is left of the limit, if searches follow each other.
    most_units
        Not more work than this; see ``deterministic_limit`` of ``solve``.
    """

    search: str
    share: float = 1.0
    most_units: float = math.inf


@dataclass(frozen=True, slots=True)
class Plan:
    """Searches one after the other, then others that may run side by side.

    Parameters
    ----------
    first
        Made in this order.
    then
        Made where those left a gap: side by side if there are cores for it, else in this order.
    """

    first: tuple[Step, ...]
    then: tuple[Step, ...] = ()


#: A search that is over in a second or two needs no further processes.
BRIEF_UNITS = {"branch-and-bound": 1.0, "lazy-contention": 2.0}
BRIEF_SHARE = 0.25


def plan_for(method: str, instance: Instance, objective: Objective) -> Plan:
    """Return the searches of a method that applies to an instance.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> [step.search for step in plan_for("event-orders", waiting_pays(), "makespan").first]
    ['branch-and-bound', 'event-orders']
    """
    if method == "brute-force":
        return enumeration_plan(instance)
    if method == "event-orders":
        return Plan((Step("branch-and-bound"), Step("event-orders")))
    if method != "auto":
        return Plan((Step(method),))
    usable = {name for name in METHODS if applies(name, instance, objective)}
    if "lazy-contention" in usable:
        # Deciding the horizons upwards proves twice as many instances as minimising, and something
        # else has to improve from above meanwhile.
        shares = {"destructive": 0.6, "cp-sat": 0.6, "lazy-contention": 1.0}
        return Plan(
            (_brief("lazy-contention"),),
            tuple(Step(name, share) for name, share in shares.items() if name in usable),
        )
    if "branch-and-bound" in usable:
        orders = (Step("event-orders"),) if "event-orders" in usable else ()
        return Plan((_brief("branch-and-bound"),), (Step("branch-and-bound"), *orders))
    return enumeration_plan(instance)


def enumeration_plan(instance: Instance) -> Plan:
    """Return the brute force, in slotted time first over the event-aligned schedules.

    Raises
    ------
    UnsupportedError
        If there are too many jobs for it.
    """
    checked_method("brute-force", instance)
    slots = (Step("slots"),) if instance.is_slotted else ()
    return Plan((Step("brute-force"), *slots))


def goes_on_to_orders(instance: Instance) -> bool:
    """Return True if ``auto`` looks among all orders of events once the aligned ones are done."""
    return len(instance.jobs) <= ORDERS_IN_AUTO


def _brief(search: str) -> Step:
    return Step(search, BRIEF_SHARE, BRIEF_UNITS[search])
