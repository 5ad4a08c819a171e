import math
import time
from collections import Counter

import numpy as np
import pytest

from optsched.contention import best_durations_s, rate_problems
from optsched.core.document import instance_sha256
from optsched.core.errors import InstanceError
from optsched.files import is_generator, load
from optsched.generate import poisson
from optsched.study import run

GPUS = [4, 1, 1, 1]
ITERATIONS = [19113, 645, 948, 1994]
ARRIVAL_S = [0.0, 17.23224, 150.286776, 303.128504]
MIXES = ("datacenter", "philly")


def load_of(instance):
    gpu_seconds = (best_durations_s(instance) * instance.jobs.gpus).sum()
    return gpu_seconds / instance.jobs.arrival_s.max() / instance.cluster.total_gpus


@pytest.mark.parametrize("mix", MIXES)
@pytest.mark.parametrize("load", [0.3, 0.8, 1.5])
def test_the_load_is_the_one_asked_for(mix, load):
    loads = [load_of(poisson(jobs=2000, load=load, mix=mix, seed=seed)) for seed in range(20)]
    # The span is a sum of exponential gaps: a standard deviation of 1/√2000 a draw. Five are 11%.
    assert all(abs(found / load - 1) < 5 / math.sqrt(2000) for found in loads)
    assert abs(np.mean(loads) / load - 1) < 5 / math.sqrt(2000 * 20)
    # And it is not made to fit: it varies as a Poisson process does.
    assert 0.5 < np.std(loads) / load * math.sqrt(2000) < 1.6


def test_gaps_are_exponential():
    gaps = np.diff(poisson(jobs=20_001, seed=1).jobs.arrival_s)
    # Kolmogorov and Smirnov: the distance exceeds 1.95/√n once in a thousand times.
    ranks = np.arange(1, len(gaps) + 1) / len(gaps)
    distance = np.abs(np.sort(1 - np.exp(-gaps / gaps.mean())) - ranks).max()
    assert distance < 1.95 / math.sqrt(len(gaps))
    assert abs(np.corrcoef(gaps[1:], gaps[:-1])[0, 1]) < 4 / math.sqrt(len(gaps))


def test_datacenter_mix_is_the_documented_one():
    instance = poisson(jobs=20_000, servers=64, seed=2)
    jobs = instance.jobs
    counts = Counter(jobs.gpus.tolist())
    shares = {1: 0.50, 2: 0.15, 4: 0.12, 8: 0.15, 16: 0.05, 32: 0.03}
    assert counts.keys() == shares.keys()
    for gpus, share in shares.items():
        assert abs(counts[gpus] / 20_000 - share) < 5 * math.sqrt(share / 20_000)
    assert set(jobs.gradient_bytes.tolist()) == {50e6, 100e6, 250e6, 500e6, 1000e6}
    assert 0.08 <= jobs.compute_s.min() <= jobs.compute_s.max() <= 0.6
    duration_s = best_durations_s(instance)
    logarithms = np.log(duration_s)
    # Half of the durations are below the median; a cut at 60 s is at −1.79 standard deviations.
    assert abs(np.mean(logarithms < math.log(1500)) - 0.5) < 5 * 0.5 / math.sqrt(20_000)
    assert abs(np.mean(logarithms < math.log(1500) - 1.8) - 0.1587) < 0.015
    assert duration_s.min() > 59
    assert duration_s.max() <= 864_001
    fabric = instance.cluster.fabric
    assert (fabric.intra_bytes_per_s, fabric.inter_bytes_per_s) == (100e9, 12.5e9)
    assert instance.cluster.servers.rack_names == ("r0", "r1", "r2", "r3")
    assert not rate_problems(instance)


def test_philly_mix_is_the_papers():
    instance = poisson(jobs=20_000, mix="philly", seed=2)
    counts = Counter(instance.jobs.gpus.tolist())
    for gpus, share in {1: 80, 2: 14, 4: 26, 8: 30, 16: 8, 32: 2}.items():
        expected = share / 160
        assert abs(counts[gpus] / 20_000 - expected) < 5 * math.sqrt(expected / 20_000)
    assert len(set(instance.jobs.profiles)) == 4
    assert 1000 <= instance.jobs.iterations.min() < 1010
    assert 5990 < instance.jobs.iterations.max() <= 6000
    overhead_s = instance.jobs.server_overhead_s
    assert 0.001 <= overhead_s.min() <= overhead_s.max() <= 0.005


@pytest.mark.parametrize("mix", MIXES)
def test_a_hundred_thousand_jobs_are_quick(mix):
    poisson(jobs=10, mix=mix)
    began = time.process_time()
    instance = poisson(jobs=100_000, servers=128, mix=mix)
    # It takes an eighth of a second; a loop over objects would take several.
    assert time.process_time() - began < 2.0
    assert len(instance.jobs) == 100_000
    assert abs(load_of(instance) / 0.8 - 1) < 5 / math.sqrt(100_000)


def test_draws_are_repeatable_and_the_same_on_every_platform():
    assert instance_sha256(poisson(seed=4)) == instance_sha256(poisson(seed=4))
    assert instance_sha256(poisson(seed=4)) != instance_sha256(poisson(seed=5))
    jobs = poisson(jobs=4).jobs
    # Fixed when the generator was written.
    assert jobs.gpus.tolist() == GPUS
    assert jobs.iterations.tolist() == ITERATIONS
    assert jobs.arrival_s.tolist() == ARRIVAL_S


def test_a_longer_draw_begins_with_the_same_jobs():
    short, longer = poisson(jobs=50).jobs, poisson(jobs=80).jobs
    assert longer.gpus[:50].tolist() == short.gpus.tolist()
    assert longer.iterations[:50].tolist() == short.iterations.tolist()
    scale = longer.arrival_s[1:50] / short.arrival_s[1:]
    assert np.allclose(scale, scale[0], rtol=1e-5)


def test_arrivals_start_at_0_in_order():
    arrival_s = poisson(jobs=500, seed=9).jobs.arrival_s
    assert arrival_s[0] == 0
    assert (np.diff(arrival_s) >= 0).all()
    assert poisson(jobs=1).jobs.arrival_s.tolist() == [0.0]


def test_names():
    assert is_generator("poisson:load=0.5")
    assert load("poisson-100x16-3").name == "poisson-100x16-3"
    drawn = load("poisson:load=1.2,mix=philly,jobs=50", seed=2)
    assert drawn.name == "poisson-50x16-2-load-1.2-mix-philly"
    again = load(drawn.metadata["generator"])
    assert instance_sha256(again) == instance_sha256(drawn)


def test_a_policy_runs_on_it():
    assert run(poisson(jobs=200, load=0.5), "sjf").value > 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"load": 0.0}, "poisson.load: expected a number from 0.001 to 1000"),
        ({"jobs": 0}, "poisson.jobs: expected a whole number from 1"),
        ({"servers": 3}, "at least 32 GPUs"),
        ({"gpus_per_server": 0}, "poisson.gpus_per_server"),
    ],
)
def test_parameters_out_of_range_are_refused(settings, message):
    with pytest.raises(InstanceError) as error:
        poisson(**settings)
    assert message in str(error.value)
