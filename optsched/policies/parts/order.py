"""What an order is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from optsched.sim import LiveJob, Simulation

__all__ = ["Order", "OrderRule"]

#: Sorts waiting jobs: the least key is served first, ties by position in the instance.
Order = Callable[[LiveJob, Simulation], Any]


class OrderRule(Protocol):
    """An order that keeps a state, or by which running jobs can be compared with waiting ones.

    A rule may also have the events of parts and ``next_time_s``, as
    :class:`~optsched.policies.composed.ComposedPolicy` says; ``changes_with_time = True`` if the
    keys of waiting jobs change while nothing happens to them; and, for
    :class:`~optsched.policies.parts.displacement.Displacement`, ``rank(job, state)``.
    """

    def key(self, job: LiveJob, state: Simulation) -> Any:
        """Return the key of a waiting job."""
