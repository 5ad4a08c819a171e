"""Dual-feasible functions: the area bound with the demands rounded so that waste counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optsched.bounds.released_area import ReleasedArea
from optsched.bounds.workload import Workload
from optsched.core.metrics import Objective
from optsched.core.result import Bound

__all__ = ["DualFeasibleFunction", "dual_feasible_bound", "dual_feasible_functions"]

MOST_STEPS = 10


@dataclass(frozen=True, slots=True)
class DualFeasibleFunction:
    """A function F on demands: whenever demands sum to N or less, so do their sizes F.

    Parameters
    ----------
    name
        ``identity``, ``f_eps=...`` or ``u_k=...``.
    sizes
        F of each distinct demand, times ``denominator``.
    denominator
        A positive whole number.
    """

    name: str
    sizes: tuple[int, ...]
    denominator: int


def dual_feasible_functions(
    distinct_gpus: NDArray[np.int64], total_gpus: int
) -> Iterator[DualFeasibleFunction]:
    """Yield the functions that the bound tries, in whole numbers.

    The identity is the area bound. ``f_eps``, for eps one of the demands up to N/2, takes a demand
    above N − eps for N, one below eps for 0, others as they are: what is left beside a demand of
    more than N − eps has room for none of the others that count. ``u_k`` rounds down to multiples
    of N/k in a way that spends what was rounded off before: with x = g/N it is x where (k + 1)x is
    whole and ⌊(k + 1)x⌋/k elsewhere (Fekete and Schepers, "New classes of fast lower bounds for bin
    packing problems", Mathematical Programming 91, 2001).

    Parameters
    ----------
    distinct_gpus
        The distinct demands, ascending.
    total_gpus
        GPUs of the whole cluster (N).

    Examples
    --------
    >>> for function in dual_feasible_functions(np.array([2, 5, 6]), 7):
    ...     if function.name in ("identity", "f_eps=2", "u_k=1"):
    ...         print(function)
    DualFeasibleFunction(name='identity', sizes=(2, 5, 6), denominator=1)
    DualFeasibleFunction(name='f_eps=2', sizes=(2, 5, 7), denominator=1)
    DualFeasibleFunction(name='u_k=1', sizes=(0, 7, 7), denominator=1)
    """
    demands = distinct_gpus.tolist()
    yield DualFeasibleFunction("identity", tuple(demands), 1)
    for threshold in demands:
        if 2 * threshold > total_gpus:
            break
        sizes = tuple(
            total_gpus if gpus > total_gpus - threshold else gpus if gpus >= threshold else 0
            for gpus in demands
        )
        yield DualFeasibleFunction(f"f_eps={threshold}", sizes, 1)
    for steps in range(1, MOST_STEPS + 1):
        sizes = tuple(
            steps * gpus
            if (steps + 1) * gpus % total_gpus == 0
            else (steps + 1) * gpus // total_gpus * total_gpus
            for gpus in demands
        )
        yield DualFeasibleFunction(f"u_k={steps}", sizes, steps)


def dual_feasible_bound(workload: Workload, objective: Objective = "makespan") -> Bound:
    """Bound the makespan by ``max_r r + Σ{r_j ≥ r} F(G_j) d_j / N`` over dual-feasible functions F.

    It holds under preemption and migration, although such functions come from bin packing, where
    items stay put: F is applied to one instant. The jobs that run at an instant hold N GPUs or
    fewer together, so their sizes F sum to N or less; integrated over time, Σ_j F(G_j) times the
    time for which j runs is at most N times the makespan, and j runs for d_j or more. That GPUs sit
    on different servers is ignored: the demands are packed into one pool of N GPUs.

    Never below the area bound, which is one of the candidates.
    See ``models/formulations/dual-feasible.md``.

    Examples
    --------
    Three jobs that need more than half of the cluster run one after the other:

    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.instance import Instance
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job(name, 3, 2, compute_s=2.0) for name in "abc"]
    >>> bound = dual_feasible_bound(Workload.of(Instance("one", Cluster([Server("s0", 4)]), jobs)))
    >>> bound.value, bound.certificate["dff"]
    (12.0, 'u_k=1')
    """
    area = ReleasedArea(workload)
    functions = list(dual_feasible_functions(workload.distinct_gpus, workload.total_gpus))
    found = []
    for function in functions:
        sizes = np.array(function.sizes, dtype=np.float64) / function.denominator
        found.append(area.best_release(sizes))
    best = max(range(len(functions)), key=lambda position: found[position][1])
    # The best was chosen in floating point; the identity stays in the contest, so that rounding
    # cannot put this bound below the area bound.
    exact, best = max(
        (
            (area.exact(functions[i].sizes, functions[i].denominator, found[i][0]), i)
            for i in {0, best}
        ),
        key=lambda pair: (pair[0], -pair[1]),
    )
    return Bound(
        objective,
        workload.makespan_s(exact),
        "dual-feasible",
        workload.problem_class,
        workload.assumptions,
        {"dff": functions[best].name, "release_s": found[best][0] * workload.unit_s},
    )
