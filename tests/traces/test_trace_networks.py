"""Filling in what a trace does not say: profiles, iterations, the fabric and its uplinks."""

import pytest

from optsched.contention import load_profile, rate_functions
from optsched.core.cluster import Cluster, Fabric
from optsched.core.errors import InstanceError, TraceError, UnknownNameError
from optsched.core.placement import Placement
from optsched.traces import load_trace, oversubscribed, parse_profile_mix, with_network

FABRIC = Fabric(inter_bytes_per_s=1e9, degradation=0.25)
SENSETIME = (
    "job_id,arrival_s,gpus,trace_duration_s,model,total_iterations,time_per_iteration_s\n"
    "0,0,4,248,ResNet50,1,1\n"
    "1,5,1,0.01,BERT,1,1\n"
)


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text(SENSETIME)
    return path


def test_a_job_computes_as_long_as_in_the_trace_in_iterations_of_its_profile(trace):
    made = with_network(load_trace(trace, servers=2, gpus_per_server=4), FABRIC)
    first, second = made.instance.jobs
    # 248 s on one GPU are 62 s on four; ResNet50 computes 0.062 s an iteration.
    assert (first.iterations, first.compute_s, first.gradient_bytes) == (1000, 0.062, 99.2e6)
    assert first.profile == "resnet50"
    # Never less than one iteration.
    assert second.iterations == 1
    assert second.compute_s == load_profile("bert-large").compute_s
    assert (made.profiles, made.drawn) == ({"bert-large": 1, "resnet50": 1}, 0)
    rates = rate_functions(made.instance)
    # Local: only compute. Spread 2 + 2: 2m·3/4 over 1e9 bytes/s on top.
    assert rates.iteration_time_s(0, Placement.of({0: 4}), ()) == 0.062
    spread = rates.iteration_time_s(0, Placement.of({0: 2, 1: 2}), (1, 1))
    assert spread == pytest.approx(0.062 + 1.5 * 99.2e6 / 1e9, rel=1e-12)


def test_models_without_a_profile_need_a_mix_and_are_drawn_by_seed(tmp_path):
    path = tmp_path / "plain.csv"
    rows = "".join(f"{i},{i},1,100\n" for i in range(400))
    path.write_text("job_id,submit_s,gpus,duration_s\n" + rows)
    loaded = load_trace(path)
    with pytest.raises(TraceError, match=r"400 of 400 jobs have a model without a profile \(none"):
        with_network(loaded, FABRIC)
    mix = {"resnet50": 3.0, "vgg16": 1.0}
    made = with_network(loaded, FABRIC, profile_mix=mix, seed=1)
    assert made.drawn == 400
    assert 260 <= made.profiles["resnet50"] <= 340
    again = with_network(loaded, FABRIC, profile_mix=mix, seed=1)
    other = with_network(loaded, FABRIC, profile_mix=mix, seed=2)
    assert again.instance.jobs.profiles == made.instance.jobs.profiles
    assert other.instance.jobs.profiles != made.instance.jobs.profiles
    with pytest.raises(UnknownNameError, match="resnet50"):
        with_network(loaded, FABRIC, profile_mix={"resnet5": 1.0})


def test_oversubscription_is_the_racks_rate_over_the_uplinks():
    racks = Cluster.uniform(8, 4, racks=2)
    assert oversubscribed(racks, FABRIC, 1.0).uplink_bytes_per_s == 4e9
    assert oversubscribed(racks, FABRIC, 4.0).uplink_bytes_per_s == 1e9
    assert oversubscribed(racks, FABRIC, 4.0).degradation == 0.25


@pytest.mark.parametrize(
    ("cluster", "fabric", "ratio", "text"),
    [
        (Cluster.uniform(8, 4), FABRIC, 4.0, "got one rack"),
        (Cluster.uniform(8, 4, racks=2), Fabric(), 4.0, "a rate of the servers' interfaces"),
        (Cluster.uniform(8, 4, racks=2), FABRIC, 0.0, "an oversubscription above 0"),
        (Cluster.uniform(8, 4, racks=2), FABRIC, float("nan"), "an oversubscription above 0"),
    ],
)
def test_uplinks_that_cannot_be(cluster, fabric, ratio, text):
    with pytest.raises(TraceError, match=text):
        oversubscribed(cluster, fabric, ratio)


def test_parameters_of_the_ring_model_are_checked(trace):
    loaded = load_trace(trace)
    made = with_network(loaded, FABRIC, contention_weight=0.5, server_overhead_s=0.01)
    assert made.instance.rate_model.value("contention_weight") == 0.5
    with pytest.raises(InstanceError, match="contention_weight"):
        rate_functions(with_network(loaded, FABRIC, contention_weight=2.0).instance)


@pytest.mark.parametrize("text", ["resnet50=x", "=1", "a=1,a=2", "a=-1", "a=0", "a=inf", ","])
def test_mixes_that_are_none(text):
    with pytest.raises(TraceError, match=r"expected a (mix|weight)"):
        parse_profile_mix(text)


def test_the_whole_sensetime_batch_has_profiles(traces_directory):
    loaded = load_trace(traces_directory / "dally" / "sensetime-500-batch.csv")
    made = with_network(loaded, FABRIC, oversubscription=4.0)
    assert (len(made.instance.jobs), made.drawn) == (500, 0)
    assert made.profiles == {
        "alexnet": 53,
        "bert-large": 125,
        "mobilenet-v3-large": 125,
        "resnet18": 38,
        "resnet50": 125,
        "vgg11": 34,
    }


def test_gavels_names_of_models_are_known(write_trace):
    rows = "ResNet-18 (batch size 64)\tcmd\tdir\t--steps\t0\t40\t1\tstatic\t1\t-1.0\t99\t{}\n"
    rows += "LM (batch size 5)\tcmd\tdir\t--steps\t0\t40\t1\tstatic\t1\t-1.0\t99\t{}\n"
    made = with_network(
        load_trace(write_trace(rows.format(0, 1))), FABRIC, profile_mix={"vgg16": 1}
    )
    assert (made.profiles, made.drawn) == ({"resnet18": 1, "vgg16": 1}, 1)
