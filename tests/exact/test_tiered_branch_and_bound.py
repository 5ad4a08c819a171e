"""Branch and bound under the rate model ``tiered``, against the brute force."""

import random

import pytest

from optsched.core.cluster import Cluster, Server
from optsched.core.errors import UnsupportedError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.metrics import OBJECTIVES
from optsched.core.rate_model import RateModel
from optsched.core.result import Preemption
from optsched.exact import branch_and_bound, brute_force, event_orders, solve


def drawn(seed, jobs, *, contention=False):
    """Return jobs of two networks on unequal machines in two racks, at links of any speed."""
    draw = random.Random(f"tiered branch and bound {seed}")
    servers = [
        Server(f"s{i}", draw.choice([1, 2, 2, 3]), f"r{draw.randint(0, 1)}")
        for i in range(draw.randint(2, 4))
    ]
    total = sum(server.gpus for server in servers)
    parameters = {"group_gpus": 1, "contention": contention}
    for tier in ("group", "machine", "rack", "network"):
        parameters[f"{tier}_bytes_per_s"] = draw.choice([0.3, 1.0, 3.0, 10.0])
        parameters[f"{tier}_latency_s"] = draw.choice([0.0, 0.1, 0.5])
    for network in "ab":
        layers = [
            " ".join(str(draw.choice([0.5, 1.0, 2.0])) for _ in range(4))
            for _ in range(draw.randint(1, 3))
        ]
        parameters[f"layers.{network}"] = "; ".join(layers)
    rows = [
        Job(
            f"j{i}",
            draw.randint(1, total),
            draw.randint(1, 20),
            compute_s=draw.choice([0.5, 1.0, draw.uniform(0.1, 2.0)]),
            arrival_s=draw.choice([0.0, 0.0, 1.0, 5.0]),
            weight=draw.choice([1.0, 2.0]),
            profile=draw.choice("ab"),
        )
        for i in range(jobs)
    ]
    return Instance(f"drawn-{seed}", Cluster(servers), rows, RateModel.of("tiered", **parameters))


def check(seed, jobs):
    instance = drawn(seed, jobs)
    for objective in OBJECTIVES:
        expected = pytest.approx(brute_force(instance, objective=objective).value, rel=2e-9)
        assert branch_and_bound(instance, objective=objective).value == expected
        assert event_orders(instance, objective=objective).value == expected


@pytest.mark.parametrize("seed", range(20))
def test_both_find_the_same_optimum(seed):
    check(seed, jobs=3 + seed % 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 220))
def test_both_find_the_same_optimum_of_more_instances(seed):
    check(seed, jobs=4 + seed % 2)


def test_symmetry_changes_nothing():
    for seed in range(8):
        instance = drawn(seed, 3)
        whole = branch_and_bound(instance, symmetry=False, memo=False)
        assert branch_and_bound(instance).value == pytest.approx(whole.value, rel=2e-9)


def test_an_optimum_among_event_aligned_schedules_is_one_among_all():
    """Nothing is shared but GPUs, so nobody gains by starting between two events."""
    searched = 0
    for seed in range(12):
        for method in ("auto", "branch-and-bound"):
            result = solve(drawn(seed, 4), objective="mean_jct", method=method)
            assert (result.status, result.scope) == ("optimal", "all")
            searched += result.bound.problem_class.preemption is Preemption.NONE
    assert searched, "some are proven by the search itself"


def test_shared_links_are_left_to_the_brute_force():
    instance = drawn(0, 3, contention=True)
    with pytest.raises(UnsupportedError, match=r"'tiered' with contention.*method 'brute-force'"):
        branch_and_bound(instance)
    message = r"links add up.*'tiered' with contention; use method 'brute-force'"
    with pytest.raises(UnsupportedError, match=message):
        solve(instance, method="branch-and-bound")
    assert solve(instance).value == pytest.approx(brute_force(instance).value)
