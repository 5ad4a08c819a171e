"""The Lagrangian bounds against hand values, LPs, brute force and a preemptive search."""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.optimize import linprog

from optsched.bounds.lagrangian import lagrangian_bound, lagrangian_preemptive_bound
from optsched.bounds.mean_busy_time import mean_busy_time_bound
from optsched.bounds.workload import Workload
from optsched.core.cluster import Cluster, Server
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.core.result import Preemption
from optsched.generate import generate

BOTH = (lagrangian_bound, lagrangian_preemptive_bound)


def pool(gpus, jobs, slot_s=None):
    """Jobs as (gpus, duration, arrival, weight) on one server."""
    rows = [
        Job(f"j{i}", g, 1, compute_s=float(d), arrival_s=float(r), weight=float(w))
        for i, (g, d, r, w) in enumerate(jobs)
    ]
    cluster = Cluster([Server("s0", gpus)])
    return Instance("pool", cluster, rows, RateModel("fixed"), slot_s=slot_s)


def drawn_pool(seed, *, arrivals=True, most=5):
    rng = np.random.default_rng(seed)
    gpus = int(rng.integers(2, 5))
    jobs = [
        (
            int(rng.integers(1, gpus + 1)),
            int(rng.integers(1, 5)),
            int(rng.integers(0, 5)) if arrivals else 0,
            int(rng.integers(1, 4)),
        )
        for _ in range(int(rng.integers(2, most + 1)))
    ]
    return gpus, jobs


def time_indexed_lp(gpus, jobs):
    """Return the LP over starts at whole times: fractions of each start, capacity in each unit."""
    horizon = max(j[2] for j in jobs) + sum(j[1] for j in jobs)
    starts = [
        (i, s) for i, (_, d, r, _) in enumerate(jobs) for s in range(int(r), int(horizon - d) + 1)
    ]
    cost = [jobs[i][3] * (s + jobs[i][1]) for i, s in starts]
    capacity = np.array(
        [[jobs[i][0] * (s <= t < s + jobs[i][1]) for i, s in starts] for t in range(int(horizon))]
    )
    each = np.array([[float(i == j) for i, _ in starts] for j in range(len(jobs))])
    return linprog(
        cost, A_ub=capacity, b_ub=[gpus] * len(capacity), A_eq=each, b_eq=[1.0] * len(jobs)
    ).fun


def preemptive_optimum(gpus, jobs):
    """Return the least Σ w C when any set of jobs that fits may run in each unit of time."""

    @cache
    def cost_from(now, left):
        if not any(left):
            return 0
        here = [i for i in range(len(jobs)) if left[i] and jobs[i][2] <= now]
        best = cost_from(now + 1, left) if len(here) < sum(map(bool, left)) else None
        for size in range(1, len(here) + 1):
            for chosen in itertools.combinations(here, size):
                if sum(jobs[i][0] for i in chosen) > gpus:
                    continue
                after = tuple(x - (i in chosen) for i, x in enumerate(left))
                done = sum(jobs[i][3] * (now + 1) for i in chosen if not after[i])
                value = done + cost_from(now + 1, after)
                best = value if best is None else min(best, value)
        return best

    return cost_from(0, tuple(j[1] for j in jobs))


def weighted_completions(bound, jobs):
    """Return the bound on Σ w C that a bound on the weighted mean JCT stands for."""
    return bound.value * sum(j[3] for j in jobs) + sum(j[3] * j[2] for j in jobs)


@pytest.mark.parametrize("bound", BOTH)
def test_one_after_the_other_by_hand(bound):
    # Three jobs that fill the cluster end at 2, 4, 6; the prices 1, .75, .5, .25 of a GPU for a
    # second in a row make that tight.
    jobs = [(2, 2, 0, 1)] * 3
    value = weighted_completions(bound(Workload.of(pool(2, jobs, 1.0)), "weighted_jct"), jobs)
    assert value == pytest.approx(12.0, rel=1e-12)


@pytest.mark.parametrize("bound", BOTH)
def test_no_queue_gives_the_durations(bound):
    jobs = [(1, 3, 0, 2), (2, 5, 7, 1), (1, 1, 20, 3)]
    made = bound(Workload.of(pool(4, jobs)), "weighted_jct")
    assert Fraction(made.value) <= Fraction(2 * 3 + 5 + 3 * 1, 6)
    assert made.value == pytest.approx(14 / 6, rel=1e-15)


def test_classes():
    workload = Workload.of(pool(2, [(2, 2, 0, 1)] * 2, 1.0))
    plain, falling = (bound(workload, "mean_jct").problem_class for bound in BOTH)
    assert (plain.preemption, falling.preemption) == (Preemption.NONE, Preemption.MIGRATE)
    assert plain.time == falling.time == "slotted"


