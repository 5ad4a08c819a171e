"""Dally: priorities, leases, timers and variants, by hand and on any instance."""

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from judged_runs import judged
from judged_runs import judged_rows as run
from strategies import instances

from optsched.core.cluster import Cluster, Fabric
from optsched.core.jobs import Job
from optsched.placement import Tier, Tiered, best_tier, tier_of
from optsched.policies import ComposedPolicy, Dally
from optsched.policies.parts import AutoTimers, Leases, NetworkSensitivity
from optsched.sim import Observer

VARIANTS = ("auto", "manual", "no-wait", "fully-consolidated", "no-preemption")


def test_a_job_that_never_ran_comes_first_then_the_one_that_has_waited_longest():
    jobs = [Job("a", 2, 6, compute_s=1.0), Job("b", 2, 4, compute_s=1.0, arrival_s=1.0)]
    assert run(Cluster.uniform(1, 2), jobs, Dally(lease_s=2.0)) == [
        (0, {0: 2}, 0.0, 2.0),
        (1, {0: 2}, 2.0, 4.0),
        (0, {0: 2}, 4.0, 6.0),
        (1, {0: 2}, 6.0, 8.0),
        (0, {0: 2}, 8.0, 10.0),
    ]


def slow_network(servers):
    """Return servers of 3 GPUs between which 1 GB of gradients of two workers takes a second."""
    return Cluster.uniform(servers, 3, fabric=Fabric(inter_bytes_per_s=1e9))


def test_the_job_that_the_network_has_slowed_comes_first():
    # An iteration takes 1 s on a server and 2 s over two. One of the three is always spread.
    jobs = [Job(name, 2, 40, compute_s=1.0, gradient_bytes=1e9) for name in "abc"]
    found = run(slow_network(2), jobs, Dally(variant="no-wait", lease_s=4.0))
    assert found[:9] == [
        (0, {0: 2}, 0.0, 4.0),
        (1, {1: 2}, 0.0, 4.0),
        (2, {0: 1, 1: 1}, 0.0, 4.0),
        # c has done 2 of 4 s: 0.5. a and b 1, a first by position.
        (0, {1: 2}, 4.0, 8.0),
        (1, {0: 1, 1: 1}, 4.0, 8.0),
        (2, {0: 2}, 4.0, 8.0),
        # b and c have done 6 of 8 s, a all of it.
        (0, {0: 1, 1: 1}, 8.0, 12.0),
        (1, {0: 2}, 8.0, 12.0),
        (2, {1: 2}, 8.0, 12.0),
    ]


class Sensitivities(Observer):
    def __init__(self, policy):
        self.policy, self.seen = policy, []

    def on_instant(self, state):
        self.seen += [self.policy.order.sensitivity(job, state) for job in state.running]


def test_sensitivity_to_the_best_speed_forgives_what_cannot_be_avoided():
    # Four workers on two servers: 2 · 1 GB · 3/4 over 1 GB/s are 1.5 s beside 1 s of computing.
    jobs = [Job("wide", 4, 8, compute_s=1.0, gradient_bytes=1e9)]
    for relative_to, expected in (("compute", 0.4), ("best", 1.0)):
        policy = Dally(lease_s=5.0, sensitivity=relative_to)
        watch = Sensitivities(policy)
        run_with(jobs, slow_network(2), policy, watch)
        assert watch.seen == pytest.approx([0.0, expected, expected, expected], abs=1e-9)


def run_with(jobs, cluster, policy, observer):
    from optsched.core.instance import Instance

    return judged(Instance("by-hand", cluster, jobs), policy, [observer])


def pair_between(*more):
    """Return two jobs that leave a GPU on each of two servers of three, and one that wants two."""
    return [
        Job("hold", 2, 40, compute_s=1.0),
        Job("keep", 2, 40, compute_s=1.0),
        Job("pair", 2, 4, compute_s=1.0, arrival_s=1.0),
        *more,
    ]


def test_manual_waits_run_from_the_arrival():
    policy = Dally(variant="manual", lease_s=100.0, rack_leases=0.05, network_leases=9)
    found = run(Cluster.uniform(2, 3), pair_between(), policy)
    assert [row[1:] for row in found if row[0] == 2] == [({0: 1, 1: 1}, 6.0, 10.0)]
    # In two racks the second wait counts, from the arrival as well.
    policy = Dally(variant="manual", lease_s=100.0, rack_leases=0.05, network_leases=0.09)
    found = run(Cluster.uniform(2, 3, racks=2), pair_between(), policy)
    assert [row[1:] for row in found if row[0] == 2] == [({0: 1, 1: 1}, 10.0, 14.0)]


