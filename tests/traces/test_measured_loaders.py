"""Formats whose durations come from measurements beside them: Gavel, Shockwave, Pollux."""

import json

import pytest

from optsched.core.errors import TraceError, UnknownNameError
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


def test_gavel_layouts_by_the_number_of_fields(load):
    loaded = load(
        # Seven fields: steps, arrival, GPUs; ten: steps, GPUs, …, arrival; twelve likewise.
        "A3C\tcmd %s\t--steps\t0\t100\t5.0\t1\n"
        "A3C\tcmd\tdir\t--steps\t0\t100\t2\t1\t-1.0\t7.0\n"
        "A3C\tcmd\tdir\t--steps\t0\t40\t1\tstatic\t1\t-1.0\t99\t9.0\n"
        "A3C\tcmd\t--steps\n"
        "A3C\tcmd\t--steps\t0\t0\t5.0\t1\n"
        "A3C\tcmd\t--steps\t0\t100\t5.0\t3\n"
        "Big\tcmd\t--steps\t0\t100\t5.0\t8\n"
        "A3C\tcmd\t--steps\t0\tnan\t5.0\t1\n"
        "A3C\tcmd\t--steps\t0\t10\t-5.0\t1\n"
    )
    # With throughputs at hand even Shockwave's own duration is not used.
    assert rows_of(loaded) == [("0", 0.0, 1, 25.0), ("1", 2.0, 2, 12.5), ("2", 4.0, 1, 10.0)]
    assert dropped_of(loaded) == [
        ("the row has not 7, 10 or 12 fields between tabs", (4,)),
        ("number of steps is not above 0", (5,)),
        ("job type has no throughput on so many GPUs", (6,)),
        ("job type does not fit this kind of GPU", (7,)),
        ("number of steps is not finite", (8,)),
        ("submission time is negative", (9,)),
    ]
    assert loaded.models == ("A3C",) * 3
    assert "steps a second of v100 from simulation_throughputs.json.gz" in loaded.report.notes


def test_shockwave_has_its_own_durations(load):
    row = "A3C\tcmd\tdir\t--steps\t0\t40\t1\tstatic\t1\t-1.0\t99\t9.0\n"
    assert rows_of(load(row)) == [("0", 0.0, 1, 99.0)]
    assert rows_of(load(row, worker="k80")) == [("0", 0.0, 1, 40.0)]


def test_gavel_throughputs(load, samples, beside, tmp_path):
    content = samples["gavel"][0]
    other = beside / "other.json"
    path = str(other)
    other.write_text(json.dumps({"p100": {"('A3C', 2)": {"null": 2}}}))
    assert rows_of(load(content, throughputs=path, worker="p100")) == [("0", 0.0, 2, 50.0)]
    with pytest.raises(UnknownNameError, match="no worker is called 'v100'"):
        load(content, throughputs=path)
    for document, message in (
        ({"v100": {"__import__('os')": {"null": 1}}}, "expected keys like"),
        ({"v100": {"('A3C', 2)": {"null": "fast"}}}, "a number under 'null'"),
        ({"v100": {"('A3C', 2)": {}}}, "a number under 'null'"),
        ({"v100": {"('A3C', 2)": {"null": -1}}}, "a throughput of at least 0"),
        ({"v100": {"('A3C', 2)": {"null": 1}, "('A3C',2)": {"null": 1}}}, "each job type once"),
        ([], "an object of kinds of GPU, got list"),
    ):
        other.write_text(json.dumps(document))
        with pytest.raises(TraceError, match=message):
            load(content, throughputs=path)
    other.write_text("{")
    with pytest.raises(TraceError, match="expected JSON"):
        load(content, throughputs=path)
    with pytest.raises(TraceError, match="got no such file"):
        load(content, throughputs=str(tmp_path / "none.json"))
    (tmp_path / "alone.trace").write_text(content)
    with pytest.raises(TraceError, match="name one: --option throughputs=FILE"):
        load_trace(tmp_path / "alone.trace")


def test_pollux_run_times(load):
    loaded = load(
        "name,time,application,num_replicas,batch_size\n"
        # 6 GPUs: nodes with 2 and 4; 16/6 is below 4, the least batch measured.
        "a,0,app,6,16\n"
        # 32/6 is 2 passes of 2.67, below too; 32 on one GPU is 4 passes of 8.
        "b,1,app,6,32\nc,2,app,1,32\n"
        # 3 GPUs were not measured on one node; 24 were on 6 nodes, 16/24 is below 1; 32/24 is
        # 2 passes of 0.67.
        "d,3,app,3,16\ne,4,app,24,16\n"
        "f,5,app,1,17\ng,6,other,1,16\nh,7,app,1,1.5\ni,8,../app,1,16\nj,9,app,0,16\n"
        # 16 on 2 GPUs: 8 each, but 2 on a node were not measured. 6 on one GPU is between.
        "k,10,app,2,16\n"
    )
    # 6 iterations of 4 · 2.0 − 3 · 0.5.
    assert rows_of(loaded) == [("c", 0.0, 1, 39.0)]
    assert dropped_of(loaded) == [
        ("batch of a GPU is below all that were measured", (2, 3, 6)),
        ("no profile on so many GPUs of the fewest nodes", (5, 12)),
        ("no profile of the training at this batch size", (7,)),
        ("application has no profile", (8, 10)),
        ("batch size is not a whole number above 0", (9,)),
        ("GPU demand is not above 0", (11,)),
    ]


def test_pollux_interpolates_between_batches(load, beside):
    profiles = beside / "interpolated" / "app"
    profiles.mkdir(parents=True, exist_ok=True)
    (profiles / "placements.csv").write_text(
        "placement,local_bsz,step_time,sync_time\n1,4,1.0,0.25\n1,8,2.0,0.5\n"
    )
    (profiles / "scalability.csv").write_text(
        "num_nodes,num_replicas,local_bsz,step_time,sync_time\n2,6,1,1,1\n"
    )
    (profiles / "validation-6.csv").write_text("progress,iteration\n1,10\n")
    row = "name,time,application,num_replicas,batch_size\na,0,app,1,6\n"
    # Half way from 4 to 8.
    assert rows_of(load(row, profiles=str(profiles.parent))) == [("a", 0.0, 1, 15.0)]
    (profiles / "validation-6.csv").write_text("progress,iteration\n1,ten\n")
    with pytest.raises(TraceError, match=r"validation-6\.csv:2: expected a row of a profile, got"):
        load(row, profiles=str(profiles.parent))
    with pytest.raises(TraceError, match="name one: --option profiles=FOLDER"):
        load(row, profiles=str(beside / "none"))
