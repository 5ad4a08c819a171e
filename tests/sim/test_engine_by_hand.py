"""The engine on schedules worked out with pencil and paper."""

import pytest
from scripted import Script, rows, start

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.sim import Observer, Simulation, simulate

ONE_SERVER = Cluster.uniform(1, 2)


def pair_that_shares():
    """Two jobs of 3 GPUs over 3 x 2: alone τ = 1.05 s, together 0.05 + 2.5 = 2.55 s."""
    cluster = Cluster.uniform(3, 2, fabric=Fabric(inter_bytes_per_s=1e9, degradation=0.5))
    jobs = [Job(name, 3, 10, gradient_bytes=750e6, compute_s=0.05) for name in "ab"]
    return Instance("pair", cluster, jobs)


def test_two_spread_jobs_at_once_slow_each_other_down():
    script = Script({0.0: [start(0, {0: 2, 1: 1}), start(1, {1: 1, 2: 2})]})
    run = simulate(pair_that_shares(), script, debug=True)
    assert rows(run.schedule) == [(0, {0: 2, 1: 1}, 0.0, 25.5), (1, {1: 1, 2: 2}, 0.0, 25.5)]
    # The start of the second job slows the first one; the end of the first frees the second one,
    # too late to matter.
    assert (run.instants, run.re_rates) == (2, 2)


def test_one_after_the_other_ends_earlier():
    instance = pair_that_shares()
    script = Script({0.0: [start(0, {0: 2, 1: 1})], 10.5: [start(1, {1: 1, 2: 2})]})
    run = simulate(instance, script, debug=True)
    assert run.schedule.end_s.tolist() == [10.5, 21.0]
    assert (run.re_rates, run.preemptions) == (0, 0)


def test_progress_is_kept_when_the_speed_changes():
    # a alone for 4.2 s does 4 iterations. Then both run at 2.55 s: a needs 6 more, 15.3 s, until
    # 19.5 s; b has done 6 by then, and does the last 4 alone in 4.2 s.
    script = Script({0.0: [start(0, {0: 2, 1: 1})], 4.2: [start(1, {1: 1, 2: 2})]})
    run = simulate(pair_that_shares(), script, debug=True)
    assert run.schedule.end_s.tolist() == pytest.approx([19.5, 23.7], rel=1e-14)
    assert run.re_rates == 2


def test_a_local_job_neither_disturbs_nor_is_disturbed():
    instance = pair_that_shares().with_jobs(
        [
            Job("spread", 2, 10, gradient_bytes=1e9, compute_s=0.5),
            Job("local", 1, 10, compute_s=1.0),
        ]
    )
    # The ring moves 2 * 1e9 * (1/2) / 1e9 = 1 s; τ = 1.5 s and 1 s.
    script = Script({0.0: [start(0, {0: 1, 1: 1}), start(1, {0: 1})]})
    run = simulate(instance, script, debug=True)
    assert run.schedule.end_s.tolist() == [15.0, 10.0]
    assert run.re_rates == 0


def test_ends_that_coincide_are_one_instant():
    # Both end at 25.5 s; a third job that needs the GPUs of both starts then, and no pass is held
    # between the two ends.
    instance = pair_that_shares()
    jobs = [*instance.jobs, Job("c", 6, 1, compute_s=1.0)]
    together = [start(0, {0: 2, 1: 1}), start(1, {1: 1, 2: 2})]
    script = Script({0.0: together, 25.5: [start(2, {0: 2, 1: 2, 2: 2})]})
    run = simulate(instance.with_jobs(jobs), script, debug=True)
    assert script.instants == [0.0, 25.5, 26.5]
    assert run.instants == 3


@pytest.mark.parametrize("shift_s", [0.0, 0.1, 0.7, 1 / 3])
@pytest.mark.parametrize("gigabytes", [0.75, 0.33, 0.71])
def test_twins_that_share_end_at_one_instant_whatever_the_rounding(gigabytes, shift_s):
    # The end of the first twin changes the speed of the second, which is due at the same time.
    cluster = Cluster.uniform(3, 3, fabric=Fabric(inter_bytes_per_s=1e9, degradation=0.3))
    jobs = [
        Job(name, 3, iterations, gradient_bytes=gigabytes * 1e9, compute_s=0.1, arrival_s=shift_s)
        for name, iterations in (("a", 7), ("b", 7), ("short", 2))
    ]
    together = [start(0, {0: 2, 1: 1}), start(1, {1: 1, 2: 2}), start(2, {0: 1, 1: 1, 2: 1})]
    run = simulate(Instance("twins", cluster, jobs), Script({shift_s: together}), debug=True)
    assert run.instants == 3
    assert run.schedule.end_s[0] == run.schedule.end_s[1]