def test_a_job_whose_lease_has_ended_insists_on_a_machine_anew():
    # At 2 s all leases end. pair never ran and is first, then hold; keep finds a GPU on each of two
    # servers and waits. At 4 s keep is first, then hold, and pair waits in its turn, though two
    # GPUs are free and it arrived 3 s ago. At 6 s it is first. All waits are shorter than 5 s.
    policy = Dally(variant="manual", lease_s=2.0, rack_leases=2.5, network_leases=9)
    found = run(Cluster.uniform(2, 3), pair_between(), policy)
    assert [row for row in found if row[2] < 6.5] == [
        (0, {0: 2}, 0.0, 2.0),
        (1, {1: 2}, 0.0, 2.0),
        (0, {1: 2}, 2.0, 4.0),
        (2, {0: 2}, 2.0, 4.0),
        (0, {1: 2}, 4.0, 6.0),
        (1, {0: 2}, 4.0, 6.0),
        (0, {1: 2}, 6.0, 8.0),
        (2, {0: 2}, 6.0, 8.0),
    ]


def test_a_wait_that_is_over_counts_at_once_or_at_the_next_event():
    jobs = pair_between(Job("event", 1, 1, compute_s=1.0, arrival_s=7.5))
    settings = {"variant": "manual", "lease_s": 100.0, "rack_leases": 0.05, "network_leases": 9}
    starts = {}
    for wakes in (True, False):
        found = run(Cluster.uniform(2, 3), jobs, Dally(**settings, wake_at_expiry=wakes))
        starts[wakes] = [row[2] for row in found if row[0] == 2]
    assert starts == {True: [6.0], False: [7.5]}


def test_the_lease_is_a_quarter_of_the_mean_run_time_or_an_hour():
    policy = Dally()
    run(
        Cluster.uniform(1, 1),
        [Job("a", 1, 8, compute_s=1.0), Job("b", 1, 16, compute_s=1.0)],
        policy,
    )
    assert policy.leases.lease_s == 3.0
    run(Cluster.uniform(1, 1), [Job("a", 1, 8, compute_s=9000.0)], policy)
    assert policy.leases.lease_s == 3600.0


def test_a_lease_ends_with_a_batch():
    # Batches of 2 s: [0, 2], [2, 4]; a third would overrun the lease of 5 s.
    jobs = [Job("a", 2, 12, compute_s=1.0), Job("b", 2, 4, compute_s=1.0, arrival_s=1.0)]
    found = run(Cluster.uniform(1, 2), jobs, Dally(lease_s=5.0, batch_s=2.0))
    assert [row[2:] for row in found] == [(0.0, 4.0), (4.0, 8.0), (8.0, 12.0), (12.0, 16.0)]
    # Its next batch looks half as long with two GPUs: at 4 s it seems to fit until 5 s.
    found = run(
        Cluster.uniform(1, 2), jobs, Dally(lease_s=5.0, batch_s=2.0, batch_check_per_gpu=True)
    )
    assert [row[2:] for row in found[:2]] == [(0.0, 6.0), (6.0, 10.0)]
    # A batch longer than the lease is not cut.
    found = run(Cluster.uniform(1, 2), jobs, Dally(lease_s=5.0, batch_s=7.0))
    assert [row[2:] for row in found[:2]] == [(0.0, 7.0), (7.0, 11.0)]


def test_tuned_waits_by_hand():
    timers = AutoTimers(24)
    assert timers.waits(8) == (6, 12)
    assert not timers.observe(8, Tier.MACHINE, waited=0.9, now=1.0), "less than a lease"
    assert not timers.observe(8, Tier.NETWORK, waited=30.0, now=1.0)
    assert not timers.observe(8, Tier.MACHINE, waited=4.0, now=1.0), "at least 6"
    # 4 and 8: the mean is 6, the deviation 2.
    assert timers.observe(8, Tier.MACHINE, waited=8.0, now=2.0)
    assert timers.waits(8) == (10, 12)
    assert timers.waits(4) == (6, 12), "each demand has its own"
    assert timers.observe(8, Tier.RACK, waited=13.5, now=3.0)
    assert timers.waits(8) == (10, 14)
    # At 25.5 the first observation is too old; 8 and 40: 24 and 16, at most 0.8 of 24.
    assert timers.observe(8, Tier.MACHINE, waited=40.0, now=25.5)
    assert timers.waits(8) == (20, 14)
    assert timers.observe(8, Tier.RACK, waited=90.0, now=26.0)
    assert timers.waits(8) == (20, 24)
    # All others have grown old.
    assert timers.observe(8, Tier.MACHINE, waited=7.0, now=60.0)
    assert timers.waits(8) == (7, 24)
    assert [change[:2] for change in timers.changes] == [
        (2.0, 8), (3.0, 8), (25.5, 8), (26.0, 8), (60.0, 8),
    ]  # fmt: skip


def test_a_short_history_wins_over_the_least_waits():
    assert AutoTimers(0).waits(1) == (0, 0)
    assert AutoTimers(10).waits(1) == (6, 10)
    assert AutoTimers(5).waits(1) == (4, 5)


