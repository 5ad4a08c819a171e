"""``optsched certify``, and what ``compare`` makes of certified bounds."""

import json

import pytest
from known_library import makespan_bound, one_after_the_other, save, side_by_side

from optsched.files import known, save_schedule
from optsched.generate import waiting_pays


def test_it_tells_and_writes_only_when_asked(optsched, tmp_path):
    folder = tmp_path / "known"
    folder.mkdir()
    arguments = ("certify", "waiting-pays", "--time-limit", 5, "--directory", folder)
    told = optsched(*arguments)
    assert told.code == 0
    assert "waiting-pays" in told.out
    assert "1/2 waiting-pays makespan: 21 s, bound 21 s, gap 0.00%, optimal (new)" in told.err
    assert "nothing was written" in told.err
    assert not list(folder.iterdir())
    done = optsched(*arguments, "--update", "--json")
    assert done.code == 0
    rows = {row["objective"]: row for row in done.json}
    assert set(rows) == {"makespan", "mean_jct"}
    assert (rows["makespan"]["best_s"], rows["makespan"]["status"]) == (21.0, "optimal")
    assert known("waiting-pays", "mean_jct", directory=folder).value == 15.75
    before = (folder / "known.toml").read_bytes()
    again = optsched(*arguments, "--update")
    assert "(as before)" in again.err
    assert (folder / "known.toml").read_bytes() == before
    for option in ("--resume", "--open"):
        left = optsched(*arguments, option)
        assert (left.code, left.out) == (0, "")
        assert "nothing is left" in left.err


def test_a_contradiction_stops_it_and_keeps_both_sides(optsched, tmp_path):
    save(tmp_path, side_by_side(), 25.5, makespan_bound(25.0))
    before = (tmp_path / "known.toml").read_bytes()
    done = optsched(
        "certify", "hand-made", "--time-limit", 5, "--directory", tmp_path, "--update",
        "--objective", "makespan",
    )  # fmt: skip
    assert done.code == 1
    assert "below the bound 25.0 s of by hand" in done.err
    assert (tmp_path / "known.toml").read_bytes() == before
    (folder,) = tmp_path.glob("bound-violation-*")
    assert json.loads((folder / "bound.json").read_text())["value"] == 25.0


def test_a_stored_schedule_that_is_gone_or_worse_is_an_error(optsched, tmp_path):
    save(tmp_path, one_after_the_other(), 21.0)
    stored = tmp_path / "schedules" / "waiting-pays.makespan.json"
    text = stored.read_text()
    arguments = ("certify", "waiting-pays", "--objective", "makespan", "--directory", tmp_path)
    stored.unlink()
    gone = optsched(*arguments)
    assert (gone.code, gone.out) == (2, "")
    assert "waiting-pays.makespan.json" in gone.err
    save(tmp_path, side_by_side(), 21.0)
    worse = optsched(*arguments)
    assert worse.code == 2
    assert "is said to be known" in worse.err
    assert text != stored.read_text()


def test_a_schedule_from_elsewhere_competes(optsched, tmp_path):
    save(tmp_path, side_by_side(), 25.5)
    save_schedule(waiting_pays(), one_after_the_other(), tmp_path / "mine.json")
    done = optsched(
        "certify", "waiting-pays", "--objective", "makespan", "--schedule", "mine.json",
        "--directory", tmp_path, "--time-limit", 5, "--json",
    )  # fmt: skip
    (row,) = done.json
    assert (row["best_s"], row["schedule_by"]) == (21.0, "given")
    other = optsched("certify", "forced-4x3-0", "--schedule", "mine.json")
    assert (other.code, other.out) == (2, "")
    assert "mine.json" in other.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("forced-9x*",), "no shipped instance is called 'forced-9x*'"),
        (("waiting-pay",), "did you mean 'waiting-pays'?"),
        (("paper-160",), "no shipped instance"),
        (("waiting-pays", "--objective", "speed"), "known: makespan"),
        (("waiting-pays", "--directory", "absent"), "absent: expected a directory"),
        (("waiting-pays", "-s", "sjff"), "did you mean 'sjf'?"),
        (("waiting-pays", "--time-limit", "nan"), "Invalid value for '--time-limit'"),
    ],
)
def test_what_cannot_be_certified(optsched, arguments, says):
    done = optsched("certify", *arguments)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_compare_holds_schedulers_against_certified_bounds(optsched):
    # Mean JCT of two jobs at once is 25.5 s; one after the other 10.5 and 21 s.
    arguments = ("compare", "waiting-pays", "-s", "fifo", "--objective", "mean_jct", "--no-plot")
    (row,) = optsched(*arguments, "--json").json["runs"]
    assert (row["bound"], row["bound_method"]) == (15.75, "known optimum")
    (row,) = optsched(*arguments, "--json", "--no-known").json["runs"]
    assert row["bound"] < 15.75
    assert not row["bound_method"].startswith("known")


def test_compare_shows_many_families_a_line_each(optsched, tmp_path):
    names = ["waiting-pays", *(f"never-wait-bad:jobs={jobs}" for jobs in (2, 4, 6, 8, 10, 12))]
    done = optsched("compare", *names, "-s", "fifo,sjf", "-o", "many.svg")
    assert done.code == 0
    assert "mean gap to the lower bound" in done.out
    (last,) = [line for line in done.out.splitlines() if line.lstrip().startswith("all ")]
    assert last.split()[1] == "7"
    assert (tmp_path / "many.svg").exists()


def test_solve_starts_from_the_best_known_schedule_where_asked(optsched):
    arguments = ("solve", "--time-limit", 0, "--json")
    best = known("light-12x4-0")
    started = optsched(*arguments, "light-12x4-0", "--hint", "known")
    assert started.code == 0
    assert started.json["value"] <= best.value
    unknown = optsched(*arguments, "light-7x3-0", "--hint", "known")
    assert (unknown.code, unknown.out) == (2, "")
    assert "no makespan of 'light-7x3-0' is known" in unknown.err
