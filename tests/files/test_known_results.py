"""What is known about instances: the file, the stored schedules, and what is looked up in them."""

import tomllib
from dataclasses import replace

import pytest
from known_library import (
    makespan_bound,
    one_after_the_other,
    result_of,
    save,
    side_by_side,
)

import optsched as osd
from optsched.core.data_files import data_directory
from optsched.core.document import instance_sha256
from optsched.core.errors import FileFormatError, UnknownNameError
from optsched.core.result import Preemption, Status, violates
from optsched.core.schedule import schedule_sha256
from optsched.files import known, known_bounds, known_results, known_schedule, load, save_known
from optsched.files.catalogue import shipped_names
from optsched.files.known import schedule_path
from optsched.generate import forced, waiting_pays
from optsched.judge import verify


def test_every_shipped_instance_has_its_results_and_no_other_has():
    found = known_results()
    assert {name for name, _ in found} == set(shipped_names())
    for name in shipped_names():
        assert {(name, "makespan"), (name, "mean_jct")} <= set(found)
    assert ("interior-start", "weighted_jct") in found


def test_every_entry_is_about_the_instance_as_it_is():
    for (name, _), result in known_results().items():
        assert result.instance_sha256 == instance_sha256(load(name)), name


def test_every_stored_schedule_is_valid_and_has_its_value_and_no_bound_is_above_it():
    for (name, objective), result in known_results().items():
        instance = load(name)
        schedule = known_schedule(result, instance)
        assert schedule is not None, (name, objective)
        assert schedule_sha256(schedule) == result.schedule_sha256
        judgement = verify(instance, schedule)
        assert judgement.is_valid, (name, objective)
        assert judgement.objectives[objective] == result.value
        made = judgement.schedule_class
        assert made.preemption is Preemption.NONE
        for bound in result.bounds:
            assert bound.problem_class.contains(made)
            assert not violates(result.value, bound.value), (name, objective, bound.method)


def test_no_schedule_is_stored_that_no_entry_names():
    folder = data_directory("instances") / "schedules"
    named = {schedule_path(name, objective).name for name, objective in known_results()}
    assert {path.name for path in folder.iterdir()} == named


def test_no_cheap_bound_is_above_a_known_value():
    for (name, objective), result in known_results().items():
        for bound in osd.all_bounds(load(name), objective, effort="instant"):
            assert not violates(result.value, bound.value), (name, objective, bound.method)


def test_the_status_says_what_value_and_bounds_say():
    for result in known_results().values():
        if result.is_proved:
            assert (result.status, result.scope) == (Status.OPTIMAL, "all")
        assert (result.status is Status.OPTIMAL) == bool(result.proof)
        if result.scope == "event-aligned":
            assert result.status_text == "optimal, event-aligned"
            assert not result.is_proved
        assert result.gap is None or result.gap >= -1e-9


def test_values_known_otherwise():
    # By hand (docs/instances.md and the docstrings of the generators): 21 s, 832/9 s, 10 n,
    # and the chromatic number of the complete graph on three vertices.
    assert known("waiting-pays").value == 21.0
    assert known("interior-start", "weighted_jct").value * 9 == pytest.approx(832)
    assert known("packing-bad-4x7").value == pytest.approx(10)
    assert known("colouring-complete-3x3-0").value == pytest.approx(3)
    assert known("colouring-cycle-5x5-0").value == pytest.approx(3)
    assert known("waiting-pays").status_text == "optimal"
    # No bound knows of colours: these stay open.
    assert known("colouring-cycle-5x5-0").status_text == "open"


def test_what_is_written_is_read_again(tmp_path):
    assert known_results(tmp_path) == {}
    bounds = (makespan_bound(20.5, Preemption.NONE), makespan_bound(1 / 3))
    written = save(tmp_path, one_after_the_other(), 21.0, *bounds, proof='says "so"')
    assert known("waiting-pays", directory=tmp_path) == written
    stored = known_schedule(written, waiting_pays(), directory=tmp_path)
    assert schedule_sha256(stored) == written.schedule_sha256
    again = save(tmp_path, one_after_the_other(), 21.0, makespan_bound(20.75))
    assert known("waiting-pays", directory=tmp_path) == again
    other = replace(again, objective="mean_jct", value=15.75)
    save_known(other, waiting_pays(), one_after_the_other(), directory=tmp_path)
    assert known("waiting-pays", "mean_jct", directory=tmp_path).value == 15.75
    assert known("waiting-pays", directory=tmp_path) == again
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_what_was_known_of_another_content_goes(tmp_path):
    mine = save(tmp_path, one_after_the_other(), 21.0)
    changed = replace(mine, objective="mean_jct", instance_sha256="0" * 64, value=15.75)
    save_known(changed, waiting_pays(), one_after_the_other(), directory=tmp_path)
    assert list(known_results(tmp_path)) == [("waiting-pays", "mean_jct")]


