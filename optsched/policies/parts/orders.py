"""Orders that need no more than the job, or the time it has run and waited."""

from __future__ import annotations

from optsched.placement.waiting_clock import WaitingClock
from optsched.policies.parts.kept_victims import Standing
from optsched.policies.parts.service_clock import ServiceClock
from optsched.sim import LiveJob, Simulation

__all__ = [
    "BY_COMPLETION",
    "AttainedService",
    "LongestWaiting",
    "by_arrival",
    "by_demand",
    "by_duration",
    "by_remaining",
]


def by_arrival(job: LiveJob, state: Simulation) -> float:
    """Order jobs by arrival; ties by position in the instance."""
    return job.arrival_s


def by_duration(job: LiveJob, state: Simulation) -> float:
    """Order jobs by their run time at its best."""
    return job.duration_s


def by_demand(job: LiveJob, state: Simulation) -> tuple[int, float]:
    """Order jobs by GPUs, then by run time at its best."""
    return (job.gpus, job.duration_s)


def by_remaining(job: LiveJob, state: Simulation) -> float:
    """Order jobs by the time they have left, at their present or last speed (SRTF)."""
    return state.remaining_s(job)


#: Running jobs in the order of the time they have left, which is that of their completions.
BY_COMPLETION = Standing(
    key=lambda job, state: -job.due,
    limit=lambda rank, state: -state.time_in(rank),
)


class LongestWaiting(WaitingClock):
    """The job that has waited longest since its arrival or its last stop comes first."""

    def key(self, job: LiveJob, state: Simulation) -> float:
        """Return since when it waits."""
        return self.since_s[job.index]


class AttainedService(ServiceClock):
    """The job that has had the least service comes first (LAS), of equals the longest waiting.

    Parameters
    ----------
    service
        ``gpu_time``: GPUs times the seconds they were in use (Tiresias' 2D-LAS); ``time``: the
        seconds alone. Restarts do not count.
    """

    def __init__(self, *, service: str = "gpu_time") -> None:
        super().__init__()
        if service not in ("gpu_time", "time"):
            raise ValueError(f"service is 'gpu_time' or 'time', got {service!r}")
        self._per_gpu = service == "gpu_time"

    def key(self, job: LiveJob, state: Simulation) -> tuple[float, float]:
        """Return the service, and since when the job waits."""
        served = self.served_s(job, state)
        return (job.gpus * served if self._per_gpu else served, self.since_s[job.index])
