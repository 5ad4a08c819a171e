"""The simulator and the judge under the rate model ``tiered``: two code paths, one law."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from scripted import Script, start
from tiered_strategies import tiered_instances

from optsched.core.cluster import Cluster
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.core.schedule import Decision
from optsched.judge import replay, verify
from optsched.policies import Fifo
from optsched.sim import simulate

NET = {
    "group_gpus": 1,
    "machine_bytes_per_s": 4.0,
    "machine_latency_s": 0,
    "rack_bytes_per_s": 1.0,
    "rack_latency_s": 0,
    "network_bytes_per_s": 2.0,
    "network_latency_s": 0,
    "layers.net": "1 1 1 2",
}


@pytest.mark.parametrize(("contention", "ends"), [(False, [20.0, 20.0]), (True, [30.0, 30.0])])
def test_two_jobs_of_one_rack_by_hand(contention, ends):
    # Each over both machines: 4 s instead of 3, so 2 s an iteration of 1.5; if both share the
    # links, bytes take twice as long and it is 6 s instead of 3, 3 s an iteration.
    job = {"gpus": 2, "iterations": 10, "compute_s": 1.5, "profile": "net"}
    model = RateModel.of("tiered", contention=contention, **NET)
    jobs = [Job("a", **job), Job("b", **job)]
    instance = Instance("rack", Cluster.uniform(2, 2), jobs, model)
    script = Script({0.0: [start(0, {0: 1, 1: 1}), start(1, {0: 1, 1: 1})]})
    run = simulate(instance, script, debug=True)
    assert run.schedule.end_s.tolist() == pytest.approx(ends)
    judgement = verify(instance, run.schedule)
    assert judgement.is_valid, judgement.violations
    assert judgement.metrics["communication_overhead"] == pytest.approx(1 - 30 / sum(ends))


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(tiered_instances(max_jobs=5))
def test_the_engine_agrees_with_the_replay(instance):
    run = simulate(instance, Fifo(placement="first_fit"), debug=True)
    assert verify(instance, run.schedule).is_valid
    decisions = [Decision(row.job, row.placement, row.start_s) for row in run.schedule.segments]
    again = replay(instance, decisions)
    assert np.allclose(again.end_s, run.schedule.end_s, rtol=1e-9, atol=1e-9)
