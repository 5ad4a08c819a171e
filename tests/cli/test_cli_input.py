"""``list``, ``generate``, ``validate`` and ``convert``."""

import json
import re

import pytest

from optsched.files import load_instance

LISTS = {
    "schedulers": ({"name", "kind", "rule", "parameters"}, "sjf-bco"),
    "instances": ({"name", "jobs", "servers", "GPUs", "description", "known"}, "waiting-pays"),
    "groups": (
        {
            "name",
            "instances",
            "makespan_proved",
            "makespan_aligned",
            "makespan_mean_gap",
            "mean_jct_proved",
            "mean_jct_aligned",
            "mean_jct_mean_gap",
            "stands for",
        },
        "library",
    ),
    "generators": ({"name", "description", "parameters"}, "paper-160"),
    "bounds": ({"name", "objectives", "effort", "statement"}, "area"),
    "methods": (
        {"name", "objectives", "time", "rate models", "knows", "jobs up to", "proves among"},
        "auto",
    ),
    "loaders": ({"name", "format", "options"}, "tiresias"),
    "workloads": ({"name", "fitted to", "jobs", "servers", "GPUs"}, "philly"),
    "objectives": ({"name", "meaning"}, "mean_jct"),
}


@pytest.mark.parametrize("what", LISTS)
def test_list_shows_one_registry(optsched, what):
    keys, member = LISTS[what]
    text = optsched("list", what)
    assert (text.code, text.err) == (0, "")
    assert member in text.out
    rows = optsched("list", what, "--json").json
    assert set(rows[0]) == keys
    assert member in {row["name"] for row in rows}


def test_list_keeps_numbers_and_parameters_as_they_are(optsched):
    instances = optsched("list", "instances", "--json").json
    assert next(row["jobs"] for row in instances if row["name"] == "waiting-pays") == 2
    schedulers = optsched("list", "schedulers", "--json").json
    assert next(row["parameters"] for row in schedulers if row["name"] == "sjf") == {
        "placement": "consolidated",
        "fit": "best",
    }


def test_every_group_may_be_compared(optsched):
    from optsched.study.compare import _members

    for row in optsched("list", "groups", "--json").json:
        assert len(_members(row["name"])) >= 1


def test_list_shows_what_is_known_of_an_instance(optsched):
    rows = {row["name"]: row for row in optsched("list", "instances", "--json").json}
    known = rows["waiting-pays"]["known"]
    assert (known["makespan"]["best_s"], known["makespan"]["bound_s"]) == (21.0, 21.0)
    assert known["mean_jct"]["status"] == "optimal"
    assert rows["small-6x3"]["known"] == rows["forced-6x3-0"]["known"]
    text = optsched("list", "instances").out
    assert re.search(r"waiting-pays +2 +3 +6 +makespan +21 +21 +0\.00% +optimal", text)
    assert re.search(r"forced-arrivals-6x3-0 +6 +3 +\d+ +mean_jct ", text)
    groups = {row["name"]: row for row in optsched("list", "groups", "--json").json}
    assert groups["hand-made"]["makespan_proved"] == groups["hand-made"]["instances"] == 2
    assert groups["hand-made"]["mean_jct_mean_gap"] == pytest.approx(0.0, abs=1e-9)


def test_list_without_a_name_shows_all_of_them(optsched):
    assert set(optsched("list", "--json").json) >= set(LISTS)
    shown = optsched("list").out
    assert all(f"{what}\n" in shown for what in LISTS)
    wrong = optsched("list", "scheduler")
    assert wrong.code == 2
    assert "did you mean 'schedulers'?" in wrong.err


