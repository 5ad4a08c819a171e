"""For how long each job has been served, and since when it waits."""

from __future__ import annotations

from optsched.placement.waiting_clock import WaitingClock
from optsched.policies.parts.served_clock import ServedClock
from optsched.sim import LiveJob, Simulation

__all__ = ["ServiceClock"]


class ServiceClock(ServedClock, WaitingClock):
    """The base of orders by what a job was served, of equals the longest waiting first."""

    def __init__(self) -> None:
        ServedClock.__init__(self)
        WaitingClock.__init__(self)

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        ServedClock.on_begin(self, state)
        WaitingClock.on_begin(self, state)

    def on_stop(self, job: LiveJob, state: Simulation) -> None:
        """Count the time it ran, and begin to count the wait."""
        ServedClock.on_stop(self, job, state)
        WaitingClock.on_stop(self, job, state)

    def on_finish(self, job: LiveJob, state: Simulation) -> None:
        """Forget a job that is done."""
        ServedClock.on_finish(self, job, state)
        WaitingClock.on_finish(self, job, state)
