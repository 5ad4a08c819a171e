"""Quasi-shortest service first, and its predictors, by hand."""

import pytest
from judged_runs import judged_rows as run

from optsched.core.cluster import Cluster
from optsched.core.jobs import Job
from optsched.policies import Qssf

TWO_GPUS = Cluster.uniform(1, 2)


def starts(jobs, policy):
    return {jobs[row[0]].id: row[2] for row in run(TWO_GPUS, jobs, policy)}


def test_the_least_gpu_time_first_and_the_head_holds_up_the_others():
    # 8, 6 and 9 GPU-seconds.
    jobs = [
        Job("a", 2, 4, compute_s=1.0),
        Job("b", 1, 6, compute_s=1.0),
        Job("c", 1, 9, compute_s=1.0),
    ]
    assert starts(jobs, Qssf(predictor="oracle")) == {"b": 0.0, "a": 6.0, "c": 10.0}
    passing = Qssf(predictor="oracle", backfill=True)
    assert starts(jobs, passing) == {"b": 0.0, "c": 0.0, "a": 9.0}


def test_without_a_history_the_fewest_gpus_come_first():
    jobs = [Job("wide", 2, 1, compute_s=1.0), Job("slim", 1, 6, compute_s=1.0)]
    assert starts(jobs, Qssf()) == {"slim": 0.0, "wide": 6.0}


def test_predictions_are_means_of_like_jobs():
    jobs = [
        Job("old", 1, 6, compute_s=1.0, profile="vgg11"),
        Job("quick", 2, 1, compute_s=1.0, arrival_s=6.0),
        Job("slim", 1, 1, compute_s=1.0, arrival_s=7.0),
        Job("wide", 2, 5, compute_s=1.0, arrival_s=7.0),
    ]
    # slim counts 6 s, like old, which has another network but one GPU too; wide 2 · 1 s.
    assert starts(jobs, Qssf()) == {"old": 0.0, "quick": 6.0, "wide": 7.0, "slim": 12.0}
    known = [*jobs, Job("known", 1, 9, compute_s=1.0, profile="resnet18", arrival_s=30.0)]
    known += [
        Job("slow", 1, 2, compute_s=1.0, profile="resnet18", arrival_s=50.0),
        Job("fast", 1, 2, compute_s=1.0, profile="vgg11", arrival_s=50.0),
        Job("third", 1, 2, compute_s=1.0, arrival_s=50.0),
    ]
    # Of one GPU there were jobs of 6, 1 and 9 s: of the networks of fast and slow one of 6 and one
    # of 9 s, of third's (none) the one of 1 s.
    found = starts(known, Qssf())
    assert (found["third"], found["fast"], found["slow"]) == (50.0, 50.0, 52.0)


def test_a_demand_that_never_was_counts_as_the_mean_of_all():
    jobs = [
        Job("old", 1, 6, compute_s=1.0),
        Job("quick", 1, 2, compute_s=1.0),
        Job("slim", 1, 1, compute_s=1.0, arrival_s=6.0),
        Job("wide", 2, 1, compute_s=1.0, arrival_s=6.0),
    ]
    # Both predictions are 4 s: slim has fewer GPUs.
    assert starts(jobs, Qssf()) == {"old": 0.0, "quick": 0.0, "slim": 6.0, "wide": 7.0}


def test_noise_is_drawn_by_seed_and_job():
    jobs = [Job(f"j{number}", 1, 2 + number % 3, compute_s=1.0) for number in range(12)]
    exact = starts(jobs, Qssf(predictor="oracle"))
    assert starts(jobs, Qssf(predictor="oracle", noise=0.0, seed=3)) == exact
    noisy = [starts(jobs, Qssf(predictor="oracle", noise=2.0, seed=seed)) for seed in (1, 1, 2)]
    assert noisy[0] == noisy[1] != exact
    assert noisy[2] != noisy[0]


def test_settings_are_checked():
    with pytest.raises(ValueError, match="predictor is"):
        Qssf(predictor="none")
    with pytest.raises(ValueError, match="noise is for"):
        Qssf(noise=1.0)
    with pytest.raises(ValueError, match="noise is a number"):
        Qssf(predictor="oracle", noise=-1.0)
