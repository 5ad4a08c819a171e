"""Real traces of the formats with files beside them, held against their own description."""

import csv
import math
from collections import Counter

import numpy as np
import pytest

from optsched.bounds import bound
from optsched.traces import load_trace


def test_gavels_makespan_bound(traces_directory):
    """Sum of steps / throughput × GPUs over 8, which other simulators print."""
    loaded = load_trace(traces_directory / "gavel" / "minimize_makespan.trace")
    report = loaded.report
    assert (report.format, report.rows_kept, report.capacity_gpus) == ("gavel", 100, 8)
    assert report.demand == {1: 71, 2: 6, 4: 23}
    assert report.load is None
    assert report.longest_s == 17_999.99817750294
    printed = 270549.101149441
    best = bound(loaded.instance, "makespan")
    assert printed - math.ulp(printed) <= best.value <= printed


def test_gavels_other_throughputs(traces_directory):
    folder = traces_directory / "gavel"
    loaded = load_trace(
        folder / "minimize_makespan.trace",
        throughputs=str(folder / "physical_cluster_throughputs.json.gz"),
    )
    # The printed value has six decimals.
    assert bound(loaded.instance, "makespan").value == pytest.approx(249_455.443995, abs=5e-7)
    assert "physical_cluster_throughputs.json.gz" in loaded.report.notes[0]


def test_gavels_jobs_are_those_of_its_simulator(traces_directory):
    folder = traces_directory / "gavel"
    jobs = load_trace(folder / "minimize_makespan.trace").instance.jobs
    with (folder / "expected_fifo_8v100.csv").open(newline="") as file:
        expected = [row["job_id"] for row in csv.DictReader(file)]
    assert set(jobs.ids) == set(expected)


def test_gavels_trace_with_seven_fields(traces_directory):
    loaded = load_trace(traces_directory / "gavel" / "msr-103959.trace.gz")
    report = loaded.report
    assert (report.rows_read, report.rows_kept) == (986, 861)
    (dropped,) = report.dropped
    assert (dropped.reason, dropped.count) == (
        "job type has no throughput on so many GPUs",
        125,
    )
    assert report.arrival_span_s <= 7_910_536
    assert loaded.instance.name == "msr-103959"


def test_gavels_k80_does_not_fit_all(traces_directory):
    loaded = load_trace(traces_directory / "gavel" / "max_min_fairness.trace", worker="k80")
    assert (loaded.report.rows_read, loaded.report.origin_s) == (96, 0)
    (dropped,) = loaded.report.dropped
    assert dropped.reason == "job type does not fit this kind of GPU"
    assert all("ResNet-50 (batch size 128)" in value for value in dropped.values)


def test_pollux(traces_directory):
    loaded = load_trace(traces_directory / "pollux" / "workload-6.csv")
    report, jobs = loaded.report, loaded.instance.jobs
    assert (report.format, report.rows_read, report.rows_kept) == ("pollux", 160, 160)
    assert report.demand == {1: 54, 4: 5, 6: 30, 8: 29, 12: 20, 16: 19, 24: 1, 32: 1, 48: 1}
    assert (report.origin_s, report.arrival_span_s) == (53, 28_189 - 53)
    duration_s = dict(zip(jobs.ids, jobs.compute_s.tolist(), strict=True))
    # 1548 iterations at 32768 on one GPU.
    assert duration_s["ncf-6"] == 1548 * 0.02131553226047092
    # 3200 on 24 GPUs of 6 nodes: 133.3 each, between the measured 115 and 163.
    share = (3200 / 24 - 115) / (163 - 115)
    step_s = 0.6691271305084229 + share * (0.8616450548171997 - 0.6691271305084229)
    assert duration_s["imagenet-18"] == pytest.approx(42_123 * step_s, rel=1e-12)


def test_swf(traces_directory):
    loaded = load_trace(traces_directory / "swf" / "sample.swf", servers=9, gpus_per_server=4)
    report = loaded.report
    assert (report.format, report.rows_read, report.dropped) == ("swf", 25, ())
    assert report.demand == {1: 4, 8: 5, 16: 1, 20: 2, 24: 9, 36: 4}
    assert report.origin_s == 561_553
    assert loaded.instance.jobs.ids[:2] == ("184", "5414")
    whole = load_trace(traces_directory / "swf" / "sample.swf", processors_per_gpu="8")
    assert whole.report.demand == {1: 9, 2: 1, 3: 11, 5: 4}


def test_a_window_of_philly_is_the_slice(traces_directory):
    """The slice cuts durations at a day; else the window has the same jobs at the same times."""
    whole = load_trace(
        traces_directory / "philly" / "philly.csv.gz",
        virtual_cluster="11cb48",
        start="2017-10-08 00:01:55",
        end="2017-10-12 00:01:55",
    ).instance.jobs
    part = load_trace(traces_directory / "philly" / "vc-11cb48-4days.csv").instance.jobs
    assert len(whole) == 890

    def rows(jobs):
        cut = np.minimum(jobs.compute_s, 86_400)
        return Counter(zip(jobs.arrival_s, jobs.gpus, cut, strict=True))

    assert rows(whole) == rows(part)


def test_philly_by_a_map_is_philly(traces_directory):
    path = traces_directory / "philly" / "philly.csv.gz"
    columns = "submit=timestamp,gpus=num_gpus,duration=duration,model=cluster"
    own = load_trace(path, map=columns, times="dates", servers=352, gpus_per_server=8)
    jobs, other = own.instance.jobs, load_trace(path).instance.jobs
    assert jobs.ids == other.ids
    for column in ("gpus", "compute_s", "arrival_s"):
        assert (getattr(jobs, column) == getattr(other, column)).all()
