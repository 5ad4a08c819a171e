"""No bound exceeds the optimum of its class, on instances small enough to try everything."""

import random

import pytest

from optsched.bounds import BOUNDS, survey_bounds
from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.core.result import Preemption, ProblemClass, violates
from optsched.exact import brute_force

OBJECTIVES = ("makespan", "mean_jct", "weighted_jct")


def drawn(seed, most_jobs):
    """Contention, arrivals, weights, whole and broken durations, slots, uplinks: all in turn."""
    draws = random.Random(seed)
    while True:
        capacities = [draws.choice((1, 2, 2, 3, 4)) for _ in range(draws.randint(1, 3))]
        demands = [draws.choice((1, 2, 3, 3, 4)) for _ in range(draws.randint(2, most_jobs))]
        if max(demands) <= sum(capacities):
            break
    is_fixed = draws.random() < 0.2
    has_uplinks = draws.random() < 0.2
    fabric = Fabric(
        20.0,
        1.0,
        uplink_bytes_per_s=0.7 if has_uplinks else float("inf"),
        reduce_bytes_per_s=20.0,
        degradation=draws.choice((0.0, 0.2, 0.5)),
        latency_s=draws.choice((0.0, 0.02)),
    )
    model = RateModel("fixed") if is_fixed else RateModel.of("ring", server_overhead_s=0.01)
    arrives = draws.random() < 0.5
    is_whole = is_fixed and draws.random() < 0.7
    jobs = [
        Job(
            f"j{i}",
            gpus,
            1 if is_fixed else draws.randint(4, 12),
            gradient_bytes=draws.uniform(0.05, 0.3) * draws.choice((1.0, 1.0, 0.3)),
            compute_s=float(draws.randint(1, 6)) if is_whole else draws.uniform(0.08, 0.3),
            arrival_s=float(draws.randint(0, 4)) if arrives else 0.0,
            weight=float(draws.choice((0, 1, 1, 3))) + (i == 0),
        )
        for i, gpus in enumerate(demands)
    ]
    servers = [Server(f"s{i}", gpus, f"r{i % 2}") for i, gpus in enumerate(capacities)]
    slot_s = draws.choice((None, None, None, 3.0))
    return Instance(f"drawn-{seed}", Cluster(servers, fabric), jobs, model, slot_s=slot_s)


def check(seed, most_jobs):
    instance = drawn(seed, most_jobs)
    time = "slotted" if instance.is_slotted else "continuous"
    tried = ProblemClass(time, Preemption.NONE, instance.rate_model.name)
    for objective in OBJECTIVES:
        optimum = brute_force(instance, objective=objective)
        assert optimum.is_complete
        if optimum.value is None:
            # In slots that are too short every placement stalls some job.
            continue
        survey = survey_bounds(instance, objective, effort="seconds")
        names = {one.method for one in survey.bounds} | set(survey.skipped)
        assert names == {name for name, entry in BOUNDS.items() if objective in entry.objectives}
        for one in survey.bounds:
            assert one.problem_class.contains(tried)
            assert not violates(optimum.value, one.value), (instance.name, one)


@pytest.mark.parametrize("seed", range(60))
def test_no_bound_exceeds_the_optimum(seed):
    check(seed, most_jobs=4)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_no_bound_exceeds_the_optimum_of_500(block):
    for seed in range(1000 + 50 * block, 1050 + 50 * block):
        check(seed, most_jobs=5)
