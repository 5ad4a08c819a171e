"""Cycles of arrivals: by hand, and against samples of known cycles."""

import numpy as np
import pytest

from optsched.contention.calibration import Estimate
from optsched.generate.arrival_cycle import FLAT_DAYS, FLAT_HOURS, ArrivalCycle, fit_arrivals


def exactly(values):
    return tuple(Estimate(float(value), float(value), float(value)) for value in values)


def office(start_s=0.0, rate_per_s=0.01):
    """Twice the rate from noon on; nothing on Sundays."""
    hours = [2 / 3] * 12 + [4 / 3] * 12
    days = [7 / 6] * 6 + [0.0]
    (rate,) = exactly([rate_per_s])
    return ArrivalCycle(rate, exactly(hours), exactly(days), start_s)


def drawn(cycle, count, seed):
    gaps = np.random.default_rng(seed).exponential(size=count)
    gaps[0] = 0.0
    return cycle.times_s(np.cumsum(gaps) / cycle.rate_per_s.value)


def test_amounts_by_hand():
    cycle = office()
    hour = 3600.0
    assert cycle.amounts(np.array([12 * hour]))[0] == pytest.approx(12 * hour * 7 / 6 * 2 / 3)
    assert cycle.amounts(np.array([24 * hour]))[0] == pytest.approx(24 * hour * 7 / 6)
    # A week is worth a week, and its last day nothing.
    assert cycle.amounts(np.array([7 * 24 * hour]))[0] == pytest.approx(7 * 24 * hour)
    assert cycle.amounts(np.array([6 * 24 * hour]))[0] == pytest.approx(7 * 24 * hour)
    later = office(start_s=12 * hour)
    assert later.amounts(np.array([hour]))[0] == pytest.approx(hour * 7 / 6 * 4 / 3)


@pytest.mark.parametrize("start_s", [0.0, 1000.0, 300_000.0, 6 * 86_400.0 + 5.0, 604_799.0])
def test_times_undo_amounts(start_s):
    cycle = office(start_s)
    amounts = np.linspace(0.0, 3e6, 1001)
    times = cycle.times_s(amounts)
    assert (np.diff(times) >= 0).all()
    np.testing.assert_allclose(cycle.amounts(times), amounts, rtol=1e-9, atol=1e-4)


def test_no_arrival_falls_on_a_sunday():
    cycle = office(start_s=123_456.0)
    times = drawn(cycle, 50_000, seed=1)
    days = ((times[1:] + cycle.start_s) // 86_400 % 7).astype(int)
    assert set(days) == set(range(6))


def test_a_cycle_is_found_in_its_own_sample():
    cycle = office(start_s=200_000.0)
    found = fit_arrivals(drawn(cycle, 40_000, seed=2), start_s=200_000.0, confidence=0.9999)
    for one, true in zip(
        (found.rate_per_s, *found.hours, *found.weekdays),
        (cycle.rate_per_s, *cycle.hours, *cycle.weekdays),
        strict=True,
    ):
        assert one.low <= true.value <= one.high
        assert one.low <= one.value <= one.high
    assert np.mean([one.value for one in found.hours]) == pytest.approx(1.0)
    assert np.mean([one.value for one in found.weekdays]) == pytest.approx(1.0)
    # Twice the rate from noon on.
    assert found.hours[18].value / found.hours[6].value == pytest.approx(2.0, rel=0.1)


def test_intervals_hold_the_truth_as_often_as_they_say():
    # Five weeks.
    cycle = office(rate_per_s=0.001)
    hits = trials = 0
    for seed in range(40):
        found = fit_arrivals(drawn(cycle, 3000, seed), start_s=0.0, confidence=0.9)
        pairs = zip(
            (found.rate_per_s, *found.hours, *found.weekdays[:6]),
            (cycle.rate_per_s, *cycle.hours, *cycle.weekdays[:6]),
            strict=True,
        )
        for one, true in pairs:
            hits += one.low <= true.value <= one.high
            trials += 1
    # 1,240 intervals, 1,116 expected, a standard deviation of 10.6 if they were independent.
    assert trials == 1240
    assert 1060 < hits < 1172


def test_a_short_sample_has_no_cycle():
    one_day = fit_arrivals(np.arange(0.0, 86_400.0, 100.0), start_s=0.0)
    assert (one_day.hours, one_day.weekdays) == (FLAT_HOURS, FLAT_DAYS)
    one_week = fit_arrivals(np.arange(0.0, 604_800.0, 100.0), start_s=0.0)
    assert one_week.weekdays == FLAT_DAYS
    assert all(one.value == pytest.approx(1.0, abs=0.01) for one in one_week.hours)
    assert one_week.rate_per_s.value == pytest.approx(0.01)
