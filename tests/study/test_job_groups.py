"""What a schedule does to groups of jobs, worked out by hand."""

import numpy as np
import pytest

from optsched.core.cluster import Cluster
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel
from optsched.core.schedule import Schedule, Segment
from optsched.judge import verify
from optsched.study.job_groups import (
    DEMAND_GROUPS,
    NETWORK_GROUPS,
    group_figures,
    group_name,
    job_groups,
    most_latency_bound,
)

# A layer of 2 bytes: hidden between GPUs of a machine (0.5 s behind 1 s of computing), 2 s between
# machines, so that an iteration of 3 s takes 4 there. The time of a job counts at that efficiency.
MODEL = RateModel.of(
    "tiered",
    group_gpus=1,
    machine_bytes_per_s=4.0,
    machine_latency_s=0.0,
    rack_bytes_per_s=1.0,
    rack_latency_s=0.0,
    network_bytes_per_s=1.0,
    network_latency_s=0.0,
    **{"layers.net": "1 1 1 2", "layers.still": "1 1 1 0"},
)


@pytest.fixture
def instance():
    return Instance(
        "two racks",
        Cluster.uniform(4, 2, racks=2),
        [
            Job("pair", gpus=2, iterations=10, compute_s=3.0, profile="net"),
            Job("one", gpus=1, iterations=10, compute_s=1.0, arrival_s=2.0, profile="still"),
        ],
        MODEL,
        restart_s_per_gpu=1.0,
    )


@pytest.fixture
def figures(instance):
    # The pair does 5 iterations in 20 s on a rack, waits 4 s, restarts for 2 s, does 5 in 15 s on a
    # machine.
    schedule = Schedule.of(
        [
            Segment(0, Placement.of({0: 1, 1: 1}), 0.0, 20.0),
            Segment(0, Placement.of({2: 2}), 24.0, 41.0),
            Segment(1, Placement.of({3: 1}), 2.0, 12.0),
        ]
    )
    judgement = verify(instance, schedule)
    assert judgement.is_valid, judgement.violations
    return group_figures(instance, schedule, judgement.records, job_groups(instance, "net"))


def test_all_jobs(figures):
    every = figures["all"]
    assert every.jobs == 2
    assert every.makespan_s == 41.0
    assert every.mean_jct_s == (41 + 10) / 2
    assert every.median_jct_s == 25.5
    assert every.p95_jct_s == pytest.approx(10 + 0.95 * 31)
    assert every.queueing_s == 4 / 2
    assert every.preemptions == 1


def test_communication_is_running_less_restarts_less_computing(figures):
    every = figures["all"]
    # 5 iterations of 3 s lost 1 s each. 45 s of progress, 80 s counted by GPU.
    assert every.communication_s == pytest.approx(5.0)
    assert every.gpu_communication_s == pytest.approx(10.0)
    assert every.communication_share == pytest.approx(5 / 45)
    assert every.gpu_communication_share == pytest.approx(10 / 80)


def test_tiers_are_shares_of_the_running_time(figures):
    # 20 s on a rack, 17 on a machine; the job of one GPU is always on a machine.
    assert figures["2+"].rack_share == pytest.approx(20 / 37)
    assert figures["2+"].machine_share == pytest.approx(17 / 37)
    assert figures["2+"].network_share == 0.0
    assert figures["all"].machine_share == pytest.approx(27 / 47)


def test_classes_without_jobs_are_left_out(figures):
    assert "9+" not in figures
    assert figures["1"].jobs == figures["1 others"].jobs == figures["others"].jobs == 1
    assert figures["2-8"] == figures["latency-bound"] == figures["2-8 latency-bound"]


def test_a_job_over_two_racks_is_on_the_network(instance):
    schedule = Schedule.of(
        [
            Segment(0, Placement.of({1: 1, 2: 1}), 0.0, 40.0),
            Segment(1, Placement.of({3: 1}), 2.0, 12.0),
        ]
    )
    judgement = verify(instance, schedule)
    assert judgement.is_valid, judgement.violations
    groups = {"pair": np.array([True, False])}
    found = group_figures(instance, schedule, judgement.records, groups)["pair"]
    assert (found.machine_share, found.rack_share, found.network_share) == (0.0, 0.0, 1.0)


def test_the_most_latency_bound_network_has_many_small_layers(instance):
    # Equal computing in one layer or in three: three times the latency.
    layers = {"layers.few": "0 0 3 1", "layers.many": "0 0 1 1; 0 0 1 1; 0 0 1 1"}
    model = RateModel.of("tiered", **{**MODEL.mapping, **layers, "network_latency_s": 9.0})
    jobs = [
        Job(name, gpus=2, iterations=1, compute_s=3.0, profile=name)
        for name in ("few", "many", "still")
    ]
    assert most_latency_bound(instance.changed(jobs=jobs, rate_model=model)) == "many"


def test_names_of_groups():
    names = {group_name(demand, network) for demand in DEMAND_GROUPS for network in NETWORK_GROUPS}
    assert len(names) == 15
    assert {"all", "latency-bound", "9+ others"} <= names
