"""Displacement: a waiting job takes the GPUs of running ones that rank behind it."""

from __future__ import annotations

from typing import Any

from optsched.core.placement import Placement
from optsched.placement import PlacementRule, least_part
from optsched.policies.parts.kept_victims import KeptVictims, Standing
from optsched.policies.parts.order import Order
from optsched.policies.parts.preemption import Preemption
from optsched.policies.parts.trial import Trial
from optsched.policies.parts.victims import RankedVictims, Victims
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
        #: A demand and a rank for which what is free and those behind hold is too little in this
        #: pass: so it is for every job that asks for as much and ranks no better.
        self._failed: tuple[int, Any] | None = None
        #: By demand.
        self._least_part: dict[int, int] = {}

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        self._victims.on_begin(state)
        self._failed = None
        self._least_part.clear()

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
        gpus, rank, failed = job.gpus, self._rank(job, state), self._failed
        if failed is not None and gpus >= failed[0] and not rank < failed[1]:
            return None
        victims, free = self._victims, state.free
        limit = victims.limit(rank, state)
        if not victims.is_anybody_behind(limit, state):
            self._failed = (0, rank)
            return None
        least = self._least_part.get(gpus)
        if least is None:
            least = self._least_part[gpus] = least_part(placement, gpus, state)
        if least > 1 and victims.is_hopeless(gpus, limit, least, state):
            return None
        trial = Trial(free, least)
        # Even if there are enough GPUs, those in the right places may have to come from others.
        for _ in trial.releases(victims.behind(limit, state), gpus):
            found = placement.offer(job, free, state)
            if found is not None:
                needed = trial.needed_for(found)
                trial.take_back()
                return found, needed
        trial.take_back()
        most = free.total + sum(victim.gpus for victim in trial.victims)
        if most < gpus:
            self._failed = (most + 1, rank)
        if least > 1:
            victims.give_up(gpus, limit, trial.rooms)
        return None


def _by_position(job: LiveJob, state: Simulation) -> int:
    return job.index
