"""A window of time and a sample of the rows."""

import pytest

from optsched.core.errors import NothingUsableError, TraceError
from optsched.traces import Selection, load_trace

PLAIN = "job_id,submit_s,gpus,duration_s\n"
DATES = "timestamp,duration,num_gpus,gpu_time,cluster\n"


@pytest.fixture
def load(tmp_path):
    def write_and_load(content, **options):
        (tmp_path / "mine.csv").write_text(content)
        return load_trace(tmp_path / "mine.csv", **options)

    return write_and_load


ROWS = PLAIN + "a,100,1,1\nb,50,1,2\nc,200,1,3\nd,199.5,1,4\n"


def test_a_window_has_its_start_and_not_its_end(load):
    loaded = load(ROWS, start=100, end="200")
    assert loaded.instance.jobs.ids == ("a", "d")
    assert loaded.report.origin_s == 100
    assert [(rows.reason, rows.lines) for rows in loaded.report.dropped] == [
        ("submission is before the window, as asked", (3,)),
        ("submission is after the window, as asked", (4,)),
    ]
    assert loaded.instance.metadata["trace_from"] == "100"
    assert loaded.instance.metadata["trace_to"] == "200"
    assert load(ROWS, end=60).instance.jobs.ids == ("b",)


def test_a_window_of_dates(load):
    rows = DATES + "".join(f"2017-10-0{day} 12:00:00,9,1,9,x\n" for day in range(1, 6))
    assert load(rows, start="2017-10-02", end="2017-10-04").instance.jobs.ids == ("1", "2")
    # Noon at UTC is 14:00 two hours east.
    late = load(rows, start="2017-10-04T14:00:01+02:00")
    assert late.instance.jobs.ids == ("4",)


def test_windows_that_cannot_be(load):
    with pytest.raises(TraceError, match=r"from: expected seconds .* got '2017-10-02'"):
        load(ROWS, start="2017-10-02")
    with pytest.raises(TraceError, match=r"to: expected a date .* got 5"):
        load(DATES + "2017-10-01 12:00:00,9,1,9,x\n", end=5)
    with pytest.raises(TraceError, match="expected a window that ends after it starts"):
        load(ROWS, start=5, end=5)
    with pytest.raises(NothingUsableError, match="4 rows: submission is before the window"):
        load(ROWS, start=1000)


def test_a_sample_is_drawn_by_its_seed(load):
    rows = PLAIN + "".join(f"j{i},{i},1,{i + 1}\n" for i in range(2000))
    first, again = load(rows, sample=0.25), load(rows, sample=0.25)
    other = load(rows, sample=0.25, seed=1)
    assert first.instance.jobs.ids == again.instance.jobs.ids != other.instance.jobs.ids
    # 500 expected, with a standard deviation of 19.4.
    for loaded in (first, other):
        assert 400 < len(loaded.instance.jobs) < 600
        (dropped,) = loaded.report.dropped
        assert dropped.reason == "not drawn for the sample, as asked"
        assert dropped.count == 2000 - len(loaded.instance.jobs)
    assert other.instance.metadata["trace_sample"] == "0.25"
    assert other.instance.metadata["trace_sample_seed"] == "1"
    assert "trace_sample" not in load(rows).instance.metadata


@pytest.mark.parametrize("sample", [0.0, -1.0, 1.5, float("nan")])
def test_samples_that_are_no_share(sample):
    with pytest.raises(TraceError, match="sample: expected a share above 0 and up to 1"):
        Selection(sample=sample)