def test_generate_writes_what_load_reads(optsched, tmp_path):
    to_stdout = optsched("generate", "forced:jobs=4", "--seed", 2)
    assert (to_stdout.code, to_stdout.err) == (0, "")
    done = optsched("generate", "forced:jobs=4", "--seed", 2, "-o", "i.json")
    assert (done.out, done.err) == ("", "instance: i.json\n")
    assert (tmp_path / "i.json").read_text() == to_stdout.out
    assert load_instance(tmp_path / "i.json").name == "forced-4x3-2"
    said = optsched("generate", "forced:jobs=4", "--seed", 2, "-o", "i.json", "--json").json
    assert (said["instance"], said["file"]) == ("forced-4x3-2", "i.json")
    assert len(said["sha256"]) == 64
    assert optsched("generate", "waiting-pays", "--json").json["name"] == "waiting-pays"


def test_validate_says_yes_and_no(optsched, tmp_path):
    optsched("generate", "waiting-pays", "-o", "good.json")
    (tmp_path / "bad.json").write_text('{"format": "optsched.instance/1", "jbos": []}')
    good = optsched("validate", "good.json")
    assert (good.code, good.out, good.err) == (
        0,
        "good.json: valid, 2 jobs, 3 servers, 6 GPUs\n",
        "",
    )
    both = optsched("validate", "bad.json", "good.json")
    assert both.code == 1
    assert re.search(r"^bad\.json:1:\d+: ", both.out, re.M)
    assert "good.json: valid" in both.out
    first, second = optsched("validate", "bad.json", "good.json", "--json").json
    assert (first["valid"], second["valid"]) == (False, True)
    problem = first["problems"][0]
    assert (problem["file"], problem["line"]) == ("bad.json", 1)


def test_validate_warns_of_what_is_legal_but_not_meant(optsched, tmp_path):
    # Alone an iteration takes 0.5 s, in contention up to 2.5 s, which no slot of 1 s holds.
    document = json.loads(optsched("generate", "waiting-pays").out)
    document["slot_s"] = 1.5
    (tmp_path / "slow.json").write_text(json.dumps(document))
    done = optsched("validate", "slow.json")
    assert done.code == 0
    assert "slow.json: warning: jobs[0]" in done.err
    assert optsched("validate", "slow.json", "--json").json[0]["warnings"]


def test_convert_reports_and_writes_the_instance(optsched, tmp_path):
    (tmp_path / "t.csv").write_text("job_id,submit_s,gpus,duration_s\na,5,2,10\nb,7,0,3\n")
    done = optsched("convert", "t.csv", "-o", "t.json", "--servers", 1, "--gpus-per-server", 2)
    assert done.code == 0
    assert "2 read, 1 kept as jobs" in done.out
    assert done.err == "instance: t.json\n"
    assert load_instance(tmp_path / "t.json").jobs[0].compute_s == 10.0
    report = optsched("convert", "t.csv", "-o", "t.json", "--json").json
    assert (report["rows_read"], report["rows_kept"]) == (2, 1)
    compared = optsched("compare", "t.json", "-s", "fifo,sjf", "--no-plot")
    assert compared.code == 0


def test_convert_takes_columns_a_window_and_a_sample(optsched, tmp_path):
    rows = "".join(f"x{i},{i * 1000},2,{i + 1}\n" for i in range(100))
    (tmp_path / "t.csv").write_text("name,created,n,took\n" + rows)
    columns = "id=name,submit=created,gpus=n,duration=took"
    arguments = ("convert", "t.csv", "-o", "t.json", "--map", columns, "--option", "unit=ms")
    assert optsched(*arguments).code == 0
    jobs = load_instance(tmp_path / "t.json").jobs
    assert (jobs.ids[9], jobs.arrival_s[9], jobs.gpus[9], jobs.compute_s[9]) == ("x9", 9, 2, 0.01)
    assert optsched(*arguments, "--from", 20, "--to", "25").code == 0
    assert load_instance(tmp_path / "t.json").jobs.ids == ("x20", "x21", "x22", "x23", "x24")
    report = optsched(*arguments, "--sample", 0.5, "--seed", 1, "--json").json
    again = optsched(*arguments, "--sample", 0.5, "--seed", 1, "--json").json
    assert report == again
    assert 30 < report["rows_kept"] < 70
