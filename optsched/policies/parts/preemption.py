"""What a preemption is."""

from __future__ import annotations

from collections.abc import Sequence

from optsched.core.placement import Placement
from optsched.placement import PlacementRule
from optsched.policies.parts.order import Order
from optsched.sim import LiveJob, Simulation

__all__ = ["Preemption"]


class Preemption:
    """Says which running jobs have to stop; this base stops none."""

    #: True if :meth:`make_room` is worth asking.
    can_displace = False
    #: By what jobs are compared, if they are.
    rank: Order | None = None

    def ended(self, state: Simulation) -> Sequence[LiveJob]:
        """Return the jobs that stop before the pass and are served again like all others."""
        return ()

    @property
    def has_nobody(self) -> bool:
        """True if, in this pass, nobody stops for a job that ranks no better than the last one."""
        return False

    def make_room(
        self, job: LiveJob, placement: PlacementRule, state: Simulation
    ) -> tuple[Placement, list[LiveJob]] | None:
        """Return a placement for a job, and the running jobs to stop for it; None: no way.

        The placement is tried with the victims removed, so none is stopped in vain. A job that has
        started at this instant is never a victim.
        """
        return None
