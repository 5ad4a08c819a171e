"""Well-formed JSON that is no instance."""

import json
import time
import tracemalloc

import pytest

from optsched.core.errors import FileFormatError
from optsched.files import FileProblemsError, load_instance

GOOD = """{
  "format": "optsched.instance/1",
  "name": "two",
  "rate_model": {"name": "ring", "contention_weight": 0.5},
  "cluster": {"fabric": {"inter_bytes_per_s": 1e9, "degradation": 0.2},
    "servers": [{"count": 2, "gpus": 4},
                {"id": "big", "gpus": 8, "rack": "r1"}]},
  "jobs": [
    {"id": "a", "gpus": 2, "iterations": 10, "compute_s": 0.5},
    {"id": "b", "gpus": 3, "iterations": 20, "compute_s": 0.25, "gradient_bytes": 1e6}
  ]
}
"""

ONE_VALUE = [
    # Types.
    ('"gpus": 3', '"gpus": "3"', '10:25: jobs[1].gpus: expected a whole number, got "3"; remove'),
    ('"gpus": 3', '"gpus": 3.0', "10:25: jobs[1].gpus: expected a whole number, got 3.0; write 3"),
    ('"gpus": 3', '"gpus": 3.5', "10:25: jobs[1].gpus: expected a whole number, got 3.5"),
    ('"gpus": 3', '"gpus": true', "10:25: jobs[1].gpus: expected a whole number, got true"),
    ('"gpus": 3', '"gpus": null', "got null; leave the key out instead"),
    ('"gpus": 3', '"gpus": [3]', "10:25: jobs[1].gpus: expected a whole number, got a list"),
    (
        "0.25",
        '"0.25"',
        '10:59: jobs[1].compute_s: expected a number, got "0.25"; remove',
    ),
    ("0.25", '"fast"', '10:59: jobs[1].compute_s: expected a number, got "fast"'),
    ("0.25", "false", "10:59: jobs[1].compute_s: expected a number, got false"),
    ("0.25", "null", "10:59: jobs[1].compute_s: expected a value, got null; leave the key out"),
    ('"b"', "2", "10:12: jobs[1].id: expected text in double quotes, got 2"),
    ('"two"', "2", "3:11: name: expected text in double quotes, got 2"),
    ('"ring"', "true", "4:26: rate_model.name: expected text in double quotes, got true"),
    # Numbers beyond all reason.
    ("0.25", "NaN", "10:59: jobs[1].compute_s: expected a finite number, got NaN"),
    ("0.25", "-Infinity", "10:59: jobs[1].compute_s: expected a finite number, got -Infinity"),
    ("0.25", "1e999", "10:59: jobs[1].compute_s: expected a finite number, got 1e999"),
    ("0.25", "1e300", "expected 0 or a number from 1e-18 to 1e18 in size, got 1e300"),
    ("0.25", "1e-300", "expected 0 or a number from 1e-18 to 1e18 in size, got 1e-300"),
    ("0.25", "1" + "0" * 350, "jobs[1].compute_s: expected a number of at most 1e+18, got 1000"),
    ("0.25", "1" + "0" * 400, "expected a number of at most 400 digits, got one of 401"),
    ('"gpus": 4', '"gpus": 1' + "0" * 400, "6:38: cluster.servers[0].gpus: expected a number of"),
    ('"gpus": 4', '"gpus": 1' + "0" * 9000, "at most 400 digits, got one of 9,001"),
    ('"gpus": 4', '"gpus": 1' + "0" * 30, "expected at most 9,007,199,254,740,992, got 1000"),
    ('"gpus": 4', '"gpus": 1000000000', "from 1 to 65,536, got 1000000000"),
    ('"count": 2', '"count": 1000000000', "at most 1,000,000 servers in all, got 1,000,000,000"),
    ('"count": 2', '"count": 0', "6:27: cluster.servers[0].count: expected a whole number of at"),
    ("1e9", "1e30", "leave the key out for infinite"),
    ("1e9", "0", "5:47: cluster.fabric.inter_bytes_per_s: expected a rate above 0"),
    (
        "0.2}",
        "-0.2}",
        "5:67: cluster.fabric.degradation: expected a number of at least 0",
    ),
    # Domain.
    ('"gpus": 3', '"gpus": 30', "10:25: jobs[1].gpus: expected at most 16, the GPUs of the whole"),
    ('"gpus": 3', '"gpus": -3', "10:25: jobs[1].gpus: expected a whole number of at least 1"),
    ("20", "0", "10:42: jobs[1].iterations: expected a whole number of at least 1, got 0"),
    ("1e6", "-1e6", "10:83: jobs[1].gradient_bytes: expected a number of at least 0, got -1000000"),
    ('"b"', '"a"', "10:12: jobs[1].id: expected an id of its own (also used by jobs[0]), got 'a'"),
    ('"b"', '""', "10:12: jobs[1].id: expected a job id that is not empty"),
    (
        '"big"',
        '"s1"',
        "7:24: cluster.servers[1].id: expected an id of its own (also used",
    ),
    ("0.25", "0", "10:59: jobs[1].compute_s: expected an iteration that takes some time, got none"),
    # Keys.
    ('"gpus": 3', '"gpu": 3', "10:17: jobs[1].gpu: expected one of the keys id, gpus, iterations"),
    ('"gpus": 3', '"gpu": 3', "got 'gpu'; did you mean 'gpus'?"),
    ('"rack"', '"rock"', "7:42: cluster.servers[1].rock: expected one of the keys id, count, gpus"),
    ('"degradation"', '"degredation"', "did you mean 'degradation'?"),
    ('"name": "two"', '"nmae": "two"', "3:3: nmae: expected one of the keys name, description"),
    ('"name": "two"', '"zzz": "two"', "got 'zzz'; remove it"),
    ('"gpus": 3, ', "", "10:5: jobs[1].gpus: expected a value, got nothing; 'gpus' is"),
    ('"iterations": 20, ', "", "10:5: jobs[1].iterations: expected a value, got nothing"),
    (
        '"gpus": 3',
        '"gpus": 3, "gpus": 4',
        "10:28: jobs[1].gpus: expected each key once in an",
    ),
    ('"gpus": 3', '"gpus": 3, "gpus": 4', 'got the key "gpus" again, first on line 10, column 17'),
    ('"gpus": 3', r'"gpus": 3, "gpu\u0073": 4', "10:28: jobs[1].gpus: expected each key once"),
    # What goes together.
    ('"count": 2', '"count": 2, "id": "x"', "6:36: cluster.servers[0].id: expected no id where"),
    ('"iterations": 20', '"duration_s": 5', "duration_s with the rate model 'fixed' only, got 5.0"),
    # The rate model.
    ('"ring"', '"rnig"', "4:26: rate_model.name: expected one of ring, fixed"),
    ('"ring"', '"rnig"', "got 'rnig'; did you mean 'ring'?"),
    ("0.5}", "2}", "4:55: rate_model.contention_weight: expected a number above 0 and at most 1"),
    ('"contention_weight"', '"contention"', "4:34: rate_model.contention: expected one of"),
    ("0.5}", "[0.5]}", "4:55: rate_model.contention_weight: expected a number, text, true or"),
    # Slots.
    ('"name": "two"', '"slot_s": 0', "3:13: slot_s: expected a positive number of seconds"),
    ('"name": "two"', '"slot_s": 0.3', "9:5: jobs[0]: expected an iteration within a slot of 0.3"),
    ('"name": "two"', '"restart_s": -1', "3:16: restart_s: expected a number of at least 0"),
    ('"name": "two"', '"metadata": {"gpus": 3}', "3:24: metadata.gpus: expected text in double"),
]


