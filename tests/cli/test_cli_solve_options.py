"""``solve``: limits, hints, slots, what is shown meanwhile, and Ctrl-C."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from optsched.cli import output
from optsched.cli.solve_progress import progress_shown
from optsched.core.errors import SolverMissingError
from optsched.exact import METHODS, MethodEntry, Progress, solving


def test_a_schedule_can_be_the_start(optsched):
    # No job starts before the other ends: 21 s, which none of the policies finds.
    optsched("solve", "waiting-pays", "-o", "best.json")
    done = optsched("solve", "waiting-pays", "--hint", "best.json", "--time-limit", 0)
    assert "found 21 s (hint)" in done.err
    assert "found by   hint" in done.out
    other = optsched("solve", "small-6x3", "--hint", "best.json")
    assert other.code == 2 and "it was made for another instance" in other.err
    slotted = optsched("solve", "waiting-pays", "--hint", "best.json", "--slot-s", 1.5)
    assert slotted.code == 2 and "it was made for another instance" in slotted.err


def test_an_instance_in_slots(optsched):
    # φ = ⌊1.5 / 1.05⌋ = 1: ten slots of 1.5 s each, one job after the other.
    done = optsched("solve", "waiting-pays", "--slot-s", 1.5, "-o", "slots.json")
    assert done.code == 0
    assert "status     optimal of the slotted instance, slot_s = 1.5\n" in done.out
    assert "makespan   30 s" in done.out
    document = optsched("solve", "waiting-pays", "--slot-s", 1.5, "--json").json
    assert document["scope"] == "all of the slotted instance, slot_s = 1.5"
    assert document["provenance"]["parameters"]["slot_s"] == 1.5
    assert document["bound"]["problem_class"].startswith(("slotted", "continuous"))
    assert optsched("verify", "slots.json", "--slot-s", 1.5).out.startswith("valid: slotted")
    # The file is of the instance in slots, and not of the continuous one.
    assert optsched("verify", "slots.json").code == 1


def test_slots_that_do_not_fit(optsched, monkeypatch):
    short = optsched("solve", "waiting-pays", "--slot-s", 0.5)
    assert short.code == 2 and "use a longer slot_s or continuous time" in short.err
    other = optsched("solve", "forced-slotted-6x3-0", "--slot-s", 0.5)
    assert other.code == 2 and "has slots of 1 s; leave out slot_s (--slot-s)" in other.err
    row = MethodEntry("anything", "all schedules", continuous=False)
    monkeypatch.setitem(METHODS, "in-slots", row)
    none = optsched("solve", "waiting-pays", "--method", "in-slots")
    assert none.code == 2 and "give the length of a slot (--slot-s SECONDS, slot_s=)" in none.err


def test_work_in_place_of_time(optsched):
    limits = ("--workers", 1, "--deterministic-limit", 0.1, "--objective", "mean_jct")
    done = [optsched("solve", "tight-9x3-0", *limits, "--json", "-o", name) for name in "ab"]
    first, second = (one.json for one in done)
    assert first["provenance"]["time_limit_s"] is None
    assert first["provenance"]["parameters"]["deterministic_limit"] == 0.1
    assert first["provenance"]["parameters"]["workers"] == 1
    for document in (first, second):
        del document["runtime_s"], document["bound"]["runtime_s"]
    assert first == second
    schedules = [json.loads(Path(name).read_text())["segments"] for name in "ab"]
    assert schedules[0] == schedules[1]
    shown = [re.sub(r"^ *[0-9.]+ s", "", one.err, flags=re.MULTILINE) for one in done]
    assert shown[0].replace("schedule: a", "schedule: b") == shown[1]
    assert optsched("solve", "waiting-pays", "--deterministic-limit", "nan").code == 2
    assert optsched("solve", "waiting-pays", "--workers", 0).code == 2


def test_too_large_for_a_method(optsched):
    done = optsched("solve", "forced-20x6-0", "--method", "brute-force")
    assert (done.code, done.out) == (4, "")
    assert "takes at most 12 jobs, and 'forced-20x6-0' has 20; use method" in done.err


def test_a_solver_that_is_missing(optsched, monkeypatch):
    def missing(task, **calls):
        raise SolverMissingError("no CBC was found; pip install cbcbox")

    monkeypatch.setattr(solving, "run_search", missing)
    method = ("--method", "branch-and-bound", "--time-limit", 5)
    done = optsched("solve", "small-6x3", "--objective", "mean_jct", *method)
    assert (done.code, done.out) == (3, "")
    assert done.err.endswith("error: no CBC was found; pip install cbcbox\n")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_shows_one_line(monkeypatch, capsys):
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(output, "PATIENCE_S", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with progress_shown("some-instance") as report:
        time.sleep(0.3)
        report(Progress(0.2, 12.0, 10.0, "sjf", "area"))
        time.sleep(0.4)
        report(Progress(0.5, 12.0, 11.0, "sjf", "destructive"))
        time.sleep(0.4)
    text = shown.getvalue()
    assert "solving some-instance" in text
    assert "found 12 s (sjf), bound 10 s (area), 20.00% above the bound" in text
    assert "bound 11 s (destructive), 9.09% above the bound" in text
    assert "\x1b[?25h" in text and capsys.readouterr().out == ""


def test_elsewhere_each_step_is_a_line(capsys):
    with progress_shown("some-instance") as report:
        report(Progress(0.25, None, 10.0, "", "area"))
        report(Progress(0.5, 12.0, 10.0, "sjf", "area"))
        report(Progress(1.0, 12.0, 12.0, "sjf", "cp-sat"))
    assert capsys.readouterr().err.splitlines() == [
        "    0.25 s  bound 10 s (area)",
        "    0.50 s  found 12 s (sjf), 20.00% above the bound",
        "    1.00 s  bound 12 s (cp-sat), 0.00% above the bound",
    ]


def children(process_id):
    path = Path(f"/proc/{process_id}/task/{process_id}/children")
    return [int(word) for word in path.read_text().split()] if path.exists() else []


def command_of(process_id):
    try:
        return Path(f"/proc/{process_id}/cmdline").read_text()
    except OSError:
        return ""


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc")
def test_ctrl_c_keeps_the_best_and_leaves_no_process(tmp_path):
    """As a terminal does it: the signal goes to the whole group of processes."""
    script = (
        "from optsched.exact import plan; plan.BRIEF_UNITS['branch-and-bound'] = 0.0\n"
        "from optsched.cli.main import main; main()"
    )
    arguments = "solve forced-10x4-0 --objective mean_jct --workers 2 --time-limit 300 --json"
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments.split(), "-o", "best.json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        searching = []
        for _ in range(600):
            searching = [one for one in children(process.pid) if "popen_loky" in command_of(one)]
            if len(searching) == 2:
                break
            time.sleep(0.1)
        # Also if they have hardly begun.
        assert len(searching) == 2
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert "Traceback" not in err and "interrupted; this is the best schedule so far" in err
    try:
        document = json.loads(out)
    except json.JSONDecodeError:
        pytest.fail(f"not one document of JSON: {out}\n{err}")
    assert document["status"] == "feasible" and document["details"]["stopped_by"] == "interrupt"
    assert json.loads((tmp_path / "best.json").read_text())["result"]["status"] == "feasible"
    assert not any("popen_loky" in command_of(one) for one in searching)
