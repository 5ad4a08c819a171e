"""Leases: GPUs are given for a time, then their job competes for them like all others."""

from __future__ import annotations

import math

from optsched.policies.parts.preemption import Preemption
from optsched.sim import LiveJob, Simulation

__all__ = ["Leases", "ideal_durations_s"]

INFINITY = float("inf")


def ideal_durations_s(state: Simulation) -> list[float]:
    """Return the run time of each job at its best, alone."""
    jobs = state.instance.jobs
    durations: list[float] = (jobs.iterations * state.rates.best_iteration_times_s()).tolist()
    return durations


class Leases(Preemption):
    """Every job gives its GPUs back at the end of its lease; nothing stops it before.

    A lease begins when the job makes progress, after its restart.

    Parameters
    ----------
    lease_s
        Length of a lease; None: a quarter of the mean run time at its best, but at most
        ``longest_s``.
    longest_s
        See ``lease_s``.
    batch_s
        0: a lease ends exactly on time. Above 0: only between two batches, each of which is so
        many seconds of computing (longer with its communication); the lease ends with the batch at
        whose end it has run out, or would run out before the next one ends.
    batch_check_per_gpu
        Take the next batch for as many times shorter as the job has GPUs in that check, as the
        public simulator of Sharma et al. does; leases then overrun by up to a batch.
    """

    def __init__(
        self,
        lease_s: float | None = None,
        *,
        longest_s: float = 3600.0,
        batch_s: float = 0.0,
        batch_check_per_gpu: bool = False,
    ) -> None:
        if lease_s is not None and not 0 < lease_s < INFINITY:
            raise ValueError(f"lease_s is a number above 0, got {lease_s!r}")
        if not 0 <= batch_s < INFINITY:
            raise ValueError(f"batch_s is a number of at least 0, got {batch_s!r}")
        self._asked_s = lease_s
        self._longest_s = longest_s
        self._batch_s = batch_s
        self._batch_check_per_gpu = batch_check_per_gpu
        #: The length of a lease in this run.
        self.lease_s = longest_s if lease_s is None else lease_s
        #: Jobs whose lease has run out since the last pass.
        self._ended: list[LiveJob] = []
        self._end_s: dict[int, float] = {}

    def on_begin(self, state: Simulation) -> None:
        """Settle the length of a lease."""
        self._ended = []
        self._end_s = {}
        if self._asked_s is None:
            durations_s = ideal_durations_s(state)
            mean_s = math.fsum(durations_s) / len(durations_s) if durations_s else INFINITY
            self.lease_s = min(self._longest_s, mean_s / 4)

    def details(self) -> dict[str, object]:
        """Return the length of a lease in this run."""
        return {"lease_s": self.lease_s}

    def on_start(self, job: LiveJob, state: Simulation) -> None:
        """Begin a lease."""
        ready_s = state.now_s + state.restart_left_s(job)
        self._end_s[job.index] = ready_s + self.length_s(job, state)

    def on_stop(self, job: LiveJob, state: Simulation) -> None:
        """End it."""
        self._end_s.pop(job.index, None)

    def on_timer(self, job: LiveJob, state: Simulation) -> None:
        """Note a lease that has run out."""
        if job.placement is not None and state.has_come(self._end_s[job.index]):
            self._ended.append(job)

    def next_time_s(self, job: LiveJob, state: Simulation) -> float:
        """Return the end of a running job's lease."""
        end_s = self._end_s.get(job.index, INFINITY)
        return INFINITY if state.has_come(end_s) else end_s

    def ended(self, state: Simulation) -> list[LiveJob]:
        """Return the jobs whose lease has run out."""
        ended, self._ended = self._ended, []
        return ended

    def length_s(self, job: LiveJob, state: Simulation) -> float:
        """Return how long the lease of a job that has just started lasts."""
        if self._batch_s == 0:
            return self.lease_s
        compute_s = state.instance.jobs.compute_s.item(job.index)
        slowdown = job.iteration_time_s / compute_s if compute_s > 0 else 1.0
        batch_s = self._batch_s * slowdown
        if self._batch_check_per_gpu:
            batches = math.floor((self.lease_s - batch_s / job.gpus) / batch_s) + 1
        else:
            batches = math.floor(self.lease_s / batch_s)
        return max(1, batches) * batch_s
