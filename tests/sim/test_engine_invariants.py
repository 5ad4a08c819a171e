"""Debug mode: every invariant fires when what it guards is broken."""

import pytest
from scripted import Script, start

from optsched.core.cluster import Cluster, Fabric
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.sim import Observer, Simulation
from optsched.sim.invariants import assert_invariants
from optsched.sim.progress import COMPLETION


def state_in_the_middle():
    """Return a simulation just after 1 s: jobs 0 and 1 share server 1, 2 is local, 3 waits."""
    cluster = Cluster.uniform(3, 3, fabric=Fabric(inter_bytes_per_s=1e9, degradation=0.5))
    jobs = [
        Job("a", 3, 10, gradient_bytes=750e6, compute_s=0.05),
        Job("b", 3, 10, gradient_bytes=750e6, compute_s=0.05),
        Job("c", 1, 50, compute_s=0.1),
        Job("d", 9, 1, compute_s=0.1),
        Job("e", 1, 1, compute_s=1.0),
    ]

    class Stop(Exception):
        pass

    class Catch(Observer):
        def on_instant(self, state):
            if state.now_s >= 1.0:
                raise Stop

    actions = [start(0, {0: 2, 1: 1}), start(1, {1: 1, 2: 2}), start(2, {0: 1}), start(4, {1: 1})]
    simulation = Simulation(
        Instance("five", cluster, jobs), Script({0.0: actions}), debug=True, observers=[Catch()]
    )
    with pytest.raises(Stop):
        simulation.run()
    return simulation


def test_a_sound_state_passes():
    state = state_in_the_middle()
    assert_invariants(state)
    assert (state.now_s, len(state.running), len(state.waiting)) == (1.0, 3, 1)


def lose_a_gpu(state):
    state.free.free[0] -= 1


def miscount_the_total(state):
    state.free.total += 1


def take_gpus_for_nobody(state):
    state.free.take(Placement.of({1: 1}))


def forget_a_server_in_a_bucket(state):
    state.free._buckets[state.free.free[1]] = 0


def list_a_server_twice(state):
    state.free._buckets[3] |= 1 << 1


def tear_a_gang(state):
    state._running[0].placement = Placement.of({0: 2})


def run_nowhere(state):
    state._running[0].placement = None


def wait_and_run(state):
    state._waiting[0] = state._running[0]


def wait_with_gpus(state):
    state._waiting[3].placement = Placement.of({0: 9})


def be_due_while_waiting(state):
    state._waiting[3].due = 5.0


def wait_when_done(state):
    state._done[3] = 1


def run_when_done(state):
    state._done[0] = 1


def be_overdue(state):
    state._running[0].due = state._running[0].scheduled = 0.5


def have_an_event_too_late(state):
    state._running[2].scheduled = 1e6


def lose_an_event(state):
    state._events[:] = [event for event in state._events if event[1:3] != (COMPLETION, 2)]


def gain_work(state):
    state._running[2].remaining = 51.0


def miscount_a_resource(state):
    state._tracker.load[1] = 1


def forget_a_neighbour(state):
    del state._tracker.jobs[1][0]


def remember_one_that_is_gone(state):
    state._tracker.jobs[0][9] = state._running[1]


def cross_another_resource(state):
    state._running[0].resources = (0, 2)


def have_the_wrong_degree(state):
    state._running[0].degree = 1


def let_a_local_job_contend(state):
    state._running[2].degree = 1


def run_at_yesterdays_speed(state):
    state._running[0].iteration_time_s = 1.05


@pytest.mark.parametrize(
    ("corrupt", "says"),
    [
        (lose_a_gpu, "free"),
        (miscount_the_total, "total"),
        (take_gpus_for_nobody, "free"),
        (forget_a_server_in_a_bucket, "buckets"),
        (list_a_server_twice, "buckets"),
        (tear_a_gang, "gang"),
        (run_nowhere, "placement"),
        (wait_and_run, "waits or runs"),
        (wait_with_gpus, "no placement"),
        (be_due_while_waiting, "due at no time"),
        (wait_when_done, "does not wait"),
        (run_when_done, "does not run"),
        (be_overdue, "time never goes back"),
        (have_an_event_too_late, "too late"),
        (lose_an_event, "live event"),
        (gain_work, "remaining"),
        (miscount_a_resource, "counts"),
        (forget_a_neighbour, "counted"),
        (remember_one_that_is_gone, "counts"),
        (cross_another_resource, "resources"),
        (have_the_wrong_degree, "degree"),
        (let_a_local_job_contend, "degree"),
        (run_at_yesterdays_speed, "speed"),
    ],
)
def test_an_invariant_fires(corrupt, says):
    state = state_in_the_middle()
    corrupt(state)
    with pytest.raises(AssertionError, match=says):
        assert_invariants(state)


def test_debug_mode_asks_after_every_instant():
    cluster = Cluster.uniform(1, 2)
    jobs = [Job("a", 2, 1, compute_s=1.0), Job("b", 2, 1, compute_s=1.0)]

    def policy(state):
        for job in list(state.waiting):
            if state.free.total:
                state.start(job, Placement.of({0: 2}))
        if state.now_s == 1.0:
            state._done[1] = 1

    instance = Instance("two", cluster, jobs)
    assert Simulation(instance, policy).run().end_time_s == 2.0
    with pytest.raises(AssertionError, match="does not run"):
        Simulation(instance, policy, debug=True).run()
