"""Finish-time fairness as an order."""

from __future__ import annotations

from optsched.sim import LiveJob, Simulation

__all__ = ["FinishTimeFairness"]


class FinishTimeFairness:
    """The job that is farthest behind its fair share comes first.

    A job's finish-time fairness ρ is the time it will have taken if it runs from now on at its
    best, over its run time at its best times the mean number of jobs in the system since it
    arrived. The number counts jobs that have arrived and are not done.
    """

    changes_with_time = True

    def __init__(self) -> None:
        self._in_system = 0
        #: Seconds that all jobs together have been in the system, up to a time, and at arrivals.
        self._job_seconds = 0.0
        self._until_s = 0.0
        self._at_arrival: dict[int, float] = {}
        self._best_s: list[float] = []

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        self._in_system = 0
        self._job_seconds = self._until_s = 0.0
        self._at_arrival = {}
        self._best_s = state.rates.best_iteration_times_s().tolist()

    def on_arrival(self, job: LiveJob, state: Simulation) -> None:
        """Count a job in."""
        self._count_until(state.now_s)
        self._at_arrival[job.index] = self._job_seconds
        self._in_system += 1

    def on_finish(self, job: LiveJob, state: Simulation) -> None:
        """Count a job out."""
        self._count_until(state.now_s)
        del self._at_arrival[job.index]
        self._in_system -= 1

    def key(self, job: LiveJob, state: Simulation) -> float:
        """Return −ρ."""
        return -self.fairness(job, state)

    def fairness(self, job: LiveJob, state: Simulation) -> float:
        """Return ρ of a job."""
        now_s = state.now_s
        if now_s != self._until_s:
            self._count_until(now_s)
        so_far_s = now_s - job.arrival_s
        contending = float(self._in_system)
        if so_far_s > 0:
            contending = (self._job_seconds - self._at_arrival[job.index]) / so_far_s
        best_s = self._best_s[job.index]
        # A job that waits stays where it is, and most that are asked for do.
        is_waiting = job.placement is None
        remaining = job.remaining if is_waiting else state.remaining_iterations(job)
        shared_s = so_far_s + remaining * best_s
        # In slotted time a job may have arrived within the slot, before the others were counted.
        return shared_s / (max(1.0, contending) * job.duration_s)

    def _count_until(self, now_s: float) -> None:
        self._job_seconds += self._in_system * (now_s - self._until_s)
        self._until_s = now_s
