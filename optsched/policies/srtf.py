"""Shortest remaining time first."""

from __future__ import annotations

from optsched.placement import PlacementRule
from optsched.placement.names import PlacementName, placement_named
from optsched.policies.composed import ComposedPolicy
from optsched.policies.parts.displacement import Displacement
from optsched.policies.parts.orders import BY_COMPLETION, by_remaining

__all__ = ["Srtf"]


class Srtf(ComposedPolicy):
    """Run the jobs with the least time left; one with less stops those with more.

    A running job's time left counts at its present speed, a waiting one's at its last, and that of
    a job that never ran at its best; the simulator knows them, a cluster has to predict them.

    Parameters
    ----------
    placement
        ``consolidated``, ``first_fit``, ``tiered``, or a rule of your own.
    fit
        For ``consolidated`` and ``tiered``: ``best`` or ``first``.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.instance import Instance
    >>> from optsched.core.jobs import Job
    >>> from optsched.sim import simulate
    >>> jobs = [Job("long", 2, 9, compute_s=1.0), Job("short", 2, 2, compute_s=1.0, arrival_s=3.0)]
    >>> run = simulate(Instance("two", Cluster.uniform(1, 2), jobs), Srtf())
    >>> [(row.job, row.start_s, row.end_s) for row in run.schedule.segments]
    [(0, 0.0, 3.0), (1, 3.0, 5.0), (0, 5.0, 11.0)]
    """

    def __init__(
        self, *, placement: PlacementName | PlacementRule = "consolidated", fit: str = "best"
    ) -> None:
        super().__init__(
            by_remaining,
            placement=placement_named(placement, fit=fit),
            preemption=Displacement(by_remaining, standing=BY_COMPLETION),
        )
