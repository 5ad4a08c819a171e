import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsched.core.document import instance_sha256
from optsched.core.errors import FileFormatError
from optsched.core.placement import Placement
from optsched.core.result import Bound, Preemption, ProblemClass, Provenance, Result, Status
from optsched.core.schedule import Schedule, Segment, schedule_sha256
from optsched.files import (
    load_instance,
    load_schedule,
    load_schedule_document,
    save_instance,
    save_schedule,
    schedule_text,
)
from optsched.generate import forced, waiting_pays

INSTANCE = waiting_pays()
SCHEDULE = Schedule.of(
    [
        Segment(0, Placement.of({0: 2, 1: 1}), 0.0, 10.5),
        Segment(1, Placement.of({1: 1, 2: 2}), 10.5, 21.0),
    ]
)
SHA256 = instance_sha256(INSTANCE)
GOOD = f"""{{
  "format": "optsched.schedule/1",
  "instance": {{"name": "waiting-pays", "sha256": "{SHA256}"}},
  "segments": [
    {{"job": "a", "start_s": 0.0, "end_s": 10.5, "gpus": {{"s0": 2, "s1": 1}}}},
    {{"job": "b", "start_s": 10.5, "end_s": 21.0, "gpus": {{"s1": 1, "s2": 2}}}}
  ],
  "result": {{"status": "optimal", "scope": "event-aligned", "objective": "makespan",
             "value": 21.0, "bound": 21.0}},
  "provenance": {{"method": "branch-and-bound", "seed": 0, "time_limit_s": 60,
                 "versions": {{"optsched": "0.1.0"}}}}
}}
"""


def bound():
    kind = ProblemClass("continuous", Preemption.NONE, "ring")
    return Bound("makespan", 21.0, "area", kind)


def result(**others):
    values = {
        "status": Status.OPTIMAL,
        "objective": "makespan",
        "value": 21.0,
        "schedule": SCHEDULE,
        "judgement": None,
        "bound": bound(),
        "scope": "event-aligned",
        "runtime_s": 0.5,
        "provenance": Provenance("branch-and-bound", {"k": np.int64(3)}, 7, 60.0, {"numpy": "2"}),
    }
    return Result(**(values | others))


@pytest.fixture
def schedule_errors(errors_of):
    return lambda text: errors_of(text, load=lambda path: load_schedule(path, INSTANCE))


def test_the_example_of_the_documentation_is_read(tmp_path):
    (tmp_path / "a.json").write_text(GOOD)
    schedule = load_schedule(tmp_path / "a.json", INSTANCE)
    assert schedule_sha256(schedule) == schedule_sha256(SCHEDULE)
    document = load_schedule_document(tmp_path / "a.json")
    assert document.result is not None
    assert document.result.scope == "event-aligned"
    assert document.result.value == document.result.bound == 21.0
    assert document.provenance is not None
    assert document.provenance.versions == {"optsched": "0.1.0"}


def test_what_is_saved_is_loaded(tmp_path):
    path = tmp_path / "a.json"
    save_schedule(INSTANCE, SCHEDULE, path, result=result())
    assert schedule_sha256(load_schedule(path, INSTANCE)) == schedule_sha256(SCHEDULE)
    document = load_schedule_document(path)
    assert document.result is not None
    assert document.result.status is Status.OPTIMAL
    assert document.result.bound_method == "area"
    assert document.provenance is not None
    assert document.provenance.parameters == {"k": 3}
    assert document.provenance.seed == 7


def test_results_that_know_little_can_be_written(tmp_path):
    path = tmp_path / "a.json"
    odd = {"limit": math.inf, "rule": object, "list": (1, np.float64(0.5), None), 3: {"a": True}}
    empty = Provenance("m", odd, time_limit_s=math.inf)
    save_schedule(
        INSTANCE, SCHEDULE, path, result=result(bound=None, value=math.inf, provenance=empty)
    )
    document = load_schedule_document(path)
    assert document.result is not None
    assert document.result.value is document.result.bound is None
    assert document.provenance is not None
    assert document.provenance.parameters["limit"] == "inf"
    assert document.provenance.parameters["list"] == [1, 0.5, None]
    assert document.provenance.time_limit_s is None


def test_a_saved_instance_has_the_same_schedules(tmp_path):
    save_instance(INSTANCE, tmp_path / "i.json")
    save_schedule(INSTANCE, SCHEDULE, tmp_path / "s.json")
    again = load_instance(tmp_path / "i.json")
    assert len(load_schedule(tmp_path / "s.json", again)) == 2
    renamed = INSTANCE.changed(name="other", description="")
    assert len(load_schedule(tmp_path / "s.json", renamed)) == 2


times = st.floats(allow_nan=False, allow_infinity=False)


