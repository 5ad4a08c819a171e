"""Every bound on instances small enough for pencil and paper."""

import math
from fractions import Fraction

import pytest

from optsched.bounds import BOUNDS, Workload, all_bounds, bound
from optsched.bounds.door import BoundEntry
from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.errors import StalledJobError, UnknownNameError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.metrics import OBJECTIVES
from optsched.core.rate_model import RateModel
from optsched.core.result import Preemption, ProblemClass


def fixed(*jobs, gpus=(4,), slot_s=None):
    """Jobs as (gpus, duration_s[, arrival_s[, weight]])."""
    rows = [
        Job(f"j{i}", row[0], 1, compute_s=row[1], arrival_s=(*row, 0.0)[2], weight=(*row, 0, 1)[3])
        if len(row) == 4
        else Job(f"j{i}", row[0], 1, compute_s=row[1], arrival_s=row[2] if len(row) > 2 else 0.0)
        for i, row in enumerate(jobs)
    ]
    servers = [Server(f"s{i}", count) for i, count in enumerate(gpus)]
    return Instance("hand", Cluster(servers), rows, RateModel("fixed"), slot_s=slot_s)


def value(instance, name, objective="makespan"):
    return {one.method: one for one in all_bounds(instance, objective)}[name].value


# ---------------------------------------------------------------------------------- makespan


def test_area():
    # (3·4 + 2·3) / 4
    assert value(fixed((3, 4.0), (2, 3.0)), "area") == 4.5


def test_area_from_the_best_release_date():
    # From 0: (8 + 12 + 12)/4 = 8; from 10: 10 + 24/4 = 16; from 11: 11 + 12/4 = 14.
    instance = fixed((4, 2.0), (2, 6.0, 10.0), (4, 3.0, 11.0))
    assert value(instance, "area") == 16.0
    certificate = {one.method: one.certificate for one in all_bounds(instance)}
    assert certificate["area"] == {"release_s": 10.0}
    assert certificate["longest"] == {"job": "j1", "release_s": 10.0, "duration_s": 6.0}


def test_area_when_nothing_arrives_at_zero():
    assert value(fixed((2, 2.0, 5.0), (4, 3.0, 5.0)), "area") == 5 + 16 / 4


def test_longest_counts_the_release_date():
    assert value(fixed((1, 9.0), (1, 4.0, 6.0)), "longest") == 10.0


def test_dual_feasible_counts_the_gpu_nobody_can_use():
    # Beside 3 of 4 GPUs no job of 2 fits: (4·4 + 2·3)/4.
    instance = fixed((3, 4.0), (2, 3.0))
    assert value(instance, "dual-feasible") == 5.5
    assert bound(instance).certificate == {"dff": "f_eps=2", "release_s": 0.0}


def test_dual_feasible_two_of_ten_at_a_time():
    # Of three jobs of 4 of 10 GPUs two run at a time: 3/2 s. Area 1.2 s.
    instance = fixed((4, 1.0), (4, 1.0), (4, 1.0), gpus=(5, 5))
    best = bound(instance)
    assert (best.method, best.value, best.certificate["dff"]) == ("dual-feasible", 1.5, "u_k=2")


def test_dual_feasible_from_a_release_date():
    # The two jobs of 3 of 4 GPUs that arrive at 20 end at 20 + 5 + 6 or later.
    instance = fixed((1, 1.0), (3, 5.0, 20.0), (3, 6.0, 20.0))
    assert value(instance, "dual-feasible") == 31.0
    assert value(instance, "area") == 20 + 33 / 4


def test_slotted_makespan_is_rounded_up_to_whole_slots():
    # Slots of 2 s; 3 GPUs for 2 slots and 2 GPUs for 1: area 2 slots; f_eps=2: 2.5, so 3 slots.
    instance = fixed((3, 3.5), (2, 1.0), slot_s=2.0)
    assert value(instance, "area") == 4.0
    assert value(instance, "dual-feasible") == 6.0
    assert value(instance, "longest") == 4.0


