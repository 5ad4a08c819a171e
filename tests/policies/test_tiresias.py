"""Tiresias' queues, index and placement on made-up traces, worked out by hand."""

import math

import pytest
from judged_runs import judged_rows as run

from optsched.core.cluster import Cluster
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.placement.skew import SkewPlacement
from optsched.policies import Tiresias
from optsched.policies.parts import GittinsIndex
from optsched.sim import simulate

ONE_GPU = Cluster.uniform(1, 1)
TWO_GPUS = Cluster.uniform(1, 2)


def test_a_job_that_waits_long_is_promoted_and_counted_anew():
    # a sinks at 2 s, having run for 2 s, and so is promoted at 4 s, when b sinks. It sinks again
    # at 6 s, when b is promoted, which then has a second left.
    jobs = [Job("a", 2, 6, compute_s=1.0), Job("b", 2, 3, compute_s=1.0, arrival_s=1.0)]
    assert run(TWO_GPUS, jobs, Tiresias(thresholds=4, promote_knob=1)) == [
        (0, {0: 2}, 0.0, 2.0),
        (1, {0: 2}, 2.0, 4.0),
        (0, {0: 2}, 4.0, 6.0),
        (1, {0: 2}, 6.0, 7.0),
        (0, {0: 2}, 7.0, 9.0),
    ]


def test_no_promotion_without_the_knob():
    jobs = [Job("a", 2, 6, compute_s=1.0), Job("b", 2, 3, compute_s=1.0, arrival_s=1.0)]
    for knob in (None, 0, 100):
        assert run(TWO_GPUS, jobs, Tiresias(thresholds=4, promote_knob=knob)) == [
            (0, {0: 2}, 0.0, 2.0),
            (1, {0: 2}, 2.0, 5.0),
            (0, {0: 2}, 5.0, 9.0),
        ]


def test_a_job_that_is_stopped_waits_ahead_of_those_that_have_waited_longer():
    # b takes a's place at 2 s and sinks at 4 s; c takes b's at 4.5 s. Both wait in the second
    # queue; b ran until now and is ahead of a.
    jobs = [
        Job("a", 2, 20, compute_s=0.5),
        Job("b", 2, 6, compute_s=0.5, arrival_s=2.0),
        Job("c", 2, 2, compute_s=0.5, arrival_s=4.5),
    ]
    assert run(TWO_GPUS, jobs, Tiresias(thresholds="4/100")) == [
        (0, {0: 2}, 0.0, 2.0),
        (1, {0: 2}, 2.0, 4.5),
        (2, {0: 2}, 4.5, 5.5),
        (1, {0: 2}, 5.5, 6.0),
        (0, {0: 2}, 6.0, 14.0),
    ]


def test_a_job_that_does_not_fit_is_passed_over():
    # wide (first in the queue at 1 s) does not fit beside a; small does.
    jobs = [
        Job("a", 2, 4, compute_s=1.0),
        Job("wide", 3, 1, compute_s=1.0, arrival_s=1.0),
        Job("small", 1, 1, compute_s=1.0, arrival_s=1.0),
    ]
    found = run(Cluster.uniform(1, 3), jobs, Tiresias(thresholds=1000))
    assert [(row[0], row[2]) for row in found] == [(0, 0.0), (2, 1.0), (1, 4.0)]


def test_a_restart_is_no_service():
    # d takes a's place at 2 s, sinks at 4 s, is stopped by b at 4.5 s and begins to restart at
    # 5.5 s. It makes progress from 6.5 s on and reaches 8 GPU-seconds at 8 s; a of the second queue
    # takes over, sinks as well after 2 s of progress, at 11 s, and stays ahead, as it runs.
    jobs = [
        Job("a", 2, 9, compute_s=1.0),
        Job("d", 2, 12, compute_s=0.5, arrival_s=1.0),
        Job("b", 2, 1, compute_s=1.0, arrival_s=4.5),
    ]
    found = run(TWO_GPUS, jobs, Tiresias(thresholds="4/8"), restart_s=1.0)
    assert found == [
        (0, {0: 2}, 0.0, 2.0),
        (1, {0: 2}, 2.0, 4.5),
        (2, {0: 2}, 4.5, 5.5),
        (1, {0: 2}, 5.5, 8.0),
        (0, {0: 2}, 8.0, 16.0),
        (1, {0: 2}, 16.0, 19.0),
    ]


def heavy_tail():
    return [
        Job("a", 1, 3, compute_s=1.0),
        Job("b", 1, 100, compute_s=1.0, arrival_s=2.0),
        Job("c", 1, 1, compute_s=1.0, arrival_s=7.0),
    ]


def test_gittins_serves_the_one_that_is_likely_to_end():
    # c stops b at 7 s. In the second queue wait a after 2 s and b after 5 s of 1, 3 or 100 s. The
    # mean rest of a is (1 + 98) / 2, that of b 95. By place b is first.
    gittins = run(ONE_GPU, heavy_tail(), Tiresias(thresholds=2, index="gittins"))
    assert [(row[0], row[2], row[3]) for row in gittins[3:]] == [(0, 8.0, 9.0), (1, 9.0, 104.0)]
    las = run(ONE_GPU, heavy_tail(), Tiresias(thresholds=2))
    assert [(row[0], row[2], row[3]) for row in las[3:]] == [(1, 8.0, 103.0), (0, 103.0, 104.0)]


