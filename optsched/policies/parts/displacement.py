"""Displacement: a waiting job takes the GPUs of running ones that rank behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from optsched.core.placement import Placement
from optsched.placement import PlacementRule
from optsched.policies.parts.order import Order
from optsched.policies.parts.preemption import Preemption
from optsched.sim import LiveJob, Simulation

__all__ = ["Displacement"]


class Displacement(Preemption):
    """Stop running jobs for a waiting one that ranks strictly before each of them.

    Victims are taken from the last in rank on, until the placement rule finds room; those whose
    GPUs are not needed in the end are left alone. Equal ranks never displace each other, so two
    jobs cannot take turns for ever.

    Parameters
    ----------
    rank
        Key by which running and waiting jobs are compared.
    among_equals
        Order of running jobs of equal rank, the last of which is the first victim; None: by
        position in the instance.
    """

    can_displace = True

    def __init__(self, rank: Order, *, among_equals: Order | None = None) -> None:
        self._rank = rank
        self._among_equals = among_equals or _by_position
        #: Running jobs as (rank, order among equals, position, job); made once a pass, if needed.
        self._ranked: list[tuple[Any, Any, int, LiveJob]] | None = None

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        self._ranked = None

    def ended(self, state: Simulation) -> tuple[LiveJob, ...]:
        """Begin a pass."""
        self._ranked = None
        return ()

    def make_room(
        self, job: LiveJob, placement: PlacementRule, state: Simulation
    ) -> tuple[Placement, list[LiveJob]] | None:
        """Return a placement and its victims, the best ranked first."""
        behind = self._running_behind(self._rank(job, state), state)
        free = state.free
        if free.total + sum([victim.gpus for victim in behind]) < job.gpus:
            return None
        trial = free.copy()
        found: Placement | None = None
        given: list[tuple[LiveJob, Placement]] = []
        for victim in behind:
            assert victim.placement is not None
            given.append((victim, victim.placement))
            trial.give(victim.placement)
            if trial.total >= job.gpus:
                found = placement.offer(job, trial, state)
                if found is not None:
                    break
        if found is None:
            return None
        trial.take(found)
        victims = []
        for victim, place in reversed(given):
            if trial.has(place):
                trial.take(place)
            else:
                victims.append(victim)
        return found, victims

    def _running_behind(self, rank: Any, state: Simulation) -> list[LiveJob]:
        """Return the running jobs that rank strictly behind, the last first."""
        now_s = state.now_s
        if self._ranked is None:
            measure: Callable[[LiveJob, Simulation], Any] = self._rank
            self._ranked = [
                (measure(job, state), self._among_equals(job, state), job.index, job)
                for job in state.running
                if job.start_s < now_s
            ]
            self._ranked.sort(key=lambda entry: entry[:3])
        behind = []
        for entry in reversed(self._ranked):
            if not rank < entry[0]:
                break
            job = entry[3]
            # Those stopped in this pass wait, or have started again at this instant.
            if job.placement is not None and job.start_s < now_s:
                behind.append(job)
        return behind


def _by_position(job: LiveJob, state: Simulation) -> int:
    return job.index
