"""The same faults in every format: a clear outcome, and nothing silently lost."""

import gzip
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from optsched.core.errors import NothingUsableError, TraceError
from optsched.traces import LOADERS, CsvFormat, load_trace

TABLES = [name for name, loader in LOADERS.items() if isinstance(loader, CsvFormat)]

#: Format, what stands in the second row of its sample, what is put there, and what that gives.
FAULTS = [
    ("tiresias", "8,1,53", "8,0,53", "GPU demand is not above 0"),
    ("tiresias", "8,1,53", "8,-1,53", "GPU demand is not above 0"),
    ("tiresias", "8,1,53", "8,1.5,53", "GPU demand is not a whole number"),
    ("tiresias", ",121,", ",nan,", "duration is not finite"),
    ("tiresias", ",121,", ",-121,", "duration is not above 0"),
    ("tiresias", ",121,", ",0,", "duration is not above 0"),
    ("tiresias", ",121,", ",None,", "duration is missing"),
    ("tiresias", "8,1,53", "8,1,-1", "submission time is negative"),
    ("tiresias", "8,1,53", ",1,53", "job id is missing"),
    ("philly", "10.0,2,", "10.0,0,", "GPU demand is not above 0"),
    ("philly", ",10.0,2", ",nan,2", "duration is not finite"),
    ("philly", ",10.0,2", ",-1,2", "duration is not above 0"),
    ("philly", "2017-10-09 06:01:55", "yesterday", "submission time is not a date and time"),
    ("philly", "2017-10-09 06:01:55", "", "submission time is missing"),
    ("philly-log", "01:11:00", "01:11:00+99:00", "time of an attempt is not a date and time"),
    ("philly-log", "2017-10-07 02:00:00", "2017-10-07 02:01:00", "end is before start"),
    ("philly-log", '"2017-10-07 01:05:00"', "5", "submission time is not a date and time"),
    ("philly-log", '"application_1_0002"', '""', "job id is missing"),
    ("helios", "vcY,16", "vcY,0", "CPU job, it asks for no GPU"),
    ("helios", ",7200,", ",-7200,", "duration is not above 0"),
    ("helios", ",7200,", ",nan,", "duration is not finite"),
    ("helios", ",7200,", ",,", "duration is missing"),
    ("helios", "2020-06-09 18:12:00", "2020-06-09 21:12:00", "end is before start"),
    ("openb", "327680,8,", "327680,0,", "CPU pod, it asks for no GPU"),
    ("openb", "327680,8,", "327680,-8,", "GPU demand is not above 0"),
    ("openb", ",8,1000,", ",8,500,", "asks for a part of a GPU (gpu_milli is not 1000)"),
    ("openb", ",9000,", ",nan,", "submission time is not finite"),
    ("openb", ",9000,", ",310,", "duration is not above 0"),
    ("openb", ",9000,", ",309,", "end is before start"),
    ("openb", ",310\n", ",\n", "start is missing: the job never ran"),
    ("pai", "64.0,100.0", "64.0,-100.0", "GPU demand is not above 0"),
    ("pai", "64.0,100.0", "64.0,nan", "plan_gpu is not finite"),
    ("pai", "64.0,100.0", "64.0,150.0", "asks for a part of a GPU (plan_gpu is percent)"),
    ("pai", "64.0,100.0", "64.0,", "CPU job, it asks for no GPU"),
    ("pai", "worker,4.0", "worker,0.5", "number of instances is not a whole number above 0"),
    ("pai", "5100.0,1200", ",1200", "end is missing: the job has not ended"),
    ("pai", "5100.0,1200", "1000,1200", "end is before start"),
    ("pai", "5100.0,1200", "1100,1200", "duration is not above 0"),
    ("gavel", "30\t4", "30\t0", "GPU demand is not above 0"),
    ("gavel", "30\t4", "30\t-4", "GPU demand is not above 0"),
    ("gavel", "30\t4", "-30\t4", "number of steps is not above 0"),
    ("gavel", "30\t4", "nan\t4", "number of steps is not finite"),
    ("gavel", "\t7.5", "\tinf", "submission time is not finite"),
    ("gavel", "LM\t", "ML\t", "job type has no throughput on so many GPUs"),
    ("pollux", "app,1,16", "app,0,16", "GPU demand is not above 0"),
    ("pollux", "app,1,16", "app,1,0", "batch size is not a whole number above 0"),
    ("pollux", "app,1,16", "app,1,nan", "batch size is not finite"),
    ("pollux", "app,1,16", "ppa,1,16", "application has no profile"),
    ("sensetime", "0,40,1000", "0,0,1000", "GPU demand is not above 0"),
    ("sensetime", "0,40,1000", "0,40,nan", "duration is not finite"),
    ("sensetime", "0,40,1000", "0,40,-5", "duration is not above 0"),
    ("swf", " 3600 4 ", " 0 4 ", "duration is not above 0"),
    ("swf", " 3600 4 ", " nan 4 ", "duration is not finite"),
    ("swf", " 3600 4 ", " 3600 -1 ", "number of processors is not above 0"),
    ("swf", " 3600 4 ", " 3600 4.5 ", "number of processors is not a whole number"),
    ("swf", "  3 31 ", "  3 -1 ", "submission time is negative"),
    ("plain", "130,1,", "130,0,", "GPU demand is not above 0"),
    ("plain", ",0.25", ",NaN", "duration is not finite"),
    ("plain", ",0.25", ",-0.25", "duration is not above 0"),
    ("plain", ",0.25", ",1e-300", "duration is below 1e-18 s"),
]


