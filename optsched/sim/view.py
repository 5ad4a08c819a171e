"""What a policy sees of a running simulation."""

from __future__ import annotations

from collections.abc import ValuesView

from optsched.contention import RateFunctions
from optsched.core.errors import PolicyError
from optsched.core.instance import Instance
from optsched.sim.clock import Clock
from optsched.sim.free_pool import FreePool
from optsched.sim.live_job import INFINITY, LiveJob

__all__ = ["SimulationView"]


class SimulationView:
    """The read-only half of :class:`~optsched.sim.engine.Simulation`.

    Attributes
    ----------
    instance, rates
        What is simulated.
    now_s
        The time now.
    free
        The GPUs that are free.
    instants, re_rates, preemptions
        Instants so far, changes of a running job's speed, and jobs stopped before their end.
    """

    # Slots, since their attributes are found without a look into a dictionary.
    __slots__ = (
        "_clock",
        "_is_slotted",
        "_now",
        "_running",
        "_waiting",
        "free",
        "instance",
        "instants",
        "now_s",
        "preemptions",
        "rates",
        "re_rates",
    )

    instance: Instance
    rates: RateFunctions
    now_s: float
    free: FreePool
    instants: int
    re_rates: int
    preemptions: int
    _clock: Clock
    _is_slotted: bool
    #: The time now on the clock.
    _now: float
    _waiting: dict[int, LiveJob]
    _running: dict[int, LiveJob]

    @property
    def waiting(self) -> ValuesView[LiveJob]:
        """Jobs that have arrived and hold no GPUs; those never started are in order of arrival."""
        return self._waiting.values()

    @property
    def running(self) -> ValuesView[LiveJob]:
        """Jobs that hold GPUs, in order of start."""
        return self._running.values()

    def is_waiting(self, job: LiveJob) -> bool:
        """Return True if a job has arrived and holds no GPUs."""
        return self._waiting.get(job.index) is job

    def remaining_iterations(self, job: LiveJob) -> float:
        """Return the iterations a job has left now."""
        if job.placement is None or self._now <= job.settled:
            return job.remaining
        return max(0.0, job.remaining - self._done_since(job))

    def remaining_s(self, job: LiveJob) -> float:
        """Return the seconds a job has left at its present speed, or at its last one if it waits.

        A job that never ran is counted at its best.
        """
        if job.placement is None:
            return job.remaining * job.iteration_time_s
        return self.seconds_until(job.due)

    def seconds_until(self, time: float) -> float:
        """Return the seconds from now to a time of the clock, such as the ``due`` of a job."""
        left = time - self._now
        return self._clock.seconds(left) if self._is_slotted else left

    def time_in(self, seconds: float) -> float:
        """Return the time of the clock after so many seconds from now; slots are not rounded."""
        return self._now + (seconds / self._clock.seconds(1.0) if self._is_slotted else seconds)

    def attained_s(self, job: LiveJob) -> float:
        """Return the seconds for which a job has held GPUs so far."""
        if job.placement is None:
            return job.ran_s
        return job.ran_s + self.now_s - job.start_s

    def restart_left_s(self, job: LiveJob) -> float:
        """Return the seconds for which a running job still makes no progress, 0 for most."""
        if job.placement is None or job.settled <= self._now:
            return 0.0
        return self._clock.seconds(job.settled - self._now)

    def has_come(self, time_s: float) -> bool:
        """Return True if a timer can no longer be set to a time: it is now, or was.

        In slotted time a time has come with the first slot boundary that is not before it.
        """
        if not self._is_slotted or time_s == INFINITY:
            return time_s <= self.now_s
        return self._clock.at_or_after(time_s) <= self._now

    def _done_since(self, job: LiveJob) -> float:
        """Return the iterations of a running job since its progress was settled last."""
        pace = job.progress if self._is_slotted else job.iteration_time_s
        return self._clock.done(self._now - job.settled, pace)

    def _error(self, rule: str, job: LiveJob | None, server: str | None = None) -> PolicyError:
        name = None
        if job is not None and 0 <= job.index < len(self.instance.jobs):
            name = self.instance.jobs.ids[job.index]
        return PolicyError(rule, job=name, server=server, time_s=self.now_s)
