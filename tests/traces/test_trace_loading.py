"""Made-up traces with every quirk, and what has to become of them, worked out by hand."""

import gzip
import random

import numpy as np
import pytest

from optsched.core.cluster import Cluster
from optsched.core.document import instance_document
from optsched.traces import LOADERS, load_trace

PLAIN = "job_id,submit_s,gpus,duration_s\n"
PHILLY = "timestamp,duration,num_gpus,gpu_time,cluster\n"


@pytest.fixture
def load(tmp_path):
    """Write a text as a trace and load it."""

    def write_and_load(content, *, file="mine.csv", **options):
        path = tmp_path / file
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return load_trace(path, **options)

    return write_and_load


def rows_of(loaded):
    return [(job.id, job.arrival_s, job.gpus, job.compute_s) for job in loaded.instance.jobs]


def dropped_of(loaded):
    return [(rows.reason, rows.count, rows.lines, rows.values) for rows in loaded.report.dropped]


def test_tiresias_columns_are_read_by_name_whatever_their_order(load):
    loaded = load(
        "model_name,duration,job_id,num_gpu,submit_time,iterations,interval\n"
        "vgg11,147,7,8,30,133,23\n"
        "resnet50,121,8,1,53,9,0\n"
    )
    assert loaded.report.format == "tiresias"
    assert rows_of(loaded) == [("7", 0.0, 8, 147.0), ("8", 23.0, 1, 121.0)]
    assert loaded.report.counts == {"model_name": {"vgg11": 1, "resnet50": 1}}
    assert loaded.instance.cluster.total_gpus == 16
    assert len(loaded.instance.cluster.servers) == 4


def test_an_instance_has_given_durations_and_says_where_it_comes_from(load):
    instance = load(PLAIN + "a,100,2,60.5\n").instance
    assert instance.name == "mine"
    assert instance.rate_model.name == "fixed"
    assert instance.jobs[0].iterations == 1
    assert instance.jobs[0].gradient_bytes == 0
    assert instance.jobs[0].profile is None
    assert dict(instance.metadata) == {
        "trace": "mine.csv",
        "trace_format": "plain",
        "trace_origin": "100.0 s",
        "trace_origin_s": "100.0",
        "trace_rows_dropped": "0",
    }
    assert instance_document(instance)["jobs"] == [{"id": "a", "gpus": 2, "duration_s": 60.5}]


@pytest.mark.parametrize("file", ["mine.csv", "mine.csv.gz", "mine"])
def test_the_name_is_the_files_without_suffix_and_can_be_given(load, file):
    content = PLAIN + "a,0,1,1\n"
    assert load(content, file=file).instance.name == "mine"
    assert load(content, file=file, name="other").instance.name == "other"


def test_jobs_come_by_submission_and_file_order_decides_ties(load):
    loaded = load(PLAIN + "late,50,1,1\nz,20,1,2\nfirst,10,1,3\na,20,1,4\nm,20,1,5\n")
    assert [row[:2] for row in rows_of(loaded)] == [
        ("first", 0.0),
        ("z", 10.0),
        ("a", 10.0),
        ("m", 10.0),
        ("late", 40.0),
    ]
    assert loaded.report.origin_s == 10
    assert loaded.report.origin == "10.0 s"


def test_sensetime_durations_are_one_gpu_time(load):
    loaded = load(
        "job_id,arrival_s,gpus,trace_duration_s,model,total_iterations,time_per_iteration_s\n"
        "0,0,8,7200,BERT,100,72\n1,0,40,1000,VGG,10,100\n"
    )
    assert loaded.report.format == "sensetime"
    assert rows_of(loaded) == [("0", 0.0, 8, 900.0), ("1", 0.0, 40, 25.0)]
    assert loaded.report.counts == {"model": {"BERT": 1, "VGG": 1}}
    cluster = loaded.instance.cluster
    assert (len(cluster.servers), cluster.total_gpus) == (16, 128)
    assert np.bincount(cluster.servers.rack).tolist() == [8, 8]
    assert loaded.report.work_gpu_s == 8200  # the sum of trace_duration_s
    assert loaded.report.load is None


