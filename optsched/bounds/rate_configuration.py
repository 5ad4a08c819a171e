"""The rate-configuration LP: what runs at an instant, with the rates contention leaves."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from optsched.bounds.covering import CoveringMaster
from optsched.bounds.packings import MOST_SLOTS
from optsched.bounds.pricing import ShapePricing
from optsched.bounds.release_choice import best_release
from optsched.bounds.shapes import ShapeSet, enumerate_shapes
from optsched.bounds.slot_rates import SlotRates
from optsched.bounds.workload import Workload
from optsched.contention import rate_functions
from optsched.core.errors import UnsupportedError
from optsched.core.metrics import Objective
from optsched.core.result import Bound

__all__ = ["EXACT_SERVERS", "rate_configuration_bound"]

#: Components of up to so many servers are enumerated exactly, if the work allowed suffices.
EXACT_SERVERS = 5
#: Steps of an enumeration; a step takes about 10 µs.
STEPS = 400_000
#: From more than so many servers on relaxing seldom costs anything: a part of the steps, one over
#: the second number, has to do.
SELDOM_MATTERS, SELDOM_SHARE = 3, 4
#: One over the share of it that is left once small demands have to be pooled, and what is always.
POOLING_SHARE, LEAST_STEPS = 8, 50_000
#: Columns a round, and the factor by which jobs count less once they are in some of them.
COLUMNS_PER_ROUND, PENALTY = 8, 0.7
MOST_ROUNDS = 400
#: A column that is worth no more than 1 by this cannot improve the LP in floating point.
WORTH_ADDING = 1e-8
#: Prices are whole numbers of 2⁻⁴⁴: what a state is worth then stays exact in a double.
PRICE_BITS = 44


def rate_configuration_bound(
    workload: Workload,
    objective: Objective = "makespan",
    *,
    exact_servers: int = EXACT_SERVERS,
    steps: int = STEPS,
) -> Bound:
    """Bound the makespan by the LP over the states of the cluster, each with its true rates.

    A state c is a set of running jobs with placements; job j then progresses at the rate r_j(c).
    With x_c the time spent in it: ``min Σ x`` with ``Σ_c r_j(c) x_c ≥ F_j`` for each job, the
    relaxation to preemption with migration; gangs, fragments and contention are exact. In slotted
    time r is φ, the iterations of a slot, and each job also runs for as many slots as it needs at
    its best. States are found by pricing the shapes that the cluster offers
    (:func:`~optsched.bounds.shapes.enumerate_shapes`). For any prices y ≥ 0, if no state is worth
    more than ρ, ``Σ y / ρ`` is a bound; ρ of the best prices is computed in whole numbers.
    See ``models/formulations/rate-configuration.md``.

    Parameters
    ----------
    workload
        What every job needs at least.
    objective
        ``makespan``.
    exact_servers
        Servers that spread jobs join up to so many are enumerated exactly; more are relaxed, which
        can only weaken the bound.
    steps
        Work that an enumeration may do. If that is too little even with relaxed components, small
        jobs share the GPUs that large ones leave as one pool, as in the configuration LP.

    Raises
    ------
    UnsupportedError
        If the rate of a job does not depend on the number of its servers and the contention degree
        alone, or if there are too many shapes.

    Examples
    --------
    Together the two jobs progress at 1/2.55 iterations a second each, alone at 1/1.05:

    >>> from optsched.core.cluster import Cluster, Fabric
    >>> from optsched.core.instance import Instance
    >>> from optsched.core.jobs import Job
    >>> fabric = Fabric(inter_bytes_per_s=1e9, degradation=0.5)
    >>> jobs = [Job(name, 3, 10, gradient_bytes=750e6, compute_s=0.05) for name in "ab"]
    >>> pair = Instance("waiting-pays", Cluster.uniform(3, 2, fabric=fabric), jobs)
    >>> f"{rate_configuration_bound(Workload.of(pair)).value:.6f}"
    '21.000000'
    """
    instance = workload.instance
    rates = rate_functions(instance)
    if not rates.is_level_model:
        raise UnsupportedError(
            "the rate-configuration LP needs rates that depend on the number of servers and the "
            "contention degree alone; uplinks, unequal interfaces and slow servers break this"
        )
    if rates.resource_count == 0:
        raise UnsupportedError(
            "jobs share no network, so the rate-configuration LP has nothing to add to the "
            "configuration LP"
        )
    areas = instance.jobs.gpus * workload.duration / workload.total_gpus
    guess = best_release(workload.release, areas)
    later = np.flatnonzero((workload.release >= guess) & (workload.duration > 0))
    if len(later) == 0:
        raise UnsupportedError("no job takes any time")
    if min(workload.total_gpus, len(later)) > MOST_SLOTS:
        raise UnsupportedError(f"the rate-configuration LP takes at most {MOST_SLOTS} jobs at once")
    jobs = later[np.argsort(instance.jobs.gpus[later], kind="stable")]
    shapes = _shapes(workload, jobs, exact_servers, steps)
    slots = SlotRates.of(workload, rates, jobs, shapes.types)
    pricing = ShapePricing(shapes, instance.jobs.gpus[jobs])
    duals, rounds, stopped_by = _generate(slots, pricing)
    # Whole numbers from here on: nothing that was computed above has to be right.
    prices = [[math.floor(math.ldexp(dual, PRICE_BITS)) for dual in row] for row in duals.tolist()]
    worth = int(pricing.most(slots.whole_values(prices)))
    amounts = np.zeros(len(workload.duration))
    totals = [sum(row) for row in prices]
    exact, release = Fraction(0), 0.0
    if worth:
        amounts[jobs] = np.array(totals, dtype=np.float64) / worth
        release = best_release(workload.release, amounts)
        counted = workload.release[jobs] >= release
        priced = sum(total for total, is_in in zip(totals, counted.tolist(), strict=True) if is_in)
        exact = Fraction(release) + Fraction(priced, worth)
    certificate: dict[str, object] = {
        "release_s": release * workload.unit_s,
        "jobs": [instance.jobs.ids[job] for job in jobs.tolist()],
        "prices": prices,
        "worth": worth,
        "shapes": len(shapes.rows),
        "exact_servers": shapes.exact_servers,
        "pooled_gpus": shapes.pooled,
        "rounds": rounds,
    }
    if stopped_by:
        certificate["stopped_by"] = stopped_by
    return Bound(
        objective,
        workload.makespan_s(exact),
        "rate-configuration",
        workload.problem_class,
        workload.assumptions,
        certificate,
    )


def _shapes(
    workload: Workload, jobs: NDArray[np.int64], exact_servers: int, steps: int
) -> ShapeSet:
    """Enumerate the shapes, relaxed no more than the work allowed makes necessary."""
    capacities = workload.instance.cluster.servers.gpus.tolist()
    most = dict(sorted(Counter(workload.instance.jobs.gpus[jobs].tolist()).items()))
    shapes, steps = _fewest_pooled(capacities, most, steps)
    # Each number of servers takes a multiple of the work of the one before.
    for exact in range(2, min(exact_servers, len(capacities)) + 1):
        allowed = steps if exact <= SELDOM_MATTERS else steps // SELDOM_SHARE
        try:
            shapes = enumerate_shapes(
                capacities, most, exact_servers=exact, pooled=shapes.pooled, steps=allowed
            )
        except UnsupportedError:
            break
    return shapes


def _fewest_pooled(capacities: list[int], most: dict[int, int], steps: int) -> tuple[ShapeSet, int]:
    """Enumerate with relaxed components, as few of the small demands pooled as can be.

    Returns
    -------
    tuple of ShapeSet and int
        The shapes, and the steps that further enumerations of this kind may take.
    """
    # With all of them pooled it would be the configuration LP.
    for pooled in [0, *most][:-1]:
        try:
            shapes = enumerate_shapes(capacities, most, exact_servers=1, pooled=pooled, steps=steps)
        except UnsupportedError:
            steps = min(steps, max(steps // POOLING_SHARE, LEAST_STEPS))
        else:
            return shapes, steps
    raise UnsupportedError(
        f"the shapes take more than {steps:,} steps to enumerate even if all but the largest "
        "demand share one pool, and then the configuration LP says as much"
    )


def _generate(slots: SlotRates, pricing: ShapePricing) -> tuple[NDArray[np.float64], int, str]:
    """Generate columns; return the best duals, the rounds, and what stopped them, if anything.

    The duals are of shape (n, k), k being the number of rows that a job has.
    """
    count, kinds = slots.coverage.shape[0], slots.coverage.shape[2]
    best = np.zeros((count, kinds))
    highest, rounds = 0.0, 0
    try:
        master = CoveringMaster(count * kinds)
        alone = [(job, slots.best_type(job)) for job in range(count)]
        master.add([slots.column([job], [one]) for job, one in alone])
        while rounds < MOST_ROUNDS:
            solved = master.duals()
            if solved is None:
                break
            rounds += 1
            duals = solved.reshape(count, kinds)
            values = np.einsum("jtk,jk->jt", slots.coverage, duals)
            worth, columns = _priced(pricing, np.ascontiguousarray(values))
            if worth <= 0.0:
                break
            if duals.sum() / worth > highest:
                best, highest = duals / worth, float(duals.sum()) / worth
            if not columns:
                break
            master.add([slots.column(np.flatnonzero(one >= 0), one[one >= 0]) for one in columns])
    except KeyboardInterrupt:
        return best, rounds, "interrupt"
    return best, rounds, ""


def _priced(
    pricing: ShapePricing, values: NDArray[np.float64]
) -> tuple[float, list[NDArray[np.int64]]]:
    """Return what a state is worth at most, and assignments that are worth adding.

    Different shapes give different assignments. If there are few shapes, more are found by letting
    jobs that are assigned already count for less.
    """
    above = 1.0 + WORTH_ADDING
    worth, columns = pricing.best(values, COLUMNS_PER_ROUND, above=above)
    reduced = values.copy()
    jobs = np.arange(len(values))
    while columns and len(columns) < COLUMNS_PER_ROUND:
        is_in = columns[-1] >= 0
        reduced[is_in] *= PENALTY
        _, more = pricing.best(reduced, 1, above=0.0)
        if not more:
            break
        is_in = more[0] >= 0
        if values[jobs[is_in], more[0][is_in]].sum() <= above:
            break
        columns.append(more[0])
    return worth, columns
