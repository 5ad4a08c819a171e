"""The least load of the busiest GPU: jobs in whole, each on the same GPUs from start to end."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from optsched.bounds.exact_sums import exact_sum, scaled_integers
from optsched.bounds.release_choice import best_release
from optsched.bounds.workload import Workload
from optsched.core.errors import SolverMissingError, UnsupportedError
from optsched.core.metrics import Objective
from optsched.core.result import Bound, Preemption

__all__ = ["gpu_load_bound"]

#: Jobs times GPUs, the binaries of the program; at the limit it is built in half a second.
MOST_CELLS = 20_000
#: CP-SAT's deterministic time, before the factor of thoroughness: some seconds.
EFFORT = 0.5
#: Durations have so few bits below their sum that CP-SAT adds them up without overflow.
DURATION_BITS = 44


def gpu_load_bound(
    workload: Workload, objective: Objective = "makespan", *, thoroughness: float = 1.0
) -> Bound:
    """Bound the makespan of non-preemptive schedules by the load of the busiest GPU.

    A job that is not preempted holds w GPUs, the same ones, for d or longer. So at the end of any
    schedule some GPU has worked for at least

    ``min over x of max over g of Σ_j d_j x_jg`` with ``Σ_g x_jg = w_j``, ``x_jg ∈ {0, 1}``,

    the least load of the busiest GPU (Yu et al. 2022, eqs. 10 to 16, with best durations in place
    of estimates). CP-SAT solves it in whole numbers: durations are rounded down to multiples of a
    power of two, so a lower bound that it proves, also before its end, is exact. The area is the
    same with divisible jobs. With release dates it is taken over the jobs released at r or later,
    plus r. See ``models/formulations/gpu-load.md``.

    Parameters
    ----------
    workload
        What every job needs at least.
    objective
        ``makespan``.
    thoroughness
        Factor on the work that may be done.

    Raises
    ------
    UnsupportedError
        If there are too many jobs and GPUs, or CP-SAT is missing.

    Examples
    --------
    Three jobs of 2 s on two GPUs: one GPU gets two of them.

    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.instance import Instance
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job(name, 1, 1, compute_s=2.0) for name in "abc"]
    >>> bound = gpu_load_bound(Workload.of(Instance("three", Cluster([Server("s0", 2)]), jobs)))
    >>> bound.value, str(bound.problem_class)
    (4.0, 'continuous, non-preemptive')
    """
    gpus, total = workload.instance.jobs.gpus, workload.total_gpus
    # The release date that bounds best by the area is a good guess.
    release = best_release(workload.release, gpus * workload.duration / total)
    counted = np.flatnonzero(workload.release >= release)
    if len(counted) * total > MOST_CELLS:
        raise UnsupportedError(
            f"the load of the busiest GPU takes up to {MOST_CELLS:,} jobs times GPUs, and the "
            f"instance has {len(counted)} jobs and {total} GPUs"
        )
    lengths, unit = _whole_lengths(workload.duration[counted])
    try:
        load, stopped_by = _least_load(
            gpus[counted].tolist(), lengths, total, EFFORT * thoroughness
        )
    except SolverMissingError as error:
        raise UnsupportedError(str(error)) from error
    certificate: dict[str, object] = {"release_s": release * workload.unit_s}
    if stopped_by == "interrupt":
        certificate["stopped_by"] = stopped_by
    elif stopped_by:
        certificate["search"] = f"stopped by the {stopped_by}"
    return Bound(
        objective,
        workload.makespan_s(Fraction(release) + load * unit),
        "gpu-load",
        replace(workload.problem_class, preemption=Preemption.NONE),
        workload.assumptions,
        certificate,
    )


def _whole_lengths(duration: NDArray[np.float64]) -> tuple[list[int], Fraction]:
    """Round durations down to whole numbers of a unit, and return the unit."""
    total = exact_sum(duration)
    whole, exponent = scaled_integers(duration)
    spare = max(0, sum(whole).bit_length() - DURATION_BITS)
    if not total:
        return whole, Fraction(1)
    return [one >> spare for one in whole], Fraction(2) ** (exponent + spare)


def _least_load(gpus: list[int], lengths: list[int], total: int, effort: float) -> tuple[int, str]:
    """Return a proven lower limit of the load of the busiest GPU, and what cut the search short."""
    from optsched.solvers import CpSatLimits, load_cp_model, solve_cp_model

    area = -(-sum(w * length for w, length in zip(gpus, lengths, strict=True)) // total)
    least = max(area, *lengths)
    model = load_cp_model().CpModel()
    busiest = model.new_int_var(least, sum(lengths), "busiest")
    given = [
        [model.new_bool_var(f"x_{job}_{gpu}") for gpu in range(total)] for job in range(len(gpus))
    ]
    for job, wanted in enumerate(gpus):
        model.add(sum(given[job]) == wanted)
    for gpu in range(total):
        load = sum(length * row[gpu] for length, row in zip(lengths, given, strict=True))
        model.add(load <= busiest)
    # GPUs are alike, so one job may be placed.
    largest = max(range(len(gpus)), key=lambda job: gpus[job] * lengths[job])
    for gpu, literal in enumerate(given[largest]):
        model.add(literal == int(gpu < gpus[largest]))
    model.minimize(busiest)
    answer = solve_cp_model(model, CpSatLimits(deterministic_limit=effort))
    proven = least if math.isinf(answer.bound) else max(least, math.floor(answer.bound))
    return proven, answer.stopped_by
