"""Names that do not exist, and places that cannot be written."""

import json

import pytest

CSV = "job_id,submit_s,gpus,duration_s\na,0,1,60\nb,5,2,30\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("run", "waiting-pay"), "did you mean 'waiting-pays'?"),
        (("solve", "nothing-like-it"), "optsched list instances"),
        (("bound", "paper-161"), "did you mean 'paper-160'?"),
        (("compare", "forced-9*", "--no-plot"), "no shipped instance is called"),
        (("compare", "waiting-pays", "zzz", "--no-plot"), "no instance is called 'zzz'"),
        (("generate", "forced:jbos=3"), "did you mean 'jobs'?"),
        (("generate", "forced:jobs=-3"), "from 1 to 100,000, got -3"),
        (("generate", "paper-160:mode=quantum"), "one of paper, physical"),
        (("run", "waiting-pays", "-s", "sjff"), "did you mean 'sjf'?"),
        (("run", "waiting-pays", "-s", "my.py:Mine"), "my.py: no such file"),
        (("compare", "waiting-pays", "-s", "", "--no-plot"), "at least one scheduler"),
        (("compare", "waiting-pays", "-s", "fifo,fifo", "--no-plot"), "is named twice"),
        (("run", "waiting-pays", "--objective", "makespam"), "did you mean 'makespan'?"),
        (("solve", "waiting-pays", "--objective", "speed"), "known: makespan"),
        (("bound", "waiting-pays", "--objective", "speed"), "known: makespan"),
        (("compare", "waiting-pays", "--objective", "speed", "--no-plot"), "known: makespan"),
        (("solve", "waiting-pays", "--method", "brute"), "'brute-force' applies"),
        (("list", "schedules"), "did you mean 'schedulers'?"),
    ],
)
def test_a_name_that_does_not_exist(optsched, arguments, says):
    done = optsched(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert says in done.err


def test_an_instance_too_large_for_a_method(optsched):
    done = optsched("solve", "paper-160", "--method", "brute-force")
    assert (done.code, done.out) == (4, "")
    assert done.err.startswith("error: ")
    assert "use method 'cp-sat', or 'auto'" in done.err


WRITERS = {
    "run": ("run", "waiting-pays", "-o"),
    "run --plot": ("run", "waiting-pays", "--plot"),
    "run --gantt": ("run", "waiting-pays", "--gantt"),
    "run --jobs": ("run", "waiting-pays", "--jobs"),
    "solve": ("solve", "waiting-pays", "-o"),
    "solve --plot": ("solve", "waiting-pays", "--plot"),
    "compare": ("compare", "waiting-pays", "-o"),
    "generate": ("generate", "waiting-pays", "-o"),
    "convert": ("convert", "t.csv", "-o"),
    "plot gantt": ("plot", "gantt", "good-schedule.json", "-o"),
    "plot ratios": ("plot", "ratios", "c.json", "-o"),
}
PICTURES = [
    "run --plot", "run --gantt", "solve --plot", "compare", "plot gantt", "plot ratios",
]  # fmt: skip


@pytest.fixture
def inputs(tmp_path, good_schedule, comparison):
    (tmp_path / "t.csv").write_text(CSV)
    (tmp_path / "c.json").write_text(json.dumps(comparison))
    (tmp_path / "folder.svg").mkdir()


@pytest.mark.parametrize("command", WRITERS)
@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("absent/out.svg", "no directory 'absent'; create it first"),
        ("folder.svg", "got a directory"),
        ("t.csv/out.svg", "no directory 't.csv'"),
        ("/proc/out.svg", "/proc/out.svg: "),
    ],
)
def test_a_place_that_cannot_be_written(optsched, inputs, command, target, says):
    done = optsched(*WRITERS[command], target)
    assert (done.code, done.out) == (2, "") or target.startswith("/proc")
    assert done.code == 2
    assert says in done.err


@pytest.mark.parametrize("command", PICTURES)
@pytest.mark.parametrize("target", ["out.gif", "out", "out.json"])
def test_a_picture_of_an_unknown_format(optsched, inputs, tmp_path, command, target):
    done = optsched(*WRITERS[command], target)
    assert (done.code, done.out) == (2, "")
    assert "picture format" in done.err
    assert "png" in done.err
    assert not (tmp_path / target).exists()
