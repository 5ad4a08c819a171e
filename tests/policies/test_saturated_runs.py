"""Long queues of equal jobs end, whatever policy serves them."""

import pytest
from saturated_cluster import saturated

from optsched.judge import verify
from optsched.policies import Dally, Delay, Gandiva, Las, Philly, Qssf, Srtf, Tiresias
from optsched.sim import simulate

POLICIES = {
    "srtf": lambda: Srtf(placement="tiered"),
    "las": lambda: Las(thresholds="3600/36000", placement="tiered"),
    "las-leases": lambda: Las(thresholds=None, lease_s=1800.0, placement="tiered"),
    "tiresias": lambda: Tiresias(promote_knob=4),
    "delay-leases": lambda: Delay(clock="waiting", lease_s=1800.0),
    "dally": lambda: Dally(lease_s=1800.0),
    "gandiva": lambda: Gandiva(lease_s=1800.0),
}


def check_end(instance, policy):
    run = simulate(instance, policy)
    judgement = verify(instance, run.schedule)
    assert judgement.is_valid, judgement.violations
    return run


@pytest.mark.parametrize("name", POLICIES)
def test_a_saturated_run_of_3000_jobs_ends(name):
    run = check_end(saturated(3000), POLICIES[name]())
    assert run.preemptions > 30


@pytest.mark.slow
@pytest.mark.parametrize("name", POLICIES)
def test_a_saturated_run_of_50000_jobs_ends(name):
    run = check_end(saturated(50_000), POLICIES[name]())
    assert run.preemptions > 500


#: These stop nobody.
PATIENT = {
    "delay": lambda: Delay(),
    "philly": lambda: Philly(),
    "qssf": lambda: Qssf(backfill=True),
    "dally-no-preemption": lambda: Dally(variant="no-preemption", lease_s=1800.0),
}


@pytest.mark.parametrize("name", PATIENT)
def test_a_saturated_run_of_3000_jobs_that_nobody_stops_ends(name):
    assert check_end(saturated(3000), PATIENT[name]()).preemptions == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", PATIENT)
def test_a_saturated_run_of_50000_jobs_that_nobody_stops_ends(name):
    assert check_end(saturated(50_000), PATIENT[name]()).preemptions == 0
