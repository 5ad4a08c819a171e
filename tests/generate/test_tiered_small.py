"""Small instances on machines in racks: what is drawn, and that it can be solved."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optsched.contention import rate_functions, rate_problems
from optsched.core.document import instance_sha256
from optsched.core.errors import InstanceError
from optsched.core.placement import Placement
from optsched.files import load
from optsched.files.catalogue import group_members
from optsched.generate import tiered_small


@settings(max_examples=30)
@given(
    jobs=st.integers(1, 12),
    servers=st.integers(1, 5),
    seed=st.integers(0, 2**40),
    load_=st.none() | st.floats(0.1, 3.0),
)
def test_draws_are_as_described(jobs, servers, seed, load_):
    instance = tiered_small(jobs=jobs, servers=servers, seed=seed, load=load_)
    assert (len(instance.jobs), len(instance.cluster.servers)) == (jobs, servers)
    assert instance.cluster.servers.gpus.tolist() == [4] * servers
    assert instance.cluster.servers.rack.tolist() == [i * 2 // servers for i in range(servers)] or (
        servers == 1
    )
    assert set(instance.jobs.gpus.tolist()) <= {1, 2, 3, 4, 6, 8}
    alone_s = instance.jobs.iterations * instance.jobs.compute_s
    assert 1799 <= alone_s.min() <= alone_s.max() <= 28_801
    assert instance.has_arrivals == (load_ is not None and jobs > 1)
    assert not rate_problems(instance)


def test_names_seeds_and_arrivals():
    plain, arriving = load("tiered-small-6x4-3"), load("tiered-small-arrivals-6x4-3")
    assert instance_sha256(plain) == instance_sha256(tiered_small(seed=3))
    assert instance_sha256(arriving) == instance_sha256(tiered_small(seed=3, load=1.5))
    assert arriving.jobs.gpus.tolist() == plain.jobs.gpus.tolist()
    assert arriving.jobs.arrival_s[0] == 0.0
    assert (arriving.jobs.arrival_s[1:] > 0).all()
    assert instance_sha256(load("tiered-small-5x3-7")) == instance_sha256(
        tiered_small(jobs=5, servers=3, seed=7)
    )
    assert tiered_small(load=0.5).name == "tiered-small-6x4-0-load-0.5"


def test_spreading_matters():
    """Of the 20 shipped instances most have a job that is twice as slow over two racks."""
    names = [*group_members("tiered-small"), *group_members("tiered-small-arrivals")]
    assert len(names) == 20
    slowed = 0
    for name in names:
        instance = load(name)
        assert len(instance.jobs) == 6
        assert len(instance.cluster.servers.rack_names) == 2
        rates = rate_functions(instance)
        for job, gpus in enumerate(instance.jobs.gpus.tolist()):
            if gpus > 1:
                far = Placement.of({0: (gpus + 1) // 2, 2: gpus // 2})
                slow_s = rates.iteration_time_s(job, far, ())
                if slow_s > 2 * rates.best_iteration_time_s(job):
                    slowed += 1
                    break
    assert slowed >= 15


@pytest.mark.parametrize("wrong", [{"jobs": 0}, {"servers": 0}, {"load": 0.0}])
def test_parameters_are_checked(wrong):
    with pytest.raises(InstanceError, match=next(iter(wrong))):
        tiered_small(**wrong)
