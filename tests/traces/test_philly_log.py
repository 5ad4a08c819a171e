"""The Philly log as published: attempts, broken JSON, lists larger than what is read at once."""

import gzip
import json

import pytest

from optsched.core.errors import NothingUsableError, TraceError
from optsched.traces import load_trace


def rows_of(loaded):
    return [(job.id, job.arrival_s, job.gpus, job.compute_s) for job in loaded.instance.jobs]


def dropped_of(loaded):
    return [(rows.reason, rows.lines) for rows in loaded.report.dropped]


@pytest.fixture
def load(write_trace):
    def write_and_load(content, **options):
        return load_trace(write_trace(content), **options)

    return write_and_load


def test_philly_log_quirks(load, make_attempt, make_philly_job):
    def ran(start, end, *gpus):
        times = [f"2017-10-07 {time}" if ":" in (time or "") else time for time in (start, end)]
        return make_attempt(*times, *gpus)

    when = "2017-10-07 01:06:00"
    good = ran("01:07:00", "01:08:00", 1)
    again = (
        ran("01:00:00", "01:00:10", 8),
        ran("03:00:00", "03:00:05", 1, 1),
        ran("04:00:00", "None"),
    )
    jobs = [
        make_philly_job("never-ran", when),
        make_philly_job("no-end", when, ran("01:07:00", "None", 1)),
        make_philly_job("null-end", when, ran("01:07:00", None, 1)),
        make_philly_job("no-gpu", when, ran("01:07:00", "01:08:00")),
        make_philly_job("backwards", when, ran("01:07:00", "01:06:59", 1)),
        make_philly_job("instant", when, ran("01:07:00", "01:07:00", 1)),
        make_philly_job("garbled", when, ran("soon", "01:07:00", 1)),
        make_philly_job("when", None, good),
        make_philly_job(None, when, good),
        make_philly_job("again", when, *again),
        [1],
    ]
    loaded = load("[\n" + ",\n".join(json.dumps(job) for job in jobs) + "\n]\n")
    # The last attempt with GPUs has two of them; 10 s and 5 s were run.
    assert rows_of(loaded) == [("again", 0.0, 2, 15.0)]
    assert dropped_of(loaded) == [
        ("no attempt: the job never ran", (2,)),
        ("no attempt has a start and an end", (3, 4)),
        ("no attempt has a GPU", (5,)),
        ("end is before start", (6,)),
        ("duration is not above 0", (7,)),
        ("time of an attempt is not a date and time", (8,)),
        ("submission time is missing", (9,)),
        ("job id is missing", (10,)),
        ("the element is no job", (12,)),
    ]
    assert loaded.report.rows_read == 11
    notes = "\n".join(loaded.report.notes)
    assert "1 row: attempts have different numbers of GPUs; the last is used (line 11)" in notes
    assert "1 row: an attempt without start or end is left out of the duration (line 11)" in notes


def test_philly_log_filters_zones_and_layout(load, make_attempt, make_philly_job):
    here = make_attempt("2017-10-07 01:00:00", "2017-10-07 01:01:00", 1)
    there = make_attempt("2017-10-07 01:00:00", "2017-10-07T01:00:00-01:00", 1)
    jobs = [
        make_philly_job("a", "2017-10-07T01:00:00+02:00", there, vc="6214e9"),
        make_philly_job("b", "2017-10-07 01:00:00Z", here, vc="x", status="Killed"),
    ]
    for layout in ({}, {"indent": 1}, {"separators": (",", ":")}):
        loaded = load(json.dumps(jobs, **layout))
        # 01:00 two hours east of Greenwich is 23:00; the run ends at 02:00 UTC.
        assert rows_of(loaded) == [("a", 0.0, 1, 3600.0), ("b", 7200.0, 1, 60.0)]
        assert loaded.report.counts["vc"] == {"6214e9": 1, "x": 1}
        assert loaded.report.origin == "2017-10-06T23:00:00+00:00"
    assert rows_of(load(json.dumps(jobs), virtual_cluster="6214e9"))[0][0] == "a"
    assert rows_of(load(json.dumps(jobs), status="Killed"))[0][0] == "b"


def test_philly_log_that_is_broken(load, samples):
    content = samples["philly-log"][0]
    for text, place in (
        ("[\n{}\n", "mine:3: expected a comma or ] after an element, got the end of the file"),
        ("[{},\n\n x]", "mine:3: expected JSON, got 'x]'"),
        ("[{}] []", "mine:1: expected nothing after the list"),
        (content[:200], "mine:1: expected JSON"),
        ("[" * 100_000, "mine:1: expected JSON"),
    ):
        with pytest.raises(TraceError) as caught:
            load(text, format="philly-log")
        assert place in str(caught.value)
        assert caught.value.exit_code == 2
    with pytest.raises(TraceError, match="mine:1: expected a list of jobs, which begins with"):
        load('{"a": 1}', format="philly-log")
    for text in ("[]", "[\n]", '[{"vc": 1, "vc": 2}]', "[null]", '[{"jobid": "\\ud800"}]'):
        with pytest.raises(NothingUsableError):
            load(text)


def test_a_doubled_key_costs_one_job_of_the_list(load, samples):
    content = samples["philly-log"][0]
    doubled = content.replace('"user": "u1", ', '"user": "u1", "vc": "other", ', 1)
    loaded = load(doubled)
    assert [row[0] for row in rows_of(loaded)] == ["application_1_0002"]
    assert dropped_of(loaded) == [("a key is there twice", (1,))]
    assert loaded.report.dropped[0].values == ("vc",)


def test_philly_log_larger_than_a_piece_is_read_to_the_end(load, make_attempt, make_philly_job):
    run = make_attempt("2017-10-07 01:00:00", "2017-10-07 01:01:00", 4)
    jobs = [make_philly_job(f"j{i}", "2017-10-07 01:00:00", *[run] * (i % 40)) for i in range(700)]
    one_line = json.dumps(jobs)
    assert len(one_line) > 1_500_000
    for text in (one_line, json.dumps(jobs, indent=1)):
        loaded = load(text)
        assert loaded.report.rows_read == 700
        assert loaded.instance.jobs.ids == tuple(f"j{i}" for i in range(700) if i % 40)
        assert loaded.instance.jobs.compute_s[38] == 39 * 60
    with pytest.raises(TraceError, match="complete gzip"):
        load(gzip.compress(json.dumps(jobs, indent=1).encode())[:-100])
