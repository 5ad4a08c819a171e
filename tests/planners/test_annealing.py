"""Simulated annealing: its decoder by hand, its schedules by the judge."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from strategies import instances

from optsched.contention import rate_functions
from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.errors import StalledJobError, UnsupportedError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.schedule import schedule_sha256
from optsched.files import load
from optsched.judge import verify
from optsched.planners import Annealing
from optsched.planners.order_kernel import decode
from optsched.study import run


def jobs_of(*rows):
    """Return jobs that take so many seconds on so many GPUs, wherever they run."""
    return [
        Job(f"j{position}", gpus, 1, compute_s=seconds)
        for position, (gpus, seconds) in enumerate(rows)
    ]


def decoded(capacity, rows, release=None):
    """Decode jobs (server, GPUs, seconds), whole, in this order; return starts and free times."""
    count = len(rows)
    free = np.zeros((len(capacity), max(capacity)))
    start = np.zeros(count)
    total, last = decode(
        np.arange(count),
        np.ones(count, np.int64),
        np.array([[server] for server, _, _ in rows]),
        np.array([[gpus] for _, gpus, _ in rows]),
        np.array([[np.inf, seconds] for _, _, seconds in rows], np.float64),
        np.zeros(count) if release is None else np.array(release, np.float64),
        np.ones(count),
        np.array(capacity),
        free,
        np.zeros(len(capacity)),
        start,
    )
    return start.tolist(), free.tolist(), total, last


def test_the_decoder_starts_jobs_as_early_as_their_gpus_allow():
    # Four GPUs: 1 for 5 s and 2 for 3 s at once; 3 GPUs wait until 3 s (the fourth and those two);
    # one GPU finds none before 5 s.
    start, free, total, last = decoded([4], [(0, 1, 5), (0, 2, 3), (0, 3, 4), (0, 1, 1)])
    assert start == [0, 0, 3, 5]
    assert free == [[6, 7, 7, 7]]
    assert (total, last) == (5 + 3 + 7 + 6, 7)


def test_a_job_leaves_the_gpus_that_came_free_first_to_later_ones():
    # At 6 s the GPUs are free since 2 and 6 s. The job released then takes the one free since 6 s,
    # so that the last one still starts at 2 s.
    start, free, _, _ = decoded(
        [2], [(0, 1, 2), (0, 1, 6), (0, 1, 1), (0, 1, 3)], release=[0, 0, 6, 0]
    )
    assert start == [0, 0, 6, 2]
    assert free == [[5, 7]]


def test_servers_are_independent():
    start, free, _, last = decoded([1, 2], [(0, 1, 2), (1, 2, 3), (0, 1, 4), (1, 1, 1)])
    assert start == [0, 0, 2, 3]
    assert (free[0][0], free[1], last) == (6, [3, 4], 6)


def test_partition_is_solved():
    # 3 + 3 = 2 + 2 + 2: longest first gives 7.
    jobs = jobs_of((1, 3.0), (1, 3.0), (1, 2.0), (1, 2.0), (1, 2.0))
    instance = Instance("partition", Cluster.uniform(2, 1), jobs)
    assert Annealing(moves=2000).plan(instance).schedule.end_time_s == 6.0


def test_mean_jct_is_minimised_when_asked():
    # On one GPU shortest first is optimal: 1, 3 and 6 s, in whatever order the file has them.
    instance = Instance("one", Cluster.uniform(1, 1), jobs_of((1, 3.0), (1, 1.0), (1, 2.0)))
    plan = Annealing(objective="mean_jct", moves=500).plan(instance)
    assert verify(instance, plan.schedule).objectives["mean_jct"] == pytest.approx(10 / 3)
    weighted = instance.with_jobs(
        [Job("a", 1, 1, compute_s=3.0, weight=9.0), Job("b", 1, 1, compute_s=1.0)]
    )
    # Smith: 3/9 before 1/1.
    plan = Annealing(objective="weighted_jct", moves=500).plan(weighted)
    assert verify(weighted, plan.schedule).objectives["weighted_jct"] == pytest.approx(3.1)


def test_the_objective_of_interest_is_the_default():
    jobs = [Job("a", 1, 1, compute_s=9.0), Job("b", 1, 1, compute_s=1.0, arrival_s=0.5)]
    instance = Instance("two", Cluster.uniform(1, 1), jobs)
    # To wait for b costs a 1.5 s and saves b 8.5 s.
    schedule = Annealing(moves=500).plan(instance).schedule
    assert verify(instance, schedule).objectives["mean_jct"] == pytest.approx((10.5 + 1.0) / 2)


def test_a_job_larger_than_every_server_is_spread_and_spread_jobs_do_not_meet():
    instance = load("forced-12x4-0")
    assert instance.jobs.gpus.max() > instance.cluster.max_gpus_per_server
    judgement = verify(instance, Annealing(moves=20_000).plan(instance).schedule)
    assert judgement.is_valid
    assert judgement.metrics["contention_max"] == 1.0
    # By hand: eq. 8 with two servers, m(w−1)/w = 2 bytes there and back at 1 byte a second.
    fabric = Fabric(inter_bytes_per_s=1.0)
    job = Job("wide", 2, 3, gradient_bytes=2.0, compute_s=1.0)
    two = Instance("two", Cluster.uniform(2, 1, fabric=fabric), [job])
    assert Annealing(moves=10).plan(two).schedule.end_time_s == pytest.approx(3 * (1.0 + 2.0))


def test_the_same_seed_gives_the_same_schedule():
    instance = load("tight-40x8-0")
    schedules = [
        schedule_sha256(Annealing(moves=20_000).plan(instance, seed=seed).schedule)
        for seed in (1, 1, 2)
    ]
    assert schedules[0] == schedules[1] != schedules[2]


def test_it_stops_at_the_bound():
    instance = Instance("full", Cluster.uniform(1, 2), jobs_of((2, 3.0), (2, 5.0)))
    plan = Annealing(moves=10**9).plan(instance)
    assert plan.details == {"cycles": 0, "meets_bound": True}
    assert plan.schedule.end_time_s == 8.0


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(instance=instances())
def test_schedules_are_judged_valid(instance):
    assume(rate_functions(instance).is_level_model)
    for objective in ("makespan", "mean_jct"):
        try:
            plan = Annealing(objective=objective, moves=300).plan(instance)
        except StalledJobError:
            assert instance.is_slotted
            continue
        judgement = verify(instance, plan.schedule)
        assert judgement.is_valid, [str(violation) for violation in judgement.violations]
        assert len(plan.schedule) == len(instance.jobs)
        assert judgement.schedule_class.preemption == "none"


def test_a_network_on_which_servers_differ_is_refused():
    with pytest.raises(UnsupportedError, match="use sjf-bco or a policy"):
        run("racks-5x4-0", "annealing")
    own = Cluster([Server("s0", 1, inter_bytes_per_s=1.0), Server("s1", 1)])
    with pytest.raises(UnsupportedError):
        Annealing().plan(Instance("own", own, jobs_of((1, 1.0))))


@pytest.mark.parametrize(
    ("settings", "says"),
    [({"moves": 0}, "at least 1; got 0"), ({"objective": "span"}, "one of makespan, mean_jct")],
)
def test_parameters_are_checked(settings, says):
    with pytest.raises(ValueError, match=says):
        Annealing(**settings)


def test_it_is_a_scheduler_like_any_other():
    result = run("tight-6x3-0", "annealing:objective=mean_jct,moves=2000", objective="mean_jct")
    assert result.value <= run("tight-6x3-0", "list-scheduling", objective="mean_jct").value
