"""Who shares which resource now, and whose speed a change touches."""

from __future__ import annotations

from optsched.contention.rate_model import RateFunctions
from optsched.sim.live_job import LiveJob

__all__ = ["ContentionTracker"]


class ContentionTracker:
    """Counts the spread jobs on each shared resource.

    Where all resources have one rate, a job's speed depends on the largest of its counts alone. A
    start that raises a count to k then touches only jobs whose degree was below k, a stop that
    lowers it from k only those whose degree was k. With unequal rates every job on a resource
    whose count changes is touched.

    Parameters
    ----------
    rates
        The functions of the rate model.
    """

    __slots__ = ("_only_maximum", "jobs", "load")

    def __init__(self, rates: RateFunctions) -> None:
        self._only_maximum = rates.depends_on_maximum_load
        self.load = [0] * rates.resource_count
        self.jobs: list[dict[int, LiveJob]] = [{} for _ in range(rates.resource_count)]

    def loads_of(self, job: LiveJob) -> list[int]:
        """Return the counts on the job's resources."""
        load = self.load
        return [load[resource] for resource in job.resources]

    def enter(self, job: LiveJob) -> list[LiveJob]:
        """Count a spread job in and return the others that it touches."""
        touched: dict[int, LiveJob] = {}
        for resource in job.resources:
            count = self.load[resource] + 1
            self.load[resource] = count
            for other in self.jobs[resource].values():
                if not self._only_maximum or other.degree < count:
                    touched[other.index] = other
            self.jobs[resource][job.index] = job
        return list(touched.values())

    def leave(self, job: LiveJob) -> list[LiveJob]:
        """Count a spread job out and return the others that it touches."""
        touched: dict[int, LiveJob] = {}
        for resource in job.resources:
            count = self.load[resource]
            self.load[resource] = count - 1
            del self.jobs[resource][job.index]
            for other in self.jobs[resource].values():
                if not self._only_maximum or other.degree == count:
                    touched[other.index] = other
        return list(touched.values())
