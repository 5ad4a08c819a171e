"""Every planner and policy on random instances: the judge finds nothing wrong."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings
from strategies import instances

from optsched.judge import verify
from optsched.planners import FirstFitPlanner, ListScheduling, RandomGpus, SjfBco
from optsched.policies import FewestGpus, Fifo, FifoBackfill, Sjf
from optsched.sim import simulate

PLANNERS = {
    "sjf-bco": SjfBco(),
    "sjf-bco, queue": SjfBco(dispatch="queue"),
    "sjf-bco, pack, λ = 2": SjfBco(fa_ffp="pack", capacity_factor=2.0),
    "sjf-bco, pack, queue, feasible": SjfBco(
        fa_ffp="pack", dispatch="queue", cap_search="feasible"
    ),
    "sjf-bco, sweep, κ = 1, widest estimate": SjfBco(
        cap_search="sweep", kappa=1, estimate_servers=None, estimate_degree=None
    ),
    "list-scheduling": ListScheduling(),
    "list-scheduling, queue": ListScheduling(dispatch="queue"),
    "first-fit": FirstFitPlanner(),
    "first-fit, queue": FirstFitPlanner(dispatch="queue"),
    "random": RandomGpus(),
    "random, queue": RandomGpus(dispatch="queue"),
}

POLICIES = {
    f"{policy.__name__}, {name}": (policy, settings_)
    for policy in (Fifo, FifoBackfill, Sjf, FewestGpus)
    for name, settings_ in {
        "best": {"placement": "consolidated"},
        "first": {"placement": "consolidated", "fit": "first"},
        "first_fit": {"placement": "first_fit"},
    }.items()
}


def schedule_of(name, instance, draw):
    """Return the schedule of a planner or, with the engine's invariants checked, of a policy."""
    if name in PLANNERS:
        return PLANNERS[name].plan(instance, seed=draw).schedule
    policy, parameters = POLICIES[name]
    return simulate(instance, policy(**parameters), debug=True).schedule


def assert_valid(name, instance, draw=0):
    schedule = schedule_of(name, instance, draw)
    judgement = verify(instance, schedule)
    assert judgement.is_valid, (name, [str(violation) for violation in judgement.violations])
    assert len(schedule) == len(instance.jobs), "nobody preempts"
    assert judgement.schedule_class.preemption == "none"
    assert (schedule.start_s >= instance.jobs.arrival_s[schedule.job] - 1e-9).all()
    assert judgement.objectives["makespan"] == pytest.approx(float(np.max(schedule.end_s)))


@pytest.mark.parametrize(
    ("number", "name"), list(enumerate([*PLANNERS, *POLICIES])), ids=[*PLANNERS, *POLICIES]
)
def test_schedules_are_judged_valid(number, name):
    # A seed of its own gives each scheduler other instances: 23 times 100 in all.
    @seed(number)
    @settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
    @given(instance=instances())
    def check(instance):
        assert_valid(name, instance)

    check()


@pytest.mark.slow
@given(instance=instances())
@settings(max_examples=1000, suppress_health_check=[HealthCheck.too_slow])
def test_a_thousand_instances_with_every_scheduler(instance):
    for name in [*PLANNERS, *POLICIES]:
        assert_valid(name, instance, draw=len(instance.jobs))
