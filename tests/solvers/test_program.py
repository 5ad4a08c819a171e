"""Programs written with PuLP: both solvers say what is true, also when they are stopped."""

import inspect
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import pulp
import pytest
from mip_solvers import MIP_SOLVERS, needs_cbc

from optsched.core.errors import SolverMissingError
from optsched.solvers import ProgramLimits, ProgramWatch, cbc, solve_program
from optsched.solvers.cbc import find_cbc

both = pytest.mark.parametrize("solver", MIP_SOLVERS)


def whole(*, least=3):
    """Return min x + 2y with 2x + y ≥ least in whole numbers x ≤ 5, y ≤ 1."""
    problem = pulp.LpProblem("whole", pulp.LpMinimize)
    # PuLP sorts by name, or does not.
    x = problem.add_variable("second", lowBound=0, upBound=5, cat="Integer")
    y = problem.add_variable("first", lowBound=0, upBound=1, cat="Integer")
    problem += x + 2 * y
    problem += 2 * x + y >= least, "enough"
    return problem


def hard(items=60, rows=30):
    """Return a program that takes both solvers far longer than a test may."""
    draw = np.random.default_rng(0)
    problem = pulp.LpProblem("hard", pulp.LpMinimize)
    chosen = [problem.add_variable(f"x{i}", 0, 1, cat="Binary") for i in range(items)]
    problem += pulp.lpSum(-int(draw.integers(50, 110)) * x for x in chosen)
    for row in range(rows):
        weights = draw.integers(5, 60, size=items).tolist()
        limit = pulp.lpSum(w * x for w, x in zip(weights, chosen, strict=True))
        problem += limit <= sum(weights) // 3, f"row{row}"
    return problem


@both
def test_optimum_by_hand(solver):
    # 2x + y ≥ 3: x = 2 costs 2, x = 1 and y = 1 cost 3.
    answer = solve_program(whole(), solver=solver)
    assert (answer.status, answer.value, answer.bound) == ("optimal", 2.0, 2.0)
    assert answer.by_name(whole()) == {"second": 2.0, "first": 0.0}
    assert answer.stopped_by == ""


@both
def test_infeasible(solver):
    answer = solve_program(whole(least=12), solver=solver)
    assert (answer.status, answer.value, answer.bound) == ("infeasible", None, float("inf"))
    assert answer.by_name(whole(least=12)) == {}


@both
def test_infeasible_only_in_whole_numbers(solver):
    problem = pulp.LpProblem("half", pulp.LpMinimize)
    x = problem.add_variable("x", 0, 9, cat="Integer")
    y = problem.add_variable("y", 0, 9, cat="Integer")
    problem += x
    problem += 2 * x + 4 * y == 7, "odd"
    assert solve_program(problem, solver=solver).status == "infeasible"


@both
def test_unbounded(solver):
    problem = pulp.LpProblem("down", pulp.LpMinimize)
    x = problem.add_variable("x", lowBound=0, cat="Integer")
    y = problem.add_variable("y", lowBound=0)
    problem += -x - y
    problem += x - y <= 2, "apart"
    answer = solve_program(problem, solver=solver)
    assert (answer.status, answer.value, answer.bound) == ("unbounded", None, float("-inf"))


@both
def test_without_integers(solver):
    problem = pulp.LpProblem("linear", pulp.LpMinimize)
    x = problem.add_variable("x", lowBound=0)
    problem += x
    problem += 2 * x >= 3, "enough"
    answer = solve_program(problem, solver=solver)
    assert (answer.status, answer.value, answer.bound) == ("optimal", 1.5, 1.5)


def test_maximisation_is_refused():
    problem = pulp.LpProblem("up", pulp.LpMaximize)
    problem += problem.add_variable("x", 0, 3)
    with pytest.raises(ValueError, match="write the objective with its sign changed"):
        solve_program(problem)
    with pytest.raises(ValueError, match="solver is one of highs, cbc; got 'glpk'"):
        solve_program(whole(), solver="glpk")


def test_an_objective_is_needed():
    # PuLP adds a variable where there is none, and its numbers would mean others.
    problem = pulp.LpProblem("nothing", pulp.LpMinimize)
    problem += problem.add_variable("x", 0, 3) >= 1, "row"
    with pytest.raises(ValueError, match="has no objective"):
        solve_program(problem)


@both
@pytest.mark.parametrize("time_limit_s", [0.0, 0.5])
def test_a_time_limit_is_no_proof(solver, time_limit_s):
    answer = solve_program(hard(), solver=solver, limits=ProgramLimits(time_limit_s))
    assert (answer.status, answer.stopped_by) == ("limit", "time limit")
    if answer.value is not None:
        assert answer.bound < answer.value
        assert len(answer.values) == 60


@both
def test_a_node_limit_is_no_proof_and_repeats(solver):
    limits = ProgramLimits(most_nodes=3, seed=5)
    first, second = (solve_program(hard(30, 10), solver=solver, limits=limits) for _ in range(2))
    assert (first.status, first.stopped_by) == ("limit", "node limit")
    assert first.bound < first.value
    assert (first.value, first.bound, first.values) == (second.value, second.bound, second.values)


@both
def test_a_limited_bound_is_below_the_optimum(solver):
    problem = hard(24, 8)
    best = solve_program(problem, solver="highs")
    assert best.status == "optimal"
    limited = solve_program(problem, solver=solver, limits=ProgramLimits(most_nodes=1))
    assert limited.bound <= best.value
    assert limited.bound > float("-inf")
    assert limited.value is None or limited.value >= best.value


