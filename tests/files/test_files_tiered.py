"""Instance files of the rate model ``tiered``: parameters, networks, errors with places."""

import json

from optsched.contention import load_profile, rate_functions
from optsched.core.cluster import Cluster
from optsched.core.document import instance_sha256
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel
from optsched.files import instance_text, load_instance

MODEL = {"name": "tiered", "layers.mine": "1 1 1 4e12; 1 1 1 0"}


def load(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    return load_instance(tmp_path / "a.json")


def test_a_described_network_fills_what_is_absent(tmp_path, make, make_job):
    jobs = [{"id": "a", "gpus": 2, "iterations": 5, "profile": "mine"}, make_job(profile="vgg11")]
    instance = load(tmp_path, make(jobs=[jobs[0]], rate_model=MODEL, cluster=two_servers()))
    (job,) = instance.jobs
    assert (job.compute_s, job.gradient_bytes) == (6.0, 4e12)
    instance = load(tmp_path, make(jobs=[jobs[1]], rate_model=MODEL, cluster=two_servers()))
    assert instance.jobs[0].compute_s == 0.5
    assert instance.jobs[0].gradient_bytes == load_profile("vgg11").gradient_bytes


def two_servers():
    return {"servers": [{"count": 2, "gpus": 2}]}


def test_what_is_saved_is_loaded_with_the_same_rates(tmp_path):
    model = RateModel.of(
        "tiered", contention=True, rack_latency_s=1e-4, **{"layers.mine": MODEL["layers.mine"]}
    )
    jobs = [Job("a", 2, 7, compute_s=0.1, profile="mine"), Job("b", 1, 7, compute_s=0.1)]
    instance = Instance("two", Cluster.uniform(2, 2), jobs, model)
    again = load(tmp_path, instance_text(instance))
    assert instance_sha256(again) == instance_sha256(instance)
    assert list(again.jobs) == jobs
    assert again.rate_model.value("rack_latency_s") == 1e-4
    assert again.rate_model.resolved["contention"] is True
    place = Placement.of({0: 1, 1: 1})
    times = [rate_functions(one).iteration_time_s(0, place, (2, 1)) for one in (instance, again)]
    assert times[0] == times[1] > 0.1


def test_every_parameter_counts_in_the_hash():
    def sha256(**parameters):
        model = RateModel.of("tiered", **parameters)
        return instance_sha256(Instance("", Cluster.uniform(1, 1), [Job("a", 1, 1, 0, 1)], model))

    assert sha256() == sha256(rack_latency_s=5e-6) == sha256(group_gpus=4)
    assert len({sha256(), sha256(contention=True), sha256(**{"layers.x": "1 1 1 1"})}) == 3


def test_errors_have_places(errors_of, make, make_job):
    model = {"name": "tiered", "rack_latency_s": -1, "layers.net": "1 2"}
    text = json.dumps(json.loads(make(rate_model=model, cluster=two_servers())), indent=1)
    lines = "\n".join(errors_of(text))
    assert "rate_model.rack_latency_s: expected a number of at least 0, got -1.0" in lines
    assert "rate_model.layers.net: expected four numbers" in lines
    jobs = [make_job(gradient_bytes=0), make_job("b", profile="vgg1", gradient_bytes=0)]
    lines = errors_of(make(jobs=jobs, rate_model={"name": "tiered"}, cluster=two_servers()))
    assert "a.json:1:" in lines[1]
    assert "jobs[0].profile: expected one of the profiles alexnet" in lines[1]
    assert "jobs[1].profile: expected one of" in lines[2]
    assert "got 'vgg1'; did you mean 'vgg1" in lines[2]
