"""What a policy may not do, and whether the message says where, when and why."""

import pytest
from scripted import Script, preempt, start, waiting

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.errors import PolicyError, StalledJobError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.sim import LiveJob, engine, simulate

CLUSTER = Cluster([Server("left", 2), Server("right", 2)])


def two_jobs(**changes):
    jobs = [Job("a", 2, 10, compute_s=1.0), Job("b", 2, 10, compute_s=1.0)]
    return Instance("two", CLUSTER, jobs, **changes)


def refused(policy, instance=None):
    with pytest.raises(PolicyError) as caught:
        simulate(two_jobs() if instance is None else instance, policy, debug=True)
    return caught.value


def test_gpus_that_are_not_free():
    error = refused(Script({0.0: [start(0, {0: 1, 1: 1})], 4.0: [start(1, {0: 2})]}))
    assert (error.job, error.server, error.time_s) == ("b", "left", 4.0)
    assert str(error) == "at 4 s, job 'b', server 'left': needs 2 free GPUs, got 1"


def test_more_gpus_than_the_server_has():
    jobs = [Job("a", 4, 1, compute_s=1.0)]
    error = refused(Script({0.0: [start(0, {1: 4})]}), Instance("one", CLUSTER, jobs))
    assert (error.job, error.server) == ("a", "right")
    assert "needs 4 free GPUs, got 2" in str(error)


@pytest.mark.parametrize("gpus", [{0: 1}, {0: 2, 1: 1}])
def test_a_gang_that_is_not_whole(gpus):
    error = refused(Script({0.0: [start(0, gpus)]}))
    assert error.job == "a"
    assert error.rule == (f"all 2 GPUs start together, got a placement of {sum(gpus.values())}")


@pytest.mark.parametrize("server", [2, -1])
def test_a_server_that_does_not_exist(server):
    error = refused(Script({0.0: [start(0, {server: 2})]}))
    assert error.job == "a"
    assert error.rule == f"there is no server at position {server}"


@pytest.mark.parametrize(
    ("servers", "counts"),
    [
        ((0, 1), (-1, 3)),
        ((0, 1), (2, 0)),
        ((0, 0), (1, 1)),
        ((1, 0), (1, 1)),
        ((0, 1), (2,)),
        ((), ()),
    ],
)
def test_a_placement_that_is_none(servers, counts):
    def policy(state):
        state.start(waiting(state, 0), Placement(servers, counts))

    error = refused(policy)
    assert error.job == "a"
    assert "a placement names each server once, in order" in error.rule or (
        "all 2 GPUs start together" in error.rule
    )


def test_no_placement_can_take_more_than_is_free_by_naming_a_server_twice():
    jobs = [Job("a", 4, 1, compute_s=1.0)]

    def policy(state):
        state.start(waiting(state, 0), Placement((0, 0), (2, 2)))

    error = refused(policy, Instance("one", CLUSTER, jobs))
    assert "a placement names each server once, in order" in error.rule


def test_a_running_job_started_twice():
    kept = []

    def policy(state):
        kept.extend(state.waiting)
        state.start(kept[0], Placement.of({0: 2}))
        state.start(kept[0], Placement.of({1: 2}))

    error = refused(policy)
    assert (error.job, error.time_s) == ("a", 0.0)
    assert error.rule == "only a waiting job can start; this one runs already"


def test_things_that_are_no_job_or_no_placement():
    error = refused(lambda state: state.start(99, Placement.of({0: 2})))
    assert str(error) == (
        "at 0 s: start takes a job of state.waiting and a Placement, got int and Placement"
    )
    error = refused(lambda state: state.start(waiting(state, 1), None))
    assert (error.job, error.time_s) == ("b", 0.0)
    assert error.rule.endswith("got LiveJob and NoneType")
    error = refused(lambda state: state.preempt("a"))
    assert error.rule == "preempt takes a job of state.running, got str"


def test_the_time_of_a_late_timer_has_all_its_digits():
    """At Unix times six digits are a quarter of an hour."""
    start_s = 1_700_000_000.5
    jobs = [Job("a", 2, 10, compute_s=1.0), Job("b", 2, 10, compute_s=1.0, arrival_s=start_s)]
    instance = Instance("late", CLUSTER, jobs)

    def policy(state):
        for job in list(state.waiting):
            if job.index == 1:
                state.set_timer(start_s - 1.0, job)
            else:
                state.start(job, Placement.of({0: 2}))

    assert "got 1699999999.5 s" in refused(policy, instance).rule


