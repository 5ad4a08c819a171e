"""Limits: in nodes the same whatever the clock says, and what is known elsewhere cuts a search."""

import math

import pytest

from optsched.core.errors import LimitReachedError
from optsched.exact import branch_and_bound, brute_force, event_orders, limits
from optsched.generate.hand import waiting_pays
from optsched.generate.small import forced, tight

SEARCHES = {search.__name__: search for search in (branch_and_bound, event_orders, brute_force)}


@pytest.fixture(params=SEARCHES)
def search(request):
    return SEARCHES[request.param]


class Clock:
    """A clock whose hours differ in length."""

    def __init__(self, speed):
        self.speed, self.reads = speed, 0

    def monotonic(self):
        self.reads += 1
        return self.reads**self.speed


def test_without_a_time_limit_the_clock_decides_nothing(search, monkeypatch):
    instance = tight(jobs=10, servers=3, seed=0)
    seen = {}
    for speed in (1.0, 3.0):
        monkeypatch.setattr(limits, "time", Clock(speed))
        incumbents = []
        found = search(
            instance,
            objective="mean_jct",
            deterministic_limit=0.2,
            on_incumbent=lambda schedule, value, to=incumbents: to.append(value),
        )
        assert found.stopped_by == "deterministic limit" and not found.is_complete
        row = (found.value, found.nodes, tuple(incumbents), tuple(found.schedule.start_s.tolist()))
        seen[speed] = row
    assert seen[1.0] == seen[3.0] and len(seen[1.0][2]) >= 1


def test_a_larger_limit_goes_further(search):
    instance = tight(jobs=10, servers=3, seed=0)
    few, more = (
        search(instance, objective="mean_jct", below=1e9, deterministic_limit=units)
        for units in (0.02, 0.2)
    )
    assert few.nodes < more.nodes


def test_no_work_allowed_is_a_limit(search):
    with pytest.raises(LimitReachedError, match=r"no schedule of 'waiting-pays' within 0 units"):
        search(waiting_pays(), deterministic_limit=0.0)
    found = search(waiting_pays(), deterministic_limit=0.0, below=math.nextafter(math.inf, 0))
    assert found.schedule is None and found.stopped_by == "deterministic limit"


@pytest.mark.parametrize("search", [branch_and_bound, event_orders])
def test_what_is_known_elsewhere_need_not_be_found_again(search):
    instance = forced(jobs=5, servers=3, seed=0)
    best = search(instance)
    found = search(instance, known=lambda: best.value)
    assert found.is_complete and found.schedule is None
    # Something worse elsewhere does not keep it from its own.
    found = search(instance, known=lambda: 2 * best.value)
    assert found.is_complete and found.value == best.value
