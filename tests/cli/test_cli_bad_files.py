"""Whatever file a command is given: a message with place and remedy, and no traceback."""

import json
import re

import pytest

from optsched.files import instance_text, load

GOOD = json.loads(instance_text(load("waiting-pays")))
CSV = "job_id,submit_s,gpus,duration_s\na,0,1,60\nb,5,2,30\n"


def changed(**keys):
    """The good instance with the first job changed."""
    document = json.loads(json.dumps(GOOD))
    document["jobs"][0].update(keys)
    return json.dumps(document, indent=1)


def with_top(**keys):
    return json.dumps({**GOOD, **keys}, indent=1)


TEXT = json.dumps(GOOD, indent=1)

#: What is wrong, the content of the file (None: no file), what the message says.
BAD_INSTANCES = {
    "missing": (None, "no file of this name"),
    "directory": ("/", "a directory"),
    "empty": ("", "an empty file"),
    "binary": (b"\x00\x01\x02\xff" * 50, "a binary file"),
    "truncated": (TEXT[: len(TEXT) // 2], "expected"),
    "csv": (CSV, "optsched convert"),
    "list": ("[1, 2]", "expected an instance file"),
    "wrong format": (with_top(format="optsched.schedule/1"), "this is a schedule"),
    "newer format": (with_top(format="optsched.instance/9"), "use a newer one"),
    "unknown key": (changed(gpuz=3), "gpuz"),
    "doubled key": (TEXT.replace('"id": "a"', '"id": "a", "id": "a"'), "id"),
    "NaN": (TEXT.replace("0.05", "NaN", 1), "NaN"),
    "infinity": (TEXT.replace("0.05", "-Infinity", 1), "Infinity"),
    "duplicate id": (changed(id="b"), "b"),
    "demand above capacity": (changed(gpus=7), "7"),
    "negative": (changed(gradient_bytes=-1.0), "-1"),
    "zero iterations": (changed(iterations=0), "0"),
    "text for a number": (changed(gpus="three"), '"three"'),
    "huge demand": (changed(gpus=10**9), "1000000000"),
    "huge server": (
        with_top(cluster={"servers": [{"count": 1, "gpus": 10**9}, {"count": 10**9, "gpus": 1}]}),
        "1000000000",
    ),
    "no jobs": (with_top(jobs=[]), "jobs"),
    "no servers": (with_top(cluster={"servers": []}), "servers"),
}
#: What says nothing of a place inside, because there is no text.
WITHOUT_PLACE = {"missing", "directory"}

INSTANCE_COMMANDS = {
    "run": ("run", "{}", "-s", "fifo"),
    "solve": ("solve", "{}"),
    "bound": ("bound", "{}"),
    "compare": ("compare", "{}", "-s", "fifo", "--no-plot"),
    "validate": ("validate", "{}"),
    "verify": ("verify", "good-schedule.json", "{}"),
    "plot gantt": ("plot", "gantt", "good-schedule.json", "{}"),
}


def write(path, content):
    if content is None:
        return
    if content == "/":
        path.mkdir()
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content)


def filled(command, name):
    return [name if part == "{}" else part for part in command]


@pytest.mark.parametrize("command", INSTANCE_COMMANDS)
@pytest.mark.parametrize("what", BAD_INSTANCES)
def test_a_bad_instance(optsched, tmp_path, good_schedule, command, what):
    content, says = BAD_INSTANCES[what]
    write(tmp_path / "bad.json", content)
    done = optsched(*filled(INSTANCE_COMMANDS[command], "bad.json"))
    assert done.code == (1 if command in ("validate", "verify") else 2)
    told = done.out if command == "validate" else done.err
    assert (done.err if command == "validate" else done.out) == ""
    place = r"bad\.json: " if what in WITHOUT_PLACE else r"bad\.json:\d+:\d+: "
    assert re.search(place, told), told
    assert says in told
    assert "expected" in told
    assert "got" in told


BAD_SCHEDULES = {
    "missing": (None, "no file of this name"),
    "directory": ("/", "a directory"),
    "empty": ("", "an empty file"),
    "binary": (b"\x00\x01\x02\xff" * 50, "a binary file"),
    "csv": (CSV, "a schedule file"),
    "instance": (TEXT, "this is an instance"),
}


def tampered(document, what):
    text = json.dumps(document, indent=1)
    segment = document["segments"][0]
    changes = {
        "truncated": lambda: text[: len(text) // 2],
        "doubled key": lambda: text.replace('"job"', '"job": "a", "job"', 1),
        "NaN": lambda: text.replace('"start_s": 0.0', '"start_s": NaN', 1),
        "unknown key": lambda: text.replace('"start_s"', '"begin_s"', 1),
        "unknown job": lambda: text.replace('"job": "a"', '"job": "zzz"', 1),
        "unknown server": lambda: text.replace('"s0"', '"s9"', 1),
        "negative GPUs": lambda: json.dumps(
            {**document, "segments": [{**segment, "gpus": {"s0": -1}}]}
        ),
        "wrong hash": lambda: text.replace(document["instance"]["sha256"], "0" * 64),
        "text for a number": lambda: text.replace('"start_s": 0.0', '"start_s": "now"', 1),
    }
    return changes[what]()


TAMPERED = [
    "truncated",
    "doubled key",
    "NaN",
    "unknown key",
    "unknown job",
    "unknown server",
    "negative GPUs",
    "wrong hash",
    "text for a number",
]


@pytest.mark.parametrize(("command", "code"), [(("verify",), 1), (("plot", "gantt"), 2)])
@pytest.mark.parametrize("what", [*BAD_SCHEDULES, *TAMPERED])
def test_a_bad_schedule(optsched, tmp_path, good_schedule, command, code, what):
    if what in BAD_SCHEDULES:
        content, says = BAD_SCHEDULES[what]
    else:
        content, says = tampered(good_schedule, what), "expected"
    write(tmp_path / "bad.json", content)
    done = optsched(*command, "bad.json")
    assert (done.code, done.out) == (code, "")
    place = r"bad\.json: " if what in WITHOUT_PLACE else r"bad\.json:\d+:\d+: "
    assert re.search(place, done.err), done.err
    assert says in done.err


def test_a_schedule_without_segments_is_not_valid(optsched, tmp_path, good_schedule):
    (tmp_path / "bad.json").write_text(json.dumps({**good_schedule, "segments": []}))
    done = optsched("verify", "bad.json")
    assert (done.code, done.err) == (1, "")
    assert "missing-job: job 'a'" in done.out
    assert "missing-job: job 'b'" in done.out


BAD_COMPARISONS = {
    "missing": (None, "no file of this name"),
    "directory": ("/", "a directory"),
    "empty": ("", "an empty file"),
    "binary": (b"\x00\x01\x02\xff" * 50, "a binary file"),
    "csv": (CSV, "optsched compare --json"),
    "instance": (TEXT, "make the file with `optsched compare ... --json`"),
    "no runs": ('{"runs": []}', "expected a list of runs"),
    "runs no list": ('{"runs": {"a": 1}}', "expected a list of runs"),
    "run no object": ('{"runs": [1]}', "runs[0]: expected an object with the keys"),
}


CHANGED_RUNS = {
    "unknown key": {"speed": 1},
    "NaN": {"ratio": float("nan")},
    "text for a number": {"value": "25"},
    "number for text": {"scheduler": 5},
    "negative": {"ratio": -1.0},
    "null": {"bound": None},
    "truth for a number": {"ratio": True},
    "huge": {"ratio": 10**400},
    "other objective": {"objective": "mean_jct"},
}


@pytest.mark.parametrize("what", [*BAD_COMPARISONS, *CHANGED_RUNS, "truncated", "doubled key"])
def test_a_bad_comparison(optsched, tmp_path, comparison, what):
    text = json.dumps(comparison, indent=1)
    says = "expected"
    if what in BAD_COMPARISONS:
        text, says = BAD_COMPARISONS[what]
    elif what in CHANGED_RUNS:
        first, *others = comparison["runs"]
        text = json.dumps({"runs": [{**first, **CHANGED_RUNS[what]}, *others]}, indent=1)
    elif what == "truncated":
        text = text[: len(text) // 2]
    else:
        text = text.replace('"family"', '"family": "x", "family"', 1)
    write(tmp_path / "bad.json", text)
    done = optsched("plot", "ratios", "bad.json")
    assert (done.code, done.out) == (2, "")
    place = r"bad\.json: " if what in WITHOUT_PLACE else r"bad\.json:\d+:\d+: "
    assert re.search(place, done.err), done.err
    assert says in done.err
    assert not list(tmp_path.glob("*.svg"))


BAD_TRACES = {
    "missing": (None, ""),
    "directory": ("/", ""),
    "empty": ("", "empty"),
    "binary": (b"\x00\x01\x02\xff" * 50, "binary"),
    "truncated gzip": (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x4c", "gzip"),
    "json": (TEXT, "expected"),
    "header only": (CSV.splitlines()[0] + "\n", "expected rows below the header"),
    "unknown columns": ("a,b,c\n1,2,3\n", "expected"),
    "missing column": (CSV.replace("gpus", "gpu"), "gpus"),
    "doubled column": (CSV.replace("job_id", "gpus"), "gpus"),
    "duplicate id": (CSV + "a,6,1,1\n", "--duplicates"),
    "no usable row": (CSV.splitlines()[0] + "\na,0,nan,60\nb,-1,1,60\nc,0,1000000000,5\n", "GPU"),
}


@pytest.mark.parametrize("what", BAD_TRACES)
def test_a_bad_trace(optsched, tmp_path, what):
    content, says = BAD_TRACES[what]
    write(tmp_path / "bad.csv", content)
    done = optsched("convert", "bad.csv", "-o", "out.json")
    nothing_usable = what in ("header only", "no usable row")
    assert (done.code, done.out) == (1 if nothing_usable else 2, "")
    assert "bad.csv" in done.err
    assert says in done.err
    assert not (tmp_path / "out.json").exists()


def test_options_of_convert(optsched, tmp_path):
    (tmp_path / "t.csv").write_text(CSV)
    for option, value, says in [
        ("--format", "philyl", "did you mean 'philly'?"),
        ("--duplicates", "some", "first"),
        ("--virtual-cluster", "x", "virtual_cluster"),
        ("--servers", "1000000000000", ""),
        ("--gpus-per-server", "1000000000", ""),
        ("--racks", "100", ""),
        ("--map", "gpu=gpus", "did you mean 'gpus'?"),
        ("--option", "map", "expected KEY=VALUE, got 'map'"),
        ("--option", "servers=4", "expected an option of the format, got servers"),
        ("--option", "colour=red", "no option 'colour'"),
        ("--from", "2017-10-08", "expected seconds"),
        ("--sample", "2", "expected a share"),
    ]:
        done = optsched("convert", "t.csv", "-o", "out.json", option, value)
        assert (done.code, done.out) == (2, ""), option
        assert says in done.err
        assert done.err.startswith("error: "), option
