"""Preemption, restarts and timers, worked out with pencil and paper."""

from scripted import Script, preempt, rows, running, start, waiting

from optsched.core.cluster import Cluster
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.sim import simulate

ONE_SERVER = Cluster.uniform(1, 2)


def one_job(**changes):
    return Instance("one", ONE_SERVER, [Job("a", 2, 10, compute_s=1.0)], **changes)


def test_a_preempted_job_keeps_its_progress_and_pays_for_the_restart():
    # 4 iterations until 4 s; from 6 s on it holds its GPUs for 1 + 2 * 0.25 s without progress.
    instance = one_job(restart_s=1.0, restart_s_per_gpu=0.25)
    run = simulate(
        instance,
        Script({0.0: [start(0, {0: 2})], 4.0: [preempt(0)], 6.0: [start(0, {0: 2})]}),
        debug=True,
    )
    assert rows(run.schedule) == [(0, {0: 2}, 0.0, 4.0), (0, {0: 2}, 6.0, 13.5)]
    assert run.preemptions == 1


def test_to_go_on_in_place_is_free_and_to_move_is_not():
    cluster = Cluster.uniform(2, 2)
    instance = Instance("one", cluster, [Job("a", 2, 10, compute_s=1.0)], restart_s=1.0)
    stay = {0.0: [start(0, {0: 2})], 4.0: [preempt(0), start(0, {0: 2})]}
    move = {0.0: [start(0, {0: 2})], 4.0: [preempt(0), start(0, {1: 2})]}
    ends = [
        simulate(instance, Script(what), debug=True).schedule.end_time_s for what in (stay, move)
    ]
    assert ends == [10.0, 11.0]


def test_a_restart_that_is_cut_in_two_is_not_cut_short():
    # 1 iteration until 1 s; the restart of 2 s begins at 3 s and is due to end at 5 s. To stop
    # and go on in place at 4 s leaves 1 s of it; 9 iterations follow.
    actions = {
        0.0: [start(0, {0: 2})],
        1.0: [preempt(0)],
        3.0: [start(0, {0: 2})],
        4.0: [preempt(0), start(0, {0: 2})],
    }
    run = simulate(one_job(restart_s=2.0), Script(actions), debug=True)
    assert run.schedule.end_s.tolist() == [1.0, 4.0, 14.0]


def test_a_restart_that_is_given_up_was_for_nothing():
    actions = {
        0.0: [start(0, {0: 2})],
        1.0: [preempt(0)],
        3.0: [start(0, {0: 2})],
        4.0: [preempt(0)],
        6.0: [start(0, {0: 2})],
    }
    run = simulate(one_job(restart_s=2.0), Script(actions), debug=True)
    assert run.schedule.end_s.tolist() == [1.0, 4.0, 6.0 + 2.0 + 9.0]


def test_a_job_preempted_when_all_is_done_but_rounding_completes():
    # 3 * 0.1 = 0.30000000000000004, an ulp after 0.3.
    instance = Instance("one", ONE_SERVER, [Job("a", 2, 3, compute_s=0.1)], restart_s=5.0)
    finished = []

    class Preempt(Script):
        def on_finish(self, job, state):
            finished.append(job.index)

    script = Preempt({0.0: [start(0, {0: 2})], 0.3: [preempt(0)]})
    run = simulate(instance, script, debug=True)
    assert rows(run.schedule) == [(0, {0: 2}, 0.0, 0.3)]
    assert (finished, run.preemptions) == ([0], 0)


def test_what_a_policy_sees_of_progress():
    seen = {}
    instance = one_job(restart_s=2.0)

    def look(state):
        job = next(iter([*state.waiting, *state.running]))
        seen[state.now_s] = (
            state.remaining_iterations(job),
            state.remaining_s(job),
            state.attained_s(job),
        )

    actions = {
        0.0: [look, start(0, {0: 2})],
        4.0: [look, preempt(0)],
        5.0: [look, start(0, {0: 2})],
        6.0: [look],
        8.0: [look],
    }
    simulate(instance, Script(actions), debug=True)
    assert seen == {
        0.0: (10.0, 10.0, 0.0),
        4.0: (6.0, 6.0, 4.0),
        5.0: (6.0, 6.0, 4.0),
        6.0: (6.0, 7.0, 5.0),
        8.0: (5.0, 5.0, 7.0),
    }


def test_a_timer_is_replaced_by_the_next_and_dropped_at_the_start():
    fired = []

    class Timers(Script):
        def on_timer(self, job, state):
            fired.append((state.now_s, None if job is None else job.index))

    def set_timers(state):
        job = waiting(state, 0)
        state.set_timer(3.0, job)
        state.set_timer(2.0, job)

    def again(state):
        state.set_timer(7.0, waiting(state, 0))

    script = Timers({0.0: [set_timers], 5.0: [again, start(0, {0: 2})]})
    run = simulate(one_job(), script, debug=True)
    assert fired == [(2.0, 0), (5.0, None)]
    assert script.instants == [0.0, 2.0, 5.0, 15.0]
    assert run.schedule.end_time_s == 15.0


def test_a_timer_of_a_running_job_names_it_and_ends_with_it():
    fired = []

    class Timers(Script):
        def on_timer(self, job, state):
            fired.append((state.now_s, None if job is None else job.index))
            if job is not None:
                state.set_timer(11.0, job)

    def set_timer(state):
        state.set_timer(4.0, running(state, 0))

    script = Timers({0.0: [start(0, {0: 2}), set_timer]})
    simulate(one_job(), script, debug=True)
    assert fired == [(4.0, 0)]
    assert script.instants == [0.0, 4.0, 10.0], "nothing happens at 11 s"


def test_what_is_left_of_a_restart():
    seen = []

    class Look(Script):
        def schedule(self, state):
            seen.extend((state.now_s, state.restart_left_s(job)) for job in state.running)
            super().schedule(state)
            seen.extend((state.now_s, state.restart_left_s(job)) for job in state.running)

    actions = {
        0.0: [start(0, {0: 2})],
        1.0: [preempt(0)],
        3.0: [start(0, {0: 2})],
        3.5: [lambda state: None],
    }
    simulate(one_job(restart_s=2.0), Look(actions), debug=True)
    assert seen == [(0.0, 0.0), (1.0, 0.0), (3.0, 2.0), (3.5, 1.5), (3.5, 1.5)]
    seen.clear()
    actions = {0.0: [start(0, {0: 2})], 2.0: [preempt(0)], 4.0: [start(0, {0: 2})]}
    simulate(one_job(restart_s=2.5, slot_s=2.0), Look(actions), debug=True)
    # 2.5 s are two slots.
    assert seen == [(0.0, 0.0), (2.0, 0.0), (4.0, 4.0)]


def test_a_time_has_come_when_no_timer_can_be_set_to_it():
    seen = []

    def look(state):
        for job in list(state.waiting):
            state.start(job, Placement.of({0: job.gpus}))
        seen.append([state.has_come(time_s) for time_s in (0.0, 0.5, 10.0, float("inf"))])

    simulate(one_job(), look, debug=True)
    assert seen == [[True, False, False, False], [True, True, True, False]]
    seen.clear()
    # Ten iterations of 1 s in slots of 4 s: the job ends with the third slot, at 12 s.
    simulate(one_job(slot_s=4.0), look, debug=True)
    assert seen == [[True, False, False, False], [True, True, True, False]]
