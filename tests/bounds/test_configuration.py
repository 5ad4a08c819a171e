"""The configuration LP against the LP of all configurations, by hand, and cut short."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from optsched.bounds.configuration import configuration_bound
from optsched.bounds.dual_feasible import dual_feasible_bound
from optsched.bounds.workload import Workload
from optsched.core.cluster import Cluster, Server
from optsched.core.errors import UnsupportedError
from optsched.core.instance import Instance
from optsched.core.jobs import Job, Jobs
from optsched.core.rate_model import RateModel


def pool(gpus, jobs, slot_s=None):
    """Jobs as (gpus, duration, arrival) on one server."""
    rows = [
        Job(f"j{i}", g, 1, compute_s=float(d), arrival_s=float(r))
        for i, (g, d, r) in enumerate(jobs)
    ]
    return Instance("p", Cluster([Server("s0", gpus)]), rows, RateModel("fixed"), slot_s=slot_s)


def full_lp(gpus, jobs):
    """Return the LP over all sets of jobs that fit."""
    sets = [
        chosen
        for size in range(1, len(jobs) + 1)
        for chosen in itertools.combinations(range(len(jobs)), size)
        if sum(jobs[i][0] for i in chosen) <= gpus
    ]
    rows = [[-float(j in chosen) for chosen in sets] for j in range(len(jobs))]
    return linprog([1.0] * len(sets), A_ub=rows, b_ub=[-j[1] for j in jobs]).fun


def drawn(seed, *, integral=False):
    rng = np.random.default_rng(seed)
    gpus = int(rng.integers(3, 9))
    return gpus, [
        (
            int(rng.integers(1, gpus + 1)),
            float(rng.integers(1, 9)) if integral else float(rng.uniform(0.5, 9)),
            0.0,
        )
        for _ in range(int(rng.integers(2, 9)))
    ]


@pytest.mark.parametrize("seed", range(20))
def test_equals_the_lp_of_all_configurations(seed):
    gpus, jobs = drawn(seed, integral=seed % 2 == 0)
    made = configuration_bound(Workload.of(pool(gpus, jobs)))
    expected = full_lp(gpus, jobs)
    assert made.value <= expected * (1 + 1e-9)
    assert made.value == pytest.approx(expected, rel=1e-8)
    slotted = configuration_bound(Workload.of(pool(gpus, jobs, 1.0)))
    assert slotted.value == pytest.approx(
        np.ceil(full_lp(gpus, [(g, np.ceil(d), r) for g, d, r in jobs]) - 1e-7)
    )


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("thoroughness", [0.0, 0.0025, 0.01, 1.0])
def test_duals_check_out_by_enumeration_however_early_they_are_taken(seed, thoroughness):
    gpus, jobs = drawn(seed + 50)
    workload = Workload.of(pool(gpus, jobs))
    made = configuration_bound(workload, thoroughness=thoroughness)
    prices, worth = made.certificate["prices"], made.certificate["worth"]
    for size in range(1, len(jobs) + 1):
        for chosen in itertools.combinations(range(len(jobs)), size):
            if sum(jobs[i][0] for i in chosen) <= gpus:
                assert sum(int(prices[i]) for i in chosen) <= worth
    value = sum(Fraction(p) * Fraction(d) for p, (_, d, _) in zip(prices, jobs, strict=True))
    assert Fraction(made.value) <= value / worth
    assert made.value == pytest.approx(float(value / worth), rel=1e-12)


def test_odd_demands_by_hand():
    # Two of the five jobs of 2 GPUs fit into 5, and one GPU stays idle: 5 jobs of 2 s, two at a
    # time, make 5 s, where the area makes 4 s.
    jobs = [(2, 2.0, 0.0)] * 5
    assert configuration_bound(Workload.of(pool(5, jobs))).value == pytest.approx(5.0, rel=1e-12)


def test_release_dates_by_hand():
    # From 10 on three jobs of 2 of 3 GPUs run one after the other, whatever came before.
    jobs = [(3, 4.0, 0.0), *[(2, 2.0, 10.0)] * 3]
    made = configuration_bound(Workload.of(pool(3, jobs)))
    assert made.value == pytest.approx(16.0, rel=1e-12)
    assert made.certificate["release_s"] == 10.0


@pytest.mark.parametrize("seed", range(10))
def test_at_least_dual_feasible_functions(seed):
    gpus, jobs = drawn(seed + 200)
    workload = Workload.of(pool(gpus, jobs))
    assert configuration_bound(workload).value >= dual_feasible_bound(workload).value * (1 - 1e-9)


def test_too_large_is_refused_with_the_limit():
    ids = [f"j{i}" for i in range(6000)]
    jobs = Jobs.from_columns(ids=ids, gpus=[1] * 6000, iterations=[1] * 6000, compute_s=[1] * 6000)
    many = Instance("many", Cluster([Server("s0", 4)]), jobs, RateModel("fixed"))
    with pytest.raises(UnsupportedError, match="up to 5000 jobs"):
        configuration_bound(Workload.of(many))


def test_an_interrupt_keeps_the_best_so_far(monkeypatch):
    from optsched.bounds.covering import CoveringMaster

    gpus, jobs = drawn(3)
    monkeypatch.setattr(CoveringMaster, "duals", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
    made = configuration_bound(Workload.of(pool(gpus, jobs)))
    assert made.certificate["stopped_by"] == "interrupt"
    area = sum(g * d for g, d, _ in jobs) / gpus
    assert area * (1 - 1e-12) <= made.value <= full_lp(gpus, jobs) * (1 + 1e-9)


def test_standard_output_stays_clean(capfd):
    configuration_bound(Workload.of(pool(5, [(2, 2.0, 0.0)] * 5)))
    assert capfd.readouterr().out == ""
