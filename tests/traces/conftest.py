"""A small trace in every format, made up, with the jobs that have to come of it."""

import gzip
import json

import pytest

THROUGHPUTS = {
    "v100": {
        "('A3C', 1)": {"null": 4.0, "('LM', 1)": [1.0, 2.0]},
        "('A3C', 2)": {"null": 8.0},
        "('LM', 4)": {"null": 0.5},
        "('Big', 8)": {"null": 0},
    },
    "k80": {"('A3C', 1)": {"null": 1.0}},
}


def attempt(start, end, *gpus):
    """One attempt of the Philly log; ``gpus`` on each of its machines."""
    detail = [{"ip": f"m{i}", "gpus": [f"gpu{j}" for j in range(n)]} for i, n in enumerate(gpus)]
    return {"start_time": start, "end_time": end, "detail": detail}


def philly_job(job_id, submitted, *attempts, vc="aaaa01", status="Pass"):
    return {
        "status": status,
        "vc": vc,
        "jobid": job_id,
        "user": "u1",
        "submitted_time": submitted,
        "attempts": list(attempts),
    }


def write_profiles(folder):
    """Profiles of an application ``app``, with 8 iterations at batch 16 and 6 at 32."""
    (folder / "app").mkdir(parents=True)
    tables = {
        "placements": "placement,local_bsz,step_time,sync_time\n"
        "1,4,1.0,0.25\n1,8,2.0,0.5\n13,4,9.0,1.0\n4,4,1.5,0.5\n24,4,3.0,1.0\n",
        "scalability": "num_nodes,num_replicas,local_bsz,step_time,sync_time\n6,24,1,2.5,2.0\n",
        "validation-16": "progress,iteration,metric\n1.0,4,0.5\n9.0,8,0.9\n",
        "validation-32": "progress,iteration,metric\n9.0,6,0.9\n",
    }
    for name, content in tables.items():
        (folder / "app" / f"{name}.csv").write_text(content)


HELIOS = (
    "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
)
OPENB = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n"
)

#: Format to the content of a small trace and the jobs (id, arrival, GPUs, duration) in it.
SAMPLES = {
    "tiresias": (
        "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"
        "7,8,30,133,vgg11,147,23\n8,1,53,9,resnet50,121,0\n",
        [("7", 0.0, 8, 147.0), ("8", 23.0, 1, 121.0)],
    ),
    "philly": (
        "timestamp,duration,num_gpus,gpu_time,cluster\n"
        "2017-10-09 07:01:55,66.0,1,66.0,6214e9\n2017-10-09 06:01:55,10.0,2,20.0,11cb48\n",
        [("1", 0.0, 2, 10.0), ("0", 3600.0, 1, 66.0)],
    ),
    "philly-log": (
        json.dumps(
            [
                philly_job(
                    "application_1_0001",
                    "2017-10-07 01:00:00",
                    attempt("2017-10-07 01:00:30", "2017-10-07 02:00:30", 2),
                ),
                philly_job(
                    "application_1_0002",
                    "2017-10-07 01:05:00",
                    attempt("2017-10-07 01:10:00", "2017-10-07 01:11:00", 1, 2),
                    attempt("2017-10-07 02:00:00", "2017-10-07 02:00:30", 1, 2),
                ),
            ]
        ),
        [("application_1_0001", 0.0, 2, 3600.0), ("application_1_0002", 300.0, 3, 90.0)],
    ),
    "helios": (
        HELIOS + "101,uAa,vcX,1,4,1,COMPLETED,2020-06-09 18:00:00,2020-06-09 18:00:05,"
        "2020-06-09 19:00:05,3600,5\n"
        "103,uAa,vcY,16,64,2,CANCELLED,2020-06-09 18:02:00,2020-06-09 18:12:00,"
        "2020-06-09 20:12:00,7200,600\n",
        [("101", 0.0, 1, 3600.0), ("103", 120.0, 16, 7200.0)],
    ),
    "openb": (
        OPENB + "p-0,12000,16384,1,1000,,LS,Running,0,5000,0\n"
        "p-2,88000,327680,8,1000,,Burstable,Succeeded,300,9000,310\n",
        [("p-0", 0.0, 1, 5000.0), ("p-2", 300.0, 8, 8690.0)],
    ),
    "pai": (
        "j1,tensorflow,1.0,Terminated,1000.0,1600.0,600.0,29.3,200.0,MISC\n"
        "j2,worker,4.0,Terminated,1100.0,5100.0,1200.0,64.0,100.0,V100\n"
        "j2,ps,2.0,Failed,1100.0,5200.0,800.0,32.0,,\n",
        [("j1", 0.0, 2, 600.0), ("j2", 100.0, 4, 4000.0)],
    ),
    "gavel": (
        "A3C\tpython3 x.py %s\tdir\t--steps\t0\t100\t2\t1\t-1.000000\t5.5\n"
        "LM\tpython3 y.py\tdir\t--steps\t1\t30\t4\t1\t-1.000000\t7.5\n",
        [("0", 0.0, 2, 12.5), ("1", 2.0, 4, 60.0)],
    ),
    "pollux": (
        "name,time,application,num_replicas,batch_size\n"
        # 8 iterations: 4 a GPU takes 1.5 s; and 2 passes of 8, 2 · 2.0 − 0.5 = 3.5 s each.
        "app-0,10,app,4,16\napp-1,25.5,app,1,16\n",
        [("app-0", 0.0, 4, 12.0), ("app-1", 15.5, 1, 28.0)],
    ),
    "sensetime": (
        "job_id,arrival_s,gpus,trace_duration_s,model,total_iterations,time_per_iteration_s\n"
        "0,0,8,7200,BERT,100,72\n1,0,40,1000,VGG,10,100\n",
        [("0", 0.0, 8, 900.0), ("1", 0.0, 40, 25.0)],
    ),
    "swf": (
        "; MaxProcs: 64\n"
        "1 0 5 100 8 -1 -1 8 200 -1 1 1 1 -1 1 1 -1 -1\n"
        "  3 31 60 3600 4 3500 -1 -1 7200 -1 1 1 1 -1 1 1 1 20",
        [("1", 0.0, 8, 100.0), ("3", 31.0, 4, 3600.0)],
    ),
    "plain": (
        "job_id,submit_s,gpus,duration_s\na,100,2,60.5\nb,130,1,0.25\n",
        [("a", 0.0, 2, 60.5), ("b", 30.0, 1, 0.25)],
    ),
}


@pytest.fixture(scope="session")
def beside(tmp_path_factory):
    """A folder with what formats look for beside a trace: throughputs, profiles."""
    folder = tmp_path_factory.mktemp("traces")
    (folder / "simulation_throughputs.json.gz").write_bytes(
        gzip.compress(json.dumps(THROUGHPUTS).encode(), mtime=0)
    )
    write_profiles(folder / "profiles")
    return folder


@pytest.fixture(scope="session")
def write_trace(beside):
    """Write a text as a trace beside throughputs and profiles, and return its path."""

    def write(content, *, file="mine"):
        path = beside / file
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture(scope="session")
def samples():
    """Format to a small trace, and the jobs of it."""
    return SAMPLES


@pytest.fixture(scope="session")
def make_attempt():
    return attempt


@pytest.fixture(scope="session")
def make_philly_job():
    return philly_job
