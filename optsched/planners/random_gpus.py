"""Random GPUs: the baseline RAND of Yu et al. 2022."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optsched.core.instance import Instance
from optsched.planners.dispatch import Dispatch, DispatchMode
from optsched.planners.gpu_loads import GpuLoads, GpuSet
from optsched.planners.plan import Plan, check_choices, task_of

__all__ = ["RandomGpus"]


@dataclass(frozen=True, slots=True)
class RandomGpus:
    """Give each job, in file order, GPUs drawn at random from those it may have; no load cap.

    Parameters
    ----------
    dispatch
        ``wait``: among the free GPUs, when there are enough. ``queue``: among all.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job("a", 2, 10, compute_s=1.0), Job("b", 2, 10, compute_s=1.0)]
    >>> RandomGpus().plan(Instance("two", Cluster.uniform(2, 2), jobs), seed=1).schedule.end_time_s
    10.0
    """

    dispatch: DispatchMode = "wait"

    def __post_init__(self) -> None:
        check_choices(self, dispatch=DispatchMode)

    def plan(self, instance: Instance, *, seed: int = 0) -> Plan:
        """Return the schedule that a seed draws.

        Raises
        ------
        StalledJobError
            If a job makes no progress where it was placed.
        """
        generator = np.random.default_rng(seed)

        def choose(loads: GpuLoads, eligible: NDArray[np.bool_], wanted: int) -> GpuSet | None:
            gpus = np.flatnonzero(eligible)
            if len(gpus) < wanted:
                return None
            return np.sort(generator.choice(gpus, wanted, replace=False))

        task = task_of(instance, estimate_servers=1, estimate_degree=1)
        dispatch = Dispatch(
            range(len(instance.jobs)), lambda job: choose, float("inf"), self.dispatch
        )
        schedule = dispatch.schedule(task)
        assert schedule is not None, "without a cap every job finds its GPUs in the end"
        return Plan(schedule)
