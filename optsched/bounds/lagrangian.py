"""The Lagrangian of the time-indexed relaxation: completion times under a price for GPU time."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from optsched.bounds.exact_sums import exact_dot, exact_sum
from optsched.bounds.fluid_prices import FluidPrices, PricedJobs, pooled_list_value
from optsched.bounds.workload import Workload
from optsched.core.metrics import Objective
from optsched.core.result import Bound, Preemption

__all__ = ["lagrangian_bound", "lagrangian_preemptive_bound"]

#: Price cells; the larger number for release dates, which make prices rise and fall, and for so
#: many jobs that they are short against a cell.
CELLS, MOST_CELLS, MANY_JOBS = 300, 1000, 3000
#: Of the hoped-for value, what the steps aim at.
AIMED_SHARE, AIMED_SHARE_WITH_RELEASES = 0.995, 0.998
#: Steps, before the factor of thoroughness; the third limits jobs times cells times steps.
LEAST_STEPS, MOST_STEPS, MOST_EVALUATIONS = 3, 1000, 4e8
#: Shorter steps (θ) lead nowhere.
LEAST_STEP_FACTOR = 1e-5
#: One call of the kernel evaluates about so many windows: an interrupt waits for its end.
EVALUATIONS_PER_CALL = 2e7
#: Lengths of cells and prices have so few digits that sums of them are exact.
CELL_BITS, PRICE_BITS = 16, 26
#: Half units in the last place by which a computed window may differ from the exact one; the
#: operations of the kernel, counted with a factor of 2 to spare.
ROUNDINGS = 32.0

Column = NDArray[np.float64]


def lagrangian_bound(
    workload: Workload, objective: Objective = "mean_jct", *, thoroughness: float = 1.0
) -> Bound:
    """Bound the (weighted) mean JCT of non-preemptive schedules by pricing GPU time.

    For prices λ(t) ≥ 0 of a GPU for a unit of time, Λ their integral,

    ``Σ w C ≥ Σ_j min over S ≥ r of [w (S + d) + G (Λ(S + d) − Λ(S))] − N Λ(∞)``.

    A job that starts at S without being preempted holds its GPUs at least from S to S + d,
    contention or not, and all together never hold more than N. Prices are constant in each of some
    cells, so that the minimum over continuous S is found among finitely many starts; they are
    improved by subgradient steps of Polyak's length (Held, Wolfe and Crowder, "Validation of
    subgradient optimization", Mathematical Programming 6, 1974) from the prices of the
    mean-busy-time bound. Never below the ``durations`` bound, which is λ = 0.
    See ``models/formulations/lagrangian.md``.

    Parameters
    ----------
    workload
        What every job needs at least.
    objective
        ``mean_jct`` or ``weighted_jct``.
    thoroughness
        Factor on the work that may be done.

    Examples
    --------
    Two jobs that need the whole cluster for 4 s each:

    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.instance import Instance
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job(name, 2, 1, compute_s=4.0) for name in "ab"]
    >>> bound = lagrangian_bound(Workload.of(Instance("pair", Cluster([Server("s0", 2)]), jobs)))
    >>> print(f"{bound.value:.4f}, {bound.problem_class}")
    6.0000, continuous, non-preemptive
    """
    return _bound(workload, objective, falling=False, thoroughness=thoroughness)


def lagrangian_preemptive_bound(
    workload: Workload, objective: Objective = "mean_jct", *, thoroughness: float = 1.0
) -> Bound:
    """Bound the (weighted) mean JCT of all schedules, preemptive ones too, by falling prices.

    With prices that never rise, a job that runs for d in all and ends at C pays at least
    ``G (Λ(C) − Λ(C − d))``: the last moments before C are the cheapest. So the value of
    :func:`lagrangian_bound` holds for such prices however jobs are preempted and moved. Without
    release dates this costs next to nothing; with them, prices that fall cannot follow the load.

    Parameters
    ----------
    workload, objective, thoroughness
        As for :func:`lagrangian_bound`.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.instance import Instance
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job(name, 2, 1, compute_s=4.0) for name in "ab"]
    >>> pair = Instance("pair", Cluster([Server("s0", 2)]), jobs)
    >>> bound = lagrangian_preemptive_bound(Workload.of(pair))
    >>> print(f"{bound.value:.4f}, {bound.problem_class}")
    6.0000, continuous, preemptive with migration
    """
    return _bound(workload, objective, falling=True, thoroughness=thoroughness)


def _bound(
    workload: Workload, objective: Objective, *, falling: bool, thoroughness: float
) -> Bound:
    weights = workload.weights(objective)
    # What takes no time pays nothing: λ = 0 says all that there is to say of it.
    lasting = workload.duration > 0
    alone = exact_dot(weights, workload.release) + exact_dot(weights, workload.duration)
    completions, certificate = alone, dict[str, object]()
    if lasting.any():
        jobs = PricedJobs(
            workload.instance.jobs.gpus[lasting].astype(np.float64),
            workload.duration[lasting],
            # Copies, since the compiler tells columns that can be written from others.
            workload.release[lasting],
            weights[lasting],
            workload.total_gpus,
        )
        prices = _Prices(jobs, is_slotted=workload.instance.is_slotted, falling=falling)
        stopped_by = prices.improve(thoroughness)
        priced = prices.value() + exact_dot(weights[~lasting], workload.release[~lasting])
        certificate = {"cell_s": prices.cell * workload.unit_s, "steps": prices.steps}
        if stopped_by:
            certificate["stopped_by"] = stopped_by
        if priced > completions:
            completions = priced
            certificate["prices"] = prices.prices.tolist()
    certificate["weighted_completions_s"] = workload.seconds(completions)
    problem_class = workload.problem_class
    if not falling:
        problem_class = replace(problem_class, preemption=Preemption.NONE)
    return Bound(
        objective,
        workload.jct_s(completions, objective),
        "lagrangian-preemptive" if falling else "lagrangian",
        problem_class,
        workload.assumptions,
        certificate,
    )


class _Prices:
    """Piecewise constant prices, the steps that improve them, and their value without rounding."""

    def __init__(self, jobs: PricedJobs, *, is_slotted: bool, falling: bool) -> None:
        self._jobs, self._falling = jobs, falling
        self._has_releases = bool((jobs.release > 0).any())
        fluid = FluidPrices(jobs)
        last = float((jobs.release + jobs.duration).max())
        horizon = 1.02 * max(fluid.end + float(jobs.duration.max()), last)
        many = self._has_releases or len(jobs.gpus) >= MANY_JOBS
        self.cells = MOST_CELLS if many else CELLS
        cell = horizon / self.cells
        if is_slotted:
            # With boundaries at slots the best starts are slots too.
            cell = math.ceil(cell)
            self.cells = min(self.cells, math.ceil(horizon / cell))
        self.cell = _rounded_up(cell, CELL_BITS)
        self.prices = fluid.averages(cell=self.cell, cells=self.cells)
        if falling:
            self.prices = np.maximum.accumulate(self.prices[::-1])[::-1].copy()
        self.steps = 0

    def improve(self, thoroughness: float) -> str:
        """Take steps until they lead nowhere; return ``interrupt`` if that stopped them."""
        # The kernel's compiler is slow to import, and most bounds do without.
        from optsched.bounds.lagrangian_kernel import optimise_prices

        jobs = self._jobs
        share = AIMED_SHARE_WITH_RELEASES if self._has_releases else AIMED_SHARE
        per_step = len(jobs.gpus) * self.cells
        steps = int(min(MOST_STEPS, MOST_EVALUATIONS / per_step) * thoroughness) + LEAST_STEPS
        per_call = int(EVALUATIONS_PER_CALL / per_step) + 1
        progress = np.array([-np.inf, 1.0, 0.0])
        columns = (jobs.gpus, jobs.duration, jobs.release, jobs.weight, float(jobs.total_gpus))
        try:
            target = share * pooled_list_value(jobs)
            while self.steps < steps and progress[1] >= LEAST_STEP_FACTOR:
                now = min(per_call, steps - self.steps)
                optimise_prices(
                    *columns, self.cell, self.prices, target, now, self._falling, progress
                )
                self.steps += now
        except KeyboardInterrupt:
            return "interrupt"
        return ""

    def value(self) -> Fraction:
        """Return the Lagrangian, or a little less, but never more.

        The prices are first rounded to few digits, which makes their integral exact at the cell
        boundaries. Elsewhere the cost of a window is off by some roundings of numbers that are
        limited by what a window can cost at most, and that much is subtracted from it.
        """
        from optsched.bounds.lagrangian_kernel import cheapest_windows

        highest = float(self.prices.max())
        if highest > 0.0:
            quantum = math.ldexp(1.0, math.frexp(highest)[1] - PRICE_BITS)
            self.prices = np.rint(self.prices / quantum) * quantum
        jobs = self._jobs
        cheapest, starts = np.empty(len(jobs.gpus)), np.empty(len(jobs.gpus))
        columns = (jobs.gpus, jobs.duration, jobs.release, jobs.weight)
        cheapest_windows(*columns, self.cell, self.prices, cheapest, starts)
        spent = exact_sum(self.prices) * Fraction(self.cell)
        latest = np.maximum(jobs.release, self.cell * self.cells) + jobs.duration
        paid = float(spent) + float(self.prices.max()) * latest
        at_most = jobs.weight * latest + jobs.gpus * paid
        surely = cheapest - ROUNDINGS * 2.0**-53 * at_most
        return exact_sum(surely) - jobs.total_gpus * spent


def _rounded_up(value: float, bits: int) -> float:
    """Return the least number of so many binary digits that is not below a value."""
    fraction, exponent = math.frexp(value)
    return math.ldexp(math.ceil(math.ldexp(fraction, bits)), exponent - bits)
