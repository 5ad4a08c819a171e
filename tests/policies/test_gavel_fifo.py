"""Gavel's rounds by hand, and against its simulator."""

import ast
import csv
import gzip
import json

import pytest
from hypothesis import HealthCheck, given, settings
from judged_runs import judged, judged_rows
from strategies import instances

from optsched.core.cluster import Cluster
from optsched.core.instance import Instance
from optsched.core.jobs import Job, Jobs
from optsched.core.rate_model import RateModel
from optsched.judge import verify
from optsched.policies import GavelFifo

ONE_GPU = Cluster.uniform(1, 1)


def test_a_round_holds_whole_iterations_and_ends_with_its_last_job():
    # Rounds of 10 s: a does 3 iterations of 3 s, b two of 5 s. So a idles from 9 to 10 s.
    jobs = [Job("a", 1, 4, compute_s=3.0), Job("b", 1, 3, compute_s=5.0)]
    found = judged_rows(Cluster.uniform(1, 2), jobs, GavelFifo(round_s=10.0))
    assert found == [
        (0, {0: 1}, 0.0, 9.0),
        (1, {0: 1}, 0.0, 10.0),
        (0, {0: 1}, 10.0, 13.0),
        (1, {0: 1}, 10.0, 15.0),
    ]


def test_an_iteration_longer_than_a_round_is_cut():
    jobs = [Job("a", 1, 1, compute_s=25.0)]
    found = judged_rows(ONE_GPU, jobs, GavelFifo(round_s=10.0))
    assert [row[2:] for row in found] == [(0.0, 10.0), (10.0, 20.0), (20.0, 25.0)]


@pytest.mark.parametrize(("refresh_s", "start_s"), [(20.0, 20.0), (21.0, 30.0)])
def test_a_free_gpu_waits_for_the_refresh(refresh_s, start_s):
    # The first refresh is at 0 s, so the next one has no time to keep: b is in at 10 s, c at the
    # end of the first round that is so long after that.
    jobs = [
        Job("a", 1, 6, compute_s=10.0),
        Job("b", 1, 1, compute_s=10.0, arrival_s=1.0),
        Job("c", 1, 1, compute_s=10.0, arrival_s=2.0),
    ]
    policy = GavelFifo(round_s=10.0, refresh_s=refresh_s - 10.0)
    starts = {job: start for job, _, start, _ in judged_rows(Cluster.uniform(1, 2), jobs, policy)}
    assert starts[1] == 10.0
    assert starts[2] == start_s


def test_nothing_left_to_run_waives_the_wait():
    jobs = [Job(name, 1, 1, compute_s=10.0, arrival_s=at) for name, at in (("a", 5), ("b", 6))]
    found = judged_rows(ONE_GPU, jobs, GavelFifo(round_s=10.0, refresh_s=1e6))
    assert [row[2:] for row in found] == [(5.0, 15.0), (15.0, 25.0)]


def test_a_held_set_that_asks_for_too_much_takes_turns():
    # Two GPUs; a and b are held. When a is done, c (2 GPUs) is taken in for it before b is
    # counted, so that b and c share the time: b, which has waited as long, comes first by its id;
    # then c, which has had less.
    jobs = [
        Job("a", 1, 1, compute_s=10.0),
        Job("b", 1, 3, compute_s=10.0),
        Job("c", 2, 2, compute_s=10.0),
    ]
    found = judged_rows(Cluster.uniform(1, 2), jobs, GavelFifo(round_s=10.0))
    assert [(row[0], row[2]) for row in found] == [
        (0, 0.0), (1, 0.0), (1, 10.0), (2, 20.0), (1, 30.0), (2, 40.0),
    ]  # fmt: skip


@pytest.mark.parametrize("settings", [{"round_s": 0.0}, {"round_s": -1}, {"refresh_s": -1.0}])
def test_refused(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        GavelFifo(**settings)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(instance=instances(restarts=True))
def test_schedules_are_valid(instance):
    judged(instance, GavelFifo(round_s=0.9, refresh_s=2.0))


@pytest.fixture(scope="module")
def gavel(traces_directory):
    folder = traces_directory / "gavel"
    with gzip.open(folder / "simulation_throughputs.json.gz") as file:
        table = json.load(file)["v100"]
    per_s = {ast.literal_eval(name): of["null"] for name, of in table.items()}
    text = (folder / "minimize_makespan.trace").read_text()
    rows = [line.split("\t") for line in text.splitlines()]
    gpus = [int(row[6]) for row in rows]
    jobs = Jobs.from_columns(
        ids=[str(number) for number in range(len(rows))],
        gpus=gpus,
        iterations=[int(row[5]) for row in rows],
        compute_s=[1.0 / per_s[row[0], size] for row, size in zip(rows, gpus, strict=True)],
    )
    instance = Instance("gavel", Cluster.uniform(2, 4), jobs, RateModel.of("fixed"))
    with (folder / "expected_fifo_8v100.csv").open(newline="") as file:
        expected = {int(row["job_id"]): row for row in csv.DictReader(file)}
    return verify(instance, judged(instance, GavelFifo()).schedule), expected


def test_gavels_simulator_agrees_in_every_job(gavel):
    judgement, expected = gavel
    ours = zip(
        judgement.records.start_s.tolist(), judgement.records.completion_s.tolist(), strict=True
    )
    # The file has three decimals.
    differing = [
        (job, start_s, end_s, expected[job])
        for job, (start_s, end_s) in enumerate(ours)
        if abs(start_s - float(expected[job]["start_s"])) > 0.00051
        or abs(end_s - float(expected[job]["end_s"])) > 0.00051
    ]
    assert len(expected) == len(judgement.records.start_s) == 100
    assert differing == []


def test_gavels_simulator_printed_these_means(gavel):
    judgement, _ = gavel
    assert judgement.objectives["mean_jct"] == pytest.approx(137251.92454557994, rel=1e-12)
    assert judgement.objectives["makespan"] == pytest.approx(300593.971389993, rel=1e-12)
    assert judgement.metrics["utilisation"] == pytest.approx(0.9000483273113741, rel=1e-12)
