import json
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.document import instance_sha256
from optsched.core.errors import FileFormatError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.files import instance_text, instance_warnings, load_instance, save_instance
from optsched.generate import GENERATORS, interior_start, waiting_pays

DESIGN_EXAMPLE = """
{"format": "optsched.instance/1", "name": "waiting-pays",
 "description": "Together both jobs end at 25.5 s; one after the other at 10.5 and 21 s.",
 "rate_model": {"name": "ring", "contention_weight": 1.0, "server_overhead_s": 0.0},
 "cluster": {"fabric": {"inter_bytes_per_s": 1e9, "degradation": 0.5},
             "servers": [{"count": 3, "gpus": 2, "rack": "r0"}]},
 "jobs": [{"id": "a", "gpus": 3, "iterations": 10, "gradient_bytes": 750e6, "compute_s": 0.05},
          {"id": "b", "gpus": 3, "iterations": 10, "gradient_bytes": 750e6, "compute_s": 0.05}]}
"""


def loaded(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    return load_instance(path)


def test_the_example_of_the_documentation_is_waiting_pays(tmp_path):
    instance = loaded(tmp_path, DESIGN_EXAMPLE)
    assert instance_sha256(instance) == instance_sha256(waiting_pays())
    assert instance.cluster.servers.ids == ("s0", "s1", "s2")
    assert math.isinf(instance.cluster.fabric.intra_bytes_per_s)
    assert math.isinf(instance.cluster.fabric.reduce_bytes_per_s)
    assert list(instance.jobs) == list(waiting_pays().jobs)


def test_what_is_left_out_has_the_documented_defaults(tmp_path, make):
    instance = loaded(tmp_path, make(rate_model={"name": "ring"}))
    (job,) = instance.jobs
    assert (job.arrival_s, job.weight, job.gradient_bytes) == (0.0, 1.0, 0.0)
    assert (job.server_overhead_s, job.profile) == (None, None)
    assert (instance.slot_s, instance.restart_s, instance.restart_s_per_gpu) == (None, 0.0, 0.0)
    assert (instance.description, dict(instance.metadata)) == ("", {})
    assert [server.rack for server in instance.cluster.servers] == ["r0", "r0"]


def test_an_instance_without_a_name_is_called_after_its_file(tmp_path, make):
    whole = json.loads(make())
    del whole["name"], whole["rate_model"]
    path = tmp_path / "tuesday.json"
    path.write_text(json.dumps(whole))
    assert load_instance(path).name == "tuesday"
    assert load_instance(path).rate_model.name == "ring"


def test_counts_and_ids_mix_by_position(tmp_path, make):
    servers = [
        {"count": 2, "gpus": 1},
        {"id": "big", "gpus": 8},
        {"gpus": 2},
        {"count": 1, "gpus": 3},
    ]
    instance = loaded(tmp_path, make(servers=servers))
    assert instance.cluster.servers.ids == ("s0", "s1", "big", "s3", "s4")
    assert instance.cluster.servers.gpus.tolist() == [1, 1, 8, 2, 3]


def test_durations_are_one_iteration(tmp_path, make):
    jobs = [
        {"id": "a", "gpus": 1, "duration_s": 7},
        {"id": "b", "gpus": 1, "iterations": 3, "compute_s": 2},
    ]
    instance = loaded(tmp_path, make(jobs=jobs, rate_model={"name": "fixed"}))
    assert instance.jobs.iterations.tolist() == [1, 3]
    assert instance.jobs.compute_s.tolist() == [7.0, 2.0]
    assert '"duration_s": 7.0' in instance_text(instance)


def test_whole_and_decimal_numbers_hash_alike(tmp_path, make):
    texts = [
        make(slot_s=slot, rate_model={"name": "ring", "contention_weight": weight})
        for slot, weight in ((1, 1), (1.0, 1.0))
    ]
    first, second = (instance_sha256(loaded(tmp_path, text)) for text in texts)
    assert first == second
    cluster = Cluster([Server("s0", 4)], Fabric(inter_bytes_per_s=10**9))
    model = RateModel.of("ring", contention_weight=1)
    instance = Instance("x", cluster, [Job("a", 1, 1, compute_s=0.5)], model, slot_s=1)
    assert instance_sha256(loaded(tmp_path, instance_text(instance))) == instance_sha256(instance)


positive = st.floats(1e-9, 1e12)
texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)