def loaded(write_trace, content, name, **options):
    return load_trace(write_trace(content), format=name, **options)


@pytest.mark.parametrize(("name", "old", "new", "reason"), FAULTS)
def test_a_fault_costs_its_row_alone(write_trace, samples, name, old, new, reason):
    content, jobs = samples[name]
    assert content.count(old) == 1
    found = loaded(write_trace, content.replace(old, new), name)
    (dropped,) = found.report.dropped
    assert (dropped.reason, dropped.count) == (reason, 1)
    # Philly's sample has its later job first, and its list is one line.
    assert dropped.lines == (({"philly-log": 1, "gavel": 2, "pai": 2}.get(name, 3)),)
    first = jobs[1] if name == "philly" else jobs[0]
    assert [job.id for job in found.instance.jobs] == [first[0]]
    assert found.report.rows_read == 2


@pytest.mark.parametrize("name", LOADERS)
def test_demands_beyond_the_cluster(write_trace, samples, name):
    content, jobs = samples[name]
    small, large = sorted(gpus for _, _, gpus, _ in jobs)
    found = loaded(write_trace, content, name, servers=1, gpus_per_server=small)
    assert found.instance.jobs.gpus.tolist() == [small]
    (dropped,) = found.report.dropped
    assert dropped.values == (str(large),)
    if small > 1:
        with pytest.raises(NothingUsableError) as caught:
            loaded(write_trace, content, name, servers=1, gpus_per_server=1)
        assert caught.value.exit_code == 1
        assert "take a larger cluster" in str(caught.value)


@pytest.mark.parametrize("name", LOADERS)
def test_empty_and_blank_files(write_trace, name):
    for content in ("", "\n \n", b"\xef\xbb\xbf", gzip.compress(b"")):
        with pytest.raises(TraceError, match="got an empty file") as caught:
            loaded(write_trace, content, name)
        assert caught.value.exit_code == 2


@pytest.mark.parametrize("name", LOADERS)
def test_byte_order_mark_line_ends_and_gzip(write_trace, samples, name):
    content, jobs = samples[name]
    for data in (
        b"\xef\xbb\xbf" + content.encode(),
        content.replace("\n", "\r\n").encode(),
        gzip.compress(b"\n\n" + content.encode() + b"\n\n"),
    ):
        found = load_trace(write_trace(data))
        assert found.report.format == name
        assert list(found.instance.jobs.ids) == [job[0] for job in jobs]


