"""Who shares which resource now, and whose speed a change touches."""

from __future__ import annotations

from collections.abc import Iterable

from optsched.contention.rate_model import RateFunctions
from optsched.sim.live_job import LiveJob

__all__ = ["ContentionTracker"]


class ContentionTracker:
    """Counts the spread jobs on each shared resource, and keeps their contention degrees.

    Where all resources have one rate, a job's speed depends on its degree, the largest of its
    counts, alone. A start that raises a count to k then touches only jobs whose degree was below
    k; a stop that lowers it from k only those whose degree was k, and only if no other of their
    resources has k jobs. With unequal rates every job on a resource whose count changes is touched.

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

    def enter(self, job: LiveJob) -> Iterable[LiveJob]:
        """Count a spread job in and return the others that it touches, their degrees as of now.

        One that it touches on several resources may be returned as often.
        """
        load, jobs = self.load, self.jobs
        touched: list[LiveJob] = []
        degree = 0
        for resource in job.resources:
            load[resource] = count = load[resource] + 1
            if count > degree:
                degree = count
            here = jobs[resource]
            if count > 1:
                below = [other for other in here.values() if other.degree < count]
                for other in below:
                    other.degree = count
                touched += below
            here[job.index] = job
        job.degree = degree
        return touched if self._only_maximum else self._neighbours(job)

    def leave(self, job: LiveJob) -> Iterable[LiveJob]:
        """Count a spread job out and return the others that it touches, their degrees as of now.

        One that it touches on several resources may be returned as often.
        """
        load, jobs = self.load, self.jobs
        near: list[LiveJob] = []
        for resource in job.resources:
            count = load[resource]
            load[resource] = count - 1
            here = jobs[resource]
            del here[job.index]
            if count > 1:
                near += [other for other in here.values() if other.degree == count]
        job.degree = 0
        touched: list[LiveJob] = []
        for other in near:
            degree = other.degree
            # Each count has fallen by at most one; whoever comes again has one at its new degree.
            if degree not in map(load.__getitem__, other.resources):
                other.degree = degree - 1
                touched.append(other)
        return touched if self._only_maximum else self._neighbours(job)

    def _neighbours(self, job: LiveJob) -> Iterable[LiveJob]:
        """Return all others on the job's resources."""
        near: dict[int, LiveJob] = {}
        for resource in job.resources:
            near |= self.jobs[resource]
        near.pop(job.index, None)
        return near.values()
