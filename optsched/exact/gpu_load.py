"""The least load of GPUs that estimated times allow: θ of Yu et al. 2022, solved to optimality."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from optsched.contention.slots import at_slot_boundary
from optsched.core.instance import Instance
from optsched.core.result import Bound, Preemption, ProblemClass, Status
from optsched.exact.gpu_load_search import GpuLoadSearch
from optsched.formulations.sjf_bco_ilp import GpuLoadProgram
from optsched.planners.approximation import theorem_5
from optsched.planners.plan import task_of
from optsched.solvers import MipSolver, ProgramAnswer, ProgramLimits, solve_program

__all__ = ["Approach", "GpuLoad", "Work", "least_gpu_load", "write_gpu_load"]

Approach = Literal["min-max", "bisection"]
Work = Literal["estimate", "scaled", "best"]


@dataclass(frozen=True, slots=True, eq=False)
class GpuLoad:
    """The least highest load of a GPU; not a schedule, since nothing says when a job runs.

    Parameters
    ----------
    theta_s
        The highest load of a GPU in the best choice found, in seconds of work.
    lower_s
        What is proven: every choice has a GPU with so much.
    status
        ``optimal`` if the two meet, up to 10⁻⁴ where loads are not whole slots; else ``feasible``.
    gpus
        GPUs of each job in that choice, numbered server by server.
    work
        Whose work was counted.
    approach
        How it was found.
    caps_s
        Caps θ that were decided, and whether some choice keeps them.
    runtime_s
        Seconds it took.
    """

    theta_s: float
    lower_s: float
    status: Status
    gpus: tuple[tuple[int, ...], ...]
    work: Work
    approach: Approach
    caps_s: tuple[tuple[float, bool], ...]
    runtime_s: float

    def makespan_bound(self, instance: Instance) -> Bound | None:
        """Return the bound on the makespan that follows, None if none does.

        A job holds its GPUs for its best duration at least, and the jobs of a GPU come one after
        the other. So with ``work="best"``, or ``scaled``, which is less, a GPU is busy for
        ``lower_s`` after the first arrival. Estimates ρ̂ themselves bound nothing: a job may be
        faster.
        """
        if self.work == "estimate":
            return None
        first_s = float(instance.jobs.arrival_s.min())
        if instance.slot_s is not None:
            first_s = at_slot_boundary(first_s, instance.slot_s) * instance.slot_s
        time_kind: Literal["continuous", "slotted"] = (
            "slotted" if instance.is_slotted else "continuous"
        )
        return Bound(
            "makespan",
            first_s + self.lower_s,
            "gpu-load",
            ProblemClass(time_kind, Preemption.NONE, instance.rate_model.name),
            ("A job stays on its GPUs from its start to its completion.",),
            {"caps_s": self.caps_s, "work": self.work},
            self.runtime_s,
        )


def least_gpu_load(
    instance: Instance,
    *,
    work: Work = "estimate",
    approach: Approach = "min-max",
    solver: MipSolver = "highs",
    time_limit_s: float | None = 60.0,
    seed: int = 0,
    estimate_servers: int | None = 4,
    estimate_degree: int | None = 4,
) -> GpuLoad:
    """Find the least θ such that every job can have its GPUs and no GPU gets more work than θ.

    This is the reformulation (10)-(16) of Yu et al. 2022 for estimated times ρ̂ that do not depend
    on the schedule: then choosing one of all schedules is choosing the GPUs of each job, and (12)
    holds by itself. ``bisection`` decides (14)-(16) for one θ after the other, as the paper has it;
    ``min-max`` minimises θ in one program. Their answers agree. See
    ``models/formulations/sjf-bco-ilp.md``.

    Its value is a *load*, not a makespan: it ignores that a job needs all of its GPUs at once,
    where they are, and who shares the network. With best durations it is a lower bound on the
    makespan (:meth:`GpuLoad.makespan_bound`); with estimates it bounds neither side, and is what
    SJF-BCO's own θ can be held against.

    Parameters
    ----------
    instance
        The instance, of any rate model; where the servers are does not matter.
    work
        ``estimate``: ρ̂, the work that SJF-BCO counts. ``scaled``: ρ̂/u, with the u of theorem 5.
        ``best``: the best duration of each job.
    approach
        ``min-max`` or ``bisection``.
    solver
        ``highs`` or ``cbc``.
    time_limit_s
        Stop after so many seconds with what is proven.
    seed
        Seed of the solver.
    estimate_servers, estimate_degree
        The worst case that counts in ρ̂, as in :class:`~optsched.planners.SjfBco`.

    Raises
    ------
    TooLargeError
        If there are too many jobs and GPUs.
    SolverMissingError
        If the solver is not installed.
    KeyboardInterrupt
        If it comes.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job(f"j{i}", g, i, compute_s=1.0) for i, g in [(2, 1), (3, 1), (4, 1), (1, 2)]]
    >>> four = Instance("four", Cluster.uniform(1, 2), jobs)
    >>> for approach in ("min-max", "bisection"):
    ...     load = least_gpu_load(four, work="best", approach=approach)
    ...     print(str(load.status), load.theta_s, load.makespan_bound(four).value > 5.999)
    optimal 6.0 True
    optimal 6.0 True
    """
    for name, value, kind in (("work", work, Work), ("approach", approach, Approach)):
        if value not in get_args(kind):
            raise ValueError(f"{name} is one of {', '.join(get_args(kind))}; got {value!r}")
    began_s = time.monotonic()
    work_s = _work_s(instance, work, estimate_servers, estimate_degree)
    loads = GpuLoadSearch(instance, work_s, is_whole=work != "scaled")
    deadline = math.inf if time_limit_s is None else began_s + time_limit_s

    def solve(program: GpuLoadProgram, start: list[float] | None) -> ProgramAnswer:
        left_s = None if deadline == math.inf else max(0.0, deadline - time.monotonic())
        answer = solve_program(
            program.problem,
            solver=solver,
            limits=ProgramLimits(left_s, seed=seed),
            start=start,
        )
        if answer.stopped_by == "interrupt":
            raise KeyboardInterrupt
        return answer

    if approach == "min-max":
        loads.minimise(solve)
    else:
        loads.bisect(solve)
    unit_s = loads.unit_s
    return GpuLoad(
        loads.best_s(),
        loads.lower_s(),
        Status.OPTIMAL if loads.is_closed() else Status.FEASIBLE,
        tuple(loads.gpus),
        work,
        approach,
        tuple((cap * unit_s, is_kept) for cap, is_kept in loads.caps),
        time.monotonic() - began_s,
    )


def write_gpu_load(instance: Instance, directory: Path) -> list[Path]:
    """Write both programs for the estimates of SJF-BCO as ``.mps`` and ``.lp``; return the files.

    ``sjf-bco-min-max`` minimises θ, ``sjf-bco-theta`` asks for a θ that list scheduling by longest
    work first keeps.

    Examples
    --------
    >>> import tempfile
    >>> from optsched.generate.hand import waiting_pays
    >>> with tempfile.TemporaryDirectory() as name:
    ...     [file.name for file in write_gpu_load(waiting_pays(), Path(name))]
    ['sjf-bco-min-max.mps', 'sjf-bco-min-max.lp', 'sjf-bco-theta.mps', 'sjf-bco-theta.lp']
    """
    loads = GpuLoadSearch(instance, _work_s(instance, "estimate", 4, 4), is_whole=True)
    files = loads.program(None).write(directory, "sjf-bco-min-max")
    return files + loads.program(loads.best).write(directory, "sjf-bco-theta")


def _work_s(
    instance: Instance, work: Work, servers: int | None, degree: int | None
) -> NDArray[np.float64]:
    task = task_of(instance, estimate_servers=servers, estimate_degree=degree)
    if work == "best":
        return task.best_s
    return task.estimate_s / (theorem_5(task).overestimate if work == "scaled" else 1.0)