class Recorder:
    """Writes down every call."""

    def __init__(self):
        self.calls = []

    def schedule(self, state):
        self.calls.append(("pass", state.now_s))
        for job in list(state.waiting):
            if job.gpus <= state.free.total:
                state.start(job, Placement.of({0: job.gpus}))

    def on_begin(self, state):
        self.calls.append(("begin", state.now_s))

    def on_arrival(self, job, state):
        self.calls.append(("arrival", state.now_s, job.index))
        if job.index == 3:
            state.set_timer(5.0)
            state.set_timer(5.0, job)

    def on_start(self, job, state):
        self.calls.append(("start", state.now_s, job.index))

    def on_finish(self, job, state):
        self.calls.append(("finish", state.now_s, job.index))

    def on_timer(self, job, state):
        self.calls.append(("timer", state.now_s, None if job is None else job.index))


def test_an_instant_settles_ends_then_arrivals_then_timers_then_asks_once():
    cluster = Cluster([Server("s0", 3)])
    jobs = [
        Job("late", 2, 5, compute_s=1.0, arrival_s=5.0),
        Job("second", 1, 5, compute_s=1.0),
        Job("first", 1, 1, compute_s=5.0),
        Job("big", 3, 1, compute_s=2.0),
        Job("also late", 1, 2, compute_s=1.0, arrival_s=5.0),
    ]
    policy = Recorder()
    simulate(Instance("order", cluster, jobs), policy, debug=True)
    assert policy.calls == [
        ("begin", 0.0),
        ("arrival", 0.0, 1),
        ("arrival", 0.0, 2),
        ("arrival", 0.0, 3),
        ("pass", 0.0),
        ("start", 0.0, 1),
        ("start", 0.0, 2),
        # Ends in the order of the instance, then arrivals likewise, then the policy's own timer
        # before that of a job, then one pass.
        ("finish", 5.0, 1),
        ("finish", 5.0, 2),
        ("arrival", 5.0, 0),
        ("arrival", 5.0, 4),
        ("timer", 5.0, None),
        ("timer", 5.0, 3),
        ("pass", 5.0),
        ("start", 5.0, 3),
        ("finish", 7.0, 3),
        ("pass", 7.0),
        ("start", 7.0, 0),
        ("start", 7.0, 4),
        ("finish", 9.0, 4),
        ("pass", 9.0),
        ("finish", 12.0, 0),
        ("pass", 12.0),
    ]


def test_observers_are_told_and_a_function_is_a_policy():
    told = []

    class Watch(Observer):
        def on_start(self, job, time_s):
            told.append(("start", job.index, time_s))

        def on_stop(self, job, time_s):
            told.append(("stop", job.index, time_s))

        def on_instant(self, state):
            told.append(("instant", state.now_s, state.free.total))

    def first_come(state):
        for job in list(state.waiting):
            if job.gpus <= state.free.total:
                state.start(job, Placement.of({0: job.gpus}))

    jobs = [Job("a", 2, 3, compute_s=1.0), Job("b", 1, 2, compute_s=1.0)]
    simulate(Instance("two", ONE_SERVER, jobs), first_come, observers=[Watch(), Observer()])
    assert told == [
        ("start", 0, 0.0),
        ("instant", 0.0, 0),
        ("stop", 0, 3.0),
        ("start", 1, 3.0),
        ("instant", 3.0, 1),
        ("stop", 1, 5.0),
        ("instant", 5.0, 2),
    ]


def test_ties_go_by_position_and_never_by_id():
    jobs = [Job(name, 2, 1, compute_s=1.0) for name in ("z", "m", "a")]

    def first_come(state):
        for job in list(state.waiting):
            if job.gpus <= state.free.total:
                state.start(job, Placement.of({0: 2}))

    run = simulate(Instance("ties", ONE_SERVER, jobs), first_come, debug=True)
    assert [row.job for row in run.schedule.segments] == [0, 1, 2]


def test_a_simulation_of_nothing_but_late_arrivals_begins_when_they_come():
    job = Job("a", 2, 2, compute_s=1.0, arrival_s=3.5)
    script = Script({3.5: [start(0, {0: 2})]})
    run = simulate(Instance("late", ONE_SERVER, [job]), script, debug=True)
    assert script.instants == [3.5, 5.5]
    assert run.schedule.end_time_s == 5.5


def test_time_never_goes_back():
    times = []

    class Watch(Observer):
        def on_instant(self, state):
            times.append(state.now_s)

    jobs = [Job(f"j{i}", 1 + i % 2, 3, compute_s=0.3, arrival_s=(7 * i) % 5) for i in range(9)]

    def first_come(state):
        for job in list(state.waiting):
            if job.gpus <= state.free.total:
                state.start(job, Placement.of({0: job.gpus}))

    Simulation(Instance("many", ONE_SERVER, jobs), first_come, observers=[Watch()]).run()
    assert times == sorted(set(times))
