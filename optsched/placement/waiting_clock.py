"""Since when each job waits."""

from __future__ import annotations

from optsched.sim import LiveJob, Simulation

__all__ = ["WaitingClock"]


class WaitingClock:
    """A part, or the base of one, that knows since when a job waits: its arrival or its last stop.

    Attributes
    ----------
    since_s
        By position of the job; while it runs, the time it began to wait before.
    """

    def __init__(self) -> None:
        self.since_s: dict[int, float] = {}

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        self.since_s = {}

    def on_arrival(self, job: LiveJob, state: Simulation) -> None:
        """Begin to count."""
        self.since_s[job.index] = job.arrival_s

    def on_stop(self, job: LiveJob, state: Simulation) -> None:
        """Begin anew."""
        self.since_s[job.index] = state.now_s

    def on_finish(self, job: LiveJob, state: Simulation) -> None:
        """Count no longer."""
        del self.since_s[job.index]
