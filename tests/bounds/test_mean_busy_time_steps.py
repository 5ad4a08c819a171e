"""The exact steps inside the mean-busy-time bound."""

import itertools
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from optsched.bounds.mean_busy_time import _smith_order, _sum_of_quotients, _with_releases


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12))
def test_order_is_repaired_even_if_doubles_tell_nothing(rows):
    """Works so large that doubles cannot tell them apart."""
    weight = [w for w, _ in rows]
    work = [10**18 + extra if w % 2 else extra for w, extra in rows]
    order = _smith_order(
        weight, work, np.array(weight, dtype=np.float64), np.array(work, dtype=np.float64)
    )
    assert sorted(order) == list(range(len(rows)))
    for before, after in itertools.pairwise(order):
        assert weight[before] * work[after] >= weight[after] * work[before]


def test_jobs_without_work_come_first():
    order = _smith_order([0, 3, 2], [5, 4, 0], np.array([0.0, 3, 2]), np.array([5.0, 4, 0]))
    assert order == [2, 1, 0]


def test_quotients_of_many_denominators_are_rounded_down():
    count = 1000
    weight, work = [3] * count, [7 + 2 * job for job in range(count)]
    moment = {job: 10**6 + job for job in range(count)}
    exact = sum(Fraction(3 * moment[job], work[job]) for job in range(count))
    found = _sum_of_quotients(moment, weight, work)
    assert exact - Fraction(count, 2**64) <= found <= exact


def test_smith_rule_with_preemption():
    # Ranks 1, 0: the second job arrives at 3, is urgent, takes 2; the first of 4 runs 0-3 and 5-6.
    # 2 w M: first 6 · (3·3 + 1·11)/4 = 30, second 9 · (3 + 5) = 72.
    doubled, preempted = _with_releases([1, 0], [6, 9], [4, 2], [0, 3])
    assert (doubled, preempted) == (102, 1)
