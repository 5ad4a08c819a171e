"""Lower limits on what a partial schedule can still become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from optsched.bounds.dual_feasible import dual_feasible_functions
from optsched.bounds.workload import Workload
from optsched.core.metrics import Objective

__all__ = ["RemainingWork"]


class RemainingWork:
    """Bounds the objective of every completion of a partial non-preemptive schedule.

    The ends of the running jobs are taken from the replay of what has been decided. A later start
    can only delay them: no model of this package lets τ fall when a load rises, so whoever runs in
    the replay of the partial schedule still runs, at least as long, in that of any completion. From
    these ends, and from best durations for the others, follow the longest-job, dual-feasible and
    mean-busy-time arguments of ``optsched.bounds``, for the time that is left. They hold for any
    rate model. Computed in floating point: a caller has to leave room for rounding.

    Parameters
    ----------
    workload
        The instance's best durations.
    objective
        The objective.
    release_s
        The earliest start of each job in seconds.
    """

    def __init__(
        self, workload: Workload, objective: Objective, release_s: Sequence[float]
    ) -> None:
        jobs = workload.instance.jobs
        total_gpus = workload.total_gpus
        self._objective = objective
        self._duration_s: list[float] = (workload.duration * workload.unit_s).tolist()
        self._release_s = release_s
        self._share: list[float] = (jobs.gpus / total_gpus).tolist()
        self._weight: list[float] = workload.weights(objective).tolist()
        self._total_weight: float = sum(self._weight)
        self._arrived_s = float((workload.weights(objective) * jobs.arrival_s).sum())
        functions = dual_feasible_functions(workload.distinct_gpus, total_gpus)
        sizes = np.array([[s / f.denominator for s in f.sizes] for f in functions])
        self._sizes = np.unique(sizes[:, workload.demand] / total_gpus, axis=0)

    def limit_s(self, now_s: float, ends_s: Mapping[int, float]) -> float:
        """Return a lower limit of the objective.

        Parameters
        ----------
        now_s
            No job that has not been started yet starts before.
        ends_s
            End of each started job, if no other were started.
        """
        if self._objective == "makespan":
            return self._makespan_s(now_s, ends_s)
        completions_s = self._completions_s(now_s, ends_s)
        return (completions_s - self._arrived_s) / self._total_weight

    def _makespan_s(self, now_s: float, ends_s: Mapping[int, float]) -> float:
        longest_s = now_s
        left_s = []
        for job, duration_s in enumerate(self._duration_s):
            end_s = ends_s.get(job)
            if end_s is None:
                left_s.append(duration_s)
                end_s = max(now_s, self._release_s[job]) + duration_s
            else:
                left_s.append(max(0.0, end_s - now_s))
            longest_s = max(longest_s, end_s)
        return max(longest_s, now_s + float((self._sizes @ left_s).max()))

    def _completions_s(self, now_s: float, ends_s: Mapping[int, float]) -> float:
        """Return a limit of Σ wC: each unfinished job alone, or all together as a fluid."""
        alone_s = done_s = fluid_s = 0.0
        unfinished = []
        for job, duration_s in enumerate(self._duration_s):
            weight = self._weight[job]
            end_s = ends_s.get(job)
            if end_s is None:
                left_s = duration_s
                end_s = max(now_s, self._release_s[job]) + duration_s
            else:
                left_s = end_s - now_s
            alone_s += weight * end_s
            if left_s <= 0:
                done_s += weight * end_s
            else:
                unfinished.append((self._share[job] * left_s, weight, left_s))
        unfinished.sort(key=lambda row: -row[1] / row[0])
        busy_s = 0.0
        for work_s, weight, left_s in unfinished:
            fluid_s += weight * (now_s + busy_s + (work_s + left_s) / 2)
            busy_s += work_s
        return max(alone_s, done_s + fluid_s)
