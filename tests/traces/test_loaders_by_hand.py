"""Each format's quirks in made-up traces, and what has to become of them, worked out by hand."""

import gzip
import json

import pytest

from optsched.core.errors import NothingUsableError, TraceError, UnknownNameError
from optsched.traces import LOADERS, load_trace


def rows_of(loaded):
    return [(job.id, job.arrival_s, job.gpus, job.compute_s) for job in loaded.instance.jobs]


def dropped_of(loaded):
    return [(rows.reason, rows.lines) for rows in loaded.report.dropped]


@pytest.fixture
def load(write_trace):
    def write_and_load(content, **options):
        return load_trace(write_trace(content), **options)

    return write_and_load


@pytest.mark.parametrize("name", LOADERS)
def test_the_sample_of_every_format(load, samples, name):
    content, jobs = samples[name]
    loaded = load(content)
    assert loaded.report.format == name
    assert rows_of(loaded) == jobs
    assert (loaded.report.rows_read, loaded.report.dropped) == (2, ())
    assert f"2 jobs of the {name} trace mine" == loaded.instance.description


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


HELIOS_ROWS = (
    "102,uBb,vcX,0,8,1,FAILED,2020-06-09 18:00:07,2020-06-09 18:00:07,2020-06-09 18:01:07,60,0\n"
    "104,uBb,vcX,1,8,1,FAILED,2020-06-09 18:00:08,2020-06-09 18:00:08,2020-06-09 18:00:00,-8,0\n"
    "105,uBb,vcX,1,8,1,FAILED,2020-06-09 18:00:09,2020-06-09 18:00:09,2020-06-09 18:00:00,5,0\n"
    "106,uBb,vcX,1,8,1,CANCELLED,2020-06-09 18:00:10,None,2020-06-09 18:00:10,7,0\n"
)


def test_helios_quirks(load, samples):
    loaded = load(samples["helios"][0] + HELIOS_ROWS)
    assert [row[0] for row in rows_of(loaded)] == ["101", "106", "103"]
    assert dropped_of(loaded) == [
        ("CPU job, it asks for no GPU", (4,)),
        ("duration is not above 0", (5,)),
        ("end is before start", (6,)),
    ]
    assert loaded.report.counts["state"] == {"COMPLETED": 1, "CANCELLED": 2}
    assert loaded.instance.cluster.total_gpus == 1064
    kept = load(samples["helios"][0] + HELIOS_ROWS, state="COMPLETED", virtual_cluster="vcX")
    assert [row[0] for row in rows_of(kept)] == ["101"]


def test_helios_as_the_simulators_have_it(load):
    loaded = load(
        "job_id,user,vc,jobname,gpu_num,cpu_num,state,submit_time,duration,dataset,model\n"
        "1,u,vcA,train,2,8,COMPLETED,2020-06-09 18:00:00,30,imagenet,ResNet18\n"
    )
    assert loaded.report.format == "helios"
    assert rows_of(loaded) == [("1", 0.0, 2, 30.0)]
    assert loaded.models == ("ResNet18",)


def test_the_cluster_of_helios_is_that_of_its_largest_day(load, samples, beside):
    sizes = beside / "cluster_gpu_number.csv"
    sizes.write_text("date,vcX,vcY,total\n2020-04-01,16,0,16\n2020-04-02,8,32,40\n")
    content = samples["helios"][0]
    cluster = load(content, sizes=str(sizes)).instance.cluster
    assert (len(cluster.servers), cluster.total_gpus) == (5, 40)
    assert load(content, sizes=str(sizes), virtual_cluster="vcX").report.servers == 2
    assert load(content, sizes=str(sizes), servers=9).report.servers == 9
    with pytest.raises(TraceError, match="expected a column 'vcZ', got 'date, vcX, vcY, total'"):
        load(content, sizes=str(sizes), virtual_cluster="vcZ")
    sizes.write_text("date,total\n2020-04-01,many\n")
    with pytest.raises(TraceError, match=r"cluster_gpu_number\.csv:2: expected GPUs of total"):
        load(content, sizes=str(sizes))


