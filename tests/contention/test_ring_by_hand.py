"""Contention degree, factor and iteration time of equation 8, worked out by hand."""

import math

import numpy as np
import pytest

from optsched.contention import (
    best_durations_s,
    contention_degree,
    degradation_factor,
    rate_functions,
    rate_problems,
    worst_durations_s,
)
from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.errors import InstanceError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel


def rates_of(job, cluster, *, slot_s=None, **parameters):
    model = RateModel.of("ring", **parameters)
    return rate_functions(Instance("one", cluster, [job], model, slot_s=slot_s))


def cluster_of(servers=4, gpus=4, racks=1, **fabric):
    return Cluster.uniform(servers, gpus, racks=racks, fabric=Fabric(**fabric))


FOUR = Job("a", gpus=4, iterations=10, gradient_bytes=1e9, compute_s=0.5)
LOCAL = Placement.of({0: 4})
SPREAD = Placement.of({0: 2, 1: 2})


@pytest.mark.parametrize(
    ("load", "degree"), [([], 0), ([1], 1), ([1, 1], 1), ([1, 3, 2], 3), ([2, 2], 2)]
)
def test_degree_is_the_highest_load(load, degree):
    assert contention_degree(load) == degree


@pytest.mark.parametrize(
    ("degradation", "weight", "degree", "factor"),
    [
        (0.5, 1.0, 1, 1.0),  # alone there is nothing to share
        (0.5, 1.0, 2, 2.5),  # 2 + 0.5 · 1
        (0.0, 1.0, 4, 4.0),  # fair shares
        (0.2, 0.6, 1, 1.0),  # k = 0.6 would be faster than the link; not below 1
        (0.2, 0.6, 2, 1.24),  # k = 1.2, 1.2 + 0.2 · 0.2
        (0.2, 0.6, 4, 2.68),  # k = 2.4, 2.4 + 0.2 · 1.4
        (0.2, 0.25, 4, 1.0),  # k = 1
        (0.3, 1.0, 0, 1.0),
    ],
)
def test_factor(degradation, weight, degree, factor):
    assert degradation_factor(degradation, weight, degree) == pytest.approx(factor)


# Ring of 4 workers with 1e9 bytes: each sends 2 · 3/4 · 1e9 = 1.5e9 bytes, adds up 0.75e9.
@pytest.mark.parametrize(
    ("placement", "load", "fabric", "parameters", "time_s"),
    [
        # 1. On one server, infinitely fast inside: computation alone.
        (LOCAL, [], {"inter_bytes_per_s": 1e9}, {}, 0.5),
        # 2. On one server at 15e9 B/s inside: 0.5 + 0.1.
        (LOCAL, [], {"intra_bytes_per_s": 15e9}, {}, 0.6),
        # 3. Spread alone at 3e9 B/s: 0.5 + 0.5.
        (SPREAD, [1, 1], {"inter_bytes_per_s": 3e9}, {}, 1.0),
        # 4. With a second job on the second server, α = 0.2: f = 2.2, 0.5 + 0.5 · 2.2.
        (SPREAD, [1, 2], {"inter_bytes_per_s": 3e9, "degradation": 0.2}, {}, 1.6),
        # 5. Weight 0.6, p = 3: k = 1.8, f = 1.8 + 0.2 · 0.8 = 1.96, 0.5 + 0.5 · 1.96.
        (
            *(SPREAD, [3, 1], {"inter_bytes_per_s": 3e9, "degradation": 0.2}),
            *({"contention_weight": 0.6}, 1.48),
        ),
        # 6. Weight 0.6, p = 1: k is clipped at 1.
        (SPREAD, [1, 1], {"inter_bytes_per_s": 3e9}, {"contention_weight": 0.6}, 1.0),
        # 7. Latency 0.01 for spread jobs only.
        (SPREAD, [1, 1], {"inter_bytes_per_s": 3e9, "latency_s": 0.01}, {}, 1.01),
        (LOCAL, [], {"inter_bytes_per_s": 3e9, "latency_s": 0.01}, {}, 0.5),
        # 8. Reduction at 7.5e9 B/s adds 0.1, on one server too.
        (SPREAD, [1, 1], {"inter_bytes_per_s": 3e9, "reduce_bytes_per_s": 7.5e9}, {}, 1.1),
        (LOCAL, [], {"reduce_bytes_per_s": 7.5e9}, {}, 0.6),
        # 9. Overhead 0.005 a server, one server included.
        (SPREAD, [1, 1], {"inter_bytes_per_s": 3e9}, {"server_overhead_s": 0.005}, 1.01),
        (LOCAL, [], {}, {"server_overhead_s": 0.005}, 0.505),
        # 10. Three servers: the volume is the same, the overhead is not.
        (
            *(Placement.of({0: 2, 1: 1, 3: 1}), [1, 1, 1], {"inter_bytes_per_s": 3e9}),
            *({"server_overhead_s": 0.005}, 1.015),
        ),
    ],
)
def test_iteration_time(placement, load, fabric, parameters, time_s):
    rates = rates_of(FOUR, cluster_of(**fabric), **parameters)
    assert len(rates.shared_resources(placement)) == len(load)
    assert rates.iteration_time_s(0, placement, load) == pytest.approx(time_s, rel=1e-12)


