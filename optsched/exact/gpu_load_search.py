"""The search for the least highest load: by one program, or by bisection of the cap."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from optsched.core.errors import TooLargeError
from optsched.core.instance import Instance
from optsched.formulations.sjf_bco_ilp import GpuLoadProgram, gpu_load_program
from optsched.solvers import ProgramAnswer

__all__ = ["GpuLoadSearch", "longest_first"]

#: A larger program takes minutes to write.
MOST_BINARIES = 60_000
#: A solver's tolerance, as a share: no answer is finer.
TOLERANCE = 1e-6
#: The bisection ends at this share of θ where loads are not whole slots.
PRECISION = 1e-4

#: Solves a program, perhaps from values to start with.
Solve = Callable[[GpuLoadProgram, list[float] | None], ProgramAnswer]


class GpuLoadSearch:
    """What is known about the least highest load, in slots or in shares of a first choice.

    Parameters
    ----------
    instance
        The instance.
    work_s
        Work of each job in seconds.
    is_whole
        True if the work is whole slots where there are slots.

    Raises
    ------
    TooLargeError
        If there are more than :data:`MOST_BINARIES` pairs of a job and a GPU.
    """

    def __init__(self, instance: Instance, work_s: NDArray[np.float64], *, is_whole: bool) -> None:
        self.demands: list[int] = instance.jobs.gpus.tolist()
        self.total = instance.cluster.total_gpus
        binaries = len(self.demands) * self.total
        if binaries > MOST_BINARIES:
            raise TooLargeError(
                f"the program of GPU loads of {instance.name!r} would have {binaries:,} binaries, "
                f"jobs times GPUs, and {MOST_BINARIES:,} is the most; use `optsched bound`, whose "
                "area and longest job are what such a load is close to with many jobs"
            )
        slot_s = instance.slot_s
        self.is_whole = is_whole and slot_s is not None
        self.gpus, highest_s = longest_first(self.demands, work_s.tolist(), self.total)
        # Numbers near 1 suit the tolerances of solvers.
        self.unit_s = slot_s if slot_s is not None and self.is_whole else highest_s
        self.work: list[float] = (work_s / self.unit_s).tolist()
        if self.is_whole:
            self.work = [float(round(one)) for one in self.work]
        self.work_s: list[float] = work_s.tolist()
        self.best = self.highest(self.gpus)
        area = math.fsum(g * w for g, w in zip(self.demands, self.work, strict=True)) / self.total
        self.lower = self.rounded_up(max(area * (1 - 1e-12), max(self.work)))
        self.caps: list[tuple[float, bool]] = []

    def highest(self, gpus: Sequence[Sequence[int]]) -> float:
        """Return the highest load of a choice."""
        return self._highest(gpus, self.work)

    def _highest(self, gpus: Sequence[Sequence[int]], work: Sequence[float]) -> float:
        load = [0.0] * self.total
        for job, chosen in enumerate(gpus):
            for gpu in chosen:
                load[gpu] += work[job]
        return max(load)

    def best_s(self) -> float:
        """Return the highest load of the best choice in seconds, added up from the work itself."""
        return self._highest(self.gpus, self.work_s)

    def lower_s(self) -> float:
        """Return what is proven, in seconds."""
        return min(self.lower * self.unit_s, self.best_s())

    def rounded_up(self, lower: float) -> float:
        """Return what a lower limit says of loads that are whole."""
        return float(math.ceil(lower - TOLERANCE)) if self.is_whole else lower

    def is_closed(self) -> bool:
        """Return True if the best choice is proven best."""
        return self.best - self.lower <= (1e-9 if self.is_whole else PRECISION * self.best)

    def program(self, cap: float | None) -> GpuLoadProgram:
        """Return the program for a cap, or without one that which minimises the load."""
        lower = self.lower * (1.0 - 1e-9)
        return gpu_load_program(self.demands, self.work, self.total, cap=cap, lower=lower)

    def take(self, program: GpuLoadProgram, answer: ProgramAnswer) -> None:
        """Keep the choice of an answer if it is the best so far."""
        if answer.values:
            gpus = program.assignment(answer.values)
            highest = self.highest(gpus)
            if highest < self.best:
                self.gpus, self.best = gpus, highest

    def minimise(
        self, solve: Callable[[GpuLoadProgram, list[float] | None], ProgramAnswer]
    ) -> None:
        """Minimise the highest load in one program."""
        if self.is_closed():
            return
        program = self.program(None)
        answer = solve(program, program.start_values(self.gpus, self.best))
        self.take(program, answer)
        if math.isfinite(answer.bound):
            proven = answer.bound - TOLERANCE * abs(answer.bound)
            self.lower = max(self.lower, min(self.rounded_up(proven), self.best))

    def bisect(self, solve: Solve) -> None:
        """Decide one cap after the other, until no other could be the least."""
        while not self.is_closed():
            cap = (self.lower + self.best) / 2
            if self.is_whole:
                cap = float(math.floor(cap))
            before = self.best
            program = self.program(cap)
            answer = solve(program, None)
            self.take(program, answer)
            if answer.status == "infeasible":
                self.lower = cap + 1 if self.is_whole else cap
            elif not answer.values or self.best >= before:
                return
            self.caps.append((cap, bool(answer.values)))


def longest_first(
    demands: Sequence[int], work: Sequence[float], total: int
) -> tuple[list[tuple[int, ...]], float]:
    """Return GPUs for jobs, those of most work first on the least loaded, and the highest load.

    Examples
    --------
    >>> longest_first([1, 1, 1, 2], [2.0, 3.0, 4.0, 1.0], 2)
    ([(1,), (1,), (0,), (0, 1)], 6.0)
    """
    load = np.zeros(total)
    gpus: list[tuple[int, ...]] = [()] * len(demands)
    for job in sorted(range(len(demands)), key=lambda job: (-work[job], job)):
        chosen = np.argsort(load, kind="stable")[: demands[job]]
        load[chosen] += work[job]
        gpus[job] = tuple(sorted(chosen.tolist()))
    return gpus, float(load.max())
