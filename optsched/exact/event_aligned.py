"""What it means that a schedule is event-aligned."""

from __future__ import annotations

import numpy as np

from optsched.bounds import Workload
from optsched.core.instance import Instance
from optsched.core.schedule import Schedule

__all__ = ["is_event_aligned"]

#: The share of the schedule's span by which a start may miss an event.
TOLERANCE = 1e-9


def is_event_aligned(instance: Instance, schedule: Schedule) -> bool:
    """Return True if every job starts at time 0, at an arrival or at a completion.

    In slotted time an arrival counts at the next slot boundary.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> from optsched.core.placement import Placement
    >>> from optsched.core.schedule import Decision
    >>> from optsched.judge import replay
    >>> jobs = [Job("a", 1, 4, compute_s=1.0), Job("b", 1, 5, compute_s=1.0)]
    >>> pair, one = Instance("pair", Cluster.uniform(1, 1), jobs), Placement.of({0: 1})
    >>> for start_s in (4.0, 4.5):
    ...     schedule = replay(pair, [Decision(0, one, 0.0), Decision(1, one, start_s)])
    ...     print(is_event_aligned(pair, schedule))
    True
    False
    """
    workload = Workload.of(instance)
    events_s = np.concatenate([[0.0], workload.release * workload.unit_s, schedule.end_s])
    missed_s = np.abs(schedule.start_s[:, None] - events_s[None, :]).min(axis=1)
    return bool(np.all(missed_s <= TOLERANCE * schedule.end_time_s))