def test_stale_history_keeps_every_other_old_entry():
    stale, proper = AutoTimers(10, stale_history=True), AutoTimers(10)
    for timers in (stale, proper):
        for now in (0.0, 1.0, 2.0):
            timers.observe(1, Tier.MACHINE, waited=7.0 + now, now=now)
        timers.observe(1, Tier.MACHINE, waited=7.0, now=50.0)
    # The loop removes the first (0), steps over the second (1), removes the third (2).
    assert proper.waits(1)[0] == 7
    # 8 and 7: the mean is 7.5, the deviation 0.5; the cap is 8.
    assert stale.waits(1)[0] == 8


def test_settings_are_checked():
    for settings_, message in (
        ({"variant": "automatic"}, "variant is one of"),
        ({"sensitivity": "none"}, "sensitivity is to"),
        ({"history_leases": -1}, "the history is"),
        ({"variant": "manual", "rack_leases": math.nan}, "a wait is"),
        ({"lease_s": -1}, "lease_s is"),
        ({"batch_s": -1}, "batch_s is"),
        ({"fit": "worst"}, "fit is"),
    ):
        with pytest.raises(ValueError, match=message):
            Dally(**settings_)


@settings(max_examples=60)
@given(
    history=st.floats(0, 60),
    seen=st.lists(
        st.tuples(st.floats(0, 9), st.floats(0, 100), st.sampled_from(list(Tier)), st.booleans())
    ),
)
def test_tuned_waits_stay_in_their_bounds(history, seen):
    for stale in (False, True):
        timers = AutoTimers(history, stale_history=stale)
        now = 0.0
        most = math.ceil(0.8 * history)
        for gap, waited, tier, is_wide in seen:
            now += gap
            before = timers.waits(4), timers.waits(8)
            gpus = 8 if is_wide else 4
            changed = timers.observe(gpus, tier, waited, now)
            assert changed == (before != (timers.waits(4), timers.waits(8)))
            for_rack, for_network = timers.waits(gpus)
            assert min(6, most) <= for_rack <= most
            assert min(12, history) <= for_network <= history
            assert timers.waits(12 - gpus) == before[is_wide is False]


class LeasedIsUsed(Observer):
    """Asserts that exactly the running jobs hold leases, and that only waiting ones start."""

    def __init__(self, policy):
        self.policy = policy

    def on_instant(self, state):
        leased = self.policy.leases._end_s
        assert leased.keys() == {job.index for job in state.running}
        used = sum(state.instance.jobs.gpus[index] for index in leased)
        assert used + state.free.total == state.instance.cluster.total_gpus


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("quirks", [False, True])
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(instance=instances(restarts=True), batch_s=st.sampled_from([0.0, 0.3]))
def test_all_variants_make_valid_schedules(variant, quirks, instance, batch_s):
    policy = Dally(
        variant=variant,
        batch_s=batch_s,
        rack_leases=1,
        network_leases=2.5,
        wake_at_expiry=not quirks,
        stale_history=quirks,
        batch_check_per_gpu=quirks,
    )
    observers = [] if variant == "no-preemption" else [LeasedIsUsed(policy)]
    judged(instance, policy, observers)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(instance=instances(restarts=True), fit=st.sampled_from(["first", "best"]))
def test_fully_consolidated_never_goes_beyond_the_best_tier(instance, fit):
    run = judged(instance, Dally(variant="fully-consolidated", fit=fit, lease_s=1.0))
    for row in run.schedule.segments:
        gpus = instance.jobs.gpus.item(row.job)
        assert tier_of(row.placement, instance.cluster) == best_tier(gpus, instance.cluster)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(instance=instances(restarts=True), fit=st.sampled_from(["first", "best"]))
def test_waits_of_0_are_no_waits_and_infinite_ones_full_consolidation(instance, fit):
    def schedule(policy):
        found = judged(instance, policy).schedule
        return [(row.job, row.placement, row.start_s, row.end_s) for row in found.segments]

    def without_timers(limit):
        return ComposedPolicy(
            NetworkSensitivity(),
            placement=Tiered(fit=fit, limit=limit),
            preemption=Leases(1.0),
        )

    common = {"fit": fit, "lease_s": 1.0}
    no_wait = schedule(Dally(variant="no-wait", **common))
    manual = schedule(Dally(variant="manual", rack_leases=0, network_leases=0, **common))
    assert manual == no_wait == schedule(without_timers("network"))
    assert schedule(Dally(variant="auto", history_leases=0, **common)) == no_wait
    consolidated = schedule(Dally(variant="fully-consolidated", **common))
    assert consolidated == schedule(without_timers("best"))


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(instance=instances(slotted=False, restarts=True))
def test_no_job_waits_beyond_its_timers_for_gpus_that_are_free(instance):
    """What a job accepts by its clock and is free it has: an expired wait is acted upon."""
    policy = Dally(variant="manual", lease_s=0.8, rack_leases=1, network_leases=2)

    class Refused(Observer):
        def on_instant(self, state):
            for job in state.waiting:
                assert policy.placement.offer(job, state.free, state) is None

    judged(instance, policy, [Refused()])
