"""SJF-BCO: smallest job first with balanced contention and overhead (Yu et al., MobiHoc 2022)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from optsched.core.errors import StalledJobError
from optsched.core.instance import Instance
from optsched.core.schedule import Schedule
from optsched.planners.approximation import theorem_5
from optsched.planners.dispatch import Dispatch, DispatchMode, Task
from optsched.planners.gpu_loads import Choose, fewest_loaded, least_busy_servers, packed
from optsched.planners.load_cap import CapMode, search_cap
from optsched.planners.plan import (
    Plan,
    check_choices,
    check_limits,
    default_horizon_s,
    no_plan,
    task_of,
)

__all__ = ["SearchStep", "SjfBco", "kappas"]


@dataclass(frozen=True, slots=True)
class SearchStep:
    """One schedule that the search built; ``makespan_s`` is None if the cap was too tight."""

    cap_s: float
    kappa: int
    makespan_s: float | None


@dataclass(frozen=True, slots=True)
class SjfBco:
    """Serve jobs with the fewest GPUs first, small ones packed, large ones on fresh servers.

    For every load cap θ and every threshold κ a schedule is built: jobs of at most κ GPUs choose
    theirs by FA-FFP (algorithm 2), larger ones by LBSGF (algorithm 3). The schedule of least
    makespan wins. Ties in demand go to the smaller ρ̂, then to the first in the instance.

    Parameters
    ----------
    fa_ffp
        ``literal``: the least loaded GPUs, as algorithm 2 is printed. ``pack``: servers in use
        first, as its description says.
    dispatch
        ``wait``: a job waits until GPUs are free. ``queue``: it queues at its GPUs.
    capacity_factor
        λ: LBSGF chooses among the least loaded servers with λ times the job's GPUs; at least 1.
    kappa
        One threshold κ; None tries 1 and every demand that occurs. No other value gives another
        schedule.
    cap_search
        ``bisect`` (the paper's), ``feasible`` or ``sweep``, see
        :func:`~optsched.planners.load_cap.search_cap`.
    horizon_s
        The highest θ (T); None takes the sum of all ρ̂ plus the last arrival.
    estimate_servers, estimate_degree
        The worst case that counts in ρ̂ = F·τ: most servers and highest contention degree. None
        takes what the cluster allows (section 5 of the paper), which is far from what happens.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job("a", 4, 10, compute_s=1.0), Job("b", 1, 10, compute_s=1.0)]
    >>> plan = SjfBco().plan(Instance("two", Cluster.uniform(2, 4), jobs))
    >>> plan.schedule.end_time_s
    10.0
    """

    fa_ffp: Literal["literal", "pack"] = "literal"
    dispatch: DispatchMode = "wait"
    capacity_factor: float = 1.0
    kappa: int | None = None
    cap_search: CapMode = "bisect"
    horizon_s: float | None = None
    estimate_servers: int | None = 4
    estimate_degree: int | None = 4

    def __post_init__(self) -> None:
        fa_ffp = Literal["literal", "pack"]
        check_choices(self, fa_ffp=fa_ffp, dispatch=DispatchMode, cap_search=CapMode)
        check_limits(self)
        if not self.capacity_factor >= 1:
            raise ValueError(f"capacity_factor (λ) is at least 1, got {self.capacity_factor!r}")
        if self.kappa is not None and self.kappa < 1:
            raise ValueError(f"kappa is at least 1, got {self.kappa!r}")
        if self.kappa is not None and not isinstance(self.kappa, int):
            raise ValueError(f"kappa is a whole number, got {self.kappa!r}")

    def plan(self, instance: Instance, *, seed: int = 0) -> Plan:
        """Return the best schedule of the search; it uses no random numbers."""
        task = task_of(
            instance,
            estimate_servers=self.estimate_servers,
            estimate_degree=self.estimate_degree,
        )
        horizon_s = default_horizon_s(task) if self.horizon_s is None else self.horizon_s
        search = _Search(task, self)
        trials = search_cap(
            search.best_over_kappa,
            horizon_s=horizon_s,
            slot_s=instance.slot_s,
            mode=self.cap_search,
        )
        if search.best is None:
            raise no_plan("sjf-bco", horizon_s, search.stalled)
        schedule, step = search.best
        tightest = min(trial.cap_s for trial in trials if trial.makespan_s is not None)
        details = {
            "cap_s": step.cap_s,
            "tightest_cap_s": tightest,
            "kappa": step.kappa,
            "horizon_s": horizon_s,
            "search": [asdict(step) for step in search.steps],
            "theorem_5": asdict(theorem_5(task)),
        }
        return Plan(schedule, details)


class _Search:
    """Builds a schedule for each (θ, κ), keeps the best, and records every step."""

    def __init__(self, task: Task, planner: SjfBco) -> None:
        self._task = task
        self._planner = planner
        jobs = task.instance.jobs
        order = np.lexsort((np.arange(len(jobs)), task.estimate_s, jobs.gpus))
        rank = np.empty(len(jobs), dtype=np.int64)
        rank[order] = np.arange(len(jobs))
        self._rank: list[int] = rank.tolist()
        self._gpus: list[int] = jobs.gpus.tolist()
        self._kappas = kappas(task.instance) if planner.kappa is None else (planner.kappa,)
        self.best: tuple[Schedule, SearchStep] | None = None
        self.stalled: StalledJobError | None = None
        self.steps: list[SearchStep] = []

    def best_over_kappa(self, cap_s: float) -> float | None:
        """Return the least makespan under a cap."""
        least: float | None = None
        for kappa in self._kappas:
            dispatch = Dispatch(self._rank, self._chooser(kappa), cap_s, self._planner.dispatch)
            try:
                schedule = dispatch.schedule(self._task)
            except StalledJobError as error:
                schedule, self.stalled = None, error
            makespan_s = None if schedule is None else schedule.end_time_s
            step = SearchStep(cap_s, kappa, makespan_s)
            self.steps.append(step)
            if schedule is None or makespan_s is None:
                continue
            least = makespan_s if least is None else min(least, makespan_s)
            if self.best is None or makespan_s < (self.best[1].makespan_s or 0.0):
                self.best = (schedule, step)
        return least

    def _chooser(self, kappa: int) -> Callable[[int], Choose]:
        small = fewest_loaded if self._planner.fa_ffp == "literal" else packed
        large = least_busy_servers(self._planner.capacity_factor)
        gpus = self._gpus
        return lambda job: small if gpus[job] <= kappa else large


def kappas(instance: Instance) -> tuple[int, ...]:
    """Return the thresholds that can make a difference: 1 and every demand that occurs.

    Two values of κ between the same demands divide the jobs alike.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job("a", 2, 1, compute_s=1.0), Job("b", 8, 1, compute_s=1.0)]
    >>> kappas(Instance("two", Cluster.uniform(2, 4), jobs))
    (1, 2, 8)
    """
    return tuple(sorted({1, *instance.jobs.gpus.tolist()}))
