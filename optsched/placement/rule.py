"""What a placement rule is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from optsched.core.placement import Placement
from optsched.sim import FreePool, LiveJob, Simulation

__all__ = ["PlacementRule", "least_part"]


class PlacementRule(Protocol):
    """Offers a job GPUs, or declines.

    A rule may also have ``on_begin(state)``, ``on_arrival(job, state)``, ``on_start(job, state)``,
    ``on_stop(job, state)`` and ``on_finish(job, state)`` to keep a state of its own. One that
    treats jobs of equal demand by kinds has ``tier(job, state)``, which names the kind; one whose
    kinds change with time has ``next_time_s(job, state)``, the next time at which the job's does.
    One that is asked job by job may have ``on_decline(job, state)``: it is told of every job that
    declines although enough GPUs are free, and returns True if the job's next time has changed.
    One that leaves servers with few free GPUs alone has ``least_part``; see :func:`least_part`.
    """

    @property
    def depends_on_demand_only(self) -> bool:
        """True if jobs of equal demand (and ``tier``) get equal answers: one refusal is for all."""

    def offer(self, job: LiveJob, free: FreePool, state: Simulation) -> Placement | None:
        """Return where the job is to start now, or None to let it wait."""


def least_part(rule: PlacementRule, gpus: int, state: Simulation) -> int:
    """Return how many free GPUs a server must have to matter for an offer of ``gpus`` GPUs.

    What is released on servers that stay below it turns no refusal into an offer, nor does time. It
    holds for a whole run. A rule that says nothing takes a single GPU.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from optsched.placement import Consolidated, FirstFit
    >>> state = SimpleNamespace(free=FreePool([8, 8, 8, 8]))
    >>> [least_part(Consolidated(), gpus, state) for gpus in (2, 12, 16)]
    [2, 4, 8]
    >>> least_part(FirstFit(), 4, state)
    1
    """
    asked: Callable[[int, Simulation], int] | None = getattr(rule, "least_part", None)
    return 1 if asked is None else asked(gpus, state)
