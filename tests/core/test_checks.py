"""Every rule an instance has to keep, broken one at a time and all at once."""

import math

import pytest

from optsched.core.checks import MAX_GPUS_PER_SERVER, MAX_ITERATIONS, MAX_SERVERS
from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.errors import InstanceError, Problem
from optsched.core.instance import Instance
from optsched.core.jobs import Job, Jobs

SERVERS = (Server("s0", 4), Server("s1", 4))
JOB = Job("a", 2, 10, compute_s=0.5)


def problems_of(*, servers=SERVERS, fabric=None, jobs=(JOB,), **options):
    with pytest.raises(InstanceError) as caught:
        Instance("bad", Cluster(servers, fabric), jobs, **options)
    return [problem.text() for problem in caught.value.problems]


def test_a_right_instance_has_no_problems():
    options = {"slot_s": 1.0, "restart_s": 2.0, "restart_s_per_gpu": 0.5}
    good = Instance("good", Cluster(SERVERS), [JOB], **options)
    assert {name: getattr(good, name) for name in options} == options


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_slot(bad):
    assert problems_of(slot_s=bad) == [
        f"slot_s: expected a positive number of seconds, got {bad!r}"
    ]


@pytest.mark.parametrize("name", ["restart_s", "restart_s_per_gpu"])
@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf])
def test_restart(name, bad):
    assert problems_of(**{name: bad}) == [f"{name}: expected a number of at least 0, got {bad!r}"]


@pytest.mark.parametrize(
    "name",
    ["intra_bytes_per_s", "inter_bytes_per_s", "uplink_bytes_per_s", "reduce_bytes_per_s"],
)
@pytest.mark.parametrize("bad", [0.0, -1e9, math.nan])
def test_fabric_rates(name, bad):
    (text,) = problems_of(fabric=Fabric(**{name: bad}))
    assert text.startswith(f"cluster.fabric.{name}: expected a rate above 0")
    assert text.endswith(f"got {bad!r}")


@pytest.mark.parametrize("name", ["degradation", "latency_s"])
@pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf])
def test_fabric_numbers(name, bad):
    (text,) = problems_of(fabric=Fabric(**{name: bad}))
    assert text == f"cluster.fabric.{name}: expected a number of at least 0, got {bad!r}"


@pytest.mark.parametrize(
    ("server", "text"),
    [
        (
            Server("s1", 0),
            "cluster.servers[1].gpus: expected a whole number from 1 to 65,536, got 0",
        ),
        (
            Server("s1", -2),
            "cluster.servers[1].gpus: expected a whole number from 1 to 65,536, got",
        ),
        (Server("s1", MAX_GPUS_PER_SERVER + 1), "cluster.servers[1].gpus: expected a whole number"),
        (Server("s1", 10**9), "cluster.servers[1].gpus: expected a whole number from 1 to 65,536"),
        (
            Server("s0", 4),
            "cluster.servers[1].id: expected an id of its own (also used by servers[0])",
        ),
        (Server("", 4), "cluster.servers[1].id: expected a server id that is not empty, got ''"),
        (
            Server("s1", 4, inter_bytes_per_s=0.0),
            "cluster.servers[1].inter_bytes_per_s: expected a finite rate above 0, got 0.0",
        ),
        (
            Server("s1", 4, inter_bytes_per_s=math.inf),
            "cluster.servers[1].inter_bytes_per_s: expected a finite rate above 0, got inf",
        ),
    ],
)
def test_servers(server, text):
    found = problems_of(servers=(SERVERS[0], server), jobs=[Job("a", 1, 10, compute_s=0.5)])
    assert len(found) == 1
    assert found[0].startswith(text)


def test_no_servers():
    assert problems_of(servers=())[0] == "cluster.servers: expected at least one server, got none"