def test_plain_prices_do_not_hold_for_preemptive_schedules():
    # The long job can pause for the short one that arrives at 1: Σ w C = 6 + 10·2 against a
    # non-preemptive optimum of 6·1 + 10·5 (first come) or 7·1 + 10·2 (wait) with w = 1, 10.
    jobs = [(1, 5, 0, 1), (1, 1, 1, 10)]
    workload = Workload.of(pool(1, jobs, 1.0))
    plain, falling = (weighted_completions(b(workload, "weighted_jct"), jobs) for b in BOTH)
    assert preemptive_optimum(1, jobs) == 26
    assert plain == pytest.approx(27.0)
    assert falling <= 26.0 + 1e-9


@pytest.mark.parametrize("seed", range(25))
def test_between_durations_and_the_time_indexed_lp(seed):
    gpus, jobs = drawn_pool(seed)
    limit = time_indexed_lp(gpus, jobs)
    for bound in BOTH:
        for slot_s in (None, 1.0):
            made = bound(Workload.of(pool(gpus, jobs, slot_s)), "weighted_jct")
            value = weighted_completions(made, jobs)
            if slot_s is None:
                assert value <= limit * (1 + 1e-9)
            else:
                # Rounded up, since in slots it is a whole number.
                assert value <= np.ceil(limit - 1e-6) * (1 + 1e-9)
                if bound is lagrangian_bound:
                    assert value >= limit * 0.999


@pytest.mark.parametrize("seed", range(25))
def test_never_above_the_preemptive_optimum(seed):
    gpus, jobs = drawn_pool(seed + 100, most=4)
    optimum = preemptive_optimum(gpus, jobs)
    for slot_s in (None, 1.0):
        made = lagrangian_preemptive_bound(Workload.of(pool(gpus, jobs, slot_s)), "weighted_jct")
        assert weighted_completions(made, jobs) <= optimum * (1 + 1e-12)


@pytest.mark.parametrize("bound", BOTH)
@pytest.mark.parametrize("seed", range(6))
def test_value_is_below_the_exact_lagrangian_of_its_prices(bound, seed):
    """Everything in fractions, over all breakpoints."""
    rng = np.random.default_rng(seed)
    jobs = [
        (int(rng.integers(1, 5)), rng.uniform(0.1, 9), rng.uniform(0, 9) * (i % 2), rng.uniform())
        for i in range(7)
    ]
    made = bound(Workload.of(pool(4, jobs)), "weighted_jct")
    prices = [Fraction(price) for price in made.certificate["prices"]]
    cell = Fraction(made.certificate["cell_s"])
    if bound is lagrangian_preemptive_bound:
        assert prices == sorted(prices, reverse=True)
    paid = [Fraction(0), *itertools.accumulate(price * cell for price in prices)]

    def integral(t):
        k = min(t // cell, len(prices))
        return paid[k] + (prices[k] * (t - k * cell) if k < len(prices) else 0)

    grid = [k * cell for k in range(len(prices) + 1)]
    total = -4 * paid[-1]
    for g, d, r, w in ((g, Fraction(d), Fraction(r), Fraction(w)) for g, d, r, w in jobs):
        starts = [r, *(t for t in grid if t >= r), *(t - d for t in grid if t >= r + d)]
        total += min(w * (s + d) + g * (integral(s + d) - integral(s)) for s in starts)
    weight = sum(Fraction(w) for _, _, _, w in jobs)
    exact = (total - sum(Fraction(w) * Fraction(r) for _, _, r, w in jobs)) / weight
    assert Fraction(made.value) <= exact
    assert made.value == pytest.approx(float(exact), rel=1e-9)


def test_reaches_what_the_literature_reports():
    """Against mean busy times 15% and 10% more at 14 and 10 servers of setting A."""
    for servers, least in ((14, 1.12), (10, 1.08)):
        workload = Workload.of(generate("reference-a", {"servers": str(servers)}, seed=0))
        fluid = mean_busy_time_bound(workload, "mean_jct").value
        for bound in BOTH:
            assert bound(workload, "mean_jct").value >= least * fluid


def test_an_interrupt_keeps_the_best_so_far(monkeypatch):
    from optsched.bounds import lagrangian_kernel

    workload = Workload.of(generate("reference-a", {"servers": "14"}, seed=0))
    steps = lagrangian_kernel.optimise_prices
    monkeypatch.setattr("optsched.bounds.lagrangian.EVALUATIONS_PER_CALL", 1e6)
    calls = []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return steps(*arguments)

    monkeypatch.setattr(lagrangian_kernel, "optimise_prices", interrupted)
    made = lagrangian_bound(workload, "mean_jct")
    assert made.certificate["stopped_by"] == "interrupt"
    assert made.value > mean_busy_time_bound(workload, "mean_jct").value


def test_zero_weights_and_a_job_longer_than_everything():
    jobs = [(1, 1, 0, 0), (2, 100, 0, 1), (1, 1, 50, 0)]
    for bound in BOTH:
        assert bound(Workload.of(pool(2, jobs)), "weighted_jct").value == pytest.approx(100.0)
