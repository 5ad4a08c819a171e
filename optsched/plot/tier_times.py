"""For how long each job held GPUs of one machine, of one rack, and of several."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optsched.core.instance import Instance
from optsched.core.schedule import Schedule

__all__ = ["tier_times_s"]

#: By the number of tiers that the rate model tells apart.
NAMES = {2: ("one server", "several servers"), 3: ("one machine", "one rack", "several racks")}


def tier_times_s(
    instance: Instance, schedule: Schedule
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return names of the tiers, and the seconds that each job held GPUs of each, shape (n, T).

    The rate model ``tiered`` tells machine, rack and network apart, the others only whether a job
    is spread over servers. Restarts count, since GPUs are held.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> from optsched.core.placement import Placement
    >>> from optsched.core.schedule import Segment
    >>> one = Instance("one", Cluster.uniform(2, 2), [Job("a", 2, 10, compute_s=1.0)])
    >>> rows = [
    ...     Segment(0, Placement.of({0: 2}), 0.0, 4.0),
    ...     Segment(0, Placement.of({0: 1, 1: 1}), 4, 10),
    ... ]
    >>> names, times_s = tier_times_s(one, Schedule.of(rows))
    >>> names, times_s.tolist()
    (('one server', 'several servers'), [[4.0, 6.0]])
    """
    tiers = 3 if instance.rate_model.name == "tiered" else 2
    racks: list[int] = instance.cluster.servers.rack.tolist()
    tier = np.zeros(len(schedule.placements), dtype=np.int64)
    for position, placement in enumerate(schedule.placements):
        if placement.is_spread:
            first = racks[placement.servers[0]]
            is_near = tiers == 2 or all(racks[server] == first for server in placement.servers)
            tier[position] = 1 if is_near else 2
    flat = np.bincount(
        schedule.job * tiers + tier[schedule.placement],
        weights=schedule.end_s - schedule.start_s,
        minlength=len(instance.jobs) * tiers,
    )
    return NAMES[tiers], flat.reshape(-1, tiers).astype(np.float64)