def test_philly_reads_dates_keeps_equal_rows_and_text_that_looks_like_a_number(load):
    row = "2017-10-09 07:01:55,66.0,1,66.0,6214e9\n"
    loaded = load(PHILLY + row + row + "2017-10-09 06:01:55,10.0,2,20.0,11cb48\n\n")
    assert loaded.report.format == "philly"
    # No ids in the file: a job is called by the number of its row.
    assert rows_of(loaded) == [("2", 0.0, 2, 10.0), ("0", 3600.0, 1, 66.0), ("1", 3600.0, 1, 66.0)]
    assert loaded.report.counts == {"cluster": {"6214e9": 2, "11cb48": 1}}
    assert loaded.report.origin == "2017-10-09T06:01:55+00:00"
    assert loaded.instance.metadata["trace_origin"] == "2017-10-09T06:01:55+00:00"
    assert loaded.instance.cluster.total_gpus == 352 * 8


def test_philly_can_be_cut_to_one_virtual_cluster_and_ids_stay(load):
    rows = (
        "2017-10-09 07:00:00,5.0,1,5.0,6214e9\n"
        "2017-10-09 08:00:00,6.0,1,6.0,11cb48\n"
        "2017-10-09 09:00:00,7.0,1,7.0,11cb48\n"
    )
    loaded = load(PHILLY + rows, virtual_cluster="11cb48")
    assert rows_of(loaded) == [("1", 0.0, 1, 6.0), ("2", 3600.0, 1, 7.0)]
    assert dropped_of(loaded) == [("cluster is not '11cb48', as asked", 1, (2,), ("6214e9",))]
    assert loaded.instance.metadata["trace_virtual_cluster"] == "11cb48"
    assert [row[0] for row in rows_of(load(PHILLY + rows, virtual_cluster="6214e9"))] == ["0"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        # 2017-10-09 00:00:00 UTC is 17,448 days after 1970-01-01.
        ("2017-10-09 00:00:01", 1),
        ("2017-10-09T00:00:01", 1),
        ("2017-10-09 00:00:01.5", 1.5),
        ("2017-10-09 00:00:01 UTC", 1),
        ("2017-10-09T00:00:01Z", 1),
        ("2017-10-09 02:00:01+02:00", 1),
        ("2017-10-08 17:00:01-07:00", 1),
        ("2017-10-09", 0),
    ],
)
def test_a_zone_in_the_text_counts_and_none_means_utc(load, text, seconds):
    loaded = load(PHILLY + f"{text},1.0,1,1.0,a\n")
    assert loaded.report.origin_s == 17_448 * 86_400 + seconds


@pytest.mark.parametrize("text", ["0001-01-01 00:00+01:00", "9999-12-31 23:59-01:00"])
def test_a_date_that_its_zone_moves_out_of_the_calendar_is_still_an_origin(load, text):
    assert load(PHILLY + f"{text},1.0,1,1.0,a\n").report.origin.endswith(" s since 1970")