def test_openb_pods_and_nodes(load, samples, beside):
    nodes = beside / "nodes.csv"
    nodes.write_text(
        "sn,cpu_milli,memory_mib,gpu,model\nn-0,32000,262144,0,\nn-1,96000,786432,8,V100M32\n"
        "n-2,64000,262144,2,T4\n"
    )
    content = (
        samples["openb"][0] + "p-1,6000,12288,1,460,V100M16|V100M32,BE,Pending,120,700,\n"
        "p-3,6000,12288,0,,,BE,Running,120,700,130\n"
        "p-4,6000,12288,1,1000,T4,BE,Pending,120,700,\n"
        "p-5,6000,12288,1,1000,T4,BE,Failed,120,100,130\n"
        "p-6,6000,12288,16,1000,T4,BE,Running,120,700,130\n"
    )
    loaded = load(content, nodes=str(nodes))
    assert [row[0] for row in rows_of(loaded)] == ["p-0", "p-2"]
    assert dropped_of(loaded) == [
        ("asks for a part of a GPU (gpu_milli is not 1000)", (4,)),
        ("CPU pod, it asks for no GPU", (5,)),
        ("start is missing: the job never ran", (6,)),
        ("end is before start", (7,)),
        ("GPU demand is above the 10 GPUs of the cluster", (8,)),
    ]
    servers = loaded.instance.cluster.servers
    assert [(server.id, server.gpus) for server in servers] == [("n-1", 8), ("n-2", 2)]
    with pytest.raises(TraceError, match="a file tells the cluster; leave out servers"):
        load(content, nodes=str(nodes), servers=2)
    for text, message in (
        ("sn,gpu\nn-1,8\nn-1,8\n", r"nodes\.csv:3: expected a node of its own with whole GPUs"),
        (
            "sn,gpu\nn-1,x\n",
            r"nodes\.csv:2: expected the GPUs of a node, got number of GPUs is not",
        ),
        ("sn,gpu\nn-1,0\n", "expected nodes with GPUs, got none"),
        ("sn,cpu\nn-1,0\n", "'gpu' is missing"),
    ):
        nodes.write_text(text)
        with pytest.raises(TraceError, match=message):
            load(content, nodes=str(nodes))


def test_openb_variants_without_times_are_refused(load):
    with pytest.raises(TraceError, match="'creation_time' is missing"):
        load("name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1,1,1,1000\n", format="openb")


PAI_ROWS = (
    "j3,worker,2.0,Terminated,1200.0,1300.0,600.0,29.3,50.0,T4\n"
    "j4,ps,1.0,Running,1300.0,,600.0,29.3,100.0,P100\n"
    "j4,worker,1.0,Running,1300.0,,600.0,29.3,100.0,P100\n"
    "too,few,fields\n"
    "j1,chief,1.0,Failed,900.0,1700.0,600.0,29.3,100.0,V100\n"
    ",chief,1.0,Failed,900.0,1700.0,600.0,29.3,100.0,V100\n"
)


def test_pai_tasks_are_put_together(load, samples, beside):
    content = samples["pai"][0] + PAI_ROWS
    loaded = load(content)
    # The chief of j1 starts earlier and ends later than its other task.
    assert rows_of(loaded) == [("j1", 0.0, 3, 800.0), ("j2", 200.0, 4, 4000.0)]
    assert dropped_of(loaded) == [
        ("the row has not 10 fields", (7,)),
        ("job id is missing", (9,)),
        ("asks for a part of a GPU (plan_gpu is percent)", (4,)),
        ("end is missing: the job has not ended", (5,)),
    ]
    assert loaded.report.counts["status"] == {"Failed/Terminated": 2}
    assert loaded.report.rows_read == 6
    rounded = load(content, fractions="round-up")
    assert rows_of(rounded)[2] == ("j3", 300.0, 2, 100.0)
    table = beside / "pai_job_table.csv"
    table.write_text("j1,i,u,Terminated,890.0,1700.0\nj3,i,u,Terminated,1100.0,1700.0\n")
    told = load(content, fractions="round-up", jobs=str(table))
    assert rows_of(told) == [("j1", 0.0, 3, 800.0), ("j3", 210.0, 2, 100.0)]
    assert ("the job is not in the table of jobs", (2,)) in dropped_of(told)
    table.write_text("j1,i,u\n")
    with pytest.raises(TraceError, match=r"pai_job_table\.csv:1: expected a row of pai_job_table"):
        load(content, jobs=str(table))
    with pytest.raises(UnknownNameError, match=r"parts of GPUs is called 'round'.*'round-up'"):
        load(content, fractions="round")


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