def test_too_many_servers():
    columns = Cluster.uniform(3, 4).servers
    many = type(columns)(
        tuple(f"s{i}" for i in range(MAX_SERVERS + 1)),
        columns.gpus[:1].repeat(MAX_SERVERS + 1),
        columns.rack_names,
        columns.rack[:1].repeat(MAX_SERVERS + 1),
        columns.inter_bytes_per_s[:1].repeat(MAX_SERVERS + 1),
    )
    assert problems_of(servers=many) == [
        "cluster.servers: expected at most 1,000,000 servers, got 1,000,001"
    ]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"gpus": 0}, "jobs[1].gpus: expected a whole number of at least 1, got 0"),
        ({"gpus": 9}, "jobs[1].gpus: expected at most 8, the GPUs of the whole cluster, got 9"),
        ({"iterations": 0}, "jobs[1].iterations: expected a whole number of at least 1, got 0"),
        ({"iterations": MAX_ITERATIONS + 1}, "jobs[1].iterations: expected at most 9,007,199"),
        ({"gradient_bytes": -1.0}, "jobs[1].gradient_bytes: expected a number of at least 0"),
        ({"gradient_bytes": math.nan}, "jobs[1].gradient_bytes: expected a number of at least 0"),
        ({"compute_s": math.inf}, "jobs[1].compute_s: expected a number of at least 0, got inf"),
        ({"arrival_s": -1.0}, "jobs[1].arrival_s: expected a number of at least 0, got -1.0"),
        ({"arrival_s": math.nan}, "jobs[1].arrival_s: expected a number of at least 0, got nan"),
        ({"weight": -1.0}, "jobs[1].weight: expected a number of at least 0, got -1.0"),
        ({"server_overhead_s": -1.0}, "jobs[1].server_overhead_s: expected a number of at least 0"),
        ({"server_overhead_s": math.inf}, "jobs[1].server_overhead_s: expected a number of at"),
        ({"id": "a"}, "jobs[1].id: expected an id of its own (also used by jobs[0]), got 'a'"),
        ({"id": ""}, "jobs[1].id: expected a job id that is not empty, got ''"),
    ],
)
def test_jobs(changes, text):
    values = {"id": "b", "gpus": 1, "iterations": 1} | changes
    found = problems_of(jobs=[JOB, Job(**values)])
    assert len(found) == 1
    assert found[0].startswith(text)


def test_no_jobs():
    assert problems_of(jobs=[]) == ["jobs: expected at least one job, got none"]


def test_all_weights_zero():
    jobs = [Job("a", 1, 1, weight=0.0), Job("b", 1, 1, weight=0.0)]
    expected = "jobs: expected at least one job with a weight above 0, got all weights 0"
    assert problems_of(jobs=jobs) == [expected]
    Instance("one", Cluster(SERVERS), [jobs[0], Job("b", 1, 1)])


def test_all_problems_are_found_in_document_order():
    found = problems_of(
        slot_s=-1.0,
        fabric=Fabric(degradation=-1.0),
        servers=[Server("s0", 0), Server("s0", 4)],
        jobs=[Job("a", 9, 0), Job("a", 1, 1, arrival_s=-1.0)],
    )
    places = [text.split(":")[0] for text in found]
    assert places == [
        "slot_s",
        "cluster.fabric.degradation",
        "cluster.servers[1].id",
        "cluster.servers[0].gpus",
        "jobs[1].id",
        "jobs[0].gpus",
        "jobs[0].iterations",
        "jobs[1].arrival_s",
    ]


def test_of_one_rule_twenty_problems_are_listed_and_the_rest_counted():
    found = problems_of(jobs=[Job(f"j{i}", 0, 1) for i in range(25)])
    assert len(found) == 21
    assert found[-1] == "jobs: expected every gpus to be right, got 5 more that are not"


def test_problems_read_as_one_line():
    problem = Problem(("jobs", 3, "gpus"), "1", "2", "try 1")
    assert problem.place == "jobs[3].gpus"
    assert problem.text() == "jobs[3].gpus: expected 1, got 2; try 1"
    assert Problem((), "an object", "a list").text() == "expected an object, got a list"


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match=r"a column of 2 jobs has shape \(2,\), got \(1,\)"):
        Jobs.from_columns(ids=["a", "b"], gpus=[1], iterations=[1, 1])
