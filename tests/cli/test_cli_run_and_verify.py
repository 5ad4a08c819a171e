"""``run``, ``verify`` and ``plot gantt``."""

import json
import re
from dataclasses import replace

import pytest

from optsched.files import load, save_instance

SVG = b"<?xml"


def is_picture(path, start=SVG):
    return path.read_bytes().startswith(start)


def test_run_prints_figures_with_units(optsched):
    done = optsched("run", "waiting-pays", "-s", "fifo")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("fifo on waiting-pays in 0.0")
    assert "valid, continuous, non-preemptive" in done.out
    figures = dict(re.split(r"  +", line) for line in done.out.splitlines()[2:])
    assert figures["makespan"] == "25.5 s"
    assert figures["highest contention degree"] == "2"
    # Of 25.5 s a job computes for 10 · 0.05 s.
    assert figures["communication overhead"] == "98.0% of the jobs' running time"


def test_run_writes_schedule_and_picture_that_other_commands_take(optsched, tmp_path):
    done = optsched(
        "run", "waiting-pays", "-s", "fifo", "-o", "s.json", "--plot", "g.svg", "--json"
    )
    assert done.code == 0
    assert done.err == "schedule: s.json\npicture: g.svg\n"
    assert done.json["value"] == 25.5
    assert is_picture(tmp_path / "g.svg")
    verified = optsched("verify", "s.json")
    assert (verified.code, verified.err) == (0, "")
    assert verified.out.splitlines()[0] == "valid: continuous, non-preemptive"
    assert optsched("verify", "s.json", "waiting-pays", "--json").json["valid"] is True
    drawn = optsched("plot", "gantt", "s.json", "-o", "g.png", "--json")
    assert drawn.json == {"picture": "g.png", "instance": "waiting-pays", "segments": 2}
    assert is_picture(tmp_path / "g.png", b"\x89PNG")


def test_run_draws_timelines_and_a_gantt_chart_and_lists_jobs(optsched, tmp_path):
    done = optsched(
        "run", "dally-500:jobs=40", "-s", "dally", "--plot", "t.svg", "--gantt", "g.svg",
        "--jobs", "j.csv",
    )  # fmt: skip
    assert (done.code, done.err) == (0, "jobs: j.csv\npicture: t.svg\npicture: g.svg\n")
    for label in (
        "makespan", "mean JCT", "median JCT", "95th percentile JCT", "99th percentile JCT",
        "mean queueing delay", "utilisation", "communication overhead", "preemptions",
        "worst finish-time fairness",
    ):  # fmt: skip
        assert f"\n{label}  " in done.out
    drawn = (tmp_path / "t.svg").read_text()
    for text in ("GPUs in use", "jobs waiting", "timers", "JCT: median", "several racks"):
        assert f"<!-- {text}" in drawn
    assert "<!-- dally on " in (tmp_path / "g.svg").read_text()
    header, *rows = (tmp_path / "j.csv").read_text().splitlines()
    assert header.startswith("id,gpus,arrival_s,start_s,completion_s,jct_s,queueing_s,")
    assert len(rows) == 40


def test_timers_are_among_the_details(optsched):
    told = optsched("run", "dally-500:jobs=40", "-s", "dally:lease_s=1000", "--json").json
    assert told["details"]["lease_s"] == 1000.0
    assert told["details"]["timers"][0] == [0.0, None, 6000.0, 12000.0]
    told = optsched("run", "dally-500:jobs=40", "-s", "delay:rack_wait_s=5", "--json").json
    assert told["details"]["timers"] == [[0.0, None, 5.0, 1505.0]]
    told = optsched("run", "waiting-pays", "-s", "fifo", "--json").json
    assert "timers" not in told["details"]


def test_run_seeds_the_generator_and_the_scheduler(optsched):
    done = optsched("run", "forced:jobs=4", "-s", "random", "--seed", 3, "-o", "s.json", "--json")
    assert done.json["provenance"]["seed"] == 3
    assert optsched("verify", "s.json").code == 0
    with open("s.json") as file:
        assert json.load(file)["instance"]["name"] == "forced-4x3-3"


@pytest.mark.parametrize("command", ["run", "solve", "bound"])
def test_an_interrupt_without_results_is_130(optsched, interrupt, command):
    interrupt("optsched.files", "load")
    done = optsched(command, "waiting-pays")
    assert (done.code, done.out) == (130, "")


def test_an_interrupted_run_is_130(optsched, interrupt):
    interrupt("optsched.study.run", "simulate")
    done = optsched("run", "waiting-pays", "-s", "fifo", "-o", "s.json")
    assert (done.code, done.out) == (130, "")


def test_verify_lists_the_violations_of_a_tampered_schedule(optsched, tmp_path):
    optsched("run", "waiting-pays", "-s", "fifo", "-o", "s.json")
    document = json.loads((tmp_path / "s.json").read_text())
    document["segments"][0]["end_s"] = 20.0
    (tmp_path / "t.json").write_text(json.dumps(document))
    done = optsched("verify", "t.json")
    assert (done.code, done.err) == (1, "")
    assert re.match(r"not valid: \d+ violations?\n", done.out)
    assert "'a'" in done.out
    as_json = optsched("verify", "t.json", "--json")
    assert as_json.code == 1
    assert as_json.json["valid"] is False
    assert as_json.json["violations"][0]["job"] == "a"


def test_verify_of_another_instance_is_no(optsched, tmp_path):
    optsched("run", "waiting-pays", "-s", "fifo", "-o", "s.json")
    done = optsched("verify", "s.json", "forced-6x3-0")
    assert done.code == 1
    assert "s.json:3:" in done.err
    assert "it was made for another instance" in done.err
    as_json = optsched("verify", "s.json", "forced-6x3-0", "--json")
    assert as_json.json["valid"] is False
    assert as_json.json["problems"]


def test_verify_says_when_the_instance_has_to_be_named(optsched, tmp_path):
    save_instance(replace(load("waiting-pays"), name="mine"), tmp_path / "mine.json")
    optsched("run", "mine.json", "-s", "fifo", "-o", "s.json")
    done = optsched("verify", "s.json")
    assert done.code == 1
    assert "optsched verify s.json INSTANCE.json" in done.err
    assert optsched("verify", "s.json", "mine.json").code == 0
    assert optsched("plot", "gantt", "s.json", "mine.json").code == 0
    assert optsched("plot", "gantt", "s.json").code == 2