@st.composite
def instances(draw):
    model = draw(st.sampled_from(["ring", "fixed"]))
    ids = draw(st.lists(texts, min_size=1, max_size=5, unique=True))
    names = draw(
        st.one_of(
            st.lists(texts, min_size=1, max_size=5, unique=True),
            st.integers(1, 6).map(lambda count: [f"s{i}" for i in range(count)]),
        )
    )
    servers = [
        Server(name, draw(st.integers(1, 3)), draw(texts), draw(st.none() | positive))
        for name in names
    ]
    total = sum(server.gpus for server in servers)
    jobs = [
        Job(
            name,
            draw(st.integers(1, total)),
            draw(st.integers(1, 2**53)),
            gradient_bytes=draw(st.just(0.0) | positive),
            compute_s=draw(positive),
            arrival_s=draw(st.just(0.0) | positive),
            weight=draw(positive),
            server_overhead_s=draw(st.none() | st.just(0.0) | positive),
            profile=draw(st.none() | texts),
        )
        for name in ids
    ]
    rates = {
        name: draw(st.just(math.inf) | positive)
        for name in (
            "intra_bytes_per_s",
            "inter_bytes_per_s",
            "uplink_bytes_per_s",
            "reduce_bytes_per_s",
        )
    }
    others = {name: draw(st.just(0.0) | positive) for name in ("degradation", "latency_s")}
    fabric = Fabric(**rates, **others)
    parameters = {} if model == "fixed" else {"contention_weight": draw(st.floats(0.1, 1))}
    return Instance(
        draw(st.text(st.characters(codec="utf-8"), max_size=8)),
        Cluster(servers, fabric),
        jobs,
        RateModel.of(model, **parameters),
        restart_s=draw(st.just(0.0) | positive),
        restart_s_per_gpu=draw(st.just(0.0) | positive),
        description=draw(st.text(st.characters(codec="utf-8"), max_size=8)),
        metadata=draw(st.dictionaries(texts, texts, max_size=2)),
    )


@given(instance=instances())
def test_what_is_saved_is_loaded(instance, tmp_path_factory):
    path = tmp_path_factory.mktemp("round") / "a.json"
    save_instance(instance, path)
    again = load_instance(path)
    assert instance_sha256(again) == instance_sha256(instance)
    assert list(again.jobs) == list(instance.jobs)
    assert list(again.cluster.servers) == list(instance.cluster.servers)
    assert again.cluster.fabric == instance.cluster.fabric
    assert (again.name, again.description) == (instance.name, instance.description)
    assert dict(again.metadata) == dict(instance.metadata)
    assert instance_text(again) == instance_text(instance)


@pytest.mark.parametrize("name", list(GENERATORS))
def test_drawn_instances_survive_a_file(tmp_path, name):
    instance = GENERATORS[name].function(seed=1)
    again = loaded(tmp_path, instance_text(instance))
    assert instance_sha256(again) == instance_sha256(instance)
    assert dict(again.metadata) == dict(instance.metadata)


def test_a_file_has_one_job_a_line(tmp_path):
    lines = instance_text(interior_start()).splitlines()
    jobs = [line for line in lines if line.startswith('    {"id": ')]
    assert len(jobs) == 4
    assert sum("count" in line for line in lines) == 1


def test_a_file_that_cannot_be_written_is_an_error(tmp_path):
    with pytest.raises(FileFormatError, match="expected a file that can be written"):
        save_instance(waiting_pays(), tmp_path / "no" / "a.json")
    with pytest.raises(FileFormatError, match="expected a file that can be written"):
        save_instance(waiting_pays(), tmp_path)


def test_what_may_stall_is_a_warning_not_an_error(tmp_path, make, make_job):
    # Alone 2 * 0.6e9 / 2 / 1e9 = 0.6 s; four times that beside three others.
    text = make(jobs=[make_job(gradient_bytes=0.6e9, compute_s=0.1)], slot_s=1)
    instance = loaded(tmp_path, text)
    (warning,) = instance_warnings(instance)
    assert warning.place == "jobs[0]"
    assert "may stall" in warning.got
    assert not instance_warnings(loaded(tmp_path, make()))


def test_a_hundred_thousand_jobs_load_in_seconds(tmp_path, make, make_job):
    text = make(jobs=[make_job(f"j{i}", arrival_s=float(i)) for i in range(100_000)])
    started = time.perf_counter()
    assert len(loaded(tmp_path, text).jobs) == 100_000
    # About 2 s on two busy cores.
    assert time.perf_counter() - started < 20
