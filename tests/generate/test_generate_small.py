import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsched.contention import rate_functions, rate_problems
from optsched.core.document import instance_sha256
from optsched.core.errors import InstanceError
from optsched.core.placement import Placement
from optsched.files import load
from optsched.generate import contended, forced, light, racks, tight

CAPACITIES = {
    forced: {2, 3},
    tight: {3, 4, 6},
    light: {4, 8},
    contended: {2, 3},
    racks: {2, 3},
}
DEMANDS = {
    forced: {1, 2, 3, 4, 5},
    tight: {1, 2, 3, 4, 5, 6},
    light: {1, 2, 4, 8},
    contended: {2, 3, 4, 5},
    racks: {1, 2, 3, 4, 5},
}
GRADIENT_FACTORS = {forced: 4, contended: 16, racks: 4}


@given(
    family=st.sampled_from(list(CAPACITIES)),
    jobs=st.integers(1, 12),
    servers=st.integers(2, 5),
    seed=st.integers(0, 2**40),
)
def test_draws_come_from_the_family(family, jobs, servers, seed):
    instance = family(jobs=jobs, servers=servers, seed=seed)
    assert len(instance.jobs) == jobs
    assert len(instance.cluster.servers) == servers
    assert set(instance.cluster.servers.gpus.tolist()) <= CAPACITIES[family]
    assert set(instance.jobs.gpus.tolist()) <= DEMANDS[family]
    assert instance.jobs.gpus.max() <= instance.cluster.total_gpus
    factor = GRADIENT_FACTORS.get(family, 1)
    gradients = instance.jobs.gradient_bytes
    assert factor * 0.001 <= gradients.min() <= gradients.max() <= factor * 0.006
    assert 0.009 <= instance.jobs.compute_s.min() <= instance.jobs.compute_s.max() <= 0.028
    assert 100 <= instance.jobs.iterations.min() <= instance.jobs.iterations.max() <= 500
    assert not rate_problems(instance)


def test_all_values_of_a_family_occur():
    for family in CAPACITIES:
        instance = family(jobs=400, servers=60)
        assert set(instance.cluster.servers.gpus.tolist()) == CAPACITIES[family]
        assert set(instance.jobs.gpus.tolist()) == DEMANDS[family]


def test_the_model_is_the_published_one():
    instance = forced()
    fabric = instance.cluster.fabric
    assert (fabric.inter_bytes_per_s, fabric.intra_bytes_per_s) == (1.0, 30.0)
    assert (fabric.reduce_bytes_per_s, fabric.degradation) == (20.0, 0.2)
    assert instance.rate_model.mapping == {"contention_weight": 1.0, "server_overhead_s": 0.0005}


def test_names_sizes_and_seeds_tell_instances_apart():
    assert tight(jobs=9, servers=4, seed=2).name == "tight-9x4-2"
    hashes = {
        instance_sha256(family(jobs=jobs, seed=seed))
        for family in (forced, tight, light)
        for jobs in (5, 6)
        for seed in (0, 1)
    }
    assert len(hashes) == 12
    assert instance_sha256(forced(seed=9)) == instance_sha256(forced(seed=9))


def test_time_can_be_slotted():
    assert not forced().is_slotted
    slotted = forced(slot_s=1.0)
    assert slotted.slot_s == 1.0
    assert slotted.jobs.compute_s.tolist() == forced().jobs.compute_s.tolist()
    with pytest.raises(InstanceError, match="slot_s"):
        forced(slot_s=-1.0)


def test_names_say_what_is_usual_and_settings_what_is_not():
    assert forced(slot_s=1.0).name == "forced-slotted-6x3-0"
    assert tight(load=1.5, jobs=8, seed=2).name == "tight-arrivals-8x3-2"
    assert light(slot_s=1.0, load=1.5).name == "light-slotted-arrivals-6x3-0"
    assert racks(slot_s=0.5).name == "racks-6x4-0-slot-s-0.5"
    assert contended(load=3.0, slot_s=1.0).name == "contended-slotted-6x3-0-load-3.0"
    for family in CAPACITIES:
        for settings in ({"slot_s": 1.0}, {"load": 1.5}, {"slot_s": 1.0, "load": 1.5}):
            drawn = family(jobs=5, seed=3, **settings)
            assert instance_sha256(load(drawn.name)) == instance_sha256(drawn)


def test_arrivals_leave_the_jobs_as_they_are_and_come_at_the_load():
    batch, online = light(jobs=400, servers=6), light(jobs=400, servers=6, load=2.0)
    assert online.jobs.arrival_s[0] == 0.0
    assert (np.diff(online.jobs.arrival_s) >= 0).all()
    for column in ("gpus", "iterations", "gradient_bytes", "compute_s"):
        assert getattr(online.jobs, column).tolist() == getattr(batch.jobs, column).tolist()
    jobs, gpus = online.jobs, online.cluster.total_gpus
    best_s = rate_functions(online).best_iteration_times_s() * jobs.iterations
    load_drawn = float((jobs.gpus * best_s).sum()) / (gpus * jobs.arrival_s[-1])
    # 400 gaps: the standard error of the span is 5%.
    assert load_drawn == pytest.approx(2.0, rel=0.2)
    # Slots do not shift the arrivals.
    slotted = light(jobs=400, servers=6, load=2.0, slot_s=1.0)
    assert slotted.jobs.arrival_s.tolist() == jobs.arrival_s.tolist()
    with pytest.raises(InstanceError, match=r"light\.load: expected a number from 0\.001"):
        light(load=0.0)


def test_most_contended_jobs_are_faster_one_after_the_other():
    # f(2) = 2 + 0.5: side by side communication takes 2.5 times as long. With twice the compute
    # time in communication that is twice as long in all.
    instance = contended(jobs=200, servers=6)
    functions = rate_functions(instance)
    pair = Placement.of({0: 2, 1: 2})
    of_four = [position for position, gpus in enumerate(instance.jobs.gpus) if gpus == 4]
    slower = [
        functions.iteration_time_s(job, pair, [2, 2])
        > 2 * functions.iteration_time_s(job, pair, [1, 1])
        for job in of_four
    ]
    assert sum(slower) > 0.75 * len(of_four) > 20


def test_racks_have_two_uplinks():
    instance = racks(servers=5)
    assert [server.rack for server in instance.cluster.servers] == ["r0", "r0", "r0", "r1", "r1"]
    assert instance.cluster.fabric.uplink_bytes_per_s == 0.5
    assert not rate_functions(instance).is_level_model


def test_counts_are_checked():
    with pytest.raises(InstanceError, match=r"tight\.jobs: expected a whole number from 1"):
        tight(jobs=0)
    with pytest.raises(InstanceError, match=r"light\.servers"):
        light(servers=10**7)
