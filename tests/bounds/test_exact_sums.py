import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from optsched.bounds.exact_sums import (
    exact_dot,
    exact_group_sums,
    exact_sum,
    round_down,
    scaled_integers,
)

doubles = st.floats(allow_nan=False, allow_infinity=False)
columns = st.lists(doubles, max_size=20)


@given(columns)
def test_sum_is_that_of_fractions(values):
    assert exact_sum(np.array(values, dtype=np.float64)) == sum(map(Fraction, values))


@given(st.lists(st.tuples(st.integers(0, 3), doubles), max_size=20))
def test_group_sums_are_those_of_fractions(rows):
    group = np.array([row[0] for row in rows], dtype=np.int64)
    values = np.array([row[1] for row in rows], dtype=np.float64)
    expected = [sum((Fraction(v) for g, v in rows if g == i), Fraction()) for i in range(4)]
    assert exact_group_sums(values, group, 4) == expected


@given(st.lists(st.tuples(doubles, doubles), max_size=20))
def test_dot_is_that_of_fractions(rows):
    left = np.array([row[0] for row in rows], dtype=np.float64)
    right = np.array([row[1] for row in rows], dtype=np.float64)
    assert exact_dot(left, right) == sum(Fraction(x) * Fraction(y) for x, y in rows)


@given(columns)
def test_scaled_integers_are_the_doubles(values):
    whole, exponent = scaled_integers(np.array(values, dtype=np.float64))
    assert [w * Fraction(2) ** exponent for w in whole] == [Fraction(v) for v in values]


@given(st.fractions())
def test_round_down_is_the_largest_double_below(exact):
    rounded = round_down(exact)
    assert Fraction(rounded) <= exact < Fraction(math.nextafter(rounded, math.inf))


def test_many_large_mantissas_do_not_overflow():
    values = np.full(200_000, 2.0**53 - 1)
    assert exact_sum(values) == 200_000 * (2**53 - 1)
