"""The engine in slotted time, by hand."""

import pytest
from scripted import Script, preempt, rows, start, waiting

from optsched.core.cluster import Cluster, Fabric
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.sim import simulate

ONE_SERVER = Cluster.uniform(1, 2)


def run_alone(job, **changes):
    script = Script({})

    def at_once(state):
        script.instants.append(state.now_s)
        for found in list(state.waiting):
            start(found.index, {0: found.gpus})(state)

    schedule = simulate(Instance("one", ONE_SERVER, [job], **changes), at_once, debug=True).schedule
    return schedule.start_s.item(0), schedule.end_s.item(0)


def test_iterations_of_a_slot_are_rounded_down_and_the_last_slot_is_held_whole():
    # 3 iterations of 0.3 s fit into a slot; 10 take 4 slots, 12 s of work none but whole slots.
    assert run_alone(Job("a", 2, 10, compute_s=0.3), slot_s=1.0) == (0.0, 4.0)
    assert run_alone(Job("a", 2, 9, compute_s=0.3), slot_s=1.0) == (0.0, 3.0)
    assert run_alone(Job("a", 2, 10, compute_s=0.3), slot_s=0.5) == (0.0, 5.0)


@pytest.mark.parametrize(
    ("arrival_s", "begin_s"), [(0.0, 0.0), (2.0, 2.0), (2.1, 2.5), (2.4999, 2.5), (2.5, 2.5)]
)
def test_an_arrival_counts_from_the_next_slot_on(arrival_s, begin_s):
    job = Job("a", 2, 4, compute_s=0.25, arrival_s=arrival_s)
    assert run_alone(job, slot_s=0.5) == (begin_s, begin_s + 1.0)


def test_jobs_that_arrive_within_a_slot_come_in_the_order_of_the_instance():
    jobs = [
        Job("a", 2, 1, compute_s=1.0, arrival_s=0.9),
        Job("b", 2, 1, compute_s=1.0, arrival_s=0.1),
    ]
    order = []

    def policy(state):
        order.append([job.index for job in state.waiting])
        for job in list(state.waiting):
            if state.free.total:
                start(job.index, {0: 2})(state)

    simulate(Instance("two", ONE_SERVER, jobs, slot_s=1.0), policy, debug=True)
    assert order[0] == [0, 1]


def test_fixed_durations_are_rounded_up_once_and_not_floored_in_between():
    fixed = RateModel.of("fixed")
    assert run_alone(Job("a", 2, 1, compute_s=2.5), slot_s=1.0, rate_model=fixed) == (0.0, 3.0)
    assert run_alone(Job("a", 2, 7, compute_s=0.4), slot_s=1.0, rate_model=fixed) == (0.0, 3.0)


def test_a_slowdown_counts_from_the_slot_in_which_the_other_starts_to_its_last():
    # τ = 0.1 + 0.2 s alone and 0.1 + 0.4 s together: 3 and 2 iterations a slot. a does 6 in 2
    # slots, then 2 a slot beside b, which needs 4: 2 slots. a has 6 + 4 = 10 of 14 after slot 4,
    # and does the last 4 in 2 slots.
    cluster = Cluster.uniform(2, 2, fabric=Fabric(inter_bytes_per_s=1e9))
    jobs = [
        Job("a", 2, 14, gradient_bytes=0.2e9, compute_s=0.1),
        Job("b", 2, 3, gradient_bytes=0.2e9, compute_s=0.1),
    ]
    script = Script({0.0: [start(0, {0: 1, 1: 1})], 2.0: [start(1, {0: 1, 1: 1})]})
    run = simulate(Instance("two", cluster, jobs, slot_s=1.0), script, debug=True)
    # b does only 3 iterations, yet it loads the network through its last slot.
    assert rows(run.schedule) == [
        (0, {0: 1, 1: 1}, 0.0, 6.0),
        (1, {0: 1, 1: 1}, 2.0, 4.0),
    ]


def test_a_restart_is_rounded_up_to_slots():
    instance = Instance(
        "one",
        ONE_SERVER,
        [Job("a", 2, 10, compute_s=1.0)],
        slot_s=1.0,
        restart_s=1.0,
        restart_s_per_gpu=0.1,
    )
    script = Script({0.0: [start(0, {0: 2})], 4.0: [preempt(0)], 6.0: [start(0, {0: 2})]})
    run = simulate(instance, script, debug=True)
    assert run.schedule.end_s.tolist() == [4.0, 6.0 + 2.0 + 6.0]


def test_a_timer_fires_at_the_next_slot():
    passes = []

    def policy(state):
        passes.append(state.now_s)
        if state.now_s == 0:
            state.set_timer(2.2)
        elif state.waiting:
            start(waiting(state, 0).index, {0: 2})(state)

    job = Job("a", 2, 1, compute_s=1.0)
    simulate(Instance("one", ONE_SERVER, [job], slot_s=1.0), policy, debug=True)
    assert passes == [0.0, 3.0, 4.0]


def test_remaining_time_is_in_seconds():
    seen = {}

    def look(state):
        for job in [*state.waiting, *state.running]:
            seen[state.now_s] = (
                state.remaining_iterations(job),
                state.remaining_s(job),
                state.attained_s(job),
            )

    actions = {0.0: [start(0, {0: 2}), look], 1.0: [look], 1.5: [preempt(0), look]}
    actions[4.0] = [start(0, {0: 2})]
    job = Job("a", 2, 10, compute_s=0.25)
    run = simulate(Instance("one", ONE_SERVER, [job], slot_s=0.5), Script(actions), debug=True)
    assert seen == {0.0: (10.0, 2.5, 0.0), 1.0: (6.0, 1.5, 1.0), 1.5: (4.0, 1.0, 1.5)}
    assert run.schedule.end_time_s == 5.0
