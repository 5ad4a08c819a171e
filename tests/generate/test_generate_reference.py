import numpy as np
import pytest

from optsched.contention import best_durations_s, rate_problems
from optsched.core.document import instance_sha256
from optsched.core.errors import InstanceError
from optsched.generate import reference_a, reference_f

# Lower bound max(area, longest) in whole slots, of (servers, seed), as published for setting A.
PUBLISHED = {(14, 4): 212, (14, 5): 194, (10, 4): 291, (10, 5): 293, (20, 4): 170}


@pytest.mark.parametrize(("servers", "seed"), list(PUBLISHED))
def test_setting_a_has_the_published_bounds(servers, seed):
    instance = reference_a(servers=servers, seed=seed)
    durations = best_durations_s(instance)
    area = (instance.jobs.gpus * durations).sum() / instance.cluster.total_gpus
    assert np.ceil(max(area, durations.max())) == PUBLISHED[servers, seed]


def test_setting_a_10_2_cannot_hold_its_largest_jobs_whole():
    # Published: "two 32-GPU jobs, largest server 16".
    assert reference_a(servers=10, seed=2).cluster.max_gpus_per_server == 16


def test_setting_f_has_the_published_sizes():
    totals = [reference_f(seed=seed).cluster.total_gpus for seed in range(3)]
    assert (min(totals), max(totals)) == (84, 92)
    assert reference_f(servers=40, seed=0).cluster.total_gpus == 240
    for seed in range(3):
        instance = reference_f(seed=seed)
        assert set(instance.cluster.servers.gpus.tolist()) == {4, 8}
        assert (instance.jobs.gpus > 8).sum() == 10
        assert not rate_problems(instance)


def test_both_settings_draw_the_same_jobs():
    a, f = reference_a(seed=7), reference_f(seed=7)
    assert a.jobs.gpus.tolist() == f.jobs.gpus.tolist()
    assert a.jobs.iterations.tolist() == f.jobs.iterations.tolist()
    assert a.jobs.gpus.sum() == 644


def test_draws_are_repeatable():
    for function in (reference_a, reference_f):
        assert instance_sha256(function(seed=3)) == instance_sha256(function(seed=3))
        assert instance_sha256(function(seed=3)) != instance_sha256(function(seed=4))


def test_too_few_servers_are_refused():
    with pytest.raises(InstanceError, match="use more servers or another seed"):
        reference_f(servers=3)
    with pytest.raises(InstanceError, match="a whole number from 1"):
        reference_a(servers=0)
