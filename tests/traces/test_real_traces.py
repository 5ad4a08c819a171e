"""Real traces, held against the counts that their own description gives."""

from collections import Counter

import numpy as np
import pytest

from optsched.core.errors import TraceError
from optsched.traces import load_trace


def test_tiresias(traces_directory):
    loaded = load_trace(traces_directory / "tiresias" / "60_job.csv")
    report, jobs = loaded.report, loaded.instance.jobs
    assert report.format == "tiresias"
    assert (report.rows_read, report.rows_kept, report.dropped) == (60, 60, ())
    assert report.demand == {1: 30, 2: 10, 4: 10, 8: 10}
    assert report.work_gpu_s == 26_624
    assert jobs.ids == tuple(str(i) for i in range(60))
    assert (report.origin_s, report.arrival_span_s) == (0, 1779)
    assert (jobs.compute_s.min(), jobs.compute_s.max()) == (121, 1800)
    assert set(report.counts["model_name"].values()) == {6}
    assert len(report.counts["model_name"]) == 10
    assert report.load == pytest.approx(26_624 / (16 * 1779))


def test_philly(traces_directory):
    loaded = load_trace(traces_directory / "philly" / "philly.csv.gz")
    report, jobs = loaded.report, loaded.instance.jobs
    assert report.format == "philly"
    assert (report.rows_read, report.rows_kept, report.dropped) == (82_247, 82_247, ())
    assert report.demand == {
        1: 76_627, 2: 1818, 4: 1870, 8: 1643, 12: 7, 16: 199, 24: 7, 32: 67, 64: 6, 128: 3,
    }  # fmt: skip
    assert report.counts["cluster"] == {
        "6214e9": 41_226, "11cb48": 16_091, "6c71a0": 9953, "b436b2": 7423, "103959": 1934,
        "ee9e8c": 1511, "0e4a51": 1435, "ed69ec": 1137, "7f04ca": 723, "2869ce": 422,
        "e13805": 374, "23dbec": 8, "51b7ef": 4, "925e2b": 3, "795a4c": 3,
    }  # fmt: skip
    assert report.origin == "2017-09-04T10:30:41+00:00"
    # 2017-12-22 08:02:11 is 108 days and 21:31:30 later.
    assert report.arrival_span_s == 108 * 86_400 + 21 * 3600 + 31 * 60 + 30
    assert (jobs.compute_s.min(), jobs.compute_s.max()) == (1, 4_628_226)
    assert np.median(jobs.compute_s) == 1144
    assert (np.diff(jobs.arrival_s) >= 0).all()


def test_philly_keeps_rows_that_are_exact_copies(traces_directory):
    jobs = load_trace(traces_directory / "philly" / "philly.csv.gz").instance.jobs
    rows = Counter(zip(jobs.arrival_s, jobs.gpus, jobs.compute_s, strict=True))
    assert sum(count - 1 for count in rows.values()) == 65
    assert len(jobs) == 82_247


def test_the_slice_of_philly_is_in_the_whole(traces_directory):
    """The slice counts from its first job and cuts durations at a day; else it is the same."""
    whole = load_trace(traces_directory / "philly" / "philly.csv.gz", virtual_cluster="11cb48")
    part = load_trace(traces_directory / "philly" / "vc-11cb48-4days.csv")
    # 2017-10-08 00:01:55 UTC is 17,447 days after 1970-01-01.
    start_s = 17_447 * 86_400 + 115 - whole.report.origin_s
    jobs = whole.instance.jobs
    inside = (jobs.arrival_s >= start_s) & (jobs.arrival_s < start_s + 4 * 86_400)
    rows = zip(
        jobs.arrival_s[inside] - start_s,
        jobs.gpus[inside],
        np.minimum(jobs.compute_s[inside], 86_400),
        strict=True,
    )
    jobs = part.instance.jobs
    assert sorted(rows) == sorted(zip(jobs.arrival_s, jobs.gpus, jobs.compute_s, strict=True))


def test_philly_slice(traces_directory):
    loaded = load_trace(traces_directory / "philly" / "vc-11cb48-4days.csv")
    report, jobs = loaded.report, loaded.instance.jobs
    assert report.format == "plain"
    assert (report.rows_read, report.rows_kept, report.dropped) == (890, 890, ())
    assert report.demand == {1: 819, 2: 68, 4: 3}
    assert report.work_gpu_s == 2_156_418
    assert jobs.ids == tuple(str(i) for i in range(890))
    assert report.arrival_span_s == 345_358
    assert (np.diff(jobs.arrival_s) == 0).sum() == 12
    assert (jobs.compute_s.min(), jobs.compute_s.max()) == (5, 86_400)
    assert (jobs.compute_s == 86_400).sum() == 7
    assert (jobs.arrival_s + jobs.compute_s).max() == 363_996
    assert len(loaded.instance.cluster.servers) == 4
    assert loaded.instance.cluster.total_gpus == 32


@pytest.mark.parametrize(
    ("file", "origin_s", "span_s"),
    [("batch", 0, 0), ("poisson", 15_515, 3_417_970 - 15_515)],
)
def test_sensetime(traces_directory, file, origin_s, span_s):
    loaded = load_trace(traces_directory / "dally" / f"sensetime-500-{file}.csv")
    report, jobs = loaded.report, loaded.instance.jobs
    assert report.format == "sensetime"
    assert (report.rows_read, report.rows_kept, report.dropped) == (500, 500, ())
    assert report.demand == {1: 270, 2: 13, 4: 52, 8: 109, 16: 42, 32: 11, 40: 1, 48: 1, 56: 1}
    assert report.counts["model"] == {
        "MobileNetV3": 125, "BERT": 125, "ResNet50": 125, "AlexNet": 53, "ResNet18": 38, "VGG": 34,
    }  # fmt: skip
    assert report.work_gpu_s / 3600 == pytest.approx(13_053.88, abs=0.005)
    assert (report.origin_s, report.arrival_span_s) == (origin_s, span_s)
    assert (jobs.gpus * jobs.compute_s).min() == pytest.approx(7218)
    assert (jobs.gpus * jobs.compute_s).max() == pytest.approx(1_165_582)
    assert set(jobs.profiles) == {None}


def test_the_two_sensetime_files_hold_the_same_jobs(traces_directory):
    batch, poisson = (
        load_trace(traces_directory / "dally" / f"sensetime-500-{file}.csv").instance.jobs
        for file in ("batch", "poisson")
    )
    assert batch.ids == tuple(str(i) for i in range(500))
    assert poisson.ids != batch.ids
    assert {(job.id, job.gpus, job.compute_s) for job in batch} == {
        (job.id, job.gpus, job.compute_s) for job in poisson
    }


def test_a_file_that_is_no_job_list_is_refused(traces_directory):
    with pytest.raises(TraceError, match=r"yarn-gput1000\.csv:1: .* the first line of a trace"):
        load_trace(traces_directory / "tiresias" / "yarn-gput1000.csv")
