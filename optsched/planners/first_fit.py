"""First fit under a load cap: the baseline FF of Yu et al. 2022."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from optsched.core.instance import Instance
from optsched.planners.dispatch import DispatchMode
from optsched.planners.gpu_loads import first_servers
from optsched.planners.list_scheduling import plan_in_file_order
from optsched.planners.load_cap import CapMode
from optsched.planners.plan import Plan, check_choices, check_limits

__all__ = ["FirstFitPlanner"]


@dataclass(frozen=True, slots=True)
class FirstFitPlanner:
    """Give each job, in file order, the first GPUs, server by server, whose work allows it.

    Parameters
    ----------
    dispatch, cap_search, horizon_s, estimate_servers, estimate_degree
        As for :class:`~optsched.planners.sjf_bco.SjfBco`; the baseline has its own search for θ.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job("a", 2, 10, compute_s=1.0), Job("b", 2, 10, compute_s=1.0)]
    >>> FirstFitPlanner().plan(Instance("two", Cluster.uniform(2, 2), jobs)).schedule.end_time_s
    10.0
    """

    dispatch: DispatchMode = "wait"
    cap_search: CapMode = "bisect"
    horizon_s: float | None = None
    estimate_servers: int | None = 4
    estimate_degree: int | None = 4

    def __post_init__(self) -> None:
        check_choices(self, dispatch=DispatchMode, cap_search=CapMode)
        check_limits(self)

    def plan(self, instance: Instance, *, seed: int = 0) -> Plan:
        """Return the best schedule over θ; it uses no random numbers."""
        return plan_in_file_order(instance, "first-fit", first_servers, **asdict(self))
