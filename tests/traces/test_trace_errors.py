"""Files that are no traces: each gets one clear error, and never another exception."""

import gzip
import random
import zlib

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from optsched.core.cluster import Cluster
from optsched.core.errors import TraceError, UnknownNameError
from optsched.traces import LOADERS, CsvFormat, load_trace, rows

PLAIN = "job_id,submit_s,gpus,duration_s\n"


@pytest.fixture
def fails(tmp_path):
    """Load a text that must fail, and return the message without the folder."""

    def write_and_load(content, *, error=TraceError, exit_code=2, **options):
        path = tmp_path / "mine.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        with pytest.raises(error) as caught:
            load_trace(path, **options)
        assert caught.value.exit_code == exit_code
        return str(caught.value).replace(str(path), "mine.csv")

    return write_and_load


@pytest.mark.parametrize("content", ["", "\n \n\n", "\ufeff", gzip.compress(b"", mtime=0)])
def test_empty_file(fails, content):
    assert fails(content) == (
        "mine.csv: expected a table of jobs, got an empty file; check how it was made"
    )


def test_header_without_rows(fails):
    assert fails(PLAIN + "\n", exit_code=1) == (
        "mine.csv:1: expected rows below the header, got none; add some"
    )


def test_missing_file_folder_and_impossible_path(tmp_path):
    missing = tmp_path / "none.csv"
    with pytest.raises(TraceError) as caught:
        load_trace(missing)
    assert str(caught.value).startswith(f"{missing}: expected a trace, got no such file; ")
    with pytest.raises(TraceError) as caught:
        load_trace(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: expected a trace, got a folder; name a file inside it"
    )
    for path in ("a\0b", "x" * 5000, tmp_path / "mine.csv" / "below"):
        (tmp_path / "mine.csv").write_text(PLAIN)
        with pytest.raises(TraceError):
            load_trace(path)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"PK\x03\x04\0\0", "a zip archive or a spreadsheet"),
        (b"BZh91AY", "a bzip2 file"),
        (b"PAR1\0\0", "a Parquet file"),
        (PLAIN.encode("utf-16"), "text in UTF-16"),
    ],
)
def test_other_kinds_of_file_are_named(fails, content, kind):
    assert fails(content) == (
        f"mine.csv: expected CSV text in UTF-8, plain or gzip, got {kind}; convert it"
    )


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\x00\x01\x02\x03", "binary data"),
        (b"\n\x89PNG\xff\xfa", "text in another encoding than UTF-8"),
        (gzip.compress(b"ustar\0\0\0", mtime=0), "binary data"),
    ],
)
def test_binary(fails, content, kind):
    message = fails(content)
    assert f"expected CSV text in UTF-8, got {kind}; " in message
    assert message.startswith("mine.csv:")


@pytest.mark.parametrize(
    ("delimiter", "name"), [(";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")]
)
@pytest.mark.parametrize("format", [None, "plain"])
def test_wrong_delimiter(fails, delimiter, name, format):
    content = (PLAIN + "a,0,1,1\n").replace(",", delimiter)
    assert fails(content, format=format) == (
        f"mine.csv:1: expected columns separated by commas, got {name}; save the table with commas"
    )


def test_doubled_column(fails):
    assert fails("\njob_id,submit_s,gpus,duration_s,gpus\n1,2,3,4,5\n") == (
        "mine.csv:2: expected columns of different names, got 'gpus' in columns 3 and 5; "
        "rename one of them"
    )


def test_missing_column_with_the_nearest_name(fails):
    assert fails("job_id,submit_s,GPU,duration_s\na,0,1,1\n") == (
        "mine.csv:1: expected the columns submit_s, gpus, duration_s of a plain trace, the nearest "
        "format, got 'job_id,submit_s,GPU,duration_s'; "
        "'gpus' is missing, rename 'GPU' if that is it"
    )
    assert fails("job_id,submit_s,gpus,duration_s\na,0,1,1\n", format="sensetime") == (
        "mine.csv:1: expected the columns arrival_s, gpus, trace_duration_s of a sensetime trace, "
        "got 'job_id, submit_s, gpus, duration_s'; 'arrival_s' is missing; 'trace_duration_s' is "
        "missing, rename 'duration_s' if that is it"
    )


