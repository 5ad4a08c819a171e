"""The synthetic twin of Dally's workload against the statistics that are known of the original."""

import csv
from collections import Counter

import numpy as np
import pytest

from optsched.contention import rate_functions
from optsched.contention.dally import DALLY_NETWORKS
from optsched.core.errors import InstanceError
from optsched.core.placement import Placement
from optsched.generate import dally_500, generate
from optsched.generate.dally import JOBS_BY_NETWORK

DEMANDS = {1: 270, 2: 13, 4: 52, 8: 109, 16: 42, 32: 11, 40: 1, 48: 1, 56: 1}
NETWORKS = {
    "mobilenet-v3-large": 125,
    "bert-large": 125,
    "resnet50-layered": 125,
    "alexnet": 53,
    "resnet18": 38,
    "vgg11": 34,
}


def test_demands_and_networks_are_those_of_the_original():
    for seed in (0, 1):
        jobs = dally_500(seed=seed).jobs
        assert Counter(jobs.gpus.tolist()) == DEMANDS
        assert Counter(jobs.profiles) == NETWORKS
    assert dally_500(seed=0).jobs.profiles != dally_500(seed=1).jobs.profiles


def test_durations_are_like_those_of_the_original():
    # Hours on one GPU: median 15.6, mean 26.1, 95th percentile 70.7, from 2 to 324.
    hours = []
    for seed in range(8):
        jobs = dally_500(seed=seed).jobs
        hours.extend((jobs.iterations * jobs.compute_s * jobs.gpus / 3600).tolist())
    assert np.median(hours) == pytest.approx(15.6, rel=0.06)
    assert np.mean(hours) == pytest.approx(26.1, rel=0.06)
    assert np.percentile(hours, 95) == pytest.approx(70.7, rel=0.2)
    assert min(hours) * 1.001 >= 2.0 and max(hours) <= 324.001


def test_arrivals():
    assert not dally_500().has_arrivals
    arrival_s = dally_500(arrivals="poisson", seed=4).jobs.arrival_s
    assert arrival_s[0] == 0.0
    gaps = np.diff(arrival_s)
    assert gaps.mean() == pytest.approx(6818.0, rel=0.15)
    # Exponential: the standard deviation is the mean.
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.15)
    quick = dally_500(arrivals="poisson", seed=4, mean_gap_s=681.8).jobs.arrival_s
    assert quick[-1] == pytest.approx(arrival_s[-1] / 10)


def test_clusters_and_congestion():
    normal, congested = dally_500(racks=8), dally_500(congested=True)
    assert (normal.cluster.total_gpus, len(normal.cluster.servers.rack_names)) == (512, 8)
    assert congested.name == "dally-2x8-0-congested-true"
    across = Placement.of({0: 8, 8: 8})
    bert = next(
        i for i, job in enumerate(congested.jobs) if (job.gpus, job.profile) == (16, "bert-large")
    )
    times = [
        rate_functions(instance).iteration_time_s(bert, across, ())
        for instance in (dally_500(), congested)
    ]
    assert times[0] < times[1]


def test_other_numbers_of_jobs_keep_the_proportions():
    few = dally_500(jobs=50, seed=2)
    assert len(few.jobs) == 50
    assert sum(job.gpus == 1 for job in few.jobs) == pytest.approx(27, abs=2)
    assert len(dally_500(jobs=1).jobs) == 1


def test_text_parameters():
    text = {"arrivals": "poisson", "congested": "true", "racks": "4"}
    instance = generate("dally-500", text, seed=7)
    assert instance.name == "dally-4x8-7-arrivals-poisson-congested-true"
    with pytest.raises(InstanceError, match="congested: expected true or false, got 'yes'"):
        generate("dally-500", {"congested": "yes"})
    with pytest.raises(InstanceError, match="at least 56 GPUs"):
        dally_500(racks=1, machines=4)


def test_the_counts_are_those_of_the_trace(traces_directory):
    with (traces_directory / "dally" / "sensetime-500-batch.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    counted = Counter((row["model"], int(row["gpus"])) for row in rows)
    ours = {
        (network, gpus): number
        for network, demands in JOBS_BY_NETWORK.items()
        for gpus, number in demands.items()
    }
    assert ours == dict(counted)
    assert set(JOBS_BY_NETWORK) == set(DALLY_NETWORKS)
