"""Each format's quirks in made-up traces, and what has to become of them, worked out by hand."""

import pytest

from optsched.core.errors import TraceError, UnknownNameError
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