def test_an_instance_is_found_by_its_content():
    drawn = forced(jobs=6, seed=0).changed(name="mine")
    assert known(drawn, "makespan").instance == "forced-6x3-0"
    # The same name with another content is another instance.
    assert known(forced(jobs=6, seed=99).changed(name="forced-6x3-0")) is None
    assert known("small-6x3").instance == "forced-6x3-0"
    assert osd.known("forced-6x3-0") == known("forced-6x3-0")
    with pytest.raises(UnknownNameError):
        known("forced-6x3-0", "speed")


def test_certified_bounds_say_what_they_are():
    (optimum,) = known_bounds(waiting_pays(), "makespan")
    assert (optimum.value, optimum.method) == (21.0, "known optimum")
    assert optimum.problem_class.preemption is Preemption.MIGRATE
    assert known_bounds(waiting_pays(), "weighted_jct") == []
    strongest, weaker = known_bounds(waiting_pays(), "mean_jct")
    # Each job takes 10.5 s alone: one of them ends at 10.5 s and the other at 21 s.
    assert (strongest.value, strongest.method) == (15.75, "known optimum")
    assert strongest.problem_class.preemption is Preemption.NONE
    assert weaker.value < 15.75
    assert weaker.method.startswith("known ")
    assert weaker.problem_class.preemption is Preemption.MIGRATE


def test_an_optimum_among_aligned_schedules_is_no_bound_for_all():
    result = result_of(one_after_the_other(), 21.0, makespan_bound(20.0))
    aligned = replace(result, status=Status.OPTIMAL, scope="event-aligned", proof="searched")
    assert (aligned.is_proved, aligned.status_text) == (False, "optimal, event-aligned")
    assert aligned.bound.value == 20.0
    assert aligned.gap == pytest.approx(0.05)
    assert result.status_text == "open"


def test_another_schedule_than_the_one_named_is_refused(tmp_path):
    result = save(tmp_path, one_after_the_other(), 21.0)
    other = replace(result, schedule_sha256=schedule_sha256(side_by_side()))
    with pytest.raises(FileFormatError, match="certify waiting-pays anew"):
        known_schedule(other, waiting_pays(), directory=tmp_path)
    schedule_path("waiting-pays", "makespan", directory=tmp_path).unlink()
    assert known_schedule(result, waiting_pays(), directory=tmp_path) is None


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("value = 21.0\n", "value = -1.0\n", "waiting-pays.makespan.value"),
        ("value = 21.0\n", "value = nan\n", "waiting-pays.makespan.value"),
        ("value = 21.0\n", 'value = "21"\n', "valid number"),
        ("scope =", "scpoe =", "waiting-pays.makespan.scpoe"),
        ('status = "feasible"', 'status = "solved"', "waiting-pays.makespan.status"),
        ("date = 2020-02-29", "date = 2020-02-30", "expected TOML"),
        ("[waiting-pays.makespan]", "[waiting-pays.span]", "waiting-pays.span"),
        ('preemption = "preempt and migrate"', 'preemption = "some"', "bounds.0.preemption"),
        ("bounds = [", "bounds = []\nother = [", "at least 1 item"),
    ],
)
def test_a_file_that_breaks_a_rule_is_refused_with_the_place(tmp_path, old, new, says):
    save(tmp_path, one_after_the_other(), 21.0)
    path = tmp_path / "known.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(FileFormatError) as caught:
        known_results(tmp_path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)


def test_the_file_is_plain_toml():
    text = (data_directory("instances") / "known.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)["waiting-pays"]["makespan"]
    assert (table["status"], table["value"]) == ("optimal", 21.0)
    assert max(map(len, text.splitlines())) < 200
