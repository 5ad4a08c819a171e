"""Searches in processes of their own: what they share, and how they end."""

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
import scripted_searches as scripts

from optsched.core.result import Status
from optsched.exact import plan, solve, solving
from optsched.exact.plan import Plan, Step
from optsched.exact.race import Race
from optsched.exact.racer import Failed, Finished, Found, Proved
from optsched.exact.searches import SEARCHES, Task
from optsched.generate.hand import waiting_pays
from optsched.generate.small import forced

#: Its best quick schedule is not met by an instant bound.
INSTANCE = forced(jobs=6, servers=3, seed=0)
SCRIPTS = {
    name: scripts.scripted(name, getattr(scripts, name.replace("-", "_")))
    for name in (
        "idle",
        "find-late",
        "prove-late",
        "listen",
        "crash",
        "give-up",
        "print-loudly",
        "write-process-id",
    )
}


@pytest.fixture
def race_of(monkeypatch):
    """Let ``solve`` race scripted searches, from the worst of the quick schedules on."""

    def arranged(*names, first=(), **options):
        steps = tuple(Step(name) for name in names)
        monkeypatch.setattr(solving, "SEARCHES", SEARCHES | SCRIPTS)
        monkeypatch.setattr(solving, "plan_for", lambda *_: Plan(first, steps))
        monkeypatch.setattr(solving, "quick_schedules", worst_of_quick_ones)
        monkeypatch.setattr(solving, "annealed_schedule", lambda *_, **__: None)
        options = {"time_limit_s": 30.0, "workers": 2} | options
        monkeypatch.setattr("optsched.exact.record.LEAST_TIME_FOR_BOUNDS_S", 1e9)
        return solve(INSTANCE, **options)

    return arranged


def worst_of_quick_ones(instance, *, seed):
    from optsched.exact.quick import quick_schedules

    yield max(quick_schedules(instance, seed=seed), key=lambda one: one[1].end_time_s)


def heard(*tasks, until):
    """Return what searches report until something is heard, and leave no process behind."""
    seen = []
    with Race() as race:
        for task in tasks:
            race.start(task)
        while race.searches and not any(isinstance(message, until) for _, message in seen):
            seen += race.messages(timeout_s=30.0)
    return seen


def test_a_search_reports_what_it_finds():
    seen = heard(Task(SEARCHES["branch-and-bound"], INSTANCE, "makespan"), until=Finished)
    names, messages = zip(*seen, strict=True)
    assert set(names) == {"branch-and-bound"}
    *found, last = messages
    assert all(isinstance(message, Found) for message in found) and isinstance(last, Finished)
    assert last.outcome.is_complete and last.outcome.value == found[-1].value
    assert last.outcome.value == solve(INSTANCE, method="branch-and-bound").value


def test_what_a_search_prints_is_kept_off_the_data(capfd):
    seen = heard(Task(SCRIPTS["print-loudly"], INSTANCE, "makespan", below=9.0), until=Finished)
    assert seen[-1][1].outcome.bound == 9.0
    out, err = capfd.readouterr()
    assert out == "" and "banner below Python" in err and "banner of a solver" in err


def test_a_crash_is_reported():
    ((name, message),) = heard(Task(SCRIPTS["crash"], INSTANCE, "makespan"), until=Failed)
    assert (name, message.reason) == ("crash", "its process was ended by signal SIGSEGV")


def test_an_error_is_reported():
    ((_, message),) = heard(Task(SCRIPTS["give-up"], INSTANCE, "makespan"), until=Failed)
    assert message.reason == "ZeroDivisionError: no luck" and not message.is_unsupported
    slotted = INSTANCE.changed(slot_s=1.0)
    ((_, message),) = heard(Task(SEARCHES["event-orders"], slotted, "makespan"), until=Failed)
    assert message.is_unsupported and "slotted time" in message.reason


def test_the_schedule_of_one_and_the_bound_of_another_meet(race_of):
    result = race_of("find-late", "listen")
    # "listen" takes for the optimum what "find-late" has found.
    assert (result.status, result.scope) == (Status.OPTIMAL, "all")
    assert result.details["schedule_from"] == "find-late"
    assert result.bound.method == "listen" and result.bound.value == result.value
    assert result.details["proof"] == "meets bound 'listen'"


def test_a_slow_search_does_not_keep_the_others_waiting(race_of):
    result = race_of("idle", "prove-late")
    assert result.status is Status.OPTIMAL and result.bound.method == "prove-late"


