"""One scheduler on one instance, judged."""

import pytest

from optsched.core.cluster import Cluster
from optsched.core.errors import ScheduleError, UnknownNameError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel
from optsched.core.result import Status
from optsched.core.schedule import Schedule, Segment
from optsched.planners import Plan
from optsched.study import run
from optsched.study.run import default_objective

FIXED = RateModel("fixed")


def two_jobs(arrival_s=0.0):
    """Two jobs of 2 GPUs on one server of 2, for 3 s and 5 s."""
    jobs = [
        Job("a", 2, 1, compute_s=3.0),
        Job("b", 2, 1, compute_s=5.0, arrival_s=arrival_s, weight=3.0),
    ]
    return Instance("two", Cluster.uniform(1, 2), jobs, rate_model=FIXED)


class AtOnce:
    """Breaks two rules: both jobs hold the same GPUs, and the first stops early."""

    def plan(self, instance, *, seed=0):
        whole = Placement.of({0: 2})
        return Plan(Schedule.of([Segment(0, whole, 0.0, 1.0), Segment(1, whole, 0.0, 5.0)]))


def test_a_run_is_judged_and_has_no_bound():
    result = run(two_jobs(), "fifo")
    assert (result.value, result.objective) == (8.0, "makespan")
    assert result.status is Status.FEASIBLE
    assert result.bound is None
    assert result.judgement.is_valid
    assert result.judgement.objectives == {"makespan": 8.0, "mean_jct": 5.5, "weighted_jct": 6.75}


def test_an_invalid_schedule_is_an_error_that_lists_every_violation():
    with pytest.raises(ScheduleError) as caught:
        run(two_jobs(), AtOnce)
    first, *listed = str(caught.value).splitlines()
    assert first == "AtOnce made an invalid schedule:"
    assert len(listed) >= 2
    assert any("'a'" in line for line in listed)


@pytest.mark.parametrize(("arrival_s", "objective"), [(0.0, "makespan"), (1.0, "mean_jct")])
def test_the_default_objective_follows_the_arrivals(arrival_s, objective):
    instance = two_jobs(arrival_s)
    assert default_objective(instance) == objective
    assert run(instance, "fifo").objective == objective


def test_the_objective_is_as_asked_for():
    # Completions at 3 s and 8 s; the second job counts three times.
    assert run(two_jobs(), "fifo", objective="weighted_jct").value == (3 + 3 * 8) / 4
    with pytest.raises(UnknownNameError, match="mean_jct"):
        run(two_jobs(), "fifo", objective="mean-jct")


def test_the_result_says_what_made_it():
    result = run(two_jobs(), "sjf:fit=first", seed=4)
    made_by = result.provenance
    assert (made_by.method, made_by.parameters, made_by.seed) == (
        "sjf:fit=first",
        {"fit": "first"},
        4,
    )
    assert {"optsched", "python", "numpy"} <= set(made_by.versions)
    assert result.details["preemptions"] == 0


def test_the_seed_decides_what_a_random_planner_draws():
    def starts(seed):
        return run("forced-6x3-0", "random", seed=seed).schedule.start_s.tolist()

    assert starts(1) == starts(1)
    assert len({tuple(starts(seed)) for seed in range(5)}) > 1


def test_an_instance_may_be_named_or_in_a_file(tmp_path):
    from optsched.files import save_instance

    save_instance(two_jobs(), tmp_path / "two.json")
    assert run(str(tmp_path / "two.json"), "fifo").value == 8.0
    assert run("waiting-pays", "fifo").value == 25.5


def test_an_error_of_a_policy_is_not_hidden():
    def broken(state):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        run(two_jobs(), broken)
