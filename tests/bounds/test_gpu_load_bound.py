"""The load of the busiest GPU against enumeration, by hand, and when it is cut short."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from optsched.bounds import Workload, survey_bounds
from optsched.bounds.gpu_load import gpu_load_bound
from optsched.core.cluster import Cluster, Server
from optsched.core.errors import SolverMissingError, UnsupportedError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.result import Preemption
from optsched.exact import branch_and_bound, brute_force
from optsched.generate import generate


def pool(gpus, jobs, slot_s=None):
    """One server; jobs as (GPUs, seconds, arrival)."""
    rows = [Job(f"j{i}", w, 1, compute_s=d, arrival_s=r) for i, (w, d, r) in enumerate(jobs)]
    return Instance("pool", Cluster([Server("s0", gpus)]), rows, slot_s=slot_s)


def least_load(gpus, jobs):
    """Try every set of GPUs for every job, loads as fractions."""
    best = None
    sets = [list(itertools.combinations(range(gpus), w)) for w, _, _ in jobs]
    for chosen in itertools.product(*sets):
        load = [Fraction(0)] * gpus
        for (_, seconds, _), held in zip(jobs, chosen, strict=True):
            for gpu in held:
                load[gpu] += Fraction(seconds)
        if best is None or max(load) < best:
            best = max(load)
    return best


@pytest.mark.parametrize("seed", range(30))
def test_is_the_least_load_of_all_divisions(seed):
    draw = np.random.default_rng(seed)
    gpus = int(draw.integers(2, 5))
    jobs = [
        (int(draw.integers(1, gpus + 1)), float(draw.uniform(0.5, 9.0)), 0.0)
        for _ in range(int(draw.integers(1, 6)))
    ]
    value = gpu_load_bound(Workload.of(pool(gpus, jobs))).value
    exact = least_load(gpus, jobs)
    assert exact * (1 - Fraction(1, 10**11)) <= Fraction(value) <= exact


def test_sees_what_the_area_does_not():
    """Five jobs of 2 s on two GPUs: the area says 5 s, one GPU gets three of them."""
    instance = pool(2, [(1, 2.0, 0.0)] * 5)
    bounds = {one.method: one for one in survey_bounds(instance, effort="seconds").bounds}
    assert (bounds["area"].value, bounds["gpu-load"].value) == (5.0, 6.0)
    # Preemptive schedules with migration do reach 5 s.
    assert bounds["gpu-load"].problem_class.preemption is Preemption.NONE
    assert brute_force(instance).value == 6.0


def test_wide_jobs_are_divided_evenly():
    """On three GPUs, 3 jobs of 2 GPUs and 4 s: no two fit, but each GPU works 8 s."""
    assert gpu_load_bound(Workload.of(pool(3, [(2, 4.0, 0.0)] * 3))).value == 8.0


def test_whole_slots_stay_whole():
    instance = pool(2, [(1, 0.3, 0.0)] * 3, slot_s=1.0)
    assert gpu_load_bound(Workload.of(instance)).value == 2.0


def test_counts_from_the_release_that_bounds_best():
    """Three jobs of 2 s released at 10 on two GPUs end at 14, whatever came before."""
    late = [(1, 2.0, 10.0)] * 3
    assert gpu_load_bound(Workload.of(pool(2, [(1, 1.0, 0.0), *late]))).value == 14.0


@pytest.mark.parametrize("family", ["forced", "tight", "light"])
@pytest.mark.parametrize("seed", range(4))
def test_is_below_the_optimum(family, seed):
    instance = generate(family, {"jobs": "6", "servers": "3"}, seed=seed)
    value = gpu_load_bound(Workload.of(instance)).value
    assert value <= branch_and_bound(instance).value * (1 + 1e-12)


def test_a_search_cut_short_still_bounds(monkeypatch):
    instance = generate("tight", {"jobs": "20", "servers": "5"}, seed=0)
    short = gpu_load_bound(Workload.of(instance), thoroughness=0.02)
    longer = gpu_load_bound(Workload.of(instance), thoroughness=0.4)
    area = Workload.of(instance)
    pooled = (instance.jobs.gpus * area.duration).sum() / area.total_gpus
    assert short.certificate["search"] == "stopped by the deterministic limit"
    assert pooled * (1 - 1e-9) <= short.value <= longer.value


def test_says_what_is_too_large():
    with pytest.raises(UnsupportedError, match=r"20,000 jobs times GPUs.*2001 jobs and 10 GPUs"):
        gpu_load_bound(Workload.of(pool(10, [(1, 1.0, 0.0)] * 2001)))


def test_is_left_out_without_its_solver(monkeypatch):
    def missing():
        raise SolverMissingError("CP-SAT is missing; pip install ortools")

    monkeypatch.setattr("optsched.solvers.load_cp_model", missing)
    survey = survey_bounds(pool(2, [(1, 2.0, 0.0)] * 3), effort="seconds")
    assert "pip install ortools" in survey.skipped["gpu-load"]
    assert survey.bounds
