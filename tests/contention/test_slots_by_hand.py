"""Slots: what fits, how many are needed, and where the next one begins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsched.contention import iterations_per_slot, slots_needed
from optsched.contention.slots import at_slot_boundary


@pytest.mark.parametrize(
    ("slot_s", "time_s", "count"),
    [(1.0, 0.1, 10), (0.3, 0.1, 3), (1.0, 0.3, 3), (1.0, 1.0, 1), (1.0, 1.001, 0), (2.0, 0.7, 2)],
)
def test_iterations_per_slot(slot_s, time_s, count):
    assert iterations_per_slot(slot_s, time_s) == count


@pytest.mark.parametrize(
    ("iterations", "per_slot", "slots"),
    [(10, 3, 4), (9, 3, 3), (1, 0.4, 3), (1, 0.1, 10), (0.3, 0.1, 3), (2**53, 2, 2**52)],
)
def test_slots_needed(iterations, per_slot, slots):
    assert slots_needed(iterations, per_slot) == slots


@pytest.mark.parametrize(
    ("time_s", "slot_s", "slot"),
    [
        (0.0, 1.0, 0),
        (2.5, 1.0, 3),
        (0.1 + 0.2, 0.1, 3),
        (1.5e9, 1.0, 1_500_000_000),
        (1.5e9 + 0.5, 1.0, 1_500_000_001),
        (1.5e9 + 0.001, 1.0, 1_500_000_001),
        (1.5e9 + 0.001, 60.0, 25_000_001),
    ],
)
def test_next_boundary(time_s, slot_s, slot):
    assert at_slot_boundary(time_s, slot_s) == slot


@given(st.integers(0, 10**9), st.sampled_from([0.1, 0.3, 1.0, 7.0, 60.0]))
def test_a_boundary_is_its_own_next_boundary(slot, slot_s):
    assert at_slot_boundary(slot * slot_s, slot_s) == slot


@given(st.integers(0, 10**9), st.floats(0.01, 0.99), st.sampled_from([0.1, 0.3, 1.0, 60.0]))
def test_a_time_within_a_slot_goes_to_the_next(slot, share, slot_s):
    assert at_slot_boundary((slot + share) * slot_s, slot_s) == slot + 1
