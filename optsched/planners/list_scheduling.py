"""The baselines of Yu et al. 2022: jobs in file order, GPUs by one rule, under a load cap."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from optsched.core.errors import StalledJobError
from optsched.core.instance import Instance
from optsched.core.schedule import Schedule
from optsched.planners.dispatch import Dispatch, DispatchMode
from optsched.planners.gpu_loads import Choose, fewest_loaded
from optsched.planners.load_cap import CapMode, search_cap
from optsched.planners.plan import (
    Plan,
    check_choices,
    check_limits,
    default_horizon_s,
    no_plan,
    task_of,
)

__all__ = ["ListScheduling", "plan_in_file_order"]


@dataclass(frozen=True, slots=True)
class ListScheduling:
    """Give each job, in file order, the GPUs with the least work so far, wherever they are.

    Parameters
    ----------
    dispatch, cap_search, horizon_s, estimate_servers, estimate_degree
        As for :class:`~optsched.planners.sjf_bco.SjfBco`; the baseline has its own search for θ.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job("a", 2, 10, compute_s=1.0), Job("b", 2, 10, compute_s=1.0)]
    >>> ListScheduling().plan(Instance("two", Cluster.uniform(2, 2), jobs)).schedule.end_time_s
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
        return plan_in_file_order(instance, "list-scheduling", fewest_loaded, **asdict(self))


def plan_in_file_order(
    instance: Instance,
    name: str,
    choose: Choose,
    *,
    dispatch: DispatchMode,
    cap_search: CapMode,
    horizon_s: float | None,
    estimate_servers: int | None,
    estimate_degree: int | None,
) -> Plan:
    """Return the schedule of least makespan over θ for jobs in file order and one choice rule."""
    task = task_of(instance, estimate_servers=estimate_servers, estimate_degree=estimate_degree)
    highest_s = default_horizon_s(task) if horizon_s is None else horizon_s
    in_order = range(len(instance.jobs))
    best: list[Schedule] = []
    stalled: StalledJobError | None = None

    def makespan_under(cap_s: float) -> float | None:
        nonlocal stalled
        try:
            schedule = Dispatch(in_order, lambda job: choose, cap_s, dispatch).schedule(task)
        except StalledJobError as error:
            stalled = error
            return None
        if schedule is None:
            return None
        if not best or schedule.end_time_s < best[0].end_time_s:
            best[:] = [schedule]
        return schedule.end_time_s

    trials = search_cap(
        makespan_under, horizon_s=highest_s, slot_s=instance.slot_s, mode=cap_search
    )
    if not best:
        raise no_plan(name, highest_s, stalled)
    details = {"horizon_s": highest_s, "search": [asdict(trial) for trial in trials]}
    return Plan(best[0], details)
