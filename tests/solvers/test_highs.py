"""The adapter over HiGHS: what it says is true, and standard output stays clean."""

import numpy as np
import pytest

from optsched.solvers import HighsModel, quiet_highs


def test_nothing_is_printed(capfd):
    model = HighsModel()
    x = model.add_variable(cost=1.0)
    model.add_row({x: 1.0}, lower=2.0)
    assert model.minimise().value == 2.0
    assert capfd.readouterr().out == ""


def test_infeasible_and_unbounded():
    model = HighsModel()
    x = model.add_variable(cost=1.0, upper=1.0)
    model.add_row({x: 1.0}, lower=2.0)
    found = model.minimise()
    assert (found.status, found.value, found.bound) == ("infeasible", None, float("inf"))
    model = HighsModel()
    model.add_variable(cost=-1.0)
    found = model.minimise()
    assert found.status in ("unbounded", "limit") and found.bound == float("-inf")


def test_integers_and_duals():
    # 2x ≥ 3: 1.5 as a linear program, 2 in whole numbers.
    linear, whole = HighsModel(), HighsModel()
    linear.add_row({linear.add_variable(cost=1.0): 2.0}, lower=3.0)
    whole.add_row({whole.add_variable(cost=1.0, is_integer=True): 2.0}, lower=3.0)
    found = linear.minimise()
    assert (found.status, found.value, found.bound) == ("optimal", 1.5, 1.5)
    assert found.duals.tolist() == [0.5]
    found = whole.minimise()
    assert (found.status, found.value, found.values.tolist()) == ("optimal", 2.0, [2.0])
    assert found.bound <= 2.0 and found.bound > 1.5


def test_a_limit_is_no_proof():
    draw = np.random.default_rng(0)
    model = HighsModel()
    items = [model.add_variable(cost=-float(c), upper=1.0, is_integer=True) for c in range(50, 110)]
    for _ in range(30):
        row = {x: float(draw.integers(5, 60)) for x in items}
        model.add_row(row, upper=sum(row.values()) / 3)
    found = model.minimise(time_limit_s=0.0)
    assert found.status == "limit"
    assert found.value is None or found.bound <= found.value


def test_threads_stay_as_they_are():
    quiet_highs(threads=1)
    with pytest.raises(ValueError, match="already runs with 1 thread"):
        quiet_highs(threads=2)
    with pytest.raises(ValueError, match="at least one thread"):
        HighsModel(threads=0)


def test_many_models_in_one_process():
    for number in range(1, 50):
        model = HighsModel()
        model.add_row({model.add_variable(cost=1.0): 1.0}, lower=float(number))
        assert model.minimise().value == number
