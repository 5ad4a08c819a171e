"""The configuration LP: which sets of jobs run together on one pool of GPUs, and how long."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from optsched.bounds.covering import CoveringMaster
from optsched.bounds.exact_sums import exact_dot
from optsched.bounds.release_choice import best_release
from optsched.bounds.workload import Workload
from optsched.core.errors import UnsupportedError
from optsched.core.metrics import Objective
from optsched.core.result import Bound

__all__ = ["configuration_bound"]

#: Jobs times GPUs for which one pricing takes some hundredths of a second.
MOST_CELLS = 50_000_000
MOST_JOBS = 5_000
#: Rounds of column generation, before the factor of thoroughness.
MOST_ROUNDS = 400
#: Columns a round; for each after the first, jobs in those before it count by this factor less.
COLUMNS_PER_ROUND, PENALTY = 4, 0.7
#: A column that is worth no more than 1 by this cannot improve the LP in floating point.
WORTH_ADDING = 1e-9
#: Prices are whole numbers of 2⁻⁴⁶: what N GPUs can be worth then stays exact in a double.
PRICE_BITS = 46


@dataclass(frozen=True, slots=True, eq=False)
class _Duals:
    """Prices of the jobs' running times, and what is known of them in floating point.

    Parameters
    ----------
    price
        Price of a unit of running time of each job, shape (n,).
    worth
        The most that one configuration is worth at these prices.
    """

    price: NDArray[np.float64]
    worth: float


def configuration_bound(
    workload: Workload, objective: Objective = "makespan", *, thoroughness: float = 1.0
) -> Bound:
    """Bound the makespan by the configuration LP on one pool of N GPUs.

    A configuration c is a set of jobs that needs N GPUs or fewer together, x_c the time for which
    exactly its jobs run: ``min Σ x`` with ``Σ_{c has j} x_c ≥ d_j`` for each job. Columns come from
    a knapsack (Gilmore and Gomory, "A linear programming approach to the cutting-stock problem",
    Operations Research 9, 1961). For any prices y ≥ 0 of running times, if no configuration is
    worth more than ρ, then ``Σ y d / ρ`` is a bound; so a search cut short still gives one, and the
    best prices are checked by a knapsack in whole numbers. At least every dual-feasible function,
    which is the special case of prices by demand.
    With release dates it is taken over the jobs released at r or later, plus r.
    See ``models/formulations/configuration.md``.

    Parameters
    ----------
    workload
        What every job needs at least.
    objective
        ``makespan``.
    thoroughness
        Factor on the rounds of column generation.

    Raises
    ------
    UnsupportedError
        If the instance is so large that even one knapsack takes long.

    Examples
    --------
    Of three jobs that need 2 of 3 GPUs no two fit together; two more need 1 GPU each:

    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.instance import Instance
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job(f"j{i}", g, 1, compute_s=4.0) for i, g in enumerate((2, 2, 2, 1, 1))]
    >>> five = Workload.of(Instance("five", Cluster([Server("s0", 3)]), jobs))
    >>> configuration_bound(five).value
    12.0
    """
    jobs = len(workload.duration)
    if jobs > MOST_JOBS or jobs * workload.total_gpus > MOST_CELLS:
        raise UnsupportedError(
            f"the configuration LP takes up to {MOST_JOBS} jobs and {MOST_CELLS:,} jobs times "
            f"GPUs, and the instance has {jobs} jobs and {workload.total_gpus} GPUs"
        )
    # The release date that bounds best without the LP is a good guess.
    areas = workload.instance.jobs.gpus * workload.duration / workload.total_gpus
    guess = best_release(workload.release, areas)
    later = np.flatnonzero((workload.release >= guess) & (workload.duration > 0))
    duals, rounds, stopped_by = _generate(workload, later, int(MOST_ROUNDS * thoroughness))
    prices, worth = _whole_prices(workload, later, duals)
    exact, release = Fraction(0), 0.0
    if worth:
        release = best_release(workload.release, prices * workload.duration / worth)
        since = workload.release >= release
        exact = Fraction(release) + exact_dot(prices[since], workload.duration[since]) / worth
    certificate: dict[str, object] = {
        "release_s": release * workload.unit_s,
        "prices": prices.tolist(),
        "worth": worth,
        "rounds": rounds,
    }
    if stopped_by:
        certificate["stopped_by"] = stopped_by
    return Bound(
        objective,
        workload.makespan_s(exact),
        "configuration",
        workload.problem_class,
        workload.assumptions,
        certificate,
    )


def _generate(workload: Workload, jobs: NDArray[np.int64], most: int) -> tuple[_Duals, int, str]:
    """Generate columns; return the best duals, the rounds, and what stopped them, if anything."""
    from optsched.bounds.knapsack_kernel import best_configuration

    gpus, total = workload.instance.jobs.gpus[jobs], workload.total_gpus
    duration = workload.duration[jobs]
    # Prices by demand are the area bound: valid before anything is solved.
    best = _Duals(gpus / total, 1.0)
    highest = float((best.price * duration).sum())
    rounds, taken = 0, np.zeros(len(jobs), dtype=np.bool_)
    try:
        master = CoveringMaster(len(jobs))
        master.add([([job], [1.0 / duration[job]]) for job in range(len(jobs))])
        while rounds < most:
            duals = master.duals()
            if duals is None:
                break
            rounds += 1
            price = duals / duration
            worth = best_configuration(gpus, price, total, taken)
            if worth <= 0.0:
                break
            value = float(duals.sum()) / worth
            if value > highest:
                best, highest = _Duals(price, worth), value
            columns: list[tuple[list[int], list[float]]] = []
            left = price.copy()
            while price[taken].sum() > 1.0 + WORTH_ADDING and len(columns) < COLUMNS_PER_ROUND:
                members = np.flatnonzero(taken)
                columns.append((members.tolist(), (1.0 / duration[members]).tolist()))
                left[taken] *= PENALTY
                best_configuration(gpus, left, total, taken)
            if not columns:
                break
            master.add(columns)
    except KeyboardInterrupt:
        return best, rounds, "interrupt"
    return best, rounds, ""


def _whole_prices(
    workload: Workload, jobs: NDArray[np.int64], duals: _Duals
) -> tuple[NDArray[np.float64], int]:
    """Round prices to whole numbers; return them and what one configuration is worth at most."""
    from optsched.bounds.knapsack_kernel import best_configuration

    prices = np.zeros(len(workload.duration))
    if len(jobs) == 0:
        return prices, 0
    prices[jobs] = np.floor(duals.price / duals.worth * 2.0**PRICE_BITS)
    taken = np.zeros(len(prices), dtype=np.bool_)
    return prices, int(
        best_configuration(workload.instance.jobs.gpus, prices, workload.total_gpus, taken)
    )
