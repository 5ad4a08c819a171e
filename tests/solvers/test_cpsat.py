"""The adapter over CP-SAT: what it says is true, and standard output stays clean."""

import importlib.metadata
import signal
import threading

import pytest

from optsched.core.errors import SolverMissingError
from optsched.solvers import CpSatLimits, load_cp_model, solve_cp_model


def small_model():
    """Minimise x + y subject to 2x + 3y ≥ 13 in whole numbers up to 9: 5, by x = 2, y = 3."""
    model = load_cp_model().CpModel()
    x, y = (model.new_int_var(0, 9, name) for name in "xy")
    model.add(2 * x + 3 * y >= 13)
    model.minimize(x + y)
    return model, x, y


def pigeons(count=11):
    """More pigeons than holes, as clauses: no solution, and no short proof of it by search."""
    model = load_cp_model().CpModel()
    at = [[model.new_bool_var(f"{i}.{h}") for h in range(count - 1)] for i in range(count)]
    for row in at:
        model.add_bool_or(row)
    for hole in range(count - 1):
        for i in range(count):
            for k in range(i):
                model.add_bool_or([~at[i][hole], ~at[k][hole]])
    return model


#: So that the pigeons stay hard: no presolve that sees through them.
PLAIN = {"cp_model_presolve": False, "symmetry_level": 0, "linearization_level": 0}


def test_optimum_bound_and_values(capfd):
    model, x, y = small_model()
    solutions, bounds = [], []
    answer = solve_cp_model(
        model,
        on_solution=lambda value_of: solutions.append((value_of(x), value_of(y))),
        on_bound=bounds.append,
    )
    assert (answer.status, answer.value, answer.bound, answer.stopped_by) == ("optimal", 5, 5.0, "")
    assert (answer.value_of(x), answer.value_of(y)) == (2, 3)
    assert solutions[-1] == (2, 3)
    assert bounds == sorted(bounds)
    assert all(2 * x + 3 * y >= 13 for x, y in solutions)
    assert capfd.readouterr().out == ""


def test_a_negated_literal_has_the_other_value():
    model = load_cp_model().CpModel()
    yes = model.new_bool_var("yes")
    model.add_bool_or([yes])
    answer = solve_cp_model(model)
    assert (answer.value_of(yes), answer.value_of(~yes)) == (1, 0)


def test_infeasible_and_no_objective():
    model, x, y = small_model()
    model.add(x + y <= 4)
    answer = solve_cp_model(model)
    assert (answer.status, answer.value, answer.bound) == ("infeasible", None, float("inf"))
    assert answer.value_of is None
    model = load_cp_model().CpModel()
    model.add(model.new_int_var(0, 3, "x") >= 2)
    answer = solve_cp_model(model)
    assert (answer.status, answer.value, answer.bound) == ("optimal", None, float("-inf"))


def test_an_invalid_model_is_an_error():
    model = load_cp_model().CpModel()
    model.add(model.new_int_var(-(2**62), 2**62, "x") * 8 <= 3)
    with pytest.raises(ValueError, match="invalid"):
        solve_cp_model(model)


def test_a_deterministic_limit_is_no_proof_and_repeats():
    limits = CpSatLimits(deterministic_limit=0.05, seed=3)
    first, second = (solve_cp_model(pigeons(), limits, **PLAIN) for _ in range(2))
    for answer in (first, second):
        assert (answer.status, answer.stopped_by) == ("unknown", "deterministic limit")
        assert (answer.value, answer.bound, answer.value_of) == (None, float("-inf"), None)
    assert (first.branches, first.conflicts) == (second.branches, second.conflicts)


def test_a_time_limit_is_no_proof():
    answer = solve_cp_model(pigeons(), CpSatLimits(time_limit_s=0.0), **PLAIN)
    assert (answer.status, answer.stopped_by) == ("unknown", "time limit")


def test_a_flag_stops_it():
    answer = solve_cp_model(pigeons(), should_stop=lambda: True, **PLAIN)
    assert (answer.status, answer.stopped_by) == ("unknown", "interrupt")


def test_ctrl_c_stops_it_and_leaves_no_thread():
    threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
    answer = solve_cp_model(pigeons(), **PLAIN)
    assert (answer.status, answer.stopped_by) == ("unknown", "interrupt")
    assert not [thread for thread in threading.enumerate() if thread.name == "cp-sat"]


def test_an_error_in_a_callback_comes_through_and_leaves_no_thread():
    def fail(_):
        raise RuntimeError("in the callback")

    with pytest.raises(RuntimeError, match="in the callback"):
        solve_cp_model(small_model()[0], on_solution=fail)
    assert not [thread for thread in threading.enumerate() if thread.name == "cp-sat"]


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        ({}, "not installed.*pip install 'ortools>=9.15'"),
        ({"ortools": "9.10.4"}, "needs ortools 9.15 or newer and found 9.10.4"),
        ({"ortools": "9.15.1", "highspy": "1.15.0"}, "highspy 1.16.*found 1.15.0, which clashes"),
    ],
)
def test_what_is_missing_is_said_with_the_remedy(versions, said, monkeypatch):
    def version(package):
        if package not in versions:
            raise importlib.metadata.PackageNotFoundError(package)
        return versions[package]

    monkeypatch.setattr(importlib.metadata, "version", version)
    with pytest.raises(SolverMissingError, match=said) as caught:
        load_cp_model()
    assert caught.value.exit_code == 3


def test_an_ortools_that_cannot_be_loaded_is_said(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ortools.sat.python", None)
    with pytest.raises(SolverMissingError, match="cannot be loaded"):
        load_cp_model()


@pytest.mark.parametrize(
    ("gpus", "lengths", "least"),
    [
        # Found among random ones; the least busiest loads are by enumeration.
        (
            [1, 2, 2, 3, 1],
            [541377933, 654196320, 2291928876, 2413006840, 2689424620],
            5643809393,
        ),
        ([2, 1, 3, 1], [3226909235, 453015441, 2619709408, 2290300507], 5846618643),
        ([1, 2, 1, 3], [1809787710, 6363066789, 3632626010, 5374388673], 11737455462),
    ],
)
def test_numbers_beyond_32_bits_lead_to_no_false_proof(gpus, lengths, least):
    model = load_cp_model().CpModel()
    busiest = model.new_int_var(max(lengths), sum(lengths), "busiest")
    given = [[model.new_bool_var(f"x{job}{gpu}") for gpu in range(3)] for job in range(len(gpus))]
    for wanted, row in zip(gpus, given, strict=True):
        model.add(sum(row) == wanted)
    for gpu in range(3):
        load = sum(length * row[gpu] for length, row in zip(lengths, given, strict=True))
        model.add(load <= busiest)
    # GPUs are alike, so one job may be placed.
    largest = max(range(len(gpus)), key=lambda job: gpus[job] * lengths[job])
    for gpu, literal in enumerate(given[largest]):
        model.add(literal == int(gpu < gpus[largest]))
    model.minimize(busiest)
    answer = solve_cp_model(model)
    assert (answer.status, answer.value, answer.bound) == ("optimal", least, least)
