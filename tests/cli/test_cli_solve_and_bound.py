"""``solve`` and ``bound``."""

import importlib
import json
from dataclasses import replace

from optsched.core.errors import LimitReachedError


def test_solve_finds_21_and_says_among_which_schedules(optsched):
    done = optsched("solve", "waiting-pays", "-o", "best.json", "--plot", "best.svg")
    assert done.code == 0
    assert "status     optimal\n" in done.out
    assert "makespan   21 s" in done.out
    assert "proof      meets bound 'rate-configuration'" in done.out
    assert "found 21 s" in done.err
    assert "schedule: best.json\npicture: best.svg\n" in done.err
    assert optsched("verify", "best.json").code == 0
    # Below 10 s no time goes to bounds that see contention.
    limits = ("--method", "branch-and-bound", "--time-limit", "5")
    aligned = optsched("solve", "waiting-pays", *limits)
    assert "status     optimal over event-aligned schedules" in aligned.out
    assert "gap        100.00% to the bound, which holds for all schedules" in aligned.out


def test_solve_as_json(optsched):
    done = optsched("solve", "waiting-pays", "--objective", "mean_jct", "--json")
    document = done.json
    assert done.code == 0
    # By hand: 10.5 and 21 s.
    assert (document["status"], document["value"]) == ("optimal", 15.75)
    assert document["provenance"]["time_limit_s"] == 60.0


def test_solve_says_no_when_nothing_is_feasible(optsched, tmp_path):
    # 20 s an iteration on two servers, in slots of 1 s; the job fits on no single server.
    document = {
        "format": "optsched.instance/1",
        "name": "stalls",
        "slot_s": 1.0,
        "rate_model": {"name": "ring"},
        "cluster": {
            "fabric": {"inter_bytes_per_s": 1.0, "uplink_bytes_per_s": 0.01},
            "servers": [
                {"id": "a", "gpus": 1, "rack": "left"},
                {"id": "b", "gpus": 1, "rack": "right"},
            ],
        },
        "jobs": [{"id": "j", "gpus": 2, "iterations": 1, "gradient_bytes": 0.5, "compute_s": 0.1}],
    }
    (tmp_path / "stalls.json").write_text(json.dumps(document))
    done = optsched("solve", "stalls.json")
    assert done.code == 1
    assert "infeasible" in done.out or "stall" in done.err


def test_solve_gives_4_when_the_limit_comes_first(optsched, monkeypatch):
    def reached(*arguments, **options):
        raise LimitReachedError("0 s were too short for a first schedule")

    monkeypatch.setattr(importlib.import_module("optsched.exact"), "solve", reached)
    done = optsched("solve", "waiting-pays", "--time-limit", 0)
    assert (done.code, done.out) == (4, "")
    assert done.err == "error: 0 s were too short for a first schedule\n"


def test_an_interrupted_solve_keeps_the_best_so_far(optsched, tmp_path, monkeypatch):
    module = importlib.import_module("optsched.exact.solving")
    real = module.run_search

    def stopped(*arguments, **options):
        return replace(real(*arguments, **options), is_complete=False, stopped_by="interrupt")

    monkeypatch.setattr(module, "run_search", stopped)
    done = optsched("solve", "small-6x3", "-o", "best.json")
    assert done.code == 130
    assert "interrupted; this is the best schedule so far" in done.err
    assert "status     feasible" in done.out
    assert optsched("verify", "best.json").code == 0


def test_solve_refuses_a_limit_that_is_no_number(optsched):
    assert optsched("solve", "waiting-pays", "--time-limit", "nan").code == 2
    assert optsched("solve", "waiting-pays", "--time-limit", "-1").code == 2
    assert optsched("solve", "waiting-pays", "--method", "guess").code == 2


def test_bound_prints_value_method_and_class(optsched):
    # By hand: side by side both jobs crawl, so one after the other is best: 2 · 10.5 s.
    done = optsched("bound", "waiting-pays")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("makespan ≥ 21 s\nbound 'rate-configuration', for schedules in ")
    done = optsched("bound", "waiting-pays", "--effort", "instant")
    assert done.out == (
        "makespan ≥ 10.5 s\n"
        "bound 'longest', for schedules in continuous time, also with preemption and migration\n"
    )
    assert optsched("bound", "waiting-pays", "--json").json["value"] == 21.0
    assert optsched("bound", "waiting-pays", "--effort", "week").code == 2


def test_bound_all_says_why_a_bound_does_not_apply(optsched):
    done = optsched("bound", "paper-160x14-0", "--all", "--effort", "seconds")
    assert "rate-configuration: " in done.err
    assert "configuration" in done.out


def test_bound_all_shows_the_strongest_first(optsched):
    done = optsched("bound", "waiting-pays", "--all", "--json")
    values = [item["value"] for item in done.json]
    assert values == sorted(values, reverse=True)
    assert {"longest", "area", "dual-feasible"} <= {item["method"] for item in done.json}
    text = optsched("bound", "waiting-pays", "--all", "--objective", "mean_jct").out
    assert "waiting-pays: lower bounds" in text
    assert "100.0%" in text
