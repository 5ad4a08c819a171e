"""Traces on a tiered network: iterations, layer tables, compute scales, and what cannot be used."""

import pytest

from optsched.contention import rate_functions
from optsched.contention.tier_network import load_tiers
from optsched.core.errors import TraceError, UnknownNameError
from optsched.core.placement import Placement
from optsched.judge import verify
from optsched.policies import Sjf
from optsched.sim import simulate
from optsched.traces import load_trace, with_tiers

HEADER = "job_id,arrival_s,gpus,trace_duration_s,model,total_iterations,time_per_iteration_s\n"
DALLY = load_tiers("dally")


@pytest.fixture
def load(tmp_path):
    def load_rows(rows, header=HEADER):
        path = tmp_path / "trace.csv"
        path.write_text(header + rows)
        return load_trace(path, servers=4, gpus_per_server=8, racks=2)

    return load_rows


def test_iterations_are_the_traces_and_time_is_that_of_one_gpu_over_gpus(load):
    made = with_tiers(load("a,5,16,800,BERT,1000,0.8\nb,0,1,10,VGG,20,0.5\n"), DALLY)
    jobs = made.instance.jobs
    assert jobs.ids == ("b", "a")
    assert jobs.iterations.tolist() == [20, 1000]
    assert jobs.compute_s.tolist() == [0.5, 0.05]
    assert jobs.profiles == ("vgg11", "bert-large")
    assert (made.profiles, made.drawn) == ({"bert-large": 1, "vgg11": 1}, 0)
    assert "compute_scale.resnet18" not in made.instance.rate_model.mapping


def test_a_trace_without_iterations_has_those_of_its_profiles(load):
    header = "job_id,arrival_s,gpus,trace_duration_s,model\n"
    made = with_tiers(load("a,0,4,400,VGG\n", header), DALLY)
    (job,) = made.instance.jobs
    # 100 s by 0.62 s an iteration.
    assert job.iterations == 161
    assert job.iterations * job.compute_s == pytest.approx(100.0, rel=1e-12)


def test_compute_scales(load):
    rows = "a,0,16,800,BERT,1000,0.8\n"
    across = Placement.of({0: 8, 2: 8})
    published = rate_functions(with_tiers(load(rows), DALLY).instance)
    own = rate_functions(with_tiers(load(rows), DALLY, compute_scale="profile").instance)
    # 373 ms of computing hide what 1.7 ms do not.
    assert published.efficiency(0, across) < 0.2
    assert own.efficiency(0, across) > 0.95
    with pytest.raises(UnknownNameError, match="did you mean 'profile'"):
        with_tiers(load(rows), DALLY, compute_scale="profiles")


def test_options_are_in_the_instance(load):
    loaded = load("a,0,16,800,BERT,1000,0.8\n")
    made = with_tiers(loaded, load_tiers("physical"), contention=True, restart_s_per_gpu=1.0)
    assert made.instance.rate_model.value("rack_bytes_per_s") == 25e9
    assert rate_functions(made.instance).resource_count == 6
    assert made.instance.restart_s_per_gpu == 1.0


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("a,0,4,8,BERT,x,1", r"job 'a': total_iterations: expected a number above 0, got 'x'"),
        ("a,0,4,8,BERT,1.5,1", r"total_iterations: expected a whole number, got '1\.5'"),
        ("a,0,4,8,BERT,0,1", "total_iterations: expected a number above 0, got '0'"),
        ("a,0,4,8,BERT,8,-1", "time_per_iteration_s: expected a number above 0, got '-1'"),
        ("a,0,4,8,GPT,8,1", r"1 of 1 jobs have a model without a profile \(GPT\)"),
    ],
)
def test_what_cannot_be_used(load, row, complaint):
    with pytest.raises(TraceError, match=complaint):
        with_tiers(load(row + "\n"), DALLY)


def test_layer_tables_have_to_be_there(load, tmp_path):
    with pytest.raises(TraceError, match=r"BERT-large_B256\.csv"):
        with_tiers(load("a,0,4,8,BERT,8,1\n"), DALLY, layer_tables=tmp_path)
    with pytest.raises(TraceError, match=r"expected models with a layer table .*, got GPT"):
        with_tiers(load("a,0,4,8,GPT,8,1\n"), DALLY, layer_tables=tmp_path)


@pytest.mark.parametrize("racks", [2, 8])
@pytest.mark.parametrize("setting", ["dally", "dally-congested"])
def test_the_workload_with_its_own_layer_tables(traces_directory, racks, setting):
    folder = traces_directory / "dally"
    path = folder / "sensetime-500-batch.csv"
    loaded = load_trace(path, servers=8 * racks, gpus_per_server=8, racks=racks)
    made = with_tiers(loaded, load_tiers(setting), layer_tables=folder / "dnn")
    instance = made.instance
    assert made.profiles["mobilenet_v3_B512"] == 125
    assert instance.rate_model.mapping["compute_scale.resnet50_B512"] == 0.03395
    # 13,053.88 GPU-hours of pure computing.
    work_h = float((instance.jobs.gpus * instance.jobs.iterations * instance.jobs.compute_s).sum())
    assert work_h / 3600 == pytest.approx(13053.88, abs=0.01)
    # The figures of the reference, of jobs on 16 GPUs of two machines.
    rates = rate_functions(instance)
    bert = (16, "BERT-large_B256")
    job = next(i for i, row in enumerate(instance.jobs) if (row.gpus, row.profile) == bert)
    assert rates.efficiency(job, Placement.of({0: 8, 1: 8})) == pytest.approx(0.529, abs=5e-4)
    between = 0.190 if setting == "dally" else 0.108
    assert rates.efficiency(job, Placement.of({0: 8, 8: 8})) == pytest.approx(between, abs=5e-4)
    run = simulate(instance, Sjf())
    assert verify(instance, run.schedule).is_valid
