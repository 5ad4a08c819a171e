"""The table of jobs reads back as the numbers that the judge found."""

import csv
import math

import pytest

from optsched.core.cluster import Cluster
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.schedule import Schedule, Segment
from optsched.files import load
from optsched.judge import verify
from optsched.report import JOB_COLUMNS, job_columns, write_job_table
from optsched.study import run


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_a_preempted_job_by_hand(tmp_path):
    jobs = [
        Job('quote " and, comma', 1, 4, compute_s=1.0, arrival_s=1.0),
        Job("b", 1, 3, compute_s=1.0, arrival_s=2.0),
    ]
    instance = Instance("two", Cluster.uniform(1, 1), jobs, restart_s=0.5)
    here = Placement.of({0: 1})
    rows = [Segment(0, here, 1.0, 2.5), Segment(1, here, 2.5, 5.5), Segment(0, here, 6.0, 9.0)]
    judgement = verify(instance, Schedule.of(rows))
    first, second = rows_of(write_job_table(instance, judgement, tmp_path / "jobs.csv"))
    assert list(first) == list(JOB_COLUMNS)
    expected = {
        "gpus": 1,
        "arrival_s": 1.0,
        "start_s": 1.0,
        "completion_s": 9.0,
        "jct_s": 8.0,
        "queueing_s": 3.5,
        "running_s": 4.5,
        "restarting_s": 0.5,
        "compute_s": 4.0,
        "spread_s": 0.0,
        "contention": 0.0,
        "preemptions": 1,
        # Between 1 and 9 s there were 8 + 3.5 job seconds in the system.
        "finish_time_fairness": 8.0 / (4.0 * 11.5 / 8.0),
    }
    assert first["id"] == 'quote " and, comma'
    assert {name: float(first[name]) for name in expected} == pytest.approx(expected)
    assert (second["preemptions"], second["queueing_s"]) == ("0", "0.5")


def test_numbers_read_back_as_they_are(tmp_path):
    instance = load("poisson:jobs=60,servers=4,load=1.2", seed=3)
    result = run(instance, "las:thresholds=none,lease_s=900")
    columns = job_columns(instance, result.judgement)
    read = rows_of(write_job_table(instance, result.judgement, tmp_path / "jobs.csv"))
    for name in JOB_COLUMNS:
        if name != "id":
            assert [float(row[name]) for row in read] == columns[name]
    mean_s = math.fsum(columns["jct_s"]) / len(read)
    assert mean_s == pytest.approx(result.judgement.objectives["mean_jct"], rel=1e-12)


def test_without_records_there_is_no_table(tmp_path):
    instance = Instance("one", Cluster.uniform(1, 1), [Job("a", 1, 4, compute_s=1.0)])
    broken = verify(instance, Schedule.of([Segment(0, Placement.of({0: 1}), 0.0, 1.0)]))
    with pytest.raises(ValueError, match="not valid"):
        job_columns(instance, broken)
