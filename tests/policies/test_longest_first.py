"""Longest first: the order by hand, and a makespan that no shorter-first order reaches."""

import pytest

from optsched.core.cluster import Cluster
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.judge import verify
from optsched.policies import Sjf
from optsched.policies.longest_first import LongestFirst
from optsched.sim import simulate


def fixed(durations_s, gpus, *, servers, per_server):
    jobs = [
        Job(str(i), wide, 1, compute_s=duration_s)
        for i, (duration_s, wide) in enumerate(zip(durations_s, gpus, strict=True))
    ]
    return Instance("fixed", Cluster.uniform(servers, per_server), jobs, RateModel("fixed"))


def starts(instance, policy):
    schedule = simulate(instance, policy, debug=True).schedule
    assert verify(instance, schedule).is_valid
    return {segment.job: segment.start_s for segment in schedule}, schedule.end_time_s


def test_the_longest_starts_first_and_the_makespan_is_short():
    # On two GPUs both ways take 7 s: 3 + 2 + 2 beside 3 + 2, and 2 + 2 + 3 beside 2 + 3.
    instance = fixed([2.0, 2.0, 2.0, 3.0, 3.0], [1] * 5, servers=1, per_server=2)
    begun, end_s = starts(instance, LongestFirst())
    assert (begun[3], begun[4], end_s) == (0.0, 0.0, 7.0)
    assert starts(instance, Sjf())[1] == 7.0
    longer = fixed([1.0, 1.0, 1.0, 3.0], [1] * 4, servers=1, per_server=2)
    assert starts(longer, LongestFirst())[1] == 3.0
    assert starts(longer, Sjf())[1] == 4.0


def test_wide_jobs_count_as_longer_by_their_weight():
    # 10 s on 1 GPU against 9 s on 4: 10 · 1.05 = 10.5 is below 9 · 1.2 = 10.8.
    instance = fixed([10.0, 9.0], [1, 4], servers=1, per_server=4)
    assert starts(instance, LongestFirst())[0] == {0: 9.0, 1: 0.0}
    assert starts(instance, LongestFirst(gpu_weight=0.0))[0] == {0: 0.0, 1: 10.0}


def test_a_weight_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="gpu_weight is at least 0, got -1"):
        LongestFirst(gpu_weight=-1)
