"""Shortest remaining time first, and displacement, by hand."""

from judged_runs import judged_rows as run

from optsched.core.cluster import Cluster
from optsched.core.jobs import Job
from optsched.policies import Srtf


def test_equal_time_left_displaces_nobody():
    jobs = [Job("a", 2, 9, compute_s=1.0), Job("b", 2, 5, compute_s=1.0, arrival_s=4.0)]
    assert run(Cluster.uniform(1, 2), jobs, Srtf()) == [
        (0, {0: 2}, 0.0, 9.0),
        (1, {0: 2}, 9.0, 14.0),
    ]


def three_jobs():
    return [
        Job("b", 3, 50, compute_s=1.0),
        Job("c", 1, 60, compute_s=1.0),
        Job("n", 2, 5, compute_s=1.0, arrival_s=10.0),
    ]


def test_a_victim_whose_gpus_are_not_needed_runs_on():
    # At 10 s, c has 50 s left and b 40: c is the first victim, but its GPU does not suffice, and
    # once b stops too it is not needed.
    assert run(Cluster.uniform(1, 4), three_jobs(), Srtf()) == [
        (0, {0: 3}, 0.0, 10.0),
        (1, {0: 1}, 0.0, 60.0),
        (2, {0: 2}, 10.0, 15.0),
        (0, {0: 3}, 15.0, 55.0),
    ]


def test_the_victim_pays_for_its_restart():
    found = run(Cluster.uniform(1, 4), three_jobs(), Srtf(), restart_s=2.0)
    assert found[3] == (0, {0: 3}, 15.0, 57.0)


def test_nobody_is_stopped_in_vain():
    # 2 GPUs on one server: each server runs a job of one GPU that has less time left, and one that
    # has more; to stop the latter two would free a GPU on each. At 10 s short0 ends; long0 stops.
    jobs = [
        Job("short0", 1, 10, compute_s=1.0),
        Job("long0", 1, 40, compute_s=1.0),
        Job("short1", 1, 10, compute_s=1.0, arrival_s=1.0),
        Job("long1", 1, 35, compute_s=1.0, arrival_s=1.0),
        Job("pair", 2, 20, compute_s=1.0, arrival_s=2.0),
    ]
    strict = run(Cluster.uniform(2, 2), jobs, Srtf())
    assert [row for row in strict if row[0] == 4] == [(4, {0: 2}, 10.0, 30.0)]
    assert len([row for row in strict if row[0] == 3]) == 1, "long1 ran without a stop"
    spread = run(Cluster.uniform(2, 2), jobs, Srtf(placement="tiered"))
    assert [row for row in spread if row[0] == 4] == [(4, {0: 1, 1: 1}, 2.0, 22.0)]


def test_one_newcomer_after_the_other_stops_the_next():
    jobs = [
        Job("a", 1, 20, compute_s=1.0),
        Job("b", 1, 10, compute_s=1.0, arrival_s=1.0),
        Job("c", 1, 3, compute_s=1.0, arrival_s=2.0),
    ]
    assert run(Cluster.uniform(1, 1), jobs, Srtf()) == [
        (0, {0: 1}, 0.0, 1.0),
        (1, {0: 1}, 1.0, 2.0),
        (2, {0: 1}, 2.0, 5.0),
        (1, {0: 1}, 5.0, 14.0),
        (0, {0: 1}, 14.0, 33.0),
    ]