def test_swf_quirks(load, samples):
    loaded = load(
        samples["swf"][0] + "\n; a remark between rows\n"
        "2 30 0 -1 -1 -1 -1 16 600 -1 5 2 1 -1 1 1 -1 -1\n"
        "4 40.5 0 10.5 -1 -1 -1 -1 600 -1 1 2 1 -1 1 1 -1 -1\n"
        "5 50 0 10 8 -1 -1 8 600 -1 2 2 1 -1 1 1 -1 -1\n"
        "6 60 0 10 8\n"
        "7 70 0 10.5 3.0 -1 -1 -1 600 -1 0 2 1 -1 1 1 -1 -1\n",
        processors_per_gpu="4",
    )
    assert rows_of(loaded) == [
        ("1", 0.0, 2, 100.0),
        ("3", 31.0, 1, 3600.0),
        ("7", 70.0, 1, 10.5),
    ]
    assert dropped_of(loaded) == [
        ("duration is not above 0", (5,)),
        ("number of processors is not above 0", (6,)),
        ("a part of a job that has a line for the whole", (7,)),
        ("the row has not 18 fields", (8,)),
    ]
    assert "1 row: the header says MaxProcs: 64 (line 1)" in loaded.report.notes
    assert loaded.report.counts == {"status": {"1": 2, "0": 1}}
    with pytest.raises(TraceError, match="processors_per_gpu: expected a whole number of at least"):
        load(samples["swf"][0], processors_per_gpu="0")


def test_a_table_of_ones_own_by_a_map(load):
    content = (
        "Job,num_gpus,created,began,done,net,submit_s,gpus,duration_s\n"
        "x,2,2020-01-01 00:01:00,2020-01-01 00:02:00,2020-01-01 00:03:00,BERT,5,1,7\n"
        "y,4,2020-01-01 00:00:00,2020-01-01 00:02:00,,VGG,6,1,8\n"
    )
    columns = "gpus=num_gpus,submit=created,start=began,end=done,id=Job,model=net"
    loaded = load(content, map=columns, times="dates")
    assert rows_of(loaded) == [("x", 0.0, 2, 60.0)]
    assert loaded.models == ("BERT",)
    assert loaded.report.origin == "2020-01-01T00:01:00+00:00"
    assert dropped_of(loaded) == [("end is missing: the job has not ended", (3,))]
    # Without a map the columns have their usual names.
    assert rows_of(load(content)) == [("0", 0.0, 1, 7.0), ("1", 1.0, 1, 8.0)]


def test_units_of_a_table_of_ones_own(load):
    content = "submit,n,ms\n1500,2,250\n500,1,1000\n"
    loaded = load(content, map="submit=submit,gpus=n,duration=ms", unit="ms")
    assert rows_of(loaded) == [("1", 0.0, 1, 1.0), ("0", 1.0, 2, 0.25)]
    assert loaded.report.origin_s == 0.5
    minutes = load(content, map="submit=submit,gpus=n,duration=ms", unit="minutes")
    assert rows_of(minutes)[1] == ("0", 60_000.0, 2, 15_000.0)


def test_maps_that_cannot_be_read(load, samples):
    content = samples["plain"][0]
    with pytest.raises(UnknownNameError, match=r"no meaning of a column is called 'gpu'.*'gpus'"):
        load(content, map="gpu=gpus")
    for text in ("gpus", "gpus=", "gpus=a,gpus=b"):
        with pytest.raises(TraceError, match="expected a map like gpus=num_gpus,submit=created"):
            load(content, map=text)
    with pytest.raises(UnknownNameError, match=r"no unit of times is called 'hour'.*'hours'"):
        load(content, unit="hour")
    with pytest.raises(UnknownNameError, match="no way to write times"):
        load(content, times="clock")
    with pytest.raises(TraceError, match="expected the columns submit_s, n, duration_s"):
        load(content, map="gpus=n")