@pytest.mark.parametrize(
    "content",
    ["0,0,1,60\n1,5,2,70\n", '{"format": "optsched.instance/1"}', "hello\n", "duration\n5\n"],
)
def test_what_is_no_trace_is_told_of_every_format(fails, content):
    first, *known = fails(content).splitlines()
    assert first.startswith("mine.csv:1: expected the first line of a trace, got ")
    assert repr(content.splitlines()[0]) in first
    assert [line.split()[0] for line in known] == list(LOADERS)
    assert known[-1] == "  plain      the columns submit_s, gpus, duration_s"


def test_unclosed_quote_in_the_header(fails):
    message = fails('job_id,"submit_s,gpus,duration_s\na,0,1,1\n')
    assert message.startswith("mine.csv:1: expected a header that names the columns, got ")


def test_header_of_two_formats(fails):
    both = "submit_s,gpus,duration_s,submit_time,num_gpu,duration\n0,1,10,5,2,20\n"
    assert fails(both) == (
        "mine.csv:1: expected one format, got tiresias and plain; say which with format (--format)"
    )


def test_duplicate_ids_name_both_lines(fails):
    assert fails(PLAIN + "a,0,1,1\nb,1,1,1\n\na,2,1,1\n") == (
        "mine.csv:5: expected a job id of its own, got 'a', which line 2 has too; say with "
        "duplicates (--duplicates) whether to use the first, the last, or to keep both"
    )
    assert "(2 rows have an id from before)" in fails(PLAIN + "a,0,1,1\na,1,1,1\na,2,1,1\n")


def test_no_usable_row(fails):
    assert fails(PLAIN + "a,0,0,1\n", exit_code=1) == (
        "mine.csv: expected a usable job, got 1 row, dropped; see the reasons below\n"
        "  1 row: GPU demand is not above 0 (line 2: '0')"
    )
    assert fails(PLAIN + "a,0,100,1\nb,0,1,x\n", exit_code=1) == (
        "mine.csv: expected a usable job, got 2 rows, all dropped; take a larger cluster "
        "(--servers, --gpus-per-server), or see the reasons below\n"
        "  1 row: GPU demand is above the 32 GPUs of the cluster (line 2: '100')\n"
        "  1 row: duration is not a number (line 3: 'x')"
    )


def packed_trace():
    draw = random.Random(0)
    lines = "".join(f"{i},{draw.randrange(10**6)},1,{i + 1}\n" for i in range(20_000))
    return gzip.compress((PLAIN + lines).encode())