@pytest.mark.parametrize(
    ("row", "reason", "got"),
    [
        ("x,1,0,1", "GPU demand is not above 0", "0"),
        ("x,1,-2,1", "GPU demand is not above 0", "-2"),
        ("x,1,1.5,1", "GPU demand is not a whole number", "1.5"),
        ("x,1,,1", "GPU demand is missing", ""),
        ("x,1,nan,1", "GPU demand is not finite", "nan"),
        ("x,1,two,1", "GPU demand is not a number", "two"),
        ("x,1,1_0,1", "GPU demand is not a number", "1_0"),
        ("x,1,٣,1", "GPU demand is not a number", "٣"),
        ("x,1,33,1", "GPU demand is above the 32 GPUs of the cluster", "33"),
        ("x,1,1e30,1", "GPU demand is above the 32 GPUs of the cluster", f"{int(1e30)}"),
        ("x,1,1,0", "duration is not above 0", "0"),
        ("x,1,1,-0.5", "duration is not above 0", "-0.5"),
        ("x,1,1,", "duration is missing", ""),
        ("x,1,1,None", "duration is missing", "None"),
        ("x,1,1,NULL", "duration is missing", "NULL"),
        ("x,1,1,NaN", "duration is not finite", "NaN"),
        ("x,1,1,inf", "duration is not finite", "inf"),
        ("x,1,1,1e400", "duration is not finite", "1e400"),
        ("x,1,1,1e16", "duration is 2^53 s or more", "1e16"),
        ("x,1,1,1:30", "duration is not a number", "1:30"),
        ("x,,1,1", "submission time is missing", ""),
        ("x,soon,1,1", "submission time is not a number", "soon"),
        ("x,2017-10-09,1,1", "submission time is not a number", "2017-10-09"),
        ("x,-1,1,1", "submission time is negative", "-1"),
        ("x,inf,1,1", "submission time is not finite", "inf"),
        ("x,1e16,1,1", "submission time is 2^53 s or more", "1e16"),
        (",1,1,1", "job id is missing", ""),
        ("x,1,1", "the row has not the 4 fields of the header", "x,1,1"),
        ("x,1,1,1,1", "the row has not the 4 fields of the header", "x,1,1,1,1"),
        ('"x,1,1,1', "the row's quotes do not match", '"x,1,1,1'),
        ("x\0,1,1,1", "the row is binary data", ""),
    ],
)
def test_a_row_that_cannot_be_used_is_dropped_with_reason_line_and_value(load, row, reason, got):
    # The blank line counts as a line and not as a row.
    loaded = load(PLAIN + f"a,5,1,2\n\n{row}\nb,6,1,2\n")
    assert dropped_of(loaded) == [(reason, 1, (4,), (got,))]
    assert rows_of(loaded) == [("a", 0.0, 1, 2.0), ("b", 1.0, 1, 2.0)]
    assert (loaded.report.rows_read, loaded.report.rows_kept) == (3, 2)
    assert loaded.instance.metadata["trace_rows_dropped"] == "1"


@pytest.mark.parametrize("text", ["20171009", "None", "2017-13-01", "soon", "1507532515"])
def test_what_is_no_date_is_dropped(load, text):
    loaded = load(PHILLY + f"2017-10-09 00:00:00,1.0,1,1.0,a\n{text},1.0,1,1.0,a\n")
    (drop,) = loaded.report.dropped
    assert drop.reason.startswith("submission time is ")
    assert (drop.lines, drop.values) == ((3,), (text,))


