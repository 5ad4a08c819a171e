"""``reproduce dally`` end to end, on a tiny workload."""

import importlib
import json
import re

import pytest

from optsched.core.result import Bound, Preemption, ProblemClass

TINY = ("--jobs", 8, "--cluster", "2x4x8", "--arrivals", "batch", "--workers", 1)
FEW = ("-s", "dally,gandiva,sjf", "--fabric", "congested", "--seeds", 2, "-o", "out")


def timeless(text):
    return [
        {key: value for key, value in json.loads(line).items() if key != "cpu_s"}
        for line in text.splitlines()
    ]


def test_it_ends_with_tables_a_report_and_pictures(optsched, tmp_path):
    done = optsched("reproduce", "dally", *TINY, *FEW)
    assert done.code == 0
    assert "batch, 2×4×8, congested (bounds: " in done.out
    assert "batch, 2×4×8, congested: reduction by Dally [%]" in done.out
    assert "Largest mean reduction by Dally [%]" in done.out
    for published in ("69", "83", "98"):
        assert re.search(rf"^ \S.* {published} ", done.out, re.M), published
    assert "report: out/report.md; runs: out/runs.jsonl; pictures: 6" in done.err
    page = (tmp_path / "out" / "report.md").read_text()
    pictures = re.findall(r"!\[.*?\]\((.*?)\)", page)
    assert len(pictures) == 6
    assert all((tmp_path / "out" / name).read_bytes().startswith(b"<?xml") for name in pictures)
    for words in ("2 to 8 GPUs", "all other networks", "`mobilenet-v3-large`", "Processor time"):
        assert words in page
    assert len((tmp_path / "out" / "runs.jsonl").read_text().splitlines()) == 6


def test_json_has_summaries_and_reductions(optsched):
    done = optsched("reproduce", "dally", *TINY, *FEW, "--no-plot", "--json")
    assert done.code == 0
    told = done.json
    assert told["workload"] == "dally-500:jobs=8"
    assert told["interrupted"] is False
    assert [row["scheduler"] for row in told["summary"]] == ["dally", "gandiva", "sjf"]
    for row in told["summary"]:
        assert row["runs"] == 2
        assert row["ratios"]["makespan"]["mean"] >= 1 - 1e-9
        assert row["groups"]["all"]["jobs"]["mean"] == 8
    makespans = {
        row["scheduler"]: row["groups"]["all"]["makespan_s"]["mean"] for row in told["summary"]
    }
    assert min(makespans.values()) > 0
    (mine,) = [
        row
        for row in told["reductions"]
        if (row["compared_with"], row["quantity"], row["group"]) == ("sjf", "makespan", "all")
    ]
    assert len(mine["by_seed"]) == 2
    assert mine["mean"] == pytest.approx(sum(mine["by_seed"]) / 2)


def test_sjf_bco_is_printed_and_told_as_json(optsched, monkeypatch):
    module = importlib.import_module("optsched.study.reproduce_sjf_bco")
    monkeypatch.setattr(module, "_run", lambda task: (task[0], task[2], 500.0 + task[2]))
    flags = ("reproduce", "sjf-bco", "--seeds", 2, "--workers", 1)
    done = optsched(*flags)
    assert done.code == 0
    for words in ("schedulers: makespan in slots", "κ (λ = 1)", "λ (κ = 1)", "1128", "500.5 ± "):
        assert words in done.out
    told = optsched(*flags, "--json").json
    assert (told["seeds"], told["servers"], len(told["figures"])) == (2, 20, 14)


def test_killed_in_the_middle_it_goes_on_and_says_the_same(optsched, tmp_path):
    flags = ("reproduce", "dally", *TINY, *FEW, "--seeds", 1, "--no-plot")
    whole = optsched(*flags)
    path = tmp_path / "out" / "runs.jsonl"
    complete = path.read_text()
    path.write_text(complete[: len(complete) // 2])
    again = optsched(*flags)
    assert timeless(path.read_text()) == timeless(complete)
    assert again.out == whole.out


def test_interrupted_it_shows_what_was_done_and_goes_on_later(optsched, tmp_path, monkeypatch):
    module = importlib.import_module("optsched.study.reproduce_dally")
    real, calls = module.run_task, []

    def interrupted(task):
        calls.append(task)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(task)

    monkeypatch.setattr(module, "run_task", interrupted)
    flags = ("reproduce", "dally", *TINY, *FEW, "--no-plot", "--json")
    done = optsched(*flags)
    assert done.code == 130
    assert "interrupted after 2 runs; the same command goes on from there" in done.err
    assert done.json["interrupted"] is True
    assert [row["scheduler"] for row in done.json["summary"]] == ["dally", "gandiva"]
    assert optsched(*flags).json["runs"] == 6
    # Three before the interrupt, one of them in vain, and the four that were missing.
    assert len(calls) == 7


def test_a_violated_bound_saves_both_sides(optsched, tmp_path, monkeypatch):
    kind = ProblemClass("continuous", Preemption.MIGRATE, "tiered")
    module = importlib.import_module("optsched.study.dally_run")
    module._prepared.cache_clear()

    def wrong_bounds(instance, objective, **_):
        return [Bound(objective, 1e9, "wrong", kind)]

    monkeypatch.setattr(module, "all_bounds", wrong_bounds)
    done = optsched("reproduce", "dally", *TINY, *FEW)
    module._prepared.cache_clear()
    assert done.code == 1
    assert "below the bound 1000000000.0 s of wrong" in done.err
    (folder,) = tmp_path.glob("bound-violation-*")
    assert {path.name for path in folder.iterdir()} >= {"instance.json", "schedule.json"}


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            ["--cluster", "8x8"],
            "--cluster: expected racks x machines x GPUs, like 2x8x8, got",
        ),
        (["--cluster", "2x8x4"], "expected machines of 8 GPUs"),
        (["--arrivals", "bach"], "no kind of arrivals (--arrivals) is called 'bach'"),
        (["--arrivals", ","], "--arrivals: expected batch or poisson, got nothing"),
        (["--fabric", "slow"], "no tiered network is called 'slow'"),
        (["-s", "daly"], "no scheduler is called 'daly'"),
        (["-w", "nowhere"], "nowhere: expected 'twin' or the folder of the trace, got neither"),
        (["-w", "."], "none called sensetime-500-batch.csv, sensetime-500-poisson.csv, dnn"),
        (["-w", ".", "--jobs", "9"], "--jobs: expected with the twin only"),
    ],
)
def test_bad_requests_are_told_before_anything_runs(optsched, flags, message):
    done = optsched("reproduce", "dally", *flags)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
