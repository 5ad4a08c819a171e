"""Tables of latencies: units, columns by name, and every bad row named."""

import gzip

import pytest

from optsched.core.errors import TraceError, UnknownNameError
from optsched.traces import read_latencies

HEADER = "job_num,msg_size,avg_latency\n"


@pytest.fixture
def read(tmp_path):
    def write_and_read(content, **options):
        path = tmp_path / "mine.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        try:
            return read_latencies(path, **options)
        except TraceError as error:
            raise TraceError(str(error).replace(str(path), "mine.csv")) from None

    return write_and_read


@pytest.fixture
def complaint(read):
    def message(content, **options):
        with pytest.raises(TraceError) as caught:
            read(content, **options)
        return str(caught.value)

    return message


def test_defaults_are_the_published_columns_in_microseconds(read):
    data = read(HEADER + "1,10485760,144782.88405\n2.0,1e6,5\n")
    assert data.jobs.tolist() == [1, 2]
    assert data.message_bytes.tolist() == [10485760.0, 1e6]
    assert data.latency_s.tolist() == pytest.approx([0.14478288405, 5e-6])


@pytest.mark.parametrize(
    ("unit", "seconds"), [("s", 2.0), ("ms", 2e-3), ("us", 2e-6), ("ns", 2e-9)]
)
def test_units(read, unit, seconds):
    assert read(HEADER + "1,8,2\n", unit=unit).latency_s.tolist() == pytest.approx([seconds])


def test_columns_by_name_in_any_order_beside_others(read):
    names = {"jobs": "k", "latency": "t"}
    data = read("host,t,msg_size,k\na,7,100,3\n", columns=names, unit="s")
    assert (data.jobs[0], data.message_bytes[0], data.latency_s[0]) == (3, 100.0, 7.0)


def test_gzip_byte_order_mark_and_blank_lines(read):
    text = "\ufeff\n" + HEADER + "\n 1 , 8 , 2 \n\n"
    assert len(read(gzip.compress(text.encode()))) == 1


def test_missing_columns_say_how_to_name_them(complaint):
    assert complaint("k,msg_sizes,avg_latency\n1,2,3\n") == (
        "mine.csv:1: expected the columns job_num, msg_size, avg_latency, got "
        "'k, msg_sizes, avg_latency'; say which they are with --map jobs=COLUMN,bytes=msg_sizes"
    )


def test_one_bad_row(complaint):
    assert complaint(HEADER + "1,8,2\n0,8,2\n") == (
        "mine.csv:3: job_num: expected a whole number from 1 to 1,000,000, got '0'; correct the "
        "row or take it out"
    )


def test_all_bad_rows_at_once(complaint):
    rows = ["1.5,8,2", "1,-8,2", "1,8,", "1,8,nan", "1,8", "x,y,z", "inf,1e30,1_0", "1,8,٣"]
    lines = complaint(HEADER + "\n".join(rows)).splitlines()
    assert lines[0] == "mine.csv: 12 problems; correct the rows or take them out"
    assert lines[1:6] == [
        "  mine.csv:2: job_num: expected a whole number from 1 to 1,000,000, got '1.5'",
        "  mine.csv:3: msg_size: expected a number of bytes from 1 to 1e18, got '-8'",
        "  mine.csv:4: avg_latency: expected a time from 1e-12 to 1e9 s, got nothing",
        "  mine.csv:5: avg_latency: expected a time from 1e-12 to 1e9 s, got 'nan'",
        "  mine.csv:6: the row has not the 3 fields of the header, got '1,8'",
    ]
    assert {line.split(":")[1] for line in lines[6:]} == {"7", "8", "9"}


def test_a_thousand_bad_rows_are_not_a_thousand_lines(complaint):
    lines = complaint(HEADER + "0,1,1\n" * 1000).splitlines()
    assert len(lines) == 22
    assert lines[-1] == "  mine.csv: 980 more rows that are not right"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "mine.csv: expected a table of latencies, got an empty file; "),
        (HEADER, "mine.csv:1: expected rows below the header, got none; add measurements"),
        ("job_num;msg_size;avg_latency\n", "mine.csv:1: expected columns separated by commas, "),
        ("job_num,job_num\n", "mine.csv:1: expected columns of different names, "),
        (b"PK\x03\x04", "mine.csv: expected CSV text in UTF-8, plain or gzip, got a zip archive"),
    ],
)
def test_files_that_are_no_such_tables(complaint, content, message):
    assert complaint(content).startswith(message)


def test_missing_file(tmp_path):
    with pytest.raises(TraceError, match="expected a table of latencies, got no such file"):
        read_latencies(tmp_path / "none.csv")


def test_unknown_unit_and_part(read):
    with pytest.raises(UnknownNameError, match="unit of time"):
        read(HEADER, unit="minutes")
    with pytest.raises(UnknownNameError, match="did you mean 'latency'"):
        read(HEADER, columns={"latenc": "t"})
