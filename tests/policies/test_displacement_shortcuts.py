"""What displacement remembers and leaves out changes nothing of what it decides."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from saturated_cluster import saturated
from strategies import instances

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.placement import Placement
from optsched.placement import Consolidated, FirstFit, Tiered
from optsched.policies import ComposedPolicy
from optsched.policies.parts import Displacement, ServiceQueues, by_remaining
from optsched.policies.parts.orders import BY_COMPLETION
from optsched.policies.parts.trial import Trial
from optsched.sim import FreePool, LiveJob, simulate

PLACEMENTS = {
    "consolidated": Consolidated,
    "first": lambda: Consolidated(fit="first"),
    "first-fit": FirstFit,
    "tiered": Tiered,
    "tiered-best": lambda: Tiered(limit="best"),
}
SEVERAL_SIZES = Cluster(
    [Server(f"s{number}", [8, 4, 16, 3][number % 4], f"r{number % 3}") for number in range(16)],
    Fabric(inter_bytes_per_s=12.5e9, degradation=0.3),
)


class Plain:
    """A rule that says no more than it must."""

    depends_on_demand_only = True

    def __init__(self, rule):
        self._rule = rule

    def offer(self, job, free, state):
        return self._rule.offer(job, free, state)


def by_time_left(placement, *, is_plain):
    """Return SRTF; plain, it ranks all anew in each pass and tries every victim."""
    return ComposedPolicy(
        by_remaining,
        placement=Plain(placement) if is_plain else placement,
        preemption=Displacement(by_remaining, standing=None if is_plain else BY_COMPLETION),
    )


def by_queue(placement, *, is_plain):
    """Return queues by attained service, plain or quick."""
    queues = ServiceQueues((600.0, 20_000.0), promote_knob=4.0)
    preemption = (
        Displacement(queues.rank, among_equals=queues.run_order)
        if is_plain
        else Displacement(queues.rank, standing=queues.standing)
    )
    rule = Plain(placement) if is_plain else placement
    return ComposedPolicy(queues, placement=rule, preemption=preemption)


def assert_same_runs(instance, policy, placement):
    quick = simulate(instance, policy(placement(), is_plain=False))
    plain = simulate(instance, policy(placement(), is_plain=True))
    for column in ("job", "start_s", "end_s"):
        assert np.array_equal(getattr(quick.schedule, column), getattr(plain.schedule, column))
    places = [
        [run.schedule.placements[number] for number in run.schedule.placement]
        for run in (quick, plain)
    ]
    assert places[0] == places[1]
    return quick


@pytest.mark.parametrize("policy", [by_time_left, by_queue])
@pytest.mark.parametrize("placement", PLACEMENTS.values(), ids=PLACEMENTS)
@pytest.mark.parametrize("cluster", [None, SEVERAL_SIZES], ids=["equal", "several-sizes"])
def test_a_saturated_cluster(policy, placement, cluster):
    instance = saturated(400)
    if cluster is not None:
        instance = instance.changed(cluster=cluster)
    run = assert_same_runs(instance, policy, placement)
    assert run.preemptions > 20


@pytest.mark.parametrize("policy", [by_time_left, by_queue])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(instance=instances())
def test_any_instance(policy, instance):
    for placement in (Consolidated, Tiered):
        assert_same_runs(instance, policy, placement)


def test_a_victim_keeps_its_gpus_where_they_make_no_difference():
    """8 GPUs on one of two servers: the jobs of server 0 do not add up, those of server 1 do."""
    pool = FreePool([8, 8])
    running = [
        _running(0, {0: 4}),
        _running(1, {1: 5}),
        _running(2, {0: 3, 1: 1}),
        _running(3, {1: 2}),
    ]
    for job in running:
        pool.take(job.placement)
    assert pool.free == [1, 0]
    trial = Trial(pool, 8)
    # The first two are not enough on any server; then job 2 has released what it holds on both.
    releases = trial.releases(running[1:], 8)
    next(releases)
    assert trial.victims == running[1:]
    assert pool.free == [4, 8]
    assert next(releases, "none") == "none"
    found = Consolidated().place(pool, 8, Cluster.uniform(2, 8))
    assert found.pairs == ((1, 8),)
    assert trial.needed_for(found) == [running[3], running[2], running[1]]
    trial.take_back()
    assert pool.free == [1, 0]


def _running(index, gpus_by_server):
    placement = Placement.of(gpus_by_server)
    job = LiveJob(index, placement.gpus, 0.0, 100, 1.0, 50.0)
    job.placement = placement
    return job