@both
def test_a_start_is_not_lost(solver):
    # All at 0 is a solution; with no time at all nothing better need be found.
    problem = hard()
    limits = ProgramLimits(most_nodes=0)
    answer = solve_program(problem, solver=solver, limits=limits, start=[0.0] * 60)
    assert answer.value is not None and answer.value <= 0.0


def test_solutions_and_bounds_are_told():
    values, bounds = [], []
    watch = ProgramWatch(lambda v: values.append(tuple(v)), bounds.append)
    problem = hard(24, 8)
    answer = solve_program(problem, watch=watch)
    assert values and max(bounds) <= answer.value
    assert bounds == sorted(bounds)
    # The last one told is the answer.
    assert [round(v) for v in values[-1]] == [round(v) for v in answer.values]


def test_an_error_of_a_listener_comes_through():
    def fail(_):
        raise LookupError("not here")

    with pytest.raises(LookupError, match="not here"):
        solve_program(hard(24, 8), watch=ProgramWatch(on_solution=fail))


@both
def test_nothing_is_printed_and_nothing_is_left(solver, capfd, tmp_path, monkeypatch):
    folder = tmp_path / "with a blank"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    assert solve_program(whole(), solver=solver).value == 2.0
    solve_program(hard(), solver=solver, limits=ProgramLimits(0.3))
    printed = capfd.readouterr()
    assert printed.out == "" and printed.err == ""
    assert list(folder.iterdir()) == []


@both
def test_should_stop(solver, monkeypatch):
    monkeypatch.setattr(cbc, "PATIENCE_S", 0.5)
    answer = solve_program(hard(), solver=solver, watch=ProgramWatch(should_stop=lambda: True))
    assert (answer.status, answer.stopped_by) == ("limit", "interrupt")


@both
def test_an_interrupt_keeps_the_best_so_far(solver, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    is_done = threading.Event()

    def interrupt():
        while not is_done.wait(0.3):
            os.kill(os.getpid(), signal.SIGINT)
            return

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        answer = solve_program(hard(), solver=solver, limits=ProgramLimits(60.0))
    finally:
        is_done.set()
        thread.join()
    assert (answer.status, answer.stopped_by) == ("limit", "interrupt")
    assert answer.value is not None and answer.bound < answer.value
    assert signal.getsignal(signal.SIGINT) is before
    assert list(tmp_path.iterdir()) == []


@needs_cbc
@pytest.mark.skipif(sys.platform == "win32", reason="processes are ended otherwise there")
def test_a_process_that_is_told_to_end_takes_cbc_along(tmp_path):
    code = inspect.getsource(hard) + "\nsolve_program(hard(), solver='cbc')\n"
    imports = "import numpy as np, pulp\nfrom optsched.solvers import solve_program\n"
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    child = subprocess.Popen([sys.executable, "-c", imports + code], env=environment)
    try:
        until = time.monotonic() + 60
        while not list(tmp_path.glob("*/cbc.log")) and time.monotonic() < until:
            time.sleep(0.02)
        child.terminate()
        assert child.wait(60) == -signal.SIGTERM
    finally:
        child.kill()
        child.wait()
    # CBC wrote into this folder, so it would be back if CBC were still there.
    assert list(tmp_path.iterdir()) == []


def script(path, text):
    path.write_text("#!/bin/sh\n" + text, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_cbc_is_missing(monkeypatch):
    monkeypatch.setattr(cbc, "_bundled", lambda: None)
    monkeypatch.setattr(cbc, "_boxed", lambda: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(
        SolverMissingError, match=r"CBC is not installed; .* or use HiGHS"
    ) as caught:
        solve_program(whole(), solver="cbc")
    assert caught.value.exit_code == 3


def test_cbc_on_the_path(monkeypatch, tmp_path):
    monkeypatch.setattr(cbc, "_bundled", lambda: str(tmp_path / "gone"))
    monkeypatch.setenv("PATH", str(tmp_path))
    path = script(tmp_path / "cbc", "exit 0\n")
    assert find_cbc() == path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo 'libCbc.so: cannot open'; exit 127\n", "code 127: libCbc.so: cannot open"),
        ("exit 1\n", "code 1: without a word"),
    ],
    ids=["library", "silent"],
)
def test_cbc_does_not_run(monkeypatch, tmp_path, text, said):
    path = script(tmp_path / "cbc", text)
    monkeypatch.setattr(cbc, "_bundled", lambda: path)
    with pytest.raises(SolverMissingError, match=said):
        solve_program(whole(), solver="cbc")


def test_cbc_that_does_not_listen_is_ended_by_force(monkeypatch, tmp_path):
    path = script(
        tmp_path / "cbc", "trap '' INT\necho 'Continuous objective value is 7'\nsleep 60\n"
    )
    monkeypatch.setattr(cbc, "_bundled", lambda: path)
    monkeypatch.setattr(cbc, "GRACE_S", 0.1)
    monkeypatch.setattr(cbc, "PATIENCE_S", 0.2)
    began = time.monotonic()
    answer = solve_program(whole(), solver="cbc", limits=ProgramLimits(0.2))
    assert time.monotonic() - began < 30
    assert (answer.status, answer.value, answer.stopped_by) == ("limit", None, "time limit")
    assert 6.99 < answer.bound < 7.0


def test_highs_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(SolverMissingError, match=r"highspy>=1\.16', or use CBC") as caught:
        solve_program(whole())
    assert caught.value.exit_code == 3