@pytest.mark.parametrize("name", LOADERS)
def test_truncated_gzip(write_trace, samples, name):
    content = samples[name][0]
    if name == "philly-log":
        jobs = json.loads(content)
        content = json.dumps([dict(jobs[i % 2], jobid=f"j{i}") for i in range(5000)], indent=1)
    else:
        head, *rows = content.splitlines(keepends=True)
        content = head + "".join(row.rstrip("\n") + "\n" for row in rows * 5000)
    packed = gzip.compress(content.encode())
    with pytest.raises(TraceError, match=r"mine:\d+: expected a complete gzip file") as caught:
        loaded(write_trace, packed[: len(packed) // 2], name)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(("delimiter", "word"), [(";", "semicolons"), ("\t", "tabs")])
def test_wrong_delimiter(write_trace, samples, name, delimiter, word):
    content = samples[name][0].replace(",", delimiter)
    with pytest.raises(TraceError, match=f"expected columns separated by commas, got {word}"):
        loaded(write_trace, content, name)


@pytest.mark.parametrize("name", TABLES)
def test_missing_and_doubled_columns(write_trace, samples, name):
    header, _, rest = samples[name][0].partition("\n")
    for column in LOADERS[name].columns:
        names = ["other" if one == column else one for one in header.split(",")]
        with pytest.raises(TraceError, match=f"mine:1: .*{column!r} is missing"):
            loaded(write_trace, ",".join(names) + "\n" + rest, name)
        # Put in place of a column that no one needs.
        free = next(one for one in names if one != "other" and one not in LOADERS[name].columns)
        names = [column if one == free else one for one in header.split(",")]
        with pytest.raises(TraceError, match=f"mine:1: .*different names, got {column!r} in"):
            loaded(write_trace, ",".join(names) + "\n" + rest, name)


@pytest.mark.parametrize("name", ["tiresias", "helios", "openb", "pollux", "sensetime", "plain"])
def test_doubled_ids_and_order(write_trace, samples, name):
    content, jobs = samples[name]
    header, first, second = content.splitlines()
    turned = loaded(write_trace, "\n".join([header, second, first]), name)
    arrivals = turned.instance.jobs.arrival_s.tolist()
    assert arrivals == sorted(arrivals)
    assert sorted(turned.instance.jobs.ids) == sorted(job[0] for job in jobs)
    with pytest.raises(TraceError, match=r"mine:4: expected a job id of its own, got .* line 2"):
        loaded(write_trace, "\n".join([header, first, second, first]), name)
    for rule, kept in (("first", 2), ("last", 2), ("keep", 3)):
        found = loaded(
            write_trace, "\n".join([header, first, second, first]), name, duplicates=rule
        )
        assert len(found.instance.jobs) == kept
        assert found.report.rows_read == 3


@pytest.mark.parametrize("name", ["philly-log", "swf"])
def test_doubled_ids_of_formats_without_columns(write_trace, samples, name):
    content = samples[name][0]
    if name == "swf":
        content = content.replace("  3 31", "  1 31")
    else:
        content = content.replace("application_1_0002", "application_1_0001")
    with pytest.raises(TraceError, match="expected a job id of its own"):
        loaded(write_trace, content, name)
    assert len(loaded(write_trace, content, name, duplicates="keep").instance.jobs) == 2


PIECES = st.sampled_from(
    ["", "0", "-1", "nan", "1e999", "None", ",", "\t", '"', "\n", " ", "[", "}", "\\", "é", "\0",
     "2017-10-09 07:01:55+99:00", "1_0", "٣", "9" * 30, ";", "{}", "null", "\ud800"]
)  # fmt: skip


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    edits=st.lists(
        st.tuples(st.integers(0, 600), st.integers(0, 12), PIECES), min_size=1, max_size=4
    ),
    named=st.booleans(),
    duplicates=st.sampled_from(["error", "first", "last", "keep"]),
)
@pytest.mark.parametrize("name", LOADERS)
def test_no_edit_of_a_sample_loses_anything(write_trace, samples, name, edits, named, duplicates):
    content = samples[name][0]
    for place, length, piece in edits:
        place %= len(content) + 1
        content = content[:place] + piece + content[place + length :]
    path = write_trace(content.encode(errors="surrogatepass"))
    try:
        found = load_trace(path, format=name if named else None, duplicates=duplicates)
    except TraceError as problem:
        assert problem.exit_code == (1 if isinstance(problem, NothingUsableError) else 2)
        assert str(path) in str(problem)
        return
    report, jobs = found.report, found.instance.jobs
    assert report.rows_kept == len(jobs) > 0
    assert report.rows_read == report.rows_kept + sum(rows.count for rows in report.dropped)
    if report.format in TABLES:
        lines = content.encode(errors="surrogatepass").decode(errors="surrogateescape")
        rows = [
            line for line in lines.replace("\r", "\n").split("\n") if not (line + "\n").isspace()
        ]
        assert report.rows_read == len(rows) - 1
    assert len(set(jobs.ids)) == len(jobs)
    str(report).encode()
