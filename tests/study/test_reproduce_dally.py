"""The study of Dally on tiny workloads: runs, bounds, and going on after a kill."""

import json

import pytest

from optsched.core.errors import FileFormatError, OptschedError, UnsupportedError
from optsched.study.dally_run import DallyTask, run_task
from optsched.study.dally_schedulers import DALLY_SCHEDULERS
from optsched.study.dally_workload import DallySetting, TraceFolder, Twin
from optsched.study.reproduce_dally import RUNS_FILE, DallyStudy, crossed, reproduce_dally

TWIN = Twin(jobs=8)
SMALL = (2, 4, 8)
NAMES = {"dally": "dally:lease_s=3600", "srtf": "srtf"}


def a_study(seeds=2, names=NAMES, fabrics=("normal", "congested")):
    return DallyStudy(TWIN, crossed(["batch"], [SMALL], fabrics), names, seeds)


def timeless(run):
    """Return a run without what differs from one to the next."""
    return {key: value for key, value in run.as_dict().items() if key != "cpu_s"}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    return folder, reproduce_dally(a_study(), folder)


@pytest.mark.parametrize(
    ("arrivals", "specs"), [("batch", DALLY_SCHEDULERS.values()), ("poisson", NAMES.values())]
)
def test_no_policy_beats_the_bound_of_its_class(arrivals, specs):
    setting = DallySetting(arrivals, *SMALL, "congested")
    for spec in specs:
        run = run_task(DallyTask(TWIN, setting, spec, 0))
        assert run.ratio("makespan") >= 1 - 1e-9, spec
        assert run.ratio("mean_jct") >= 1 - 1e-9, spec
        assert run.groups["all"].jobs == 8
        shares = [getattr(run.groups["2+"], f"{tier}_share") for tier in _TIERS]
        assert sum(shares) == pytest.approx(1.0), spec


_TIERS = ("machine", "rack", "network")


def test_every_run_is_a_line(finished):
    folder, runs = finished
    lines = (folder / RUNS_FILE).read_text().splitlines()
    assert len(lines) == len(runs) == 2 * 2 * 2
    assert [json.loads(line)["seed"] for line in lines] == [0] * 4 + [1] * 4


def test_the_jobs_of_a_seed_are_the_same_on_every_fabric():
    normal, congested = (
        TWIN.instance(DallySetting("batch", *SMALL, fabric), 1)
        for fabric in ("normal", "congested")
    )
    assert normal.jobs.compute_s.tolist() == congested.jobs.compute_s.tolist()
    assert normal.jobs.profiles == congested.jobs.profiles
    assert normal.rate_model.value("network_bytes_per_s") == 400e9
    assert congested.rate_model.value("network_bytes_per_s") == 10e9


def test_after_a_kill_only_what_is_missing_is_run(finished, tmp_path):
    folder, runs = finished
    whole = (folder / RUNS_FILE).read_bytes()
    lines = whole.splitlines(keepends=True)
    # Five runs, and half of the sixth.
    (tmp_path / RUNS_FILE).write_bytes(b"".join(lines[:5]) + lines[5][:100])
    told = []
    again = reproduce_dally(
        a_study(), tmp_path, on_run=lambda done, total, run: told.append((done, total, run))
    )
    assert [timeless(run) for run in again] == [timeless(run) for run in runs]
    assert [done for done, _, _ in told] == list(range(1, 9))
    kept = (tmp_path / RUNS_FILE).read_bytes()
    assert kept.startswith(b"".join(lines[:5]))
    assert len(kept.splitlines()) == 8


def test_a_larger_study_takes_over_the_runs_of_a_smaller_one(finished, tmp_path, monkeypatch):
    folder, _ = finished
    (tmp_path / RUNS_FILE).write_bytes((folder / RUNS_FILE).read_bytes())
    asked = []

    def counted(task):
        asked.append(task)
        return run_task(task)

    monkeypatch.setattr("optsched.study.reproduce_dally.run_task", counted)
    runs = reproduce_dally(a_study(names={**NAMES, "sjf": "sjf"}), tmp_path)
    assert {task.spec for task in asked} == {"sjf"}
    assert len(runs) == 12


def test_several_processes_do_the_same_runs(finished, tmp_path):
    _, runs = finished
    study = a_study(seeds=1, fabrics=("congested",))
    told = reproduce_dally(study, tmp_path, workers=2)
    expected = [
        timeless(run) for run in runs if run.seed == 0 and run.setting.fabric == "congested"
    ]
    assert [timeless(run) for run in told] == expected


