"""Least attained service, in queues and continuous, by hand."""

import pytest
from judged_runs import judged_rows as run

from optsched.core.cluster import Cluster
from optsched.core.jobs import Job
from optsched.policies import Las

TWO_GPUS = Cluster.uniform(1, 2)


def two_jobs():
    return [Job("a", 2, 6, compute_s=1.0), Job("b", 2, 3, compute_s=1.0, arrival_s=1.0)]


def test_a_job_sinks_to_the_next_queue_and_is_stopped_by_one_of_a_higher():
    # a reaches 4 GPU-seconds at 2 s. So does b at 4 s; then both are in the second queue, where b,
    # which runs, stays ahead.
    assert run(TWO_GPUS, two_jobs(), Las(thresholds=4)) == [
        (0, {0: 2}, 0.0, 2.0),
        (1, {0: 2}, 2.0, 5.0),
        (0, {0: 2}, 5.0, 9.0),
    ]


def test_service_in_seconds_sinks_later():
    # 4 s of a pass at 4 s; b then runs its 3 s without reaching 4.
    assert run(TWO_GPUS, two_jobs(), Las(thresholds=4, service="time")) == [
        (0, {0: 2}, 0.0, 4.0),
        (1, {0: 2}, 4.0, 7.0),
        (0, {0: 2}, 7.0, 9.0),
    ]


def test_nothing_happens_at_a_threshold_if_nobody_waits():
    jobs = [Job("a", 2, 6, compute_s=1.0), Job("b", 2, 3, compute_s=1.0, arrival_s=20.0)]
    assert run(TWO_GPUS, jobs, Las(thresholds="2/4/6")) == [
        (0, {0: 2}, 0.0, 6.0),
        (1, {0: 2}, 20.0, 23.0),
    ]


def test_continuous_least_service_takes_turns_by_leases():
    # Leases of 2 s. At 2 s, a has 4 GPU-seconds and b none. At 4 s both have 4: a has waited
    # longer. At 6 s, a has 8 and b 4: b runs its last second. Then a is alone.
    assert run(TWO_GPUS, two_jobs(), Las(thresholds=None, lease_s=2.0)) == [
        (0, {0: 2}, 0.0, 2.0),
        (1, {0: 2}, 2.0, 4.0),
        (0, {0: 2}, 4.0, 6.0),
        (1, {0: 2}, 6.0, 7.0),
        (0, {0: 2}, 7.0, 9.0),
    ]


def test_a_lease_that_is_renewed_in_place_costs_nothing():
    jobs = [Job("a", 2, 6, compute_s=1.0)]
    found = run(TWO_GPUS, jobs, Las(thresholds=None, lease_s=2.0), restart_s=5.0)
    assert found == [(0, {0: 2}, 0.0, 2.0), (0, {0: 2}, 2.0, 4.0), (0, {0: 2}, 4.0, 6.0)]


def test_in_a_run_of_equal_services_the_lease_goes_round():
    jobs = [Job(name, 1, 3, compute_s=1.0) for name in "abc"]
    found = run(Cluster.uniform(1, 1), jobs, Las(thresholds=None, lease_s=1.0))
    assert [row[0] for row in found] == [0, 1, 2, 0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize("thresholds", ["a", "4/2", 0, -1, [], "4/inf"])
def test_thresholds_are_checked(thresholds):
    with pytest.raises(ValueError, match="thresholds are"):
        Las(thresholds=thresholds)


def test_settings_are_checked():
    with pytest.raises(ValueError, match="service is 'gpu_time' or 'time'"):
        Las(service="gpus")
    with pytest.raises(ValueError, match="service is 'gpu_time' or 'time'"):
        Las(service="gpus", thresholds=None)
    with pytest.raises(ValueError, match="lease_s is for continuous"):
        Las(lease_s=3.0)
    with pytest.raises(ValueError, match="lease_s is a number above 0"):
        Las(lease_s=0.0, thresholds=None)