def test_truncated_and_damaged_gzip_say_after_which_line(fails):
    packed = packed_trace()
    whole = zlib.decompressobj(31).decompress(packed[: len(packed) // 2])
    message = fails(packed[: len(packed) // 2])
    assert "expected a complete gzip file, got data that breaks off or is damaged" in message
    line = int(message.split(":")[1])
    assert 1000 < line <= whole.count(b"\n") + 1
    assert f"after line {line - 1:,} (" in message
    assert message.endswith("; fetch or compress the file again")
    for broken in (packed[:15], packed[:-4], packed + b"rubbish", packed[:50] + packed[60:]):
        assert "expected a complete gzip file" in fails(broken)


def test_a_line_without_end_is_not_read_into_memory(fails, monkeypatch):
    monkeypatch.setattr(rows, "MAX_LINE_CHARACTERS", 100)
    assert fails("x" * 1000).startswith("mine.csv:1: expected lines of at most 100 characters, ")
    message = fails(PLAIN + "a,0,1,1\n" + "y" * 1000)
    assert message.startswith("mine.csv:3: expected lines of at most 100 characters, ")


def test_unknown_names_and_options(fails):
    content = PLAIN + "a,0,1,1\n"
    assert "did you mean 'plain'?" in fails(content, error=UnknownNameError, format="plane")
    message = fails(content, error=UnknownNameError, duplicates="both")
    assert message.startswith("no rule for duplicates is called 'both'; known: error, first, ")
    assert fails(content, colour="red") == (
        "a plain trace has no option 'colour'; it has map, times, unit"
    )
    philly = "timestamp,duration,num_gpus\n2017-10-09 00:00:00,1.0,1\n"
    assert fails(philly, virtual_clustre="a") == (
        "a philly trace has no option 'virtual_clustre'; did you mean 'virtual_cluster'?"
    )
    assert fails(philly, virtual_cluster="a") == (
        "mine.csv:1: expected a column 'cluster' for the option virtual_cluster, got none; "
        "leave the option out"
    )
    assert fails(philly, virtual_cluster=6214e9) == (
        "virtual_cluster: expected text, got 6214000000000.0; put it in quotes"
    )


def test_clusters_that_cannot_be(fails):
    content = PLAIN + "a,0,1,1\n"
    assert fails(content, servers=0) == (
        "servers: expected a whole number from 1 to 1,000,000, got 0"
    )
    assert fails(content, gpus_per_server=-1).startswith("gpus_per_server: expected ")
    assert fails(content, racks=5) == "racks: expected a whole number from 1 to 4, got 5"
    assert fails(content, servers=10**9).endswith("got 1000000000")
    assert fails(content, cluster=Cluster.uniform(1, 1), servers=2) == (
        "expected a cluster or servers, got both; leave one out"
    )


def check_outcome(path, **options):
    """Load, and hold the outcome against what must be true of every one."""
    try:
        loaded = load_trace(path, **options)
    except TraceError:
        return
    report, jobs = loaded.report, loaded.instance.jobs
    assert report.rows_kept == len(jobs) == sum(report.demand.values()) > 0
    assert report.rows_read == report.rows_kept + sum(drop.count for drop in report.dropped)
    assert jobs.arrival_s[0] == 0
    assert (jobs.arrival_s[1:] >= jobs.arrival_s[:-1]).all()
    assert len(set(jobs.ids)) == len(jobs)
    str(report).encode()


HEADERS = [",".join(one.columns) for one in LOADERS.values() if isinstance(one, CsvFormat)]
FIELD = st.one_of(
    st.integers(-2, 40).map(str),
    st.floats().map(repr),
    st.sampled_from(["", "None", "1_0", '"', '"1"', "2017-10-09 07:01:55", "0001-01-01T00:00Z"]),
    st.text(max_size=6),
)
FUZZ = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@FUZZ
@given(
    header=st.sampled_from(HEADERS),
    ids=st.booleans(),
    table=st.lists(st.lists(FIELD, min_size=2, max_size=5), max_size=8),
    duplicates=st.sampled_from(["error", "first", "last", "keep"]),
)
@example(
    header="timestamp,num_gpus,duration",
    ids=False,
    table=[["0001-01-01 00:00+01:00", "1", "1"], ["9999-12-31 23:59-01:00", "1", "1"]],
    duplicates="error",
)
def test_no_table_raises_anything_but_a_trace_error(tmp_path, header, ids, table, duplicates):
    lines = [("job_id," if ids else "") + header, *(",".join(row) for row in table)]
    path = tmp_path / "fuzz.csv"
    path.write_text("\n".join(lines), encoding="utf-8", errors="surrogatepass")
    check_outcome(path, duplicates=duplicates)


@FUZZ
@given(
    content=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)),
    format=st.sampled_from([None, *LOADERS]),
)
def test_no_bytes_raise_anything_but_a_trace_error(tmp_path, content, format):
    path = tmp_path / "fuzz.csv"
    path.write_bytes(content)
    check_outcome(path, format=format)


@FUZZ
@given(
    packed=st.booleans(),
    edits=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), min_size=1, max_size=4),
    cut=st.integers(0, 400),
)
def test_no_mutated_file_raises_anything_but_a_trace_error(tmp_path, packed, edits, cut):
    content = (PLAIN + "".join(f"{i},{i * 7 % 11},{i % 9},{i + 1}.5\n" for i in range(30))).encode()
    content = bytearray(gzip.compress(content, mtime=0) if packed else content)
    for place, byte in edits:
        content[place % len(content)] = byte
    path = tmp_path / "fuzz.csv"
    path.write_bytes(content[: len(content) - cut if cut < len(content) else None])
    check_outcome(path)