def test_runs_of_another_version_are_refused(finished, tmp_path):
    folder, _ = finished
    line = json.loads((folder / RUNS_FILE).read_text().splitlines()[0])
    line["versions"]["optsched"] = "0.0.1"
    (tmp_path / RUNS_FILE).write_text(json.dumps(line) + "\n")
    with pytest.raises(OptschedError, match=r"got one of 0\.0\.1; name another directory"):
        reproduce_dally(a_study(), tmp_path)


def test_runs_of_other_jobs_are_refused(finished, tmp_path):
    folder, _ = finished
    line = json.loads((folder / RUNS_FILE).read_text().splitlines()[0])
    line["instance"] = "f" * 64
    (tmp_path / RUNS_FILE).write_text(json.dumps(line) + "\n")
    with pytest.raises(OptschedError, match="got runs of another"):
        reproduce_dally(a_study(), tmp_path)


def test_a_line_of_another_study_is_refused(tmp_path):
    (tmp_path / RUNS_FILE).write_text('{"a": 1}\n')
    with pytest.raises(FileFormatError, match=r"runs\.jsonl:1: expected a run of this study"):
        reproduce_dally(a_study(), tmp_path)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_error_of_a_scheduler_arrives_whole(tmp_path, workers):
    (tmp_path / "mine.py").write_text("def wrong(state):\n    state.set_timer(-9.0)\n")
    names = {"mine": f"{tmp_path}/mine.py:wrong", "sjf": "sjf"}
    with pytest.raises(OptschedError, match="-9"):
        reproduce_dally(a_study(1, names, ("normal",)), tmp_path / "out", workers=workers)


def test_the_twin_has_machines_of_eight_gpus():
    with pytest.raises(UnsupportedError, match="8 GPUs"):
        TWIN.instance(DallySetting("batch", 2, 8, 4, "normal"), 0)


def test_a_folder_without_the_trace_is_told(tmp_path):
    (tmp_path / "dnn").mkdir()
    with pytest.raises(FileFormatError, match=r"none called sensetime-500-batch\.csv"):
        TraceFolder(tmp_path).check()


HEADER = "job_id,arrival_s,gpus,trace_duration_s,model,total_iterations,time_per_iteration_s"


@pytest.fixture
def trace(tmp_path):
    """Ten made-up jobs in the layout of the trace."""
    layers = "layer,forward_ns,input_grad_ns,weight_grad_ns,allreduce_bytes\na,9e6,9e6,9e6,1e8\n"
    (tmp_path / "dnn").mkdir()
    (tmp_path / "dnn" / "BERT-large_B256.csv").write_text(layers)
    for arrivals, gap_s in (("batch", 0), ("poisson", 500)):
        rows = [f"j{i},{gap_s * i},{1 + i % 3},{1000 + i},BERT,{1000 + i},1.0" for i in range(10)]
        text = "\n".join([HEADER, *rows]) + "\n"
        (tmp_path / f"sensetime-500-{arrivals}.csv").write_text(text)
    return TraceFolder(tmp_path)


def test_the_first_seed_is_the_trace_and_others_change_it_a_little(trace):
    trace.check()
    batch, poisson = (DallySetting(name, 1, 2, 4, "normal") for name in ("batch", "poisson"))
    first, second = (trace.instance(batch, seed) for seed in (0, 1))
    assert first.jobs.ids == tuple(f"j{i}" for i in range(10))
    assert second.jobs.ids != first.jobs.ids
    assert sorted(second.jobs.ids) == sorted(first.jobs.ids)
    by_name = {job.id: job for job in first.jobs}
    assert all(by_name[job.id] == job for job in second.jobs)
    first, second = (trace.instance(poisson, seed) for seed in (0, 1))
    later_s = second.jobs.arrival_s - first.jobs.arrival_s
    assert ((later_s >= 0) & (later_s < 60)).all()
    assert len(set(later_s.tolist())) == 10
    factors = [trace.lease_factor(seed) for seed in range(20)]
    assert factors[0] == 1.0
    assert len(set(factors)) == 20
    assert all(0.95 <= factor <= 1.05 for factor in factors)


def test_the_trace_is_run_with_the_lease_of_its_seed(trace):
    setting = DallySetting("batch", 1, 2, 4, "normal")
    run = run_task(DallyTask(trace, setting, "gandiva:lease_s=100", 1))
    assert run.scheduler == f"gandiva:lease_s={100 * trace.lease_factor(1)!r}"
    assert run.spec == "gandiva:lease_s=100"
    assert run.workload == trace.identity


def test_other_files_are_another_workload(trace):
    before = trace.identity
    path = trace.folder / "dnn" / "BERT-large_B256.csv"
    path.write_text(path.read_text().replace("1e8", "2e8"))
    assert trace.identity != before