def test_one_worker_has_no_ring():
    job = Job("a", 1, 10, gradient_bytes=1e9, compute_s=0.5)
    cluster = cluster_of(intra_bytes_per_s=1.0, inter_bytes_per_s=1.0, reduce_bytes_per_s=1.0)
    rates = rates_of(job, cluster, server_overhead_s=0.25)
    assert rates.iteration_time_s(0, Placement.of({2: 1}), []) == 0.75
    assert rates.best_iteration_time_s(0) == 0.75
    assert rates.worst_iteration_time_s(0, 4, 4) == 0.75


def test_a_job_may_bring_its_own_overhead():
    job = Job("a", 4, 10, compute_s=0.5, server_overhead_s=0.1)
    rates = rates_of(job, cluster_of(), server_overhead_s=9.0)
    assert rates.iteration_time_s(0, SPREAD, [1, 1]) == pytest.approx(0.7)
    free = Job("a", 4, 10, compute_s=0.5, server_overhead_s=0.0)
    assert rates_of(free, cluster_of(), server_overhead_s=9.0).best_iteration_time_s(0) == 0.5


def test_uplinks_count_for_jobs_in_two_racks():
    # Servers 0 1 in rack 0, 2 3 in rack 1. Interfaces 3e9, uplinks 1e9: 1.5e9 bytes take 0.5 s
    # within a rack and 1.5 s across.
    cluster = cluster_of(racks=2, inter_bytes_per_s=3e9, uplink_bytes_per_s=1e9)
    rates = rates_of(FOUR, cluster)
    across = Placement.of({1: 2, 2: 2})
    assert rates.shared_resources(LOCAL) == ()
    assert rates.shared_resources(SPREAD) == (0, 1)
    assert rates.shared_resources(across) == (1, 2, 4, 5)
    names = [rates.resource_name(resource) for resource in (1, 4, 5)]
    assert names == ["s1", "uplink of r0", "uplink of r1"]
    assert rates.iteration_time_s(0, SPREAD, [1, 1]) == pytest.approx(1.0)
    assert rates.iteration_time_s(0, across, [1, 1, 1, 1]) == pytest.approx(2.0)
    # Three on an interface are 1.5 s, two on an uplink 3 s: the slowest counts, not the fullest.
    assert rates.iteration_time_s(0, across, [3, 1, 1, 1]) == pytest.approx(2.0)
    assert rates.iteration_time_s(0, across, [3, 1, 2, 1]) == pytest.approx(3.5)
    assert not rates.depends_on_maximum_load
    assert not rates.is_level_model


def test_without_a_rate_for_uplinks_racks_do_not_matter():
    rates = rates_of(FOUR, cluster_of(racks=2, inter_bytes_per_s=3e9))
    assert rates.shared_resources(Placement.of({1: 2, 2: 2})) == (1, 2)
    assert rates.is_level_model


def test_the_slowest_interface_counts():
    # s1 has 1.5e9 B/s: 1 s alone. Two on s0 (3e9) are 1 s as well, three are 1.5 s.
    servers = [Server("s0", 4), Server("s1", 4, inter_bytes_per_s=1.5e9), Server("s2", 4)]
    cluster = Cluster(servers, Fabric(inter_bytes_per_s=3e9))
    rates = rates_of(FOUR, cluster)
    assert rates.iteration_time_s(0, SPREAD, [1, 1]) == pytest.approx(1.5)
    assert rates.iteration_time_s(0, SPREAD, [2, 1]) == pytest.approx(1.5)
    assert rates.iteration_time_s(0, SPREAD, [3, 1]) == pytest.approx(2.0)
    assert rates.iteration_time_s(0, SPREAD, [1, 2]) == pytest.approx(2.5)
    assert rates.iteration_time_s(0, Placement.of({0: 2, 2: 2}), [1, 1]) == pytest.approx(1.0)
    assert not rates.depends_on_maximum_load