def test_a_done_job_started_again():
    kept = []

    def policy(state):
        kept.extend(state.waiting)
        if state.now_s == 0:
            for position, job in enumerate(list(state.waiting)):
                state.start(job, Placement.of({position: 2}))
        else:
            state.start(kept[1], Placement.of({0: 2}))

    error = refused(policy)
    assert (error.job, error.time_s) == ("b", 10.0)
    assert "this one is not waiting" in error.rule


@pytest.mark.parametrize("index", [0, 7])
def test_a_job_that_the_engine_never_made(index):
    forged = LiveJob(index, 2, 0.0, 10, 1.0, 10.0)
    error = refused(lambda state: state.start(forged, Placement.of({0: 2})))
    assert error.job == ("a" if index == 0 else None)
    assert "this one is not waiting" in error.rule


def test_a_job_that_has_not_arrived():
    jobs = [Job("a", 2, 1, compute_s=9.0), Job("b", 2, 1, compute_s=1.0, arrival_s=5.0)]
    early = LiveJob(1, 2, 5.0, 1, 1.0, 1.0)
    error = refused(
        lambda state: state.start(early, Placement.of({0: 2})), Instance("two", CLUSTER, jobs)
    )
    assert (error.job, error.time_s) == ("b", 0.0)


def test_a_waiting_job_preempted():
    error = refused(lambda state: state.preempt(waiting(state, 1)))
    assert (error.job, error.rule) == ("b", "only a running job can be preempted")


def test_a_job_preempted_at_the_instant_of_its_start():
    error = refused(Script({0.0: [start(0, {0: 2}), preempt(0)]}))
    assert (error.job, error.time_s) == ("a", 0.0)
    assert error.rule == "a job cannot be preempted at the instant of its start"


@pytest.mark.parametrize("slot_s", [None, 1.0])
@pytest.mark.parametrize("time_s", [4.0, 3.9, -1.0, float("inf"), float("nan")])
def test_a_timer_that_is_not_after_now(time_s, slot_s):
    def late(state):
        state.set_timer(time_s, waiting(state, 1))

    error = refused(
        Script({0.0: [start(0, {0: 2})], 4.0: [late]}), two_jobs().changed(slot_s=slot_s)
    )
    assert (error.job, error.time_s) == ("b", 4.0)
    assert error.rule == f"a timer must be after now, got {time_s:g} s"


@pytest.mark.parametrize(("left", "text"), [(1, "left waiting although"), (0, "(and 1 more)")])
def test_a_job_left_waiting_for_ever(left, text):
    actions = {0.0: [start(0, {0: 2})]} if left == 1 else {}
    error = refused(Script(actions))
    assert error.job == ("b" if left == 1 else "a")
    assert text in error.rule
    assert "nothing runs or will arrive" in error.rule


def test_a_policy_that_only_sets_timers(monkeypatch):
    monkeypatch.setattr(engine, "MAX_IDLE_INSTANTS", 50)
    passes = []

    def policy(state):
        passes.append(state.now_s)
        state.set_timer(state.now_s + 1.0)

    error = refused(policy)
    assert "only timers fire" in error.rule
    assert len(passes) == 52, "one for the arrivals, then 51 of timers"


def test_timers_between_events_are_no_such_policy(monkeypatch):
    monkeypatch.setattr(engine, "MAX_IDLE_INSTANTS", 50)

    def policy(state):
        for position, job in enumerate(list(state.waiting)):
            state.start(job, Placement.of({position: 2}))
        if state.now_s < 9:
            state.set_timer(state.now_s + 0.25)

    assert simulate(two_jobs(), policy).schedule.end_time_s == 10.0


def test_a_job_that_completes_no_iteration_in_a_slot():
    # τ = 0.1 + 2 * 600e6 * (2/3) / 1e9 = 0.9 s alone and 1.7 s beside another.
    cluster = Cluster.uniform(3, 2, fabric=Fabric(inter_bytes_per_s=1e9))
    jobs = [Job(name, 3, 4, gradient_bytes=600e6, compute_s=0.1) for name in "ab"]
    instance = Instance("stall", cluster, jobs, slot_s=1.0)
    together = Script({0.0: [start(0, {0: 2, 1: 1}), start(1, {1: 1, 2: 2})]})
    with pytest.raises(StalledJobError, match=r"job '[ab]' needs 1\.7 s .* slot of 1 s"):
        simulate(instance, together)
    in_turn = Script({0.0: [start(0, {0: 2, 1: 1})], 4.0: [start(1, {0: 2, 1: 1})]})
    assert simulate(instance, in_turn).schedule.end_s.tolist() == [4.0, 8.0]
