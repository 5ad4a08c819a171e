"""When and where spread jobs compete for the network."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from optsched.contention import rate_functions
from optsched.core.instance import Instance
from optsched.core.schedule import Schedule
from optsched.plot.event_times import snapped_times

__all__ = ["ContentionInterval", "contention_intervals"]


@dataclass(frozen=True, slots=True)
class ContentionInterval:
    """A stretch of time in which a shared resource carries the same number of spread jobs.

    Parameters
    ----------
    resource
        Number of the resource in the instance's rate model; below the number of servers it is the
        network interface of that server.
    start_s, end_s
        The stretch in seconds.
    degree
        The jobs on the resource, at least 2.
    """

    resource: int
    start_s: float
    end_s: float
    degree: int


def contention_intervals(instance: Instance, schedule: Schedule) -> list[ContentionInterval]:
    """Return the longest intervals of equal contention, wherever two jobs or more share a resource.

    The degree is the count of Yu et al. (2022), equation 6: the spread jobs that cross a resource.
    A job loads its resources from the start to the end of its segment, restarts included.

    Parameters
    ----------
    instance
        The instance; its rate model says which resources a placement crosses.
    schedule
        A schedule for it.

    Returns
    -------
    list of ContentionInterval
        By resource, then by time.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> from optsched.core.placement import Placement
    >>> from optsched.core.schedule import Segment
    >>> instance = Instance("two", Cluster.uniform(3, 2), [Job("a", 3, 1), Job("b", 3, 1)])
    >>> a, b = Placement.of({0: 2, 1: 1}), Placement.of({1: 1, 2: 2})
    >>> rows = [Segment(0, a, 0.0, 8.0), Segment(1, b, 5.0, 9.0)]
    >>> contention_intervals(instance, Schedule.of(rows))
    [ContentionInterval(resource=1, start_s=5.0, end_s=8.0, degree=2)]
    """
    rates = rate_functions(instance)
    crossed = [rates.shared_resources(placement) for placement in schedule.placements]
    starts, ends = snapped_times(schedule)
    changes: dict[int, dict[float, int]] = defaultdict(lambda: defaultdict(int))
    columns = zip(schedule.placement.tolist(), starts.tolist(), ends.tolist(), strict=True)
    for placement, start, end in columns:
        for resource in crossed[placement]:
            changes[resource][start] += 1
            changes[resource][end] -= 1
    intervals = []
    for resource in sorted(changes):
        degree, since = 0, 0.0
        for time, change in sorted(changes[resource].items()):
            if change == 0:
                continue
            if degree >= 2:
                intervals.append(ContentionInterval(resource, since, time, degree))
            degree, since = degree + change, time
    return intervals
