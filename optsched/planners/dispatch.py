"""Turn an order and a choice of GPUs into a schedule, by waiting for GPUs or by queueing at them.

Algorithms 2 and 3 of Yu et al. 2022 let a job wait until a running one exits (``wait``). The other
reading (``queue``) gives every job its GPUs at once and starts it when it is the first in the
queues of all of them.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from optsched.contention import RateFunctions
from optsched.core.instance import Instance
from optsched.core.schedule import Schedule
from optsched.planners.gpu_loads import Choose, GpuLoads, GpuSet
from optsched.sim import LiveJob, Simulation, simulate

__all__ = ["Dispatch", "DispatchMode", "Task"]

DispatchMode = Literal["wait", "queue"]


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """An instance with what every dispatch of it needs, computed once.

    Parameters
    ----------
    instance, rates
        The instance and the functions of its rate model.
    best_s
        Best duration of each job.
    estimate_s
        Estimated duration of each job (ρ̂): the work it adds to its GPUs.
    """

    instance: Instance
    rates: RateFunctions
    best_s: NDArray[np.float64]
    estimate_s: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Dispatch:
    """How jobs get their GPUs.

    Parameters
    ----------
    rank
        Position of each job in the order, shape (n,).
    choose
        How a job chooses among the GPUs it may have.
    cap_s
        The most estimated work a GPU may be given (θ).
    mode
        ``wait`` or ``queue``.
    """

    rank: Sequence[int]
    choose: Callable[[int], Choose]
    cap_s: float
    mode: DispatchMode = "wait"

    def schedule(self, task: Task) -> Schedule | None:
        """Return the schedule, or None if some job can never have its GPUs under the cap.

        Raises
        ------
        StalledJobError
            If a job makes no progress where it was placed.
        """
        policy = _WaitForGpus(task, self) if self.mode == "wait" else _QueueAtGpus(task, self)
        durations_s = task.best_s.tolist()
        try:
            run = simulate(task.instance, policy, rates=task.rates, durations_s=durations_s)
        except _OverCapError:
            return None
        return run.schedule


class _OverCapError(Exception):
    """Some job finds no GPUs although nothing runs that it could wait for."""


class _WaitForGpus:
    """Start jobs strictly in order; the first one waits until enough GPUs are free for it."""

    def __init__(self, task: Task, dispatch: Dispatch) -> None:
        self._task = task
        self._dispatch = dispatch
        self._loads = GpuLoads(task.instance.cluster)
        self._queue: list[tuple[int, int, LiveJob]] = []
        self._held: dict[int, GpuSet] = {}

    def on_arrival(self, job: LiveJob, state: Simulation) -> None:
        heapq.heappush(self._queue, (self._dispatch.rank[job.index], job.index, job))

    def on_finish(self, job: LiveJob, state: Simulation) -> None:
        self._loads.is_free[self._held.pop(job.index)] = True

    def schedule(self, state: Simulation) -> None:
        loads, dispatch = self._loads, self._dispatch
        while self._queue:
            index, job = self._queue[0][1:]
            if job.gpus > state.free.total:
                return
            work_s = self._task.estimate_s.item(index)
            eligible = loads.is_free & loads.under_cap(work_s, dispatch.cap_s)
            gpus = dispatch.choose(index)(loads, eligible, job.gpus)
            if gpus is None:
                if not state.running:
                    raise _OverCapError
                return
            heapq.heappop(self._queue)
            loads.load_s[gpus] += work_s
            loads.is_free[gpus] = False
            self._held[index] = gpus
            state.start(job, loads.placement(gpus))


class _QueueAtGpus:
    """Give every job its GPUs when it arrives; it starts as the first in all their queues."""

    def __init__(self, task: Task, dispatch: Dispatch) -> None:
        self._task = task
        self._dispatch = dispatch
        self._loads = GpuLoads(task.instance.cluster)
        self._arrived: list[LiveJob] = []
        self._queues: list[deque[LiveJob]] = [deque() for _ in range(len(self._loads.load_s))]
        self._gpus: dict[int, GpuSet] = {}
        #: GPUs of each job at which it is the first; it starts when they are all.
        self._leads: dict[int, int] = {}
        self._ready: list[tuple[int, int, LiveJob]] = []

    def on_arrival(self, job: LiveJob, state: Simulation) -> None:
        self._arrived.append(job)

    def on_finish(self, job: LiveJob, state: Simulation) -> None:
        for gpu in self._gpus.pop(job.index).tolist():
            queue = self._queues[gpu]
            queue.popleft()
            if queue:
                self._lead(queue[0])

    def schedule(self, state: Simulation) -> None:
        rank = self._dispatch.rank
        for job in sorted(self._arrived, key=lambda job: (rank[job.index], job.index)):
            self._commit(job)
        self._arrived.clear()
        while self._ready:
            job = heapq.heappop(self._ready)[2]
            state.start(job, self._loads.placement(self._gpus[job.index]))

    def _commit(self, job: LiveJob) -> None:
        loads, dispatch = self._loads, self._dispatch
        work_s = self._task.estimate_s.item(job.index)
        eligible = loads.under_cap(work_s, dispatch.cap_s)
        gpus = dispatch.choose(job.index)(loads, eligible, job.gpus)
        if gpus is None:
            raise _OverCapError
        loads.load_s[gpus] += work_s
        self._gpus[job.index] = gpus
        for gpu in gpus.tolist():
            self._queues[gpu].append(job)
            if self._queues[gpu][0] is job:
                self._lead(job)

    def _lead(self, job: LiveJob) -> None:
        leads = self._leads.get(job.index, 0) + 1
        self._leads[job.index] = leads
        if leads == job.gpus:
            heapq.heappush(self._ready, (self._dispatch.rank[job.index], job.index, job))