def test_bytes_of_another_encoding_cost_only_their_row(load):
    loaded = load(PLAIN.encode() + b"caf\xe9,0,1,1\n" + "café,0,1,1\n".encode())
    reason = "the row is text in another encoding than UTF-8"
    assert dropped_of(loaded) == [(reason, 1, (2,), ("",))]
    assert [row[0] for row in rows_of(loaded)] == ["café"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_mark_blanks_quotes_and_line_ends_do_not_matter(load, end):
    lines = [
        "",
        ' job_id ,"submit_s",gpus,duration_s',
        "  ",
        ' "a, b" , 3 ,"2.0", 1e2 ',
        "",
        "c,4,1,5",
    ]
    loaded = load("\ufeff" + end.join(lines))
    assert rows_of(loaded) == [("a, b", 0.0, 2, 100.0), ("c", 1.0, 1, 5.0)]
    assert loaded.report.dropped == ()


def test_gzip_is_told_by_content_not_by_name(load):
    packed = gzip.compress((PLAIN + "a,0,1,1\n").encode())
    assert rows_of(load(packed, file="mine.csv")) == [("a", 0.0, 1, 1.0)]
    assert rows_of(load(PLAIN + "a,0,1,1\n", file="mine.csv.gz")) == [("a", 0.0, 1, 1.0)]


def test_reasons_are_counted_and_the_first_five_lines_named(load):
    zeros = "".join(f"z{i},0,0,1\n" for i in range(7))
    loaded = load(PLAIN + zeros + "a,0,1,1\nb,0,1,0\n")
    assert dropped_of(loaded) == [
        ("GPU demand is not above 0", 7, (2, 3, 4, 5, 6), ("0",) * 5),
        ("duration is not above 0", 1, (10,), ("0",)),
    ]


DOUBLED = PLAIN + "1,0,1,5\n1,10,2,6\n2,20,1,7\n1,30,4,8\n"


@pytest.mark.parametrize(
    ("duplicates", "rows", "lines"),
    [
        ("first", [("1", 0.0, 1, 5.0), ("2", 20.0, 1, 7.0)], (3, 5)),
        ("last", [("2", 0.0, 1, 7.0), ("1", 10.0, 4, 8.0)], (2, 3)),
    ],
)
def test_of_duplicates_the_first_or_last_is_used_and_the_others_are_reported(
    load, duplicates, rows, lines
):
    loaded = load(DOUBLED, duplicates=duplicates)
    assert rows_of(loaded) == rows
    reason = f"the job id is there twice, the {duplicates} is used"
    assert dropped_of(loaded) == [(reason, 2, lines, ("1", "1"))]
    assert (loaded.report.rows_read, loaded.report.rows_kept) == (4, 2)


def test_duplicates_can_all_be_kept_under_ids_of_their_own(load):
    loaded = load(DOUBLED, duplicates="keep")
    assert [row[0] for row in rows_of(loaded)] == ["1", "1#2", "2", "1#3"]
    taken = load(PLAIN + "1,0,1,5\n1,1,1,5\n1#2,2,1,5\n1#2,3,1,5\n", duplicates="keep")
    assert [row[0] for row in rows_of(taken)] == ["1", "1#3", "1#2", "1#2#2"]


def test_a_row_that_cannot_be_used_is_no_duplicate(load):
    loaded = load(PLAIN + "1,0,0,5\n1,10,2,6\n")
    assert rows_of(loaded) == [("1", 0.0, 2, 6.0)]


def test_demand_is_held_against_the_cluster_that_is_asked_for(load):
    content = PLAIN + "a,0,64,1\nb,0,6,1\n"
    assert [row[0] for row in rows_of(load(content))] == ["b"]
    assert [row[0] for row in rows_of(load(content, servers=8))] == ["a", "b"]
    loaded = load(content, servers=4, gpus_per_server=16, racks=2)
    assert loaded.report.rows_kept == 2
    assert loaded.instance.cluster.servers.rack_names == ("r0", "r1")
    own = Cluster.uniform(1, 6)
    assert load(content, cluster=own).instance.cluster is own
    assert [row[0] for row in rows_of(load(content, cluster=own))] == ["b"]


def test_one_server_of_a_format_with_two_racks_is_in_one_rack(load):
    content = "arrival_s,gpus,trace_duration_s\n0,1,5\n"
    assert load(content, servers=1).instance.cluster.servers.rack_names == ("r0",)


def test_load_is_work_over_capacity_times_span(load):
    # Work 2·100 + 4·50 = 400 GPU-s, 8 GPUs, arrivals over 25 s: 400 / 200 = 2.
    report = load(PLAIN + "a,0,2,100\nb,25,4,50\n", servers=1).report
    assert (report.work_gpu_s, report.capacity_gpus, report.arrival_span_s) == (400, 8, 25)
    assert report.load == 2
    assert report.longest_s == 100
    assert report.demand == {2: 1, 4: 1}


@pytest.mark.parametrize(
    ("rows", "advice"),
    [
        # 8 GPUs a server. Work 800 over 100 s: a load of 1/4, and 1.25 servers' worth at 0.8.
        (
            "a,0,1,400\nb,100,1,400\n",
            "0.25; 0.8 on 2 servers",
        ),
        # 3600 over 100 s: 1.125, and 5.6.
        (
            "a,0,9,200\nb,100,9,200\n",
            "1.12; 0.8 on 6 servers",
        ),
        # A job of 24 GPUs needs three.
        (
            "a,0,24,1\nb,100,1,1\n",
            "0.00781; 0.8 on 3 servers",
        ),
        ("a,0,32,1\nb,100,1,1\n", "0.0103"),
        ("a,0,1,1600\nb,100,1,1600\n", "1"),
    ],
)
def test_a_report_says_which_cluster_would_be_busy(load, rows, advice):
    lines = str(load(PLAIN + rows).report).splitlines()
    (found,) = [line.split(maxsplit=1)[1] for line in lines if line.startswith("  load ")]
    assert found.replace(" of the cluster, over 100 s of arrivals", "") == advice


def test_report_as_text_and_as_document(load, tmp_path):
    report = load(PLAIN + "a,30,2,100\nb,55,4,50\nc,0,0,1\nd,0,99,1\n").report
    assert str(report).splitlines() == [
        f"{tmp_path / 'mine.csv'} (plain trace)",
        "  rows       4 read, 2 kept as jobs",
        "  dropped    1 row: GPU demand is not above 0 (line 4: '0')",
        "  dropped    1 row: GPU demand is above the 32 GPUs of the cluster (line 5: '99')",
        "  GPUs       2:1 4:1 (GPUs:jobs)",
        "  work       400 GPU-s; longest job 100 s",
        "  servers    4, with 32 GPUs in all",
        "  load       0.5 of the cluster, over 25 s of arrivals",
        "  time 0     30.0 s",
        "  note       a larger cluster (--servers, --gpus-per-server) keeps the jobs too large",
    ]
    document = report.as_dict()
    assert document["demand"] == {"2": 1, "4": 1}
    assert document["load"] == 0.5
    assert document["dropped"][0] == {
        "reason": "GPU demand is not above 0",
        "count": 1,
        "lines": [4],
        "values": ["0"],
    }


#: First lines of the formats that have no header.
FIRST_LINES = {
    "philly-log": '[{"status": "Pass", "jobid": "application_1"}',
    "pai": "j1,tensorflow,1.0,Terminated,1000.0,1600.0,600.0,29.3,50.0,MISC",
    "gavel": "A3C\tpython3 x.py %s\t--steps\t0\t100\t0.0\t1",
    "swf": "1 0 5 100 8 -1 -1 8 200 -1 1 1 1 -1 1 1 -1 -1",
}


def test_every_format_is_told_by_the_columns_it_needs():
    for name, loader in LOADERS.items():
        header = FIRST_LINES.get(name) or ",".join(loader.columns)
        recognised = {other for other in LOADERS if LOADERS[other].recognise(header)}
        assert recognised == {name}
        assert loader.name == name
        assert loader.description


def test_a_format_that_is_named_wins_over_the_header(load):
    both = "submit_s,gpus,duration_s,submit_time,num_gpu,duration\n0,1,10,5,2,20\n"
    assert rows_of(load(both, format="tiresias")) == [("0", 0.0, 2, 20.0)]
    assert rows_of(load(both, format="plain")) == [("0", 0.0, 1, 10.0)]


def test_loading_twice_gives_the_same(load):
    draw = random.Random(1)
    rows = "".join(f"{i},{draw.randrange(99)},{draw.randrange(1, 9)},{i + 1}\n" for i in range(500))
    first, second = load(PLAIN + rows), load(PLAIN + rows)
    assert rows_of(first) == rows_of(second)
    assert first.report == second.report
