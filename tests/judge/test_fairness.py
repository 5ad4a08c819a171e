"""Finish-time fairness against a count of the jobs in the system."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsched.contention import rate_functions
from optsched.core.cluster import Cluster
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.judge.fairness import finish_time_fairness


def of(jobs, completion_s):
    instance = Instance("fair", Cluster.uniform(1, 4), jobs)
    return finish_time_fairness(instance, np.array(completion_s), rate_functions(instance))


def test_a_job_alone_that_never_waits_is_at_1():
    assert of([Job("a", 1, 5, compute_s=2.0, arrival_s=1.7e9)], [1.7e9 + 10.0]) == [1.0]


@given(
    spans=st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20)), min_size=1, max_size=6),
    origin=st.sampled_from([0.0, 1.6e9]),
)
def test_it_counts_who_is_in_the_system_at_every_second(spans, origin):
    jobs = [
        Job(f"j{number}", 1, length, compute_s=1.0, arrival_s=origin + start)
        for number, (start, length) in enumerate(spans)
    ]
    # Each takes twice its run time.
    ends = [start + 2 * length for start, length in spans]
    found = of(jobs, [origin + end for end in ends])
    for (start, length), end, fairness in zip(spans, ends, found, strict=True):
        counts = [
            sum(other <= second < until for (other, _), until in zip(spans, ends, strict=True))
            for second in range(start, end)
        ]
        assert fairness == pytest.approx(2 * length / (sum(counts) / len(counts) * length))
