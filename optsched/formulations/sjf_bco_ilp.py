"""Loads of GPUs as an integer program: the reformulation (10)-(16) of Yu et al. 2022."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optsched.formulations.slotted_program import write_problem
from optsched.solvers import import_pulp

__all__ = ["GpuLoadProgram", "gpu_load_program"]


@dataclass(frozen=True, slots=True, eq=False)
class GpuLoadProgram:
    """The program; see ``models/formulations/sjf-bco-ilp.md``.

    Parameters
    ----------
    problem
        The ``pulp.LpProblem``.
    position
        Where ``x_jg`` is in ``problem.variables()``, by job and GPU.
    jobs, gpus
        Their numbers.
    fixed
        The job that is put on the first GPUs.
    """

    problem: Any
    position: dict[tuple[int, int], int]
    jobs: int
    gpus: int
    fixed: int

    def assignment(self, values: Sequence[float]) -> list[tuple[int, ...]]:
        """Return the GPUs of each job in a solution."""
        return [
            tuple(gpu for gpu in range(self.gpus) if values[self.position[job, gpu]] > 0.5)
            for job in range(self.jobs)
        ]

    def start_values(self, assignment: Sequence[Sequence[int]], load: float) -> list[float]:
        """Return the values of all variables for GPUs of each job and the highest load.

        GPUs are renamed, such that the fixed job has its own.
        """
        first = list(assignment[self.fixed])
        order = first + [gpu for gpu in range(self.gpus) if gpu not in first]
        chosen = [set(one) for one in assignment]
        values = [load] * len(self.problem.variables())
        for (job, gpu), at in self.position.items():
            values[at] = float(order[gpu] in chosen[job])
        return values

    def write(self, directory: Path, name: str) -> list[Path]:
        """Write the program as ``.mps`` and ``.lp`` and return the files."""
        return write_problem(self.problem, directory, name)


def gpu_load_program(
    demands: Sequence[int],
    work: Sequence[float],
    gpus: int,
    *,
    cap: float | None = None,
    lower: float = 0.0,
) -> GpuLoadProgram:
    """Write the program that chooses the GPUs of each job.

    Parameters
    ----------
    demands
        GPUs that each job takes (G).
    work
        Work it adds to each of them (ρ̂/u).
    gpus
        GPUs of the cluster (N), all alike.
    cap
        The most load a GPU may have (θ): is there a choice? None: minimise the highest load.
    lower
        A known lower limit of the highest load; without ``cap`` only.

    Examples
    --------
    Three jobs of one GPU with 2, 3 and 4 of work, and one of two GPUs with 1, on two GPUs: 2 + 3
    and 4 beside each other, and 1 on both.

    >>> from optsched.solvers import solve_program
    >>> program = gpu_load_program([1, 1, 1, 2], [2, 3, 4, 1], 2)
    >>> answer = solve_program(program.problem)
    >>> answer.value, program.assignment(answer.values)[3]
    (6.0, (0, 1))
    >>> solve_program(gpu_load_program([1, 1, 1, 2], [2, 3, 4, 1], 2, cap=5).problem).status
    'infeasible'
    """
    pulp = import_pulp()
    writer = _Writer(pulp, demands, work, gpus)
    writer.choose_gpus()
    writer.fix_one_job()
    if cap is None:
        writer.minimise_load(lower)
    else:
        writer.limit_load(cap)
    names = {f"x_{job}_{gpu}": (job, gpu) for job, gpu in writer.chosen}
    order = [variable.name for variable in writer.problem.variables()]
    position = {names[name]: at for at, name in enumerate(order) if name in names}
    return GpuLoadProgram(writer.problem, position, len(demands), gpus, writer.fixed)


class _Writer:
    def __init__(self, pulp: Any, demands: Sequence[int], work: Sequence[float], gpus: int) -> None:
        self.pulp = pulp
        self.problem = pulp.LpProblem("gpu_loads", pulp.LpMinimize)
        self.demands, self.work, self.gpus = demands, work, gpus
        sizes = list(zip(demands, work, strict=True))
        self.fixed = sizes.index(max(sizes))
        self.chosen = {
            (job, gpu): self.problem.add_variable(f"x_{job}_{gpu}", 0, 1, cat="Binary")
            for job in range(len(demands))
            for gpu in range(gpus)
        }

    def choose_gpus(self) -> None:
        """Σ_g x_jg = G_j. For (11)-(13): one choice for all, as a schedule k would make it."""
        for job, demand in enumerate(self.demands):
            total = self.pulp.lpSum([self.chosen[job, gpu] for gpu in range(self.gpus)])
            self.problem += total == demand, f"choose_gpus_{job}"

    def fix_one_job(self) -> None:
        """x_jg = 1 on the first G_j GPUs for the job with most GPUs: GPUs are all alike."""
        for gpu in range(self.demands[self.fixed]):
            self.problem += self.chosen[self.fixed, gpu] == 1, f"fix_one_job_{gpu}"

    def load(self, gpu: int) -> Any:
        """Return (15), Ŵ of a GPU: Σ_j x_jg ρ̂_j/u."""
        return self.pulp.lpSum([w * self.chosen[job, gpu] for job, w in enumerate(self.work)])

    def limit_load(self, cap: float) -> None:
        """Require (16), Ŵ_g ≤ θ for every GPU; a constant is minimised, as in (14)."""
        # Fixed to 1. Without an objective PuLP would add a variable of its own.
        self.problem += self.chosen[self.fixed, 0]
        for gpu in range(self.gpus):
            self.problem += self.load(gpu) <= cap, f"limit_load_{gpu}"

    def minimise_load(self, lower: float) -> None:
        """Minimise θ ≥ Ŵ_g for every GPU."""
        highest = self.problem.add_variable("theta", lowBound=lower)
        self.problem += highest
        for gpu in range(self.gpus):
            self.problem += highest >= self.load(gpu), f"limit_load_{gpu}"
