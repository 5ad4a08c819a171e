"""The dense dual simplex against scipy, and bounds that hold even if it is cut short."""

import sys

import numpy as np
import pytest
from scipy.optimize import linprog

from optsched.solvers import dual_simplex
from optsched.solvers.dual_simplex import cover


def program(seed):
    draw = np.random.default_rng(seed)
    count, variables = draw.integers(1, 12), draw.integers(1, 10)
    rows = draw.random((count, variables)) * (draw.random((count, variables)) < 0.5)
    rows -= 0.2 * draw.random((count, variables)) * (draw.random((count, variables)) < 0.3)
    rows[:, 0] += 0.1
    right = np.round(draw.random(count) * 10) * (draw.random(count) < 0.8)
    costs = draw.random(variables) * (draw.random(variables) < 0.8)
    return costs, rows, right


@pytest.mark.parametrize("seed", range(150))
def test_agrees_with_scipy(seed):
    costs, rows, right = program(seed)
    duals, solution = np.zeros(len(right)), np.zeros(len(costs))
    value = cover(costs, rows, right, 1e6, duals, solution)
    other = linprog(costs, A_ub=-rows, b_ub=-right)
    if other.status == 2:
        assert value == np.inf
        return
    assert value == pytest.approx(other.fun, rel=1e-7, abs=1e-7)
    assert np.all(rows @ solution >= right - 1e-7) and np.all(duals >= 0)
    assert costs @ solution == pytest.approx(value, rel=1e-7, abs=1e-7)


def test_by_hand():
    duals, solution = np.zeros(2), np.zeros(2)
    rows = np.array([[1.0, 1.0], [1.0, 3.0]])
    value = cover(np.array([2.0, 3.0]), rows, np.array([4.0, 6.0]), 1e3, duals, solution)
    assert value == pytest.approx(9.0)
    assert solution.tolist() == pytest.approx([3.0, 1.0])
    assert duals.tolist() == pytest.approx([1.5, 0.5])


def test_no_solution():
    duals, solution = np.zeros(1), np.zeros(1)
    assert cover(np.ones(1), np.array([[-1.0]]), np.ones(1), 1e3, duals, solution) == np.inf


@pytest.mark.parametrize("pivots", [0, 1, 2, 3])
def test_cut_short_it_still_bounds(monkeypatch, pivots):
    module = sys.modules[dual_simplex.__name__]
    monkeypatch.setattr(module, "MOST_PIVOTS", pivots)
    plain = getattr(cover, "py_func", cover)
    for seed in range(30):
        costs, rows, right = program(seed)
        other = linprog(costs, A_ub=-rows, b_ub=-right)
        duals, solution = np.zeros(len(right)), np.zeros(len(costs))
        if other.status == 0:
            value = plain(costs, rows, right, 1e4, duals, solution)
            assert value <= other.fun + 1e-7


def test_degenerate_rows_do_not_cycle():
    rows = np.array([[0.25, -8.0, -1.0, 9.0], [0.5, -12.0, -0.5, 3.0], [0.0, 0.0, 1.0, 0.0]])
    costs = np.array([0.75, 20.0, 0.5, 6.0])
    duals, solution = np.zeros(3), np.zeros(4)
    value = cover(costs, rows, np.array([0.0, 0.0, 1.0]), 1e4, duals, solution)
    other = linprog(costs, A_ub=-rows, b_ub=-np.array([0.0, 0.0, 1.0]))
    assert value == pytest.approx(other.fun)
