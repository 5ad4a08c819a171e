"""Delay scheduling by hand: who declines what, and since when the clock runs."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from judged_runs import judged
from judged_runs import judged_rows as run
from strategies import instances

from optsched.core.cluster import Cluster
from optsched.core.jobs import Job
from optsched.placement import tier_of
from optsched.policies import Delay
from optsched.sim import Observer


def jobs():
    """Return a and b, which leave one GPU on each of two servers, filled by d and e until 3 s.

    pair wants two GPUs from 1 s on; small one from 4 s on.
    """
    return [
        Job("a", 2, 40, compute_s=1.0),
        Job("b", 2, 40, compute_s=1.0),
        Job("d", 1, 3, compute_s=1.0),
        Job("e", 1, 3, compute_s=1.0),
        Job("pair", 2, 4, compute_s=1.0, arrival_s=1.0),
        Job("small", 1, 1, compute_s=1.0, arrival_s=4.0),
    ]


def of(found, job):
    return [row[1:] for row in found if row[0] == job]


ONE_RACK, TWO_RACKS = Cluster.uniform(2, 3), Cluster.uniform(2, 3, racks=2)


def test_a_job_declines_until_its_wait_is_over_and_the_offer_goes_to_the_next():
    found = run(ONE_RACK, jobs(), Delay(rack_wait_s=5.0))
    # It could decline for the first time at 3 s.
    assert of(found, 4) == [({0: 1, 1: 1}, 8.0, 12.0)]
    assert of(found, 5) == [({0: 1}, 4.0, 5.0)]


def test_the_clock_may_run_from_the_arrival():
    found = run(ONE_RACK, jobs(), Delay(rack_wait_s=5.0, clock="waiting"))
    assert of(found, 4) == [({0: 1, 1: 1}, 6.0, 10.0)]


def test_the_second_wait_follows_the_first():
    settings = {"rack_wait_s": 5.0, "network_wait_s": 10.0}
    assert of(run(TWO_RACKS, jobs(), Delay(**settings)), 4)[0][1] == 18.0
    assert of(run(TWO_RACKS, jobs(), Delay(**settings, clock="waiting")), 4)[0][1] == 16.0
    assert of(run(TWO_RACKS, jobs(), Delay(rack_wait_s=0.0, network_wait_s=0.0)), 4)[0][1] == 3.0


def test_a_machine_is_taken_at_once_and_its_clock_forgotten():
    # d ends on s0 and then a: pair has a machine at 10 s, before its wait of 60 s is over.
    early = [Job("a", 2, 10, compute_s=1.0), *jobs()[1:]]
    found = run(ONE_RACK, early, Delay(rack_wait_s=60.0))
    assert of(found, 4) == [({0: 2}, 10.0, 14.0)]


def test_a_job_too_large_for_a_machine_does_not_wait_for_one():
    wide = [Job("wide", 5, 2, compute_s=1.0)]
    assert of(run(ONE_RACK, wide, Delay()), 0) == [({0: 3, 1: 2}, 0.0, 2.0)]


def test_a_job_that_is_stopped_accepts_again_what_it_has_had():
    found = run(ONE_RACK, jobs(), Delay(rack_wait_s=5.0, lease_s=2.0, order="arrival"))
    assert of(found, 4)[0][:2] == ({0: 1, 1: 1}, 8.0)
    # All leases end at 10 s. a and b stay where they are, and pair need not wait anew.
    assert of(found, 4) == [({0: 1, 1: 1}, 8.0, 10.0), ({0: 1, 1: 1}, 10.0, 12.0)]


def test_settings_are_checked():
    with pytest.raises(ValueError, match="a wait is a number of at least 0"):
        Delay(rack_wait_s=-1.0)
    with pytest.raises(ValueError, match="order is one of"):
        Delay(order="size")
    with pytest.raises(ValueError, match="clock is"):
        Delay(clock="wall")


class TiersAreWaitedFor(Observer):
    """Asserts that no job takes a tier beyond its best before the wait for it is over."""

    def __init__(self, instance, policy, rack_s, network_s):
        self.cluster, self.rule = instance.cluster, policy.placement
        self.waits = (0.0, rack_s, rack_s + network_s)
        self.best = {}

    def on_start(self, job, time_s):
        best = self.rule._tiered.best_tier(job.gpus, self.cluster)
        tier = tier_of(job.placement, self.cluster)
        if tier > best:
            assert time_s - job.arrival_s >= self.waits[tier] * (1 - 1e-9)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    instance=instances(slotted=False),
    waits=st.tuples(st.sampled_from([0.0, 0.5, 3.0]), st.sampled_from([0.0, 1.0])),
    clock=st.sampled_from(["offers", "waiting"]),
)
def test_no_tier_is_taken_before_its_time(instance, waits, clock):
    policy = Delay(rack_wait_s=waits[0], network_wait_s=waits[1], clock=clock)
    judged(instance, policy, [TiersAreWaitedFor(instance, policy, *waits)])


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(instance=instances(restarts=True))
def test_schedules_with_leases_are_valid(instance):
    for clock in ("offers", "waiting"):
        judged(instance, Delay(rack_wait_s=1.0, network_wait_s=1.0, lease_s=1.0, clock=clock))