def test_slotted_releases_are_rounded_up_to_the_next_boundary():
    # Arrives at 2.5, so in slot 2 (at 4 s); 3 s are 2 slots.
    assert value(fixed((1, 3.0, 2.5), slot_s=2.0), "longest") == 8.0
    assert value(fixed((4, 3.0, 2.5), slot_s=2.0), "area") == 8.0


def test_slotted_ring_loses_the_rest_of_each_slot():
    # τ = 0.3 s: 3 iterations a slot of 1 s, so 10 iterations take 4 slots.
    jobs = [Job("a", 1, 10, compute_s=0.3)]
    instance = Instance("slots", Cluster([Server("s0", 1)]), jobs, slot_s=1.0)
    assert bound(instance).value == 4.0


def test_a_surplus_that_preemptions_can_make_vanish_is_not_counted():
    # 2000 slots and 1.5e-9: whoever runs it in pieces may get away with 2000.
    instance = fixed((1, 2000.0 + 1.5e-9), slot_s=1.0)
    assert bound(instance).value == 2000.0
    assert bound(fixed((1, 2000.001), slot_s=1.0)).value == 2001.0


def test_ring_takes_the_faster_of_local_and_spread():
    # One server: 0.1 + 2·(2/3)·3e9/1e9 = 4.1 s an iteration; over two servers at 2e9: 2.1 s.
    fabric = Fabric(intra_bytes_per_s=1e9, inter_bytes_per_s=2e9)
    jobs = [Job("a", 3, 10, gradient_bytes=3e9, compute_s=0.1)]
    instance = Instance("inverted", Cluster.uniform(2, 3, fabric=fabric), jobs)
    assert bound(instance).value == pytest.approx(21.0)


# --------------------------------------------------------------------------------------- JCT


def test_durations():
    assert value(fixed((1, 9.0), (1, 4.0, 6.0)), "durations", "mean_jct") == 6.5


def test_durations_weighted():
    instance = fixed((1, 9.0, 0.0, 1.0), (1, 4.0, 6.0, 3.0))
    assert value(instance, "durations", "weighted_jct") == (9 + 12) / 4
    assert value(instance, "durations", "mean_jct") == 6.5


def test_durations_count_the_wait_for_the_next_slot():
    # Arrives at 2.5, starts at 4, ends at 8.
    assert value(fixed((1, 3.0, 2.5), slot_s=2.0), "durations", "mean_jct") == 5.5


def test_mean_busy_time_of_full_width_jobs_is_exact():
    # Jobs as wide as the cluster, shortest first: completions 1, 3, 6.
    found = value(fixed((4, 3.0), (4, 1.0), (4, 2.0)), "mean-busy-time", "mean_jct")
    # The double nearest to 10/3 lies above it; the bound is the one below.
    assert found == math.nextafter(10 / 3, 0) and Fraction(10 / 3) > Fraction(10, 3)


def test_mean_busy_time_by_weight():
    # Ratios 1/1 and 8/4: the heavy long job goes before the light short one.
    instance = fixed((4, 1.0, 0.0, 1.0), (4, 4.0, 0.0, 8.0))
    # Completions 5 and 4: (5 + 32) / 9.
    assert value(instance, "mean-busy-time", "weighted_jct") == 37 / 9


def test_mean_busy_time_with_a_preempted_fluid_job():
    # One GPU. j0 runs 0-1 and 2-5, j1 runs 1-2. Mean busy times (1·0.5 + 3·3.5)/4 = 2.75 and 1.5,
    # plus halves 2 and 0.5: 6.75 in all; less the arrival at 1, by two jobs.
    instance = fixed((1, 4.0), (1, 1.0, 1.0), gpus=(1,))
    found = {one.method: one for one in all_bounds(instance, "mean_jct")}["mean-busy-time"]
    assert found.value == 2.875
    assert found.certificate == {
        "weighted_mean_busy_s": 4.25,
        "weighted_durations_s": 5.0,
        "fluid_jobs_preempted": 1,
    }


def test_mean_busy_time_with_narrow_jobs():
    # a_j = G d / N = 1, 1, 4 s: mean busy times 0.5, 1.5, 4; halves 2, 2, 2.
    instance = fixed((1, 4.0), (1, 4.0), (4, 4.0))
    assert value(instance, "mean-busy-time", "mean_jct") == 4.0


