"""Simulated annealing: an order of jobs and the servers of each, changed a little many times."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from optsched.bounds import Workload
from optsched.bounds import bound as strongest_bound
from optsched.core.errors import StalledJobError
from optsched.core.instance import Instance
from optsched.core.metrics import Objective
from optsched.core.placement import Placement
from optsched.core.schedule import Schedule, Segment
from optsched.planners.durations_alone import durations_alone_s
from optsched.planners.plan import Plan, check_choices

__all__ = ["Annealing"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Moves of the first cooling cycle, how much longer each next one is, and the longest.
FIRST_CYCLE, GROWTH, LONGEST_CYCLE = 40_000, 1.6, 1_000_000
#: Temperatures at the start and the end of a cycle, as shares of a job's area or completion.
MAKESPAN_HEAT, JCT_HEAT = (0.05, 0.0005), (0.01, 0.0002)
#: The target of the first cycle, and the most of all: shares of the way from bound to incumbent.
FIRST_TARGET, HIGHEST_TARGET = 0.5, 0.6


@dataclass(frozen=True, slots=True)
class Annealing:
    """Move and swap jobs in an order and between servers, as simulated annealing does.

    A job runs whole on a server or spread over several; no two spread jobs are ever on one server,
    so that there is no contention. On workloads whose demands fill servers this costs little;
    where contention pays, exact methods find better. Each cycle heats and cools the state; two of
    three start from the best schedule so far. It stops at the lower bound.

    Parameters
    ----------
    objective
        What is minimised; None: makespan, or mean JCT if a job arrives after time 0.
    moves
        Moves in all. The schedule is the same for the same number and seed, on any machine.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job(str(i), 1, 1, compute_s=seconds) for i, seconds in enumerate([2.0, 3.0, 5.0])]
    >>> two = Instance("two", Cluster.uniform(1, 2), jobs)
    >>> Annealing(moves=100).plan(two).schedule.end_time_s
    5.0
    """

    objective: Objective | None = None
    moves: int = 300_000

    def __post_init__(self) -> None:
        if self.objective is not None:
            check_choices(self, objective=Objective)
        if self.moves < 1:
            raise ValueError(f"moves is a whole number of at least 1; got {self.moves!r}")

    def plan(self, instance: Instance, *, seed: int = 0) -> Plan:
        """Return the best schedule found.

        Raises
        ------
        UnsupportedError
            If the time of an iteration depends on which servers a job has, not on how many.
        StalledJobError
            If, in slotted time, a job completes no iteration in a slot on any placement.
        """
        objective = self.objective or ("mean_jct" if instance.has_arrivals else "makespan")
        search = _Search(instance, objective, seed)
        cycles = 0
        for moves in _cycle_lengths(self.moves):
            if search.is_optimal:
                break
            search.run_cycle(moves, is_first=cycles == 0)
            cycles += 1
        details = {"cycles": cycles, "meets_bound": search.is_optimal}
        return Plan(search.schedule(), details)


def _cycle_lengths(moves: int) -> Iterator[int]:
    """Yield the moves of each cycle; a short rest is joined to the last one."""
    left, length = moves, float(FIRST_CYCLE)
    while left > 0:
        now = int(min(length, LONGEST_CYCLE))
        now = left if left - now < FIRST_CYCLE // 2 else min(now, left)
        yield now
        left -= now
        length *= GROWTH


@dataclass(slots=True, eq=False)
class _State:
    """An order of the jobs, and the servers and GPUs of each."""

    order: Ints
    count: Ints
    server: Ints
    gpus: Ints

    def copy(self) -> _State:
        return _State(*(column.copy() for column in self.columns))

    @property
    def columns(self) -> tuple[Ints, Ints, Ints, Ints]:
        return self.order, self.count, self.server, self.gpus


@dataclass(slots=True, eq=False)
class _Search:
    """The state of the annealing, the best one so far, and what is constant."""

    instance: Instance
    objective: Objective
    seed: int
    workload: Workload = field(init=False)
    duration: Floats = field(init=False)
    weight: Floats = field(init=False)
    bound: float = field(init=False)
    draws: random.Random = field(init=False)
    state: _State = field(init=False)
    best: _State = field(init=False)
    best_value: float = field(init=False, default=float("inf"))

    def __post_init__(self) -> None:
        instance = self.instance
        self.workload = Workload.of(instance)
        self.duration = durations_alone_s(instance) / self.workload.unit_s
        self.draws = random.Random(f"annealing/{self.seed}")
        self.weight = self.workload.weights(self.objective).astype(np.float64)
        self.bound = self._bound_in_units()
        for order in self._first_orders():
            state = self._placed(order)
            value = self._value(state)
            if value < self.best_value:
                self.best, self.best_value = state, value
        self.state = self.best.copy()

    @property
    def is_makespan(self) -> bool:
        return self.objective == "makespan"

    @property
    def is_optimal(self) -> bool:
        return self.best_value <= self.bound * (1 + 1e-9)

    @property
    def capacity(self) -> Ints:
        return self.instance.cluster.servers.gpus

    def run_cycle(self, moves: int, *, is_first: bool) -> None:
        """Heat and cool once."""
        from optsched.planners.annealing_kernel import anneal

        if not is_first and self.draws.random() < 2 / 3:
            self.state = self.best.copy()
        heat = 1.0 if is_first else 0.5 * 8.0 ** self.draws.random()
        share = FIRST_TARGET if is_first else HIGHEST_TARGET * self.draws.random()
        hot, cold = MAKESPAN_HEAT if self.is_makespan else JCT_HEAT
        scale = self._scale()
        self.best_value = anneal(
            np.array([self.draws.randrange(1, 2**63)], np.uint64),
            moves,
            scale * hot * heat,
            scale * cold,
            share,
            self.bound,
            self.best_value,
            self.is_makespan,
            *self.state.columns,
            *self.best.columns,
            self.instance.jobs.gpus,
            self.duration,
            self.workload.release,
            self.weight,
            self.capacity,
        )

    def schedule(self) -> Schedule:
        """Return the best schedule."""
        start, _ = self._decoded(self.best)
        unit_s = self.workload.unit_s
        segments = []
        for job, begin in enumerate(start.tolist()):
            parts = int(self.best.count[job])
            pairs = zip(
                self.best.server[job, :parts].tolist(),
                self.best.gpus[job, :parts].tolist(),
                strict=True,
            )
            end = begin + float(self.duration[job, parts])
            segments.append(Segment(job, Placement.of(dict(pairs)), begin * unit_s, end * unit_s))
        return Schedule.of(segments)

    def _bound_in_units(self) -> float:
        """Return the bound of what is minimised: the makespan, or Σ wC."""
        found = strongest_bound(self.instance, self.objective)
        if self.is_makespan:
            return found.value / self.workload.unit_s
        total_s = found.value * self.weight.sum() + self.weight @ self.instance.jobs.arrival_s
        return float(total_s) / self.workload.unit_s

    def _scale(self) -> float:
        """Return the size of a change that matters: a mean job's area, or a mean completion."""
        if self.is_makespan:
            return float((self.instance.jobs.gpus * self.workload.duration).mean())
        return self.best_value / len(self.weight)

    def _first_orders(self) -> Iterator[Ints]:
        gpus, length = self.instance.jobs.gpus.astype(np.float64), self.workload.duration
        if self.is_makespan:
            keys = [
                -length * gpus,
                -length,
                -1e6 * gpus - length,
                -length * (1 + 0.05 * gpus),
                -length * np.sqrt(gpus),
            ]
        else:
            keys = [length * gpus**power / self.weight for power in (0.0, 1.0, 0.5, 0.3, 0.7)]
        for key in keys:
            yield np.lexsort((key, self.workload.release))
        if self.workload.has_releases:
            yield from (np.argsort(key, kind="stable") for key in keys)

    def _placed(self, order: Ints) -> _State:
        from optsched.planners.order_kernel import place_in_order

        jobs, most = len(order), self.duration.shape[1] - 1
        state = _State(
            order.astype(np.int64),
            np.zeros(jobs, np.int64),
            np.zeros((jobs, most), np.int64),
            np.zeros((jobs, most), np.int64),
        )
        place_in_order(
            *state.columns,
            self.instance.jobs.gpus,
            self.duration,
            self.workload.release,
            self.capacity,
        )
        for job in np.flatnonzero(state.count == 0)[:1].tolist():
            raise StalledJobError(
                f"annealing found no placement on which job {self.instance.jobs.ids[job]!r} "
                "completes an iteration in a slot; use a longer slot_s"
            )
        return state

    def _value(self, state: _State) -> float:
        total, last = self._decoded(state)[1]
        return last if self.is_makespan else total

    def _decoded(self, state: _State) -> tuple[Floats, tuple[float, float]]:
        from optsched.planners.order_kernel import decode

        servers = len(self.capacity)
        start = np.zeros(len(state.order))
        value = decode(
            *state.columns,
            self.duration,
            self.workload.release,
            self.weight,
            self.capacity,
            np.zeros((servers, int(self.capacity.max()))),
            np.zeros(servers),
            start,
        )
        return start, value
