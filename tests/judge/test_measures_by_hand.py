"""Metrics and records of a schedule worked out by hand."""

import pytest

from optsched.core.cluster import Cluster, Fabric
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel
from optsched.core.result import Preemption, ProblemClass
from optsched.core.schedule import Decision, Schedule, Segment
from optsched.judge import replay, verify


def test_metrics_of_a_spread_and_a_local_job():
    # 6 GPUs. j0: 2 GPUs on two servers, 4 iterations of 0.5 s + 0.5e9/1e9 s, from 0 to 4.
    # j1: 2 GPUs on one server, 6 iterations of 1 s, arrives at 1, from 2 to 8.
    jobs = [
        Job("j0", 2, 4, gradient_bytes=0.5e9, compute_s=0.5),
        Job("j1", 2, 6, compute_s=1.0, arrival_s=1.0, weight=3.0),
    ]
    cluster = Cluster.uniform(2, 3, fabric=Fabric(inter_bytes_per_s=1e9))
    instance = Instance("two", cluster, jobs)
    schedule = replay(
        instance,
        [Decision(0, Placement.of({0: 1, 1: 1}), 0.0), Decision(1, Placement.of({1: 2}), 2.0)],
    )
    judgement = verify(instance, schedule)
    assert judgement.is_valid
    # JCT 4 and 7; weighted (4 + 3 · 7) / 4.
    assert judgement.objectives == {"makespan": 8.0, "mean_jct": 5.5, "weighted_jct": 6.25}
    assert judgement.metrics == pytest.approx(
        {
            "jct_mean_s": 5.5,
            "jct_median_s": 5.5,
            "jct_p95_s": 6.85,
            "jct_p99_s": 6.97,
            "queueing_mean_s": 0.5,
            "utilisation": (2 * 4 + 2 * 6) / (6 * 8),
            "communication_overhead": 1 - (2 + 6) / 10,
            "contention_mean": 1.0,
            "contention_max": 1.0,
            "preemptions": 0.0,
            "spread_share": 0.4,
            # In the system are one, two and one job for 1, 3 and 4 s; alone they take 2 and 6 s.
            "finish_time_fairness_mean": (4 / (7 / 4 * 2) + 7 / (10 / 7 * 6)) / 2,
            "finish_time_fairness_max": 8 / 7,
        }
    )
    records = judgement.records
    assert records.start_s.tolist() == [0.0, 2.0]
    assert records.completion_s.tolist() == [4.0, 8.0]
    assert records.queueing_s.tolist() == [0.0, 1.0]
    assert records.running_s.tolist() == [4.0, 6.0]
    assert records.compute_s.tolist() == [2.0, 6.0]
    assert records.spread_s.tolist() == [4.0, 0.0]
    assert records.restarting_s.tolist() == [0.0, 0.0]
    assert judgement.schedule_class == ProblemClass("continuous", Preemption.NONE, "ring")


def test_a_cut_without_a_gap_is_no_preemption():
    instance = Instance("cut", Cluster.uniform(1, 1), [Job("a", 1, 10, compute_s=1.0)], slot_s=1.0)
    here = Placement.of({0: 1})
    # Equal placements may be listed twice in a schedule.
    segments = [Segment(0, here, 0.0, 4.0), Segment(0, Placement.of({0: 1}), 4.0, 10.0)]
    judgement = verify(instance, Schedule.of(segments))
    assert judgement.is_valid
    assert judgement.schedule_class == ProblemClass("slotted", Preemption.NONE, "ring")
    assert judgement.metrics["preemptions"] == 0.0


def test_fixed_durations_know_no_contention():
    jobs = [Job(name, 2, 1, compute_s=5.0) for name in "ab"]
    instance = Instance("fixed", Cluster.uniform(2, 2), jobs, RateModel("fixed"))
    both = Placement.of({0: 1, 1: 1})
    judgement = verify(instance, replay(instance, [Decision(0, both, 0.0), Decision(1, both, 0.0)]))
    assert judgement.metrics["contention_mean"] == 0.0
    assert judgement.metrics["spread_share"] == 1.0
    assert judgement.metrics["communication_overhead"] == 0.0
    assert judgement.metrics["utilisation"] == 1.0
    assert judgement.schedule_class.rate_model == "fixed"
