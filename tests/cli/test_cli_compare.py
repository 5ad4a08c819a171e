"""``compare`` and ``plot ratios``."""

import importlib
import json

import pytest

from optsched.core.result import Bound, Preemption, ProblemClass
from optsched.files import load_instance, load_schedule

SVG = b"<?xml"


def is_picture(path, start=SVG):
    return path.read_bytes().startswith(start)


def test_compare_prints_a_table_and_writes_the_picture(optsched, tmp_path):
    done = optsched("compare", "forced:jobs=4", "-s", "fifo,sjf:placement=first_fit", "--seeds", 2)
    assert done.code == 0
    assert "forced:jobs=4: makespan against a lower bound" in done.out
    assert "sjf:placement=first_fit" in done.out
    assert done.err == "picture: compare-forced-jobs=4.svg\n"
    assert is_picture(tmp_path / "compare-forced-jobs=4.svg")


def test_compare_takes_the_schedulers_of_the_paper_by_default(optsched):
    done = optsched("compare", "waiting-pays", "--no-plot", "--json")
    assert (done.code, done.err) == (0, "")
    rows = done.json["summary"]
    assert [row["scheduler"] for row in rows] == [
        "sjf-bco",
        "list-scheduling",
        "first-fit",
        "random",
    ]
    assert done.json["provenance"]["schedulers"] == [row["scheduler"] for row in rows]
    assert done.json["provenance"]["versions"]["optsched"]
    assert done.json["runs"][0]["ratio"] == 25.5 / 21.0


@pytest.mark.parametrize(
    ("instances", "name"),
    [
        (["paper-160:servers=14"], "compare-paper-160-servers=14.svg"),
        (["poisson:load=0.5"], "compare-poisson-load=0.5.svg"),
        (["forced-*"], "compare-forced--.svg"),
        (["data/my cluster.json", "b.json"], "compare-my-cluster-b.svg"),
    ],
)
def test_the_picture_is_named_after_what_is_compared(instances, name):
    module = importlib.import_module("optsched.cli.compare")
    assert module.default_picture(instances).name == name
    assert len(module.default_picture(["x" * 500]).name) < 100


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_compare_writes_the_format_of_the_suffix(optsched, tmp_path, suffix, start):
    done = optsched("compare", "waiting-pays", "-s", "fifo", "-o", f"picture.{suffix}")
    assert done.code == 0
    assert is_picture(tmp_path / f"picture.{suffix}", start)


def test_a_comparison_is_drawn_again_from_its_json(optsched, tmp_path):
    (tmp_path / "c.json").write_text(
        optsched("compare", "forced", "--seeds", 2, "-s", "fifo,sjf", "--no-plot", "--json").out
    )
    done = optsched("plot", "ratios", "c.json", "-o", "again.svg", "--title", "Again", "--json")
    assert (done.code, done.json) == (0, {"picture": "again.svg", "runs": 4})
    assert is_picture(tmp_path / "again.svg")
    assert optsched("plot", "ratios", "c.json").err == "picture: ratios.svg\n"


def test_a_violated_bound_stops_compare_and_saves_both_sides(optsched, tmp_path, monkeypatch):
    kind = ProblemClass("continuous", Preemption.MIGRATE, "ring")
    bound = Bound("makespan", 30.0, "wrong", kind)
    module = importlib.import_module("optsched.study.compare")
    monkeypatch.setattr(module, "all_bounds", lambda instance, objective, **options: [bound])
    done = optsched("compare", "waiting-pays", "-s", "fifo")
    assert (done.code, done.out) == (1, "")
    (folder,) = tmp_path.glob("bound-violation-*")
    assert f"both sides are in {folder.name}" in done.err
    assert "below the bound 30.0 s of wrong" in done.err
    instance = load_instance(folder / "instance.json")
    assert load_schedule(folder / "schedule.json", instance).end_time_s == 25.5
    saved = json.loads((folder / "bound.json").read_text())
    assert (saved["method"], saved["value"]) == ("wrong", 30.0)
    assert not list(tmp_path.glob("*.svg"))
    # The judge can be asked again.
    assert optsched("verify", folder / "schedule.json", folder / "instance.json").code == 0


@pytest.mark.parametrize("as_json", [False, True])
def test_an_interrupted_compare_shows_the_runs_that_were_done(
    optsched, tmp_path, monkeypatch, as_json
):
    module = importlib.import_module("optsched.study.compare")
    real, calls = module.run_scheduler, []

    def interrupted(*arguments, **options):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*arguments, **options)

    monkeypatch.setattr(module, "run_scheduler", interrupted)
    flags = ["--json"] if as_json else []
    done = optsched("compare", "waiting-pays", "-s", "fifo,sjf,random", *flags)
    assert done.code == 130
    assert "interrupted after 2 runs; the figures are of these" in done.err
    assert is_picture(tmp_path / "compare-waiting-pays.svg")
    if as_json:
        assert [row["scheduler"] for row in done.json["runs"]] == ["fifo", "sjf"]
        assert done.json["provenance"]["interrupted"] is True
    else:
        assert "fifo" in done.out
        assert "random" not in done.out


def test_compare_interrupted_before_the_first_run_has_nothing_to_show(optsched, interrupt):
    interrupt("optsched.study.compare", "run_scheduler")
    done = optsched("compare", "waiting-pays", "-s", "fifo")
    assert (done.code, done.out) == (130, "")
    assert "interrupted after 0 runs" in done.err