def test_a_search_that_ignores_the_time_limit_is_ended(race_of):
    began_s = time.monotonic()
    result = race_of("idle", "idle", time_limit_s=3.0)
    assert time.monotonic() - began_s < 60.0
    assert (result.status, result.details["stopped_by"]) == (Status.FEASIBLE, "time limit")


@pytest.mark.parametrize("broken", ["crash", "give-up"])
def test_a_broken_search_is_told_and_the_others_go_on(broken, race_of):
    result = race_of(broken, "prove-late")
    assert result.status is Status.OPTIMAL and result.bound.method == "prove-late"


def test_if_all_searches_break_the_best_schedule_is_left(race_of):
    result = race_of("crash", "give-up")
    assert result.status is Status.FEASIBLE and result.judgement.is_valid
    assert result.details["searches"] == {
        "crash": {"failed": "its process was ended by signal SIGSEGV"},
        "give-up": {"failed": "ZeroDivisionError: no luck"},
    }


def test_more_searches_than_cores_wait_their_turn(race_of):
    result = race_of("crash", "give-up", "prove-late")
    assert result.status is Status.OPTIMAL
    assert set(result.details["searches"]) == {"crash", "give-up"}


def test_an_interrupt_during_the_race_keeps_the_best_and_leaves_no_process(race_of, monkeypatch):
    started = []
    start = Race.start

    def noted(self, *arguments, **options):
        start(self, *arguments, **options)
        started.append(self._runners[-1].process)

    def interrupted(self, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(Race, "start", noted)
    monkeypatch.setattr(Race, "messages", interrupted)
    result = race_of("idle", "find-late")
    assert (result.status, result.details["stopped_by"]) == (Status.FEASIBLE, "interrupt")
    assert len(started) == 2 and not any(process.is_alive() for process in started)


@pytest.mark.slow
def test_branch_and_bound_beside_event_orders():
    """The two share their best objective, and what is proven is what one process proves."""
    monkey = pytest.MonkeyPatch()
    with monkey.context() as patch:
        patch.setitem(plan.BRIEF_UNITS, "branch-and-bound", 0.0)
        patch.setattr("optsched.exact.record.LEAST_TIME_FOR_BOUNDS_S", 1e9)
        together = solve(INSTANCE, objective="mean_jct", workers=2)
    alone = solve(INSTANCE, objective="mean_jct", method="event-orders")
    assert (together.status, together.scope) == (Status.OPTIMAL, "all")
    assert together.value == pytest.approx(alone.value, rel=1e-9)
    assert together.bound.method == "event-orders"


def is_alive(process_id):
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see processes")
def test_a_process_ends_with_the_one_that_started_it(tmp_path):
    note = tmp_path / "pid"
    script = f"""
        import os, sys, time
        sys.path.insert(0, {str(Path(__file__).parents[1])!r})
        import scripted_searches as scripts
        from optsched.exact.race import Race
        from optsched.exact.searches import Task
        from optsched.generate.hand import waiting_pays
        search = scripts.scripted("it", scripts.write_process_id)
        # Kept, since with it the connection would go.
        race = Race()
        race.start(Task(search, waiting_pays(), "makespan"))
        while not os.path.exists({str(note)!r}):
            time.sleep(0.05)
        os._exit(9)
    """
    environment = {**os.environ, "SCRIPTED_PID_FILE": str(note)}
    command = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(command, env=environment, timeout=300, capture_output=True, text=True)
    assert done.returncode == 9, done.stderr
    process_id = int(note.read_text())
    for _ in range(600):
        if not is_alive(process_id):
            break
        time.sleep(0.1)
    assert not is_alive(process_id)


def test_a_script_without_a_guard_can_solve(tmp_path):
    """Processes do not run the user's script again."""
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            print("once")
            import optsched as osd
            from optsched.exact import plan
            plan.BRIEF_UNITS["branch-and-bound"] = 0.0
            instance = osd.load("small-6x3")
            result = osd.solve(instance, objective="mean_jct", workers=2, time_limit_s=60.0)
            print(result.status, sorted(result.details["searches"]))
            """
        )
    )
    done = subprocess.run([sys.executable, script], timeout=300, capture_output=True, text=True)
    assert done.stdout == "once\noptimal ['branch-and-bound', 'event-orders']\n", done.stderr
    assert done.stderr == ""


def test_proved_messages_are_plain():
    seen = heard(Task(SCRIPTS["prove-late"], waiting_pays(), "makespan", below=7.0), until=Proved)
    assert [message.value_s for _, message in seen] == [7.0]