@pytest.mark.parametrize(("old", "new", "message"), ONE_VALUE)
def test_one_wrong_value_is_one_line_with_its_place(errors_of, old, new, message):
    assert old in GOOD
    lines = errors_of(GOOD.replace(old, new, 1))
    assert len(lines) == 1, lines
    assert lines[0].startswith("a.json:")
    assert message in lines[0]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"jobs": []}, "jobs: expected at least one job, got none"),
        ({"jobs": {}}, "jobs: expected a list [...], got an object"),
        ({"jobs": [3]}, "jobs[0]: expected an object {...}, got 3"),
        ({"servers": []}, "cluster.servers: expected at least one server, got none"),
        ({"servers": [None]}, "cluster.servers[0]: expected an object {...}, got null"),
        ({"cluster": []}, "cluster: expected an object {...}, got a list"),
        ({"rate_model": "ring"}, 'rate_model: expected an object {...}, got "ring"'),
        ({"rate_model": {}}, "rate_model.name: expected a value, got nothing"),
    ],
)
def test_wrong_containers(errors_of, make, parts, message):
    (line,) = errors_of(make(**parts))
    assert message in line


def test_empty_objects_say_what_is_required(errors_of):
    lines = errors_of('{"format": "optsched.instance/1"}')
    assert lines[1:] == [
        "a.json:1:1: cluster: expected a value, got nothing; 'cluster' is required here",
        "a.json:1:1: jobs: expected a value, got nothing; 'jobs' is required here",
    ]


