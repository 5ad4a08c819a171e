"""Displacement: a waiting job takes the GPUs of running ones that rank behind it."""

from __future__ import annotations

from typing import Any

from optsched.core.placement import Placement
from optsched.placement import PlacementRule
from optsched.policies.parts.order import Order
from optsched.policies.parts.preemption import Preemption
from optsched.policies.parts.victims import KeptVictims, RankedVictims, Standing, Victims
from optsched.sim import FreePool, LiveJob, Simulation

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
    standing
        How running jobs stand to each other, if their ranks keep them in the same order as time
        passes; it spares comparing all of them in every pass. None: they are.
    """

    can_displace = True

    def __init__(
        self, rank: Order, *, among_equals: Order | None = None, standing: Standing | None = None
    ) -> None:
        self.rank = self._rank = rank
        self._victims: Victims = (
            RankedVictims(rank, among_equals or _by_position)
            if standing is None
            else KeptVictims(standing)
        )
        if standing is not None and standing.depends_on_speed:
            # Nobody else has to be told, and speeds change often.
            self.on_re_rate = self._victims.move
        #: A demand and a rank for which those behind hold too few GPUs in this pass: so they do for
        #: every job that asks for as many and ranks no better.
        self._failed: tuple[int, Any] | None = None

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        self._victims.on_begin(state)
        self._failed = None

    def on_start(self, job: LiveJob, state: Simulation) -> None:
        """Count a job among those that may stop."""
        self._victims.enter(job, state)

    def on_timer(self, job: LiveJob, state: Simulation) -> None:
        """Take note that a job may rank elsewhere."""
        if job.placement is not None:
            self._victims.move(job, state)

    def on_stop(self, job: LiveJob, state: Simulation) -> None:
        """Count a job no longer."""
        self._victims.leave(job, state)
        self._failed = None

    def ended(self, state: Simulation) -> tuple[LiveJob, ...]:
        """Begin a pass."""
        self._victims.begin_pass()
        self._failed = None
        return ()

    @property
    def has_nobody(self) -> bool:
        """True if, in this pass, nobody stops for a job that ranks no better than the last one."""
        return self._failed is not None and self._failed[0] == 0

    def make_room(
        self, job: LiveJob, placement: PlacementRule, state: Simulation
    ) -> tuple[Placement, list[LiveJob]] | None:
        """Return a placement and its victims, the best ranked first."""
        rank, free, failed = self._rank(job, state), state.free, self._failed
        if failed is not None and job.gpus >= failed[0] and not rank < failed[1]:
            return None
        # Even if there are enough GPUs, those in the right places may have to come from others.
        chosen, has_enough = self._victims.reach(rank, max(1, job.gpus - free.total), state)
        if not has_enough:
            self._failed = (job.gpus if chosen else 0, rank)
            return None
        behind: list[tuple[LiveJob, Placement]] = []
        # The free GPUs are those of the engine: what is given here is taken again below.
        for victim in chosen:
            assert victim.placement is not None
            behind.append((victim, victim.placement))
            free.give(victim.placement)
        found = placement.offer(job, free, state)
        while found is None and (one := self._victims.next_behind(rank, state)) is not None:
            assert one.placement is not None
            behind.append((one, one.placement))
            free.give(one.placement)
            found = placement.offer(job, free, state)
        spared = [] if found is None else _spared(found, behind, free)
        for _, place in behind:
            free.take(place)
        if found is None:
            return None
        # The best ranked first.
        return found, [victim for victim, _ in reversed(behind) if victim not in spared]


def _spared(
    found: Placement, behind: list[tuple[LiveJob, Placement]], free: FreePool
) -> list[LiveJob]:
    """Return those beside whom a placement is possible, the best ranked first.

    All their GPUs are free, before and after.
    """
    spare = free.total - found.gpus
    if all(victim.gpus > spare for victim, _ in behind):
        return []
    spared: list[tuple[LiveJob, Placement]] = []
    free.take(found)
    for victim, place in reversed(behind):
        if free.has(place):
            free.take(place)
            spared.append((victim, place))
    for _, place in spared:
        free.give(place)
    free.give(found)
    return [victim for victim, _ in spared]


def _by_position(job: LiveJob, state: Simulation) -> int:
    return job.index