def test_the_best_case_may_be_spread_if_servers_are_slow_inside():
    # 1.5 s inside at 1e9 B/s, 0.5 s between two servers at 3e9 B/s.
    cluster = cluster_of(intra_bytes_per_s=1e9, inter_bytes_per_s=3e9)
    rates = rates_of(FOUR, cluster)
    assert rates.best_iteration_time_s(0) == pytest.approx(1.0)
    assert rates.iteration_time_s(0, LOCAL, []) == pytest.approx(2.0)
    assert not rates.is_level_model


def test_the_best_case_of_a_job_that_must_spread():
    # 6 GPUs on servers of 4 need two: 2 · 5/6 · 1.5e9 = 2.5e9 bytes at 2.5e9 B/s.
    job = Job("a", 6, 10, gradient_bytes=1.5e9, compute_s=0.5)
    rates = rates_of(job, cluster_of(inter_bytes_per_s=2.5e9), server_overhead_s=0.01)
    assert rates.best_iteration_time_s(0) == pytest.approx(1.52)


def test_worst_case_is_as_many_servers_as_gpus_at_the_given_degree():
    rates = rates_of(FOUR, cluster_of(inter_bytes_per_s=3e9), server_overhead_s=0.01)
    # 4 servers, p = 3: 0.5 + 1.5 + 0.04.
    assert rates.worst_iteration_time_s(0, 99, 3) == pytest.approx(2.04)
    assert rates.worst_iteration_time_s(0, 2, 1) == pytest.approx(1.02)


def test_durations():
    instance = Instance(
        "one", cluster_of(inter_bytes_per_s=3e9), [FOUR], RateModel.of("ring"), slot_s=2.5
    )
    # Best 0.5 s: 5 in a slot, 2 slots. Worst with p = 4: 2.5 s: 1 in a slot, 10 slots.
    assert best_durations_s(instance).tolist() == [5.0]
    assert worst_durations_s(instance).tolist() == [25.0]
    continuous = instance.changed(slot_s=None)
    assert best_durations_s(continuous).tolist() == [5.0]
    assert worst_durations_s(continuous, servers=2, degree=2).tolist() == [15.0]


def test_fixed_times_depend_on_nothing():
    cluster = cluster_of(inter_bytes_per_s=1.0, latency_s=7.0)
    job = Job("a", 4, 1, gradient_bytes=1e9, compute_s=60.0)
    rates = rate_functions(Instance("fixed", cluster, [job], RateModel("fixed")))
    assert rates.shared_resources(SPREAD) == ()
    assert rates.iteration_time_s(0, SPREAD, []) == 60.0
    assert rates.best_iteration_times_s().tolist() == [60.0]
    assert rates.worst_iteration_time_s(0, 4, 4) == 60.0


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (RateModel("rin"), "expected one of ring, fixed, tiered, got 'rin'; did you mean 'ring'"),
        (RateModel.of("ring", contention_weigth=1.0), "did you mean 'contention_weight'"),
        (RateModel.of("ring", contention_weight=0.0), "a number above 0 and at most 1, got 0.0"),
        (RateModel.of("ring", contention_weight=math.nan), "above 0 and at most 1, got nan"),
        (RateModel.of("ring", server_overhead_s=-1.0), "a number of at least 0, got -1.0"),
        (RateModel.of("ring", server_overhead_s=True), "a number, got True"),
        (RateModel.of("fixed", contention_weight=1.0), "expected no parameters"),
    ],
)
def test_wrong_rate_models(model, text):
    instance = Instance("one", cluster_of(), [FOUR], model)
    with pytest.raises(InstanceError) as caught:
        rate_functions(instance)
    assert text in str(caught.value)
    assert [text in problem.text() for problem in rate_problems(instance)] == [True]


def test_a_job_that_takes_no_time_is_a_problem():
    instance = Instance("one", cluster_of(), [Job("a", 4, 10)])
    assert [problem.place for problem in rate_problems(instance)] == ["jobs[0].compute_s"]


def test_a_slot_shorter_than_an_iteration_is_a_problem():
    fabric = {"inter_bytes_per_s": 3e9}
    # Best 0.5 s, worst 0.5 + 0.5 · 4 = 2.5 s.
    for slot_s, is_warning in [(0.4, False), (2.0, True)]:
        instance = Instance("one", cluster_of(**fabric), [FOUR], slot_s=slot_s)
        (problem,) = rate_problems(instance)
        assert problem.is_warning is is_warning
    assert rate_problems(Instance("one", cluster_of(**fabric), [FOUR], slot_s=2.5)) == []


def test_columns_of_best_times_cannot_be_written_to():
    rates = rates_of(FOUR, cluster_of())
    with pytest.raises(ValueError, match="read-only"):
        rates.best_iteration_times_s()[0] = np.inf