def test_all_kinds_of_problems_come_at_once_in_the_order_of_the_file(errors_of):
    text = GOOD
    for old, new in [
        ('"name": "two"', '"naem": "two"'),
        ("0.5}", "7}"),
        ("0.2}", "NaN}"),
        ('"rack": "r1"', '"rack": "r1", "gpus": 8'),
        ('"gpus": 2', '"gpus": "2"'),
        ("0.5}", "-0.5}"),
        ("20", "-20"),
    ]:
        assert old in text
        text = text.replace(old, new, 1)
    lines = errors_of(text)
    assert lines[0] == "a.json: 7 problems"
    places = [line.split(": ")[:2] for line in lines[1:]]
    assert places == [
        ["a.json:3:3", "naem"],
        ["a.json:4:55", "rate_model.contention_weight"],
        ["a.json:5:67", "cluster.fabric.degradation"],
        ["a.json:7:56", "cluster.servers[1].gpus"],
        ["a.json:9:25", "jobs[0].gpus"],
        ["a.json:9:61", "jobs[0].compute_s"],
        ["a.json:10:42", "jobs[1].iterations"],
    ]


def test_demand_is_not_held_against_servers_that_are_wrong_themselves(errors_of):
    text = GOOD.replace('"gpus": 8', '"gpus": "8"').replace('"gpus": 3', '"gpus": 12')
    (line,) = errors_of(text)
    assert "cluster.servers[1].gpus" in line


def test_problems_of_a_counted_entry_are_said_once(errors_of, make):
    servers = [{"count": 500, "gpus": -1}, {"count": 3, "gpus": 0}, {"id": "s2", "gpus": 4}]
    lines = errors_of(make(servers=servers))
    assert lines[0] == "a.json: 3 problems"
    assert "cluster.servers[0].gpus: expected a whole number from 1" in lines[1]
    assert "cluster.servers[1].gpus: expected a whole number from 1" in lines[2]
    # Server s2 is the third of the first entry.
    assert "cluster.servers[2].id" in lines[3]
    assert "(also used by servers[0])" in lines[3]


def test_many_problems_of_a_kind_are_counted(errors_of, make, make_job):
    jobs = [make_job(f"j{i}", gpus=f"{i}", weight=-1) for i in range(50)]
    lines = errors_of(make(jobs=jobs))
    assert lines[0] == "a.json: 42 problems"
    gpus = [line for line in lines if "].gpus: " in line]
    weights = [line for line in lines if "].weight: " in line]
    assert len(gpus) == len(weights) == 20
    assert sum("expected every gpus to be right, got 30 more" in line for line in lines) == 1
    assert sum("expected every weight to be right, got 30 more" in line for line in lines) == 1


def test_doubled_ids_are_counted_too(errors_of, make, make_job):
    lines = errors_of(make(jobs=[make_job() for _ in range(40)]))
    assert lines[0] == "a.json: 21 problems"
    assert lines[-1].endswith("expected every id to be right, got 19 more that are not")