def test_mean_busy_time_slotted_sum_is_a_whole_number_of_slots():
    # One slot each, 3 and 2 of 4 GPUs: a = 0.75, 0.5; Σ M = 0.25 + 0.875; halves 1: 2.125.
    # Completions are whole slots: 3 slots of 2 s, by two jobs.
    assert value(fixed((3, 1.5), (2, 2.0), slot_s=2.0), "mean-busy-time", "mean_jct") == 3.0


def test_mean_busy_time_ignores_jobs_without_weight_but_not_their_arrival():
    instance = fixed((4, 7.0, 0.0, 0.0), (4, 2.0, 1.0, 5.0))
    assert value(instance, "mean-busy-time", "weighted_jct") == 2.0


# -------------------------------------------------------------------------------- exactness


def test_a_sum_that_rounds_up_in_floating_point_does_not_here():
    # 0.1 + 0.2 is 0.30000000000000004 in doubles, above the sum of these two doubles.
    instance = fixed((4, 0.1), (4, 0.2))
    exact = Fraction(0.1) + Fraction(0.2)
    assert Fraction(0.1 + 0.2) > exact
    for name in ("area", "dual-feasible"):
        found = value(instance, name)
        assert Fraction(found) <= exact < Fraction(math.nextafter(found, 1.0))


def test_whole_seconds_give_exact_values():
    # 3 · 10⁶ jobs of 1 GPU second on 7 GPUs would be exact to the last digit; here 21 of them.
    assert value(fixed(*[(1, 2.0**40 + 1)] * 21, gpus=(7,)), "area") == 3 * (2.0**40 + 1)


def test_many_arrivals_of_equal_work_are_exact():
    # One GPU, a job of 2 s every second: nobody is preempted, so the k-th runs from 2k to 2k + 2.
    count = 400
    instance = fixed(*[(1, 2.0, float(k)) for k in range(count)], gpus=(1,))
    expected = sum(2 * k + 2 - k for k in range(count)) / count
    assert value(instance, "mean-busy-time", "mean_jct") == expected


# ------------------------------------------------------------------------------------- door


def test_class_assumptions_and_order():
    instance = fixed((3, 4.0), (2, 3.0), slot_s=1.0)
    for objective in OBJECTIVES:
        found = all_bounds(instance, objective)
        expected = [
            name
            for name, entry in BOUNDS.items()
            if objective in entry.objectives and entry.cost == "instant"
        ]
        assert sorted(one.method for one in found) == sorted(expected)
        assert [one.value for one in found] == sorted((one.value for one in found), reverse=True)
        for one in found:
            assert one.objective == objective
            assert one.problem_class == ProblemClass("slotted", Preemption.MIGRATE, "fixed")
            assert len(one.assumptions) == 2
            assert one.runtime_s > 0
    assert all(isinstance(entry, BoundEntry) and entry.statement for entry in BOUNDS.values())


def test_ties_go_to_the_first_of_the_registry():
    assert [one.method for one in all_bounds(fixed((4, 5.0)))] == [
        "longest",
        "area",
        "dual-feasible",
    ]


def test_unknown_names():
    instance = fixed((4, 5.0))
    with pytest.raises(UnknownNameError, match="did you mean 'makespan'"):
        bound(instance, "makspan")
    with pytest.raises(UnknownNameError, match="no effort is called 'great'; known: instant"):
        bound(instance, effort="great")


def test_a_job_that_cannot_progress_is_named():
    jobs = [Job("slow", 1, 10, compute_s=3.0)]
    instance = Instance("slow", Cluster([Server("s0", 1)]), jobs, slot_s=1.0)
    with pytest.raises(StalledJobError, match="'slow'"):
        bound(instance)


def test_workload_keeps_the_arrival_for_the_objective():
    workload = Workload.of(fixed((1, 3.0, 2.5), slot_s=2.0))
    assert workload.release.tolist() == [2.0]
    assert workload.jct_s(Fraction(4), "mean_jct") == 5.5