@given(rows=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2), times, times), max_size=6))
def test_times_keep_every_bit(rows, tmp_path_factory):
    segments = [Segment(job, Placement.of({server: 2}), a, b) for job, server, a, b in rows]
    schedule = Schedule.of(segments)
    path = tmp_path_factory.mktemp("schedules") / "a.json"
    save_schedule(INSTANCE, schedule, path)
    again = load_schedule(path, INSTANCE)
    assert schedule_sha256(again) == schedule_sha256(schedule)
    assert schedule_text(INSTANCE, again) == schedule_text(INSTANCE, schedule)


def test_a_schedule_of_another_instance_is_refused_with_both_hashes(tmp_path):
    path = tmp_path / "a.json"
    save_schedule(INSTANCE, SCHEDULE, path)
    other = forced()
    with pytest.raises(FileFormatError) as error:
        load_schedule(path, other)
    text = str(error.value)
    assert "a.json:3:50: instance.sha256: expected a schedule of instance 'forced-6x3-0'" in text
    assert f"sha256 {instance_sha256(other)[:12]}, got one of 'waiting-pays', sha256" in text
    assert f"{SHA256[:12]}; it was made for another instance" in text
    assert len(text.splitlines()) == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"job": "b"', '"job": "bb"', "a.json:6:13: segments[1].job: expected the id of a job of"),
        ('"s2": 2', '"s9": 2', "a.json:6:68: segments[1].gpus.s9: expected the id of a server of"),
        ('"s2": 2', '"s2": 0', "segments[1].gpus.s2: expected a whole number of at least 1, got 0"),
        ('"s2": 2', '"s2": 2.0', "segments[1].gpus.s2: expected a whole number, got 2.0; write 2"),
        ('"s2": 2', '"s1": 2', "segments[1].gpus.s1: expected each key once in an object"),
        ('{"s1": 1, "s2": 2}', "{}", "a.json:6:58: segments[1].gpus: expected at least one server"),
        ('{"s1": 1, "s2": 2}', "3", "segments[1].gpus: expected an object {...}, got 3"),
        ('10.5, "gpus"', 'NaN, "gpus"', "a.json:5:43: segments[0].end_s: expected a finite"),
        ('21.0, "gpus"', '1e999, "gpus"', "segments[1].end_s: expected a finite number, got"),
        ('21.0, "gpus"', '"21", "gpus"', 'segments[1].end_s: expected a number, got "21"'),
        (
            '"start_s": 10.5',
            '"start": 10.5',
            "segments[1].start: expected one of the keys job",
        ),
        ('"segments"', '"segmants"', "did you mean 'segments'?"),
        (SHA256, SHA256[:-1], "instance.sha256: expected 64 hexadecimal digits"),
        (SHA256, SHA256.upper(), "instance.sha256: expected 64 hexadecimal digits"),
        ('"optimal"', '"optimum"', "result.status: expected one of 'optimal', 'feasible', 'infeas"),
        ('"makespan"', '"makespam"', "result.objective: expected one of 'makespan', 'mean_jct'"),
        ('"value": 21.0', '"value": NaN', "result.value: expected a finite number, got NaN"),
        ('"seed": 0', '"seed": "0"', 'provenance.seed: expected a whole number, got "0"; remove'),
        ('"seed": 0', '"parameters": {"a": [NaN]}', "parameters.a[0]: expected a finite number"),
        ('"0.1.0"', "1", "provenance.versions.optsched: expected text in double quotes, got 1"),
        ("optsched.schedule/1", "optsched.instance/1", "this is an instance; give the schedule"),
        ("optsched.schedule/1", "optsched.schedule/2", "this version of optsched cannot read it"),
        ('"format": "optsched.schedule/1",', "", 'add "format": "optsched.schedule/1"'),
    ],
)
def test_wrong_schedules(schedule_errors, old, new, message):
    assert old in GOOD
    lines = schedule_errors(GOOD.replace(old, new, 1))
    assert len(lines) == 1, lines
    assert message in lines[0]


def test_all_unknown_ids_are_listed(schedule_errors):
    text = GOOD.replace('"job": "a"', '"job": "A"').replace("s2", "s22").replace("s0", "x")
    lines = schedule_errors(text)
    assert [line.split(": ")[1] for line in lines[1:]] == [
        "segments[0].job",
        "segments[0].gpus.x",
        "segments[1].gpus.s22",
    ]
    assert "did you mean 's2'?" in lines[3]


def test_thousands_of_unknown_ids_are_counted(schedule_errors):
    whole = json.loads(GOOD)
    row = whole["segments"][0]
    whole["segments"] = [row | {"job": f"x{i}"} for i in range(5000)]
    lines = schedule_errors(json.dumps(whole))
    assert len(lines) == 22
    assert "4,980 more" in lines[-1]


def test_whether_times_make_sense_is_not_for_the_file(tmp_path):
    (tmp_path / "a.json").write_text(GOOD.replace("21.0,", "-1.5,", 1))
    assert load_schedule(tmp_path / "a.json", INSTANCE).end_s.tolist() == [10.5, -1.5]


def test_a_text_has_one_segment_a_line():
    lines = schedule_text(INSTANCE, SCHEDULE).splitlines()
    assert sum(line.startswith('    {"job": ') for line in lines) == 2
