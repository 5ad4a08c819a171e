"""The stated approximation ratio, by hand."""

import pytest

from optsched.core.cluster import Cluster, Fabric
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.planners import SjfBco
from optsched.planners.approximation import theorem_5
from optsched.planners.plan import default_horizon_s, task_of


def pair(**changes):
    """Two jobs on 2 x 2, α = 0.5.

    a has τ = 1 s on one server. On two it exchanges 2 * 1e9 * (1/2) bytes: 2 s alone, and
    1 + 2.5 = 3.5 s where 2 jobs share a server, the most that a server of 2 GPUs can have.
    b has τ = 2 s wherever it runs.
    """
    cluster = Cluster.uniform(2, 2, fabric=Fabric(inter_bytes_per_s=1e9, degradation=0.5))
    jobs = [Job("a", 2, 10, gradient_bytes=1e9, compute_s=1.0), Job("b", 1, 10, compute_s=2.0)]
    return Instance("pair", cluster, jobs, **changes)


@pytest.mark.parametrize(
    ("servers", "degree", "estimate_s", "over", "under"),
    [
        (None, None, [35.0, 20.0], 3.5, 1.0),
        (1, 1, [10.0, 20.0], 1.0, 1 / 3.5),
        (2, 1, [20.0, 20.0], 2.0, 2 / 3.5),
        # Four jobs on a server of 2 GPUs cannot be: 1 + 5.5 = 6.5 s is more than the worst case.
        (4, 4, [65.0, 20.0], 6.5, 1.0),
    ],
)
def test_the_factors_of_the_ratio(servers, degree, estimate_s, over, under):
    task = task_of(pair(), estimate_servers=servers, estimate_degree=degree)
    assert task.estimate_s.tolist() == pytest.approx(estimate_s)
    found = theorem_5(task)
    assert found.largest_demand == 2
    assert found.spread_of_durations == pytest.approx(3.5)
    assert found.overestimate == pytest.approx(over)
    assert found.underestimate == pytest.approx(under)
    assert found.ratio == pytest.approx(2 * 3.5 * over / under)


def test_a_job_that_may_stall_has_no_finite_ratio_and_can_be_planned_for():
    # In slots of 3 s a completes an iteration alone, and none while it takes 3.5 s.
    plan = SjfBco(estimate_servers=None, estimate_degree=None).plan(pair(slot_s=3.0))
    assert plan.details["theorem_5"]["ratio"] == float("inf")
    assert plan.schedule.end_time_s == 30.0, "a does 3 in a slot on one server; b does 1"


def test_a_job_that_may_stall_is_estimated_at_one_iteration_a_slot():
    task = task_of(pair(slot_s=3.0), estimate_servers=None, estimate_degree=None)
    assert task.estimate_s.tolist() == [30.0, 30.0]


def test_given_durations_are_estimated_as_they_are_in_slots_too():
    jobs = [Job("a", 1, 1, compute_s=60.0), Job("b", 1, 7, compute_s=0.4)]
    instance = Instance("given", Cluster.uniform(1, 2), jobs, RateModel.of("fixed"), slot_s=1.0)
    task = task_of(instance, estimate_servers=4, estimate_degree=4)
    assert task.estimate_s.tolist() == [60.0, 3.0]
    assert task.best_s.tolist() == [60.0, 3.0]
    assert theorem_5(task).ratio == 1.0


def test_the_horizon_is_all_work_in_turn_after_the_last_arrival():
    jobs = [Job("a", 1, 4, compute_s=1.0), Job("b", 2, 3, compute_s=1.0, arrival_s=7.0)]
    instance = Instance("late", Cluster.uniform(1, 2), jobs)
    task = task_of(instance, estimate_servers=4, estimate_degree=4)
    assert default_horizon_s(task) == 14.0
