"""Waiting for GPUs and queueing at them, by hand."""

import numpy as np
import pytest

from optsched.core.cluster import Cluster, Fabric
from optsched.core.errors import LimitReachedError, StalledJobError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.planners import FirstFitPlanner, ListScheduling, RandomGpus, SjfBco
from optsched.planners.dispatch import Dispatch
from optsched.planners.gpu_loads import fewest_loaded, first_servers
from optsched.planners.plan import task_of

INFINITY = float("inf")


def task(jobs, cluster, **changes):
    instance = Instance("hand", cluster, jobs, **changes)
    return task_of(instance, estimate_servers=None, estimate_degree=None)


def intervals(schedule, jobs):
    """Return (start, end) of each job by id."""
    return {jobs[row.job].id: (row.start_s, row.end_s) for row in schedule.segments}


def on(*gpus):
    """Return a choice of exactly these GPUs, once they are all eligible."""

    def choose(loads, eligible, wanted):
        chosen = np.array(gpus)
        return chosen if eligible[chosen].all() else None

    return choose


LONG_AND_TWO = [
    Job("a", 1, 3, compute_s=1.0),
    Job("b", 1, 1, compute_s=1.0),
    Job("c", 1, 1, compute_s=1.0),
]


def test_waiting_takes_what_is_free_and_queueing_takes_what_comes_first():
    # First fit on two GPUs: b and c go to the free GPU 1 or stand behind a at GPU 0.
    work = task(LONG_AND_TWO, Cluster.uniform(2, 1))
    expected = {
        "wait": {"a": (0.0, 3.0), "b": (0.0, 1.0), "c": (1.0, 2.0)},
        "queue": {"a": (0.0, 3.0), "b": (3.0, 4.0), "c": (4.0, 5.0)},
    }
    for mode, times in expected.items():
        schedule = Dispatch(range(3), lambda job: first_servers, INFINITY, mode).schedule(work)
        assert intervals(schedule, LONG_AND_TWO) == times


def test_the_head_of_the_line_blocks_who_waits_and_not_who_queues():
    # b has to have GPU 0, which a holds until 3 s; GPU 1 is free for c all the time.
    work = task(LONG_AND_TWO, Cluster.uniform(2, 1))
    choices = [on(0), on(0), on(1)]
    expected = {
        "wait": {"a": (0.0, 3.0), "b": (3.0, 4.0), "c": (3.0, 4.0)},
        "queue": {"a": (0.0, 3.0), "b": (3.0, 4.0), "c": (0.0, 1.0)},
    }
    for mode, times in expected.items():
        schedule = Dispatch(range(3), choices.__getitem__, INFINITY, mode).schedule(work)
        assert intervals(schedule, LONG_AND_TWO) == times


def test_a_gang_queues_at_all_its_gpus():
    # b stands behind a at GPU 0 and first at GPU 1; c behind b at GPU 1, so it comes after both.
    jobs = [
        Job("a", 1, 3, compute_s=1.0),
        Job("b", 2, 1, compute_s=1.0),
        Job("c", 1, 1, compute_s=1.0),
    ]
    work = task(jobs, Cluster.uniform(1, 2))
    choices = [on(0), on(0, 1), on(1)]
    schedule = Dispatch(range(3), choices.__getitem__, INFINITY, "queue").schedule(work)
    assert intervals(schedule, jobs) == {"a": (0.0, 3.0), "b": (3.0, 4.0), "c": (4.0, 5.0)}


@pytest.mark.parametrize("mode", ["wait", "queue"])
def test_the_order_holds_among_those_that_have_arrived_and_nobody_waits_for_the_future(mode):
    jobs = [
        Job("first but late", 2, 2, compute_s=1.0, arrival_s=1.0),
        Job("second", 1, 4, compute_s=1.0),
        Job("third", 2, 3, compute_s=1.0),
        Job("last", 1, 1, compute_s=1.0, arrival_s=1.0),
    ]
    work = task(jobs, Cluster.uniform(1, 2))
    schedule = Dispatch(range(4), lambda job: fewest_loaded, INFINITY, mode).schedule(work)
    times = intervals(schedule, jobs)
    assert times["second"] == (0.0, 4.0), "it does not wait for the first, which comes at 1 s"
    if mode == "wait":
        # At 4 s the first, now there, comes before the third.
        assert times["first but late"] == (4.0, 6.0)
        assert times["third"] == (6.0, 9.0)
        assert times["last"] == (9.0, 10.0)
    else:
        # The third took its place in both queues at 0 s.
        assert times["third"] == (4.0, 7.0)
        assert times["first but late"] == (7.0, 9.0)
        assert times["last"] == (9.0, 10.0)


@pytest.mark.parametrize("mode", ["wait", "queue"])
def test_a_cap_that_is_too_tight_gives_no_schedule(mode):
    # Work of 3 + 1 + 1 s on two GPUs: under 3 s it fits as 3 and 1 + 1, under 2.9 s not at all.
    work = task(LONG_AND_TWO, Cluster.uniform(2, 1))

    def makespan(cap_s):
        schedule = Dispatch(range(3), lambda job: first_servers, cap_s, mode).schedule(work)
        return None if schedule is None else schedule.end_time_s

    assert makespan(3.0) == 3.0
    assert makespan(2.9) is None
    assert makespan(4.0) == (3.0 if mode == "wait" else 4.0)


@pytest.mark.parametrize(
    ("scheduler", "name"),
    [
        (scheduler, name)
        for scheduler in (SjfBco, ListScheduling, FirstFitPlanner, RandomGpus)
        for name in ("dispatch", "cap_search")
        if (scheduler, name) != (RandomGpus, "cap_search")
    ],
)
def test_a_way_that_does_not_exist_is_refused(scheduler, name):
    with pytest.raises(ValueError, match=f"{name} is one of .*; got 'wiat'"):
        scheduler(**{name: "wiat"})


def test_a_horizon_below_every_duration_is_named():
    instance = Instance("hand", Cluster.uniform(2, 1), LONG_AND_TWO)
    for scheduler in (SjfBco, ListScheduling, FirstFitPlanner):
        with pytest.raises(LimitReachedError, match=r"at most 2 s of work a GPU; raise horizon_s"):
            scheduler(horizon_s=2.0).plan(instance)


def stalling_instance():
    """Return two jobs that complete nothing in a slot once they share a server, as they do."""
    cluster = Cluster.uniform(3, 2, fabric=Fabric(inter_bytes_per_s=1e9))
    jobs = [Job(name, 3, 4, gradient_bytes=600e6, compute_s=0.1) for name in "ab"]
    return Instance("stall", cluster, jobs, slot_s=1.0)


@pytest.mark.parametrize("scheduler", [SjfBco(), ListScheduling(), FirstFitPlanner(), RandomGpus()])
def test_a_plan_that_stalls_says_so_and_does_not_blame_the_horizon(scheduler):
    with pytest.raises(StalledJobError, match="completes none in a slot") as caught:
        scheduler.plan(stalling_instance(), seed=1)
    assert "horizon_s" not in str(caught.value)
