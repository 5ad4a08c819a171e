"""Bounds against independent references."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from optsched.bounds import all_bounds
from optsched.bounds.dual_feasible import dual_feasible_functions
from optsched.core.cluster import Cluster, Server
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel


def multisets(demands, total):
    """Yield all multisets of demands that fit into the total."""
    most = [range(total // gpus + 1) for gpus in demands]
    for counts in itertools.product(*most):
        if sum(c * g for c, g in zip(counts, demands, strict=True)) <= total:
            yield counts


@pytest.mark.parametrize("total", range(1, 11))
def test_functions_are_dual_feasible(total):
    everything = range(1, total + 1)
    sets = [tuple(everything)] + [
        chosen for size in (1, 2, 3) for chosen in itertools.combinations(everything, size)
    ]
    for demands in sets:
        packings = list(multisets(demands, total))
        for function in dual_feasible_functions(np.array(demands), total):
            for counts in packings:
                used = sum(c * size for c, size in zip(counts, function.sizes, strict=True))
                assert used <= total * function.denominator, (function, counts)


@st.composite
def fixed_instances(draw, *, integral=True):
    gpus = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    seconds = st.integers(1, 12).map(float) if integral else st.floats(0.01, 50.0)
    arrivals = st.integers(0, 9).map(float) if integral else st.floats(0.0, 20.0)
    weights = st.integers(0, 4).map(float) if integral else st.floats(0.0, 5.0)
    count = draw(st.integers(1, 7))
    jobs = [
        Job(
            f"j{i}",
            draw(st.integers(1, sum(gpus))),
            1,
            compute_s=draw(seconds),
            arrival_s=draw(arrivals),
            weight=draw(weights) + (i == 0),
        )
        for i in range(count)
    ]
    servers = [Server(f"s{i}", g) for i, g in enumerate(gpus)]
    slot_s = draw(st.sampled_from([None, None, 1.0, 2.5]))
    return Instance("drawn", Cluster(servers), jobs, RateModel("fixed"), slot_s=slot_s)


@given(fixed_instances(integral=False))
def test_dual_feasible_is_never_below_the_area(instance):
    value = {one.method: one.value for one in all_bounds(instance, "makespan")}
    assert value["dual-feasible"] >= value["area"]


@given(fixed_instances(integral=False))
def test_makespan_bounds_are_the_rounded_down_rational(instance):
    """The formula itself, in fractions, at every release date."""
    if instance.is_slotted:
        instance = instance.changed(slot_s=None)
    rows = [(j.gpus, Fraction(j.compute_s), Fraction(j.arrival_s)) for j in instance.jobs]
    total = instance.cluster.total_gpus
    area = max(r + sum(g * d for g, d, a in rows if a >= r) / total for _, _, r in rows)
    longest = max(d + r for _, d, r in rows)
    value = {one.method: one.value for one in all_bounds(instance, "makespan")}
    assert Fraction(value["area"]) <= area
    assert value["area"] == pytest.approx(float(area), rel=1e-15)
    assert Fraction(value["longest"]) <= longest
    assert value["longest"] == pytest.approx(float(longest), rel=1e-15)


@settings(max_examples=60, deadline=None)
@given(fixed_instances())
def test_mean_busy_time_is_the_optimum_of_the_fluid_lp(instance):
    """Cut time into pieces of 1/N s, in which the optimal fluid never switches jobs."""
    if instance.is_slotted:
        instance = instance.changed(slot_s=None)
    jobs, total = list(instance.jobs), instance.cluster.total_gpus
    works = [job.gpus * int(job.compute_s) for job in jobs]
    releases = [total * int(job.arrival_s) for job in jobs]
    horizon = max(releases) + sum(works)
    cost, upper = [], []
    for job, work, release in zip(jobs, works, releases, strict=True):
        for piece in range(horizon):
            cost.append(job.weight / work * (piece + 0.5) / total)
            upper.append((0.0, 1.0 if piece >= release else 0.0))
    count = len(jobs)
    each_done = np.kron(np.eye(count), np.ones(horizon))
    one_machine = np.kron(np.ones(count), np.eye(horizon))
    solved = linprog(
        cost, A_ub=one_machine, b_ub=np.ones(horizon), A_eq=each_done, b_eq=works, bounds=upper
    )
    weight = sum(job.weight for job in jobs)
    halves = sum(job.weight * (job.compute_s / 2 - job.arrival_s) for job in jobs)
    expected = (solved.fun + halves) / weight
    value = {one.method: one.value for one in all_bounds(instance, "weighted_jct")}
    assert value["mean-busy-time"] == pytest.approx(expected, rel=1e-7, abs=1e-7)


@given(fixed_instances(integral=False))
def test_slotted_bounds_are_never_below_continuous_ones(instance):
    """Slots only take time away, and slotted schedules are continuous ones."""
    if not instance.is_slotted:
        return
    for objective in ("makespan", "mean_jct", "weighted_jct"):
        slotted = {one.method: one.value for one in all_bounds(instance, objective)}
        continuous = all_bounds(instance.changed(slot_s=None), objective)
        for one in continuous:
            assert slotted[one.method] >= one.value * (1 - 1e-8)
