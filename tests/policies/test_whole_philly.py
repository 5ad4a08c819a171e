"""All of Philly's jobs at once: valid schedules, no better than their bounds."""

import numpy as np
import pytest

from optsched.bounds import all_bounds
from optsched.core.cluster import Cluster
from optsched.judge import verify
from optsched.policies import Fifo, Las, Srtf
from optsched.sim import simulate
from optsched.traces import load_trace


@pytest.fixture(scope="module")
def philly(traces_directory):
    return load_trace(traces_directory / "philly" / "philly.csv.gz").instance


def checked(instance, policy):
    """Return the judgement of a run and the bound on its mean JCT, after holding both together."""
    schedule = simulate(instance, policy).schedule
    judgement = verify(instance, schedule)
    assert judgement.is_valid, judgement.violations
    made = judgement.schedule_class
    bounds = [one for one in all_bounds(instance, "mean_jct") if one.problem_class.contains(made)]
    lower = max(one.value for one in bounds)
    assert judgement.objectives["mean_jct"] >= lower * (1 - 1e-9)
    return judgement, lower


def test_on_its_own_cluster_nobody_waits_under_fifo(philly):
    assert philly.cluster.total_gpus == 352 * 8
    judgement, lower = checked(philly, Fifo())
    # The mean of the durations in the file.
    durations_s = philly.jobs.compute_s * philly.jobs.iterations
    assert judgement.objectives["mean_jct"] == pytest.approx(durations_s.mean(), rel=1e-12)
    assert lower == pytest.approx(durations_s.mean(), rel=1e-9)
    assert np.all(judgement.records.preemptions == 0)


@pytest.mark.slow
@pytest.mark.parametrize("policy", [Fifo, Srtf, Las])
@pytest.mark.parametrize("servers", [352, 59])
def test_stopping_jobs_and_a_cluster_that_is_busy(philly, servers, policy):
    cluster = Cluster.uniform(servers, 8)
    judgement, lower = checked(philly.changed(cluster=cluster), policy())
    assert judgement.objectives["mean_jct"] < 200 * lower