def test_gittins_learns_from_jobs_that_are_done():
    # When c has ended the only sample is 1 s: a and b have outlived it, index 0, and b is first.
    found = run(ONE_GPU, heavy_tail(), Tiresias(thresholds=2, index="gittins", history="finished"))
    assert [row[0] for row in found[3:]] == [1, 0]


def test_the_index_by_hand():
    index = GittinsIndex([4, 1, 10, 2])
    # From 1 on: 2, 4 and 10 are left; within 4 end 2 and 4; min(S - 1, 4) is 1, 3, 4.
    assert index.index(1, 4) == pytest.approx((2 / 3) / (8 / 3))
    assert index.index(0, math.inf) == pytest.approx(1 / (17 / 4))
    assert index.index(4, 1) == 0, "none ends within 1 after 4"
    assert index.index(10, 5) == 0, "none is longer than 10"
    # The quirk adds up 2 + 4 in place of 1 + 3.
    quirk = GittinsIndex([4, 1, 10, 2], published_quirk=True)
    assert quirk.index(1, 4) == pytest.approx((2 / 3) / (10 / 3))


def profiled(*rows):
    jobs = [
        Job(f"j{number}", gpus, 10, compute_s=1.0, profile=profile, arrival_s=arrival_s)
        for number, (gpus, profile, arrival_s) in enumerate(rows)
    ]
    return Instance("skew", Cluster.uniform(2, 4), jobs)


def starts(instance, policy):
    schedule = simulate(instance, policy, debug=True).schedule
    return {row.job: (dict(row.placement.pairs), row.start_s) for row in schedule.segments}


def test_a_skewed_model_waits_for_one_machine_and_another_takes_fragments():
    # 77% of VGG-11's gradients are of one layer, 9% of ResNet-50's.
    instance = profiled(
        (3, "vgg11", 0.0), (3, "vgg11", 0.0), (2, "vgg11", 1.0), (2, "resnet50", 1.0)
    )
    found = starts(instance, Tiresias(thresholds=1e6))
    assert found[0] == ({0: 3}, 0.0)
    assert found[1] == ({1: 3}, 0.0)
    assert found[3] == ({0: 1, 1: 1}, 1.0)
    assert found[2][1] == 10.0
    assert len(found[2][0]) == 1


def test_the_limit_and_the_names_decide_who_is_skewed():
    instance = profiled(
        (3, "vgg11", 0.0), (3, "vgg11", 0.0), (2, "vgg11", 1.0), (2, "resnet50", 1.0)
    )
    loose = starts(instance, Tiresias(thresholds=1e6, pack_limit=0.99))
    assert loose[2][1] == 1.0, "nobody is skewed"
    named = starts(instance, Tiresias(thresholds=1e6, skewed="resnet50/alexnet", others="tiers"))
    assert named[2] == ({0: 1, 1: 1}, 1.0)
    assert named[3][1] == 10.0


def test_a_job_of_an_unknown_model_is_not_skewed():
    instance = profiled((3, "vgg11", 0.0), (3, "vgg11", 0.0), (2, None, 1.0), (2, "mine", 1.0))
    found = starts(instance, Tiresias(thresholds=1e6))
    assert found[2] == ({0: 1, 1: 1}, 1.0)


def test_the_quirk_lets_a_skewed_job_spread_if_a_machine_full_of_gpus_is_free():
    class State:
        instance = profiled((4, "vgg11", 0.0))

    from optsched.sim import FreePool, LiveJob

    job = LiveJob(0, 4, 0.0, 10, 1.0, 10.0)
    pool = FreePool([4, 4])
    pool.take(Placement.of({0: 2, 1: 2}))
    assert SkewPlacement().offer(job, pool, State) is None
    assert SkewPlacement(free_gpu_quirk=True).offer(job, pool, State) == Placement.of({0: 2, 1: 2})
    pool.take(Placement.of({0: 1}))
    smaller = LiveJob(0, 3, 0.0, 10, 1.0, 10.0)
    assert SkewPlacement(free_gpu_quirk=True).offer(smaller, pool, State) is None


def test_settings_are_checked():
    for settings, message in (
        ({"index": "lifo"}, "index is 'las' or 'gittins'"),
        ({"placement": "here"}, "placement is 'skew'"),
        ({"others": "none"}, "others is 'fragments'"),
        ({"history": "some"}, "samples are numbers"),
        ({"promote_knob": -1.0}, "promote_knob is a number"),
        ({"thresholds": None, "index": "gittins"}, "without thresholds"),
        ({"lease_s": 4.0}, "lease_s is for"),
    ):
        with pytest.raises(ValueError, match=message):
            Tiresias(**settings)
