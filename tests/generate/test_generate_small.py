import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsched.contention import rate_problems
from optsched.core.document import instance_sha256
from optsched.core.errors import InstanceError
from optsched.generate import forced, light, tight

CAPACITIES = {forced: {2, 3}, tight: {3, 4, 6}, light: {4, 8}}
DEMANDS = {forced: {1, 2, 3, 4, 5}, tight: {1, 2, 3, 4, 5, 6}, light: {1, 2, 4, 8}}


@given(
    family=st.sampled_from([forced, tight, light]),
    jobs=st.integers(1, 12),
    servers=st.integers(1, 5),
    seed=st.integers(0, 2**40),
)
def test_draws_come_from_the_family(family, jobs, servers, seed):
    instance = family(jobs=jobs, servers=servers, seed=seed)
    assert len(instance.jobs) == jobs
    assert len(instance.cluster.servers) == servers
    assert set(instance.cluster.servers.gpus.tolist()) <= CAPACITIES[family]
    assert set(instance.jobs.gpus.tolist()) <= DEMANDS[family]
    assert instance.jobs.gpus.max() <= instance.cluster.total_gpus
    factor = 4 if family is forced else 1
    gradients = instance.jobs.gradient_bytes
    assert factor * 0.001 <= gradients.min() <= gradients.max() <= factor * 0.006
    assert 0.009 <= instance.jobs.compute_s.min() <= instance.jobs.compute_s.max() <= 0.028
    assert 100 <= instance.jobs.iterations.min() <= instance.jobs.iterations.max() <= 500
    assert not rate_problems(instance)


def test_all_values_of_a_family_occur():
    for family in (forced, tight, light):
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


def test_counts_are_checked():
    with pytest.raises(InstanceError, match=r"tight\.jobs: expected a whole number from 1"):
        tight(jobs=0)
    with pytest.raises(InstanceError, match=r"light\.servers"):
        light(servers=10**7)
