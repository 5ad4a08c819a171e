"""For how long each job has made progress."""

from __future__ import annotations

from optsched.sim import LiveJob, Simulation

__all__ = ["ServedClock"]


class ServedClock:
    """A part, or the base of one, that counts the time a job runs, without its restarts.

    A restart serves nobody. If it counted, jobs that are stopped by the time they were served could
    be stopped in their restarts for ever.
    """

    def __init__(self) -> None:
        self._served_s: dict[int, float] = {}
        #: Since when a running job makes progress; in the future during a restart.
        self._since_s: dict[int, float] = {}

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        self._served_s = {}
        self._since_s = {}

    def on_start(self, job: LiveJob, state: Simulation) -> None:
        """Begin to count when the job makes progress."""
        self._since_s[job.index] = state.now_s + state.restart_left_s(job)

    def on_stop(self, job: LiveJob, state: Simulation) -> None:
        """Add what has been counted."""
        self._served_s[job.index] = self.served_s(job, state)
        del self._since_s[job.index]

    def on_finish(self, job: LiveJob, state: Simulation) -> None:
        """Forget a job that is done."""
        del self._served_s[job.index]

    def served_s(self, job: LiveJob, state: Simulation) -> float:
        """Return the seconds for which a job has made progress."""
        before_s = self._served_s.get(job.index, 0.0)
        since_s = self._since_s.get(job.index)
        return before_s if since_s is None else before_s + max(0.0, state.now_s - since_s)

    def served_at_s(self, job: LiveJob, served_s: float) -> float:
        """Return when a running job will have made progress for ``served_s``."""
        return self._since_s[job.index] + served_s - self._served_s.get(job.index, 0.0)