def test_doubled_keys_hide_nothing_else(errors_of):
    text = GOOD.replace('"gpus": 3', '"gpus": 3, "gpus": 40')
    lines = errors_of(text)
    assert lines[0] == "a.json: 2 problems"
    assert "10:28: jobs[1].gpus: expected each key once" in lines[1]
    assert "10:36: jobs[1].gpus: expected at most 16" in lines[2]


def test_the_problems_can_be_had_as_objects(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(GOOD.replace('"gpus": 3', '"gpus": 30'))
    with pytest.raises(FileProblemsError) as error:
        load_instance(path)
    (problem,) = error.value.problems
    assert (problem.line, problem.column) == (10, 25)
    assert problem.problem.path == ("jobs", 1, "gpus")
    assert isinstance(error.value, FileFormatError)
    assert error.value.exit_code == 2


def test_a_huge_count_allocates_nothing(errors_of, make):
    text = make(servers=[{"count": 10**9, "gpus": 1}])
    tracemalloc.start()
    lines = errors_of(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "cluster.servers[0].count: expected at most 1,000,000 servers in all" in lines[-1]
    assert peak < 20e6


def test_counts_add_up_over_entries(errors_of, make, monkeypatch):
    monkeypatch.setattr("optsched.files.instance_parts.MAX_SERVERS", 1000)
    servers = [{"count": 600, "gpus": 1}, {"count": 600, "gpus": 1}]
    (line,) = errors_of(make(servers=servers))
    assert "cluster.servers[1].count: expected at most 1,000 servers in all" in line
    assert "got 1,200 up to this entry" in line


@pytest.mark.parametrize(
    ("job", "message"),
    [
        ({"duration_s": 5, "iterations": 2}, "jobs[0].iterations: expected no iterations beside"),
        ({"duration_s": 5, "compute_s": 2}, "jobs[0].compute_s: expected no compute_s beside"),
        ({"compute_s": 2}, "'iterations' is required here, or duration_s instead of iterations"),
        ({"duration_s": 0}, "jobs[0].compute_s: expected an iteration that takes some time"),
        ({"duration_s": -1}, "jobs[0].compute_s: expected a number of at least 0, got -1.0"),
        ({"duration_s": "5"}, 'jobs[0].duration_s: expected a number, got "5"; remove the quotes'),
    ],
)
def test_durations_stand_alone(errors_of, make, job, message):
    text = make(jobs=[{"id": "a", "gpus": 1} | job], rate_model={"name": "fixed"})
    (line,) = errors_of(text)
    assert message in line


def test_jobs_are_not_blamed_for_an_unknown_rate_model(errors_of, make):
    jobs = [{"id": "a", "gpus": 1, "duration_s": 5}, {"id": "b", "gpus": 99, "duration_s": 5}]
    for rate_model in ({"name": "fxed"}, {"name": 3}, "fixed"):
        lines = errors_of(make(jobs=jobs, rate_model=rate_model))
        assert len(lines) == 3
        assert "rate_model" in lines[1]
        assert "jobs[1].gpus: expected at most 8" in lines[2]


def test_very_many_wrong_jobs_are_reported_in_seconds(errors_of, make, make_job):
    jobs = [make_job(f"j{i}", gpu=1) for i in range(20_000)]
    text = make(jobs=jobs)
    started = time.perf_counter()
    lines = errors_of(text)
    assert time.perf_counter() - started < 30
    assert len(lines) == 22
    assert "19,980 more" in lines[-1]


def test_messages_can_be_printed_whatever_the_file_says(errors_of, make, make_job):
    text = make(jobs=[make_job("\x1b[31m\u202e", gpus="\x1b[31m\n")], name="x")
    for line in errors_of(text):
        assert line.isprintable()
    text = json.dumps(json.loads(make()) | {"\x1b[31m": 1, "\u202e": 2})
    for line in errors_of(text):
        assert line.isprintable()
