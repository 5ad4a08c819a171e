"""The load cap θ of SJF-BCO beside the least one there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optsched.core.errors import BoundViolatedError, StalledJobError
from optsched.core.instance import Instance
from optsched.core.result import violates
from optsched.exact.gpu_load import GpuLoad, least_gpu_load
from optsched.judge import verify
from optsched.planners import SjfBco
from optsched.planners.dispatch import Dispatch
from optsched.planners.gpu_loads import Choose, GpuLoads
from optsched.planners.plan import task_of
from optsched.solvers import MipSolver

__all__ = ["LoadCaps", "compare_load_caps"]


@dataclass(frozen=True, slots=True, eq=False)
class LoadCaps:
    """The caps of SJF-BCO and of the integer program, and what becomes of them as schedules.

    Parameters
    ----------
    least
        The least θ, by the program that minimises it.
    bisected
        The same by bisection.
    planner_cap_s
        The tightest θ under which SJF-BCO found a schedule.
    planner_makespan_s
        Makespan of its best schedule, perhaps under a looser θ.
    program_makespan_s
        Makespan if every job queues at the GPUs that the program chose for it, those with fewest
        GPUs first; None if a job makes no progress there.
    """

    least: GpuLoad
    bisected: GpuLoad
    planner_cap_s: float
    planner_makespan_s: float
    program_makespan_s: float | None

    @property
    def ratio(self) -> float:
        """The planner's θ over the least one that was found, at least 1."""
        return self.planner_cap_s / min(self.least.theta_s, self.bisected.theta_s)

    @property
    def most_ratio(self) -> float:
        """The planner's θ over what is proven of the least one."""
        return self.planner_cap_s / max(self.least.lower_s, self.bisected.lower_s)


def compare_load_caps(
    instance: Instance,
    *,
    planner: SjfBco | None = None,
    solver: MipSolver = "highs",
    time_limit_s: float | None = 60.0,
    seed: int = 0,
) -> LoadCaps:
    """Hold the tightest θ of SJF-BCO against the least one for the same estimates ρ̂.

    Both are loads of GPUs. That one is close to the other says nothing of makespans, which stand
    beside them: the program does not know where GPUs are, nor that gangs start together.

    Parameters
    ----------
    instance
        The instance.
    planner
        SJF-BCO with its parameters; None: the defaults.
    solver, seed
        As :func:`least_gpu_load` has them.
    time_limit_s
        Seconds for each of the two ways to the least θ.

    Raises
    ------
    LimitReachedError, StalledJobError
        If SJF-BCO finds no schedule.
    BoundViolatedError
        If it keeps a θ that is proven impossible.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job(name, 1, f, compute_s=1.0) for name, f in zip("abcde", (2, 2, 3, 4, 5))]
    >>> caps = compare_load_caps(Instance("five", Cluster.uniform(1, 2), jobs, slot_s=1.0))
    >>> caps.least.theta_s, caps.bisected.theta_s, caps.planner_cap_s
    (8.0, 8.0, 10.0)
    """
    planner = SjfBco() if planner is None else planner
    plan = planner.plan(instance, seed=seed)
    cap_s = plan.details["tightest_cap_s"]
    assert isinstance(cap_s, float | int)
    least, bisected = (
        least_gpu_load(
            instance,
            approach=approach,
            solver=solver,
            time_limit_s=time_limit_s,
            seed=seed,
            estimate_servers=planner.estimate_servers,
            estimate_degree=planner.estimate_degree,
        )
        for approach in ("min-max", "bisection")
    )
    for load in (least, bisected):
        if violates(float(cap_s), load.lower_s * (1 - 1e-6)):
            raise BoundViolatedError(
                f"sjf-bco keeps a load cap of {cap_s!r} s on {instance.name!r}, and the "
                f"{load.approach} says that none is below {load.lower_s!r} s"
            )
    return LoadCaps(
        least,
        bisected,
        float(cap_s),
        plan.schedule.end_time_s,
        _makespan_s(instance, least.gpus, planner),
    )


def _makespan_s(instance: Instance, gpus: Sequence[Sequence[int]], planner: SjfBco) -> float | None:
    """Return the makespan if jobs queue at given GPUs, those that want few of them first."""
    task = task_of(
        instance,
        estimate_servers=planner.estimate_servers,
        estimate_degree=planner.estimate_degree,
    )
    order = np.lexsort((task.estimate_s, instance.jobs.gpus))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))

    def chooser(job: int) -> Choose:
        def choose(_: GpuLoads, __: NDArray[np.bool_], ___: int) -> NDArray[np.int64]:
            return np.array(gpus[job], dtype=np.int64)

        return choose

    dispatch = Dispatch(rank.tolist(), chooser, float("inf"), "queue")
    try:
        schedule = dispatch.schedule(task)
    except StalledJobError:
        return None
    if schedule is None:
        return None
    return verify(instance, schedule).objectives["makespan"]
