"""The search for the load cap, traced by hand."""

from itertools import pairwise

import pytest

from optsched.planners.load_cap import caps_to_sweep, search_cap


def trace(makespans, *, mode, horizon_s=16.0, slot_s=1.0):
    """Return the caps that were tried, given the makespan under each (None: too tight)."""
    trials = search_cap(makespans.get, horizon_s=horizon_s, slot_s=slot_s, mode=mode)
    assert [trial.makespan_s for trial in trials] == [makespans.get(t.cap_s) for t in trials]
    return [trial.cap_s for trial in trials]


def test_bisection_goes_down_on_a_strict_improvement_and_up_otherwise():
    # Between 1 and 16: 8 gives 12 < 16, down; 4 gives none, up; 6 gives 12 again, which is no
    # improvement, up; 7 gives 11, down; 7..6 is empty.
    assert trace({8: 12.0, 6: 12.0, 7: 11.0, 5: 9.0}, mode="bisect") == [8, 4, 6, 7]


def test_a_makespan_of_the_horizon_or_more_counts_as_none():
    # 8 gives 16, up; 12 gives 17, up; 14 gives 15.5, down; 13 none, up.
    assert trace({8: 16.0, 12: 17.0, 14: 15.5}, mode="bisect") == [8, 12, 14, 13]


def test_the_search_that_asks_for_a_schedule_only_goes_down_whenever_there_is_one():
    assert trace({8: 16.0, 4: 20.0, 3: 12.0}, mode="feasible") == [8, 4, 2, 3]
    assert trace({8: 12.0, 6: 12.0, 7: 11.0}, mode="feasible") == [8, 4, 6, 5]


def test_without_any_schedule_the_search_ends_at_the_horizon():
    assert trace({}, mode="bisect") == [8, 12, 14, 15, 16]
    assert trace({}, mode="feasible") == [8, 12, 14, 15, 16]
    # 16.4 s are 16 whole slots; the horizon itself comes last.
    assert trace({16.4: 16.0}, mode="bisect", horizon_s=16.4) == [8, 12, 14, 15, 16, 16.4]


def test_a_horizon_shorter_than_a_slot():
    assert trace({}, mode="bisect", horizon_s=0.3) == [1.0, 0.3]


@pytest.mark.parametrize("mode", ["bisect", "feasible"])
@pytest.mark.parametrize("feasible_from", [0.0, 0.317, 0.9994, 2.0])
def test_continuous_time_is_searched_to_a_thousandth(mode, feasible_from):
    trials = search_cap(
        lambda cap_s: cap_s / 2 if cap_s >= feasible_from else None,
        horizon_s=2.0,
        slot_s=None,
        mode=mode,
    )
    found = [trial.cap_s for trial in trials if trial.makespan_s is not None]
    assert min(found) == pytest.approx(feasible_from, abs=2.0 * 1.01e-3)
    assert min(found) >= feasible_from
    assert len(trials) <= 11


def test_the_sweep_goes_from_the_horizon_to_a_hundredth_of_it():
    caps = trace({}, mode="sweep", horizon_s=100.0, slot_s=None)
    assert (len(caps), caps[0]) == (24, 100.0)
    assert caps[-1] == pytest.approx(1.0)
    ratios = [after / before for before, after in pairwise(caps)]
    assert ratios == pytest.approx([ratios[0]] * 23)


def test_the_sweep_tries_each_whole_number_of_slots_once():
    caps = list(caps_to_sweep(20.0, 2.0))
    assert caps == sorted(set(caps), reverse=True)
    assert caps[0] == 20.0
    assert caps[-1] == 2.0
    assert all(cap % 2.0 == 0 for cap in caps)
