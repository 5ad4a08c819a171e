"""``fit``: a trace or an instance in, a workload file out, and jobs drawn from it."""

import tomllib

import pytest

from optsched.files import load_instance
from optsched.generate import load_workload, poisson

ROWS = "".join(
    f"j{i},{i * 977 % 90_000},{1 + i % 2 * 7},{60 + i * 131 % 4000}\n" for i in range(300)
)


@pytest.fixture
def trace(tmp_path):
    (tmp_path / "t.csv").write_text("name,created,n,took\n" + ROWS)
    return ("t.csv", "--map", "id=name,submit=created,gpus=n,duration=took")


def test_from_a_trace_to_new_jobs(optsched, trace, tmp_path):
    done = optsched(
        "fit", *trace, "-o", "mine.toml", "--plot", "mine.svg", "--source", "my cluster"
    )
    assert done.code == 0, done.err
    assert done.err.endswith("workload: mine.toml\npicture: mine.svg\n")
    assert "300 jobs; GPUs 1:0.5 8:0.5 (GPUs:share)" in done.out
    assert (tmp_path / "mine.svg").stat().st_size > 1000
    workload = load_workload(tmp_path / "mine.toml")
    assert (workload.jobs, workload.source["all"]) == (300, "my cluster")
    name = "fitted:name=mine.toml,jobs=40,load=1.5,servers=3"
    assert optsched("generate", name, "-o", "new.json").code == 0
    drawn = load_instance(tmp_path / "new.json")
    assert (len(drawn.jobs), len(drawn.cluster.servers)) == (40, 3)
    assert set(drawn.jobs.gpus.tolist()) == {1, 8}


def test_from_an_instance_and_a_name(optsched, tmp_path):
    assert optsched("generate", "poisson:jobs=500,seed=3", "-o", "p.json").code == 0
    by_file = optsched("fit", "p.json", "--json")
    by_name = optsched("fit", "poisson:jobs=500,seed=3", "--json")
    assert by_file.code == by_name.code == 0
    assert by_file.json | {"source": {}} == by_name.json | {"source": {}}
    assert by_file.json["jobs"] == 500
    shares = {row["gpus"]: row["share"][0] for row in by_file.json["demands"]}
    jobs = poisson(jobs=500, seed=3).jobs
    assert shares[1] == pytest.approx((jobs.gpus == 1).mean())


def test_json_is_the_file(optsched, trace, tmp_path):
    done = optsched("fit", *trace, "-o", "mine.toml", "--json")
    assert done.json == tomllib.loads((tmp_path / "mine.toml").read_text())


def test_what_cannot_be_fitted(optsched, trace, tmp_path):
    (tmp_path / "few.csv").write_text("job_id,submit_s,gpus,duration_s\na,0,1,60\n")
    done = optsched("fit", "few.csv")
    assert (done.code, done.out) == (2, "")
    assert "expected at least 20 jobs" in done.err
    done = optsched("fit", "none.csv")
    assert "none.csv: expected a trace, got no such file" in done.err
    done = optsched("fit", "papr-160")
    assert "did you mean 'paper-160'?" in done.err
    (tmp_path / "zero.csv").write_text("job_id,submit_s,gpus,duration_s\na,0,0,60\n")
    assert optsched("fit", "zero.csv").code == 1
    assert optsched("fit", *trace, "--plot", "mine.xyz").code == 2
    done = optsched("fit", "poisson", "--sample", 0.5, "--servers", 4)
    assert done.code == 2
    assert "poisson: --servers, --sample: expected a trace, got an instance" in done.err
    done = optsched("generate", "fitted:name=few.csv")
    assert done.code == 2
    assert "no workload is called 'few.csv'" in done.err


def test_a_sample_and_a_window(optsched, trace):
    whole = optsched("fit", *trace, "--json").json["jobs"]
    part = optsched("fit", *trace, "--sample", 0.5, "--seed", 3, "--json").json["jobs"]
    window = optsched("fit", *trace, "--to", 45_000, "--json").json["jobs"]
    assert whole == 300
    assert 100 < part < 200
    assert window == sum(int(row.split(",")[1]) < 45_000 for row in ROWS.splitlines())
