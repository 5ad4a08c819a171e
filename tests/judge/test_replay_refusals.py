"""Decisions that cannot be replayed, and what the message says of them."""

import math

import pytest

from optsched.core.cluster import Cluster, Fabric
from optsched.core.errors import ScheduleError, StalledJobError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.schedule import Decision
from optsched.judge import replay

HERE = Placement.of({0: 1})


def instance(**options):
    jobs = [Job("a", 1, 10, compute_s=1.0), Job("b", 1, 10, compute_s=1.0)]
    return Instance("two", Cluster.uniform(2, 2), jobs, **options)


@pytest.mark.parametrize(
    ("decisions", "text"),
    [
        ([Decision(2, HERE, 0.0)], "expected a job from 0 to 1, got 2"),
        ([Decision(-1, HERE, 0.0)], "expected a job from 0 to 1, got -1"),
        ([Decision(0, Placement.of({2: 1}), 0.0)], "job 'a': expected servers from 0 to 1"),
        ([Decision(0, Placement.of({-1: 1}), 0.0)], "job 'a': expected servers from 0 to 1"),
        ([Decision(0, Placement((), ()), 0.0)], "job 'a': expected servers from 0 to 1"),
        ([Decision(0, HERE, -1.0)], "job 'a': expected a start of at least 0 s, got -1.0"),
        ([Decision(0, HERE, math.nan)], "expected a start of at least 0 s, got nan"),
        ([Decision(0, HERE, math.inf)], "expected a start of at least 0 s, got inf"),
        ([Decision(0, HERE, 3.0, 3.0)], "expected an end after its start at 3.0, got 3.0"),
        ([Decision(0, HERE, 3.0, 2.0)], "expected an end after its start at 3.0, got 2.0"),
        ([Decision(0, HERE, 3.0, math.nan)], "expected an end after its start at 3.0, got nan"),
        (
            [Decision(0, HERE, 0.0, 5.0), Decision(0, HERE, 4.0)],
            "job 'a' cannot start at 4.0 s: it already runs until 5.0 s",
        ),
        (
            [Decision(0, HERE, 0.0), Decision(0, HERE, 20.0)],
            "job 'a' cannot start at 20.0 s: it runs to its completion from an earlier start",
        ),
        (
            [Decision(0, HERE, 0.0, 15.0), Decision(0, HERE, 20.0)],
            "job 'a' cannot start at 20 s: it completed at 10 s",
        ),
    ],
)
def test_refused(decisions, text):
    with pytest.raises(ScheduleError) as caught:
        replay(instance(), decisions)
    assert text in str(caught.value)


def test_all_problems_are_listed_at_once():
    with pytest.raises(ScheduleError) as caught:
        replay(instance(), [Decision(7, HERE, 0.0), Decision(0, HERE, -2.0), Decision(1, HERE, 0)])
    text = str(caught.value)
    assert "2 problems" in text
    assert "decision 0:" in text
    assert "decision 1:" in text


def test_of_very_many_problems_only_the_first_are_listed():
    with pytest.raises(ScheduleError) as caught:
        replay(instance(), [Decision(7, HERE, 0.0)] * 50)
    assert len(str(caught.value).splitlines()) == 22
    assert str(caught.value).endswith("and 30 more")


@pytest.mark.parametrize(
    ("decision", "text"),
    [
        (Decision(0, HERE, 0.5), "job 'a': expected a start at a multiple of 1 s, got 0.5"),
        (Decision(0, HERE, 0.0, 1.5), "expected a preemption at a multiple of 1 s, got 1.5"),
    ],
)
def test_in_slotted_time_starts_and_preemptions_are_between_slots(decision, text):
    with pytest.raises(ScheduleError) as caught:
        replay(instance(slot_s=1.0), [decision])
    assert text in str(caught.value)


def test_slot_boundaries_that_are_no_floats_are_recognised():
    tenth = Instance("tenth", Cluster.uniform(1, 1), [Job("a", 1, 10, compute_s=0.1)], slot_s=0.1)
    assert replay(tenth, [Decision(0, HERE, 0.1 + 0.2)]).end_s.tolist() == [pytest.approx(1.3)]


def test_a_job_that_completes_nothing_in_a_slot_is_stalled():
    with pytest.raises(StalledJobError, match=r"job 'a'.*slot of 0\.5 s"):
        replay(instance(slot_s=0.5), [Decision(0, HERE, 0.0)])


def test_a_job_can_be_stalled_by_contention():
    # τ = 0.6 p: one iteration a slot alone, none with another.
    jobs = [Job(name, 2, 3, gradient_bytes=0.6e9) for name in "ab"]
    fabric = Fabric(inter_bytes_per_s=1e9)
    pair = Instance("pair", Cluster.uniform(3, 2, fabric=fabric), jobs, slot_s=1.0)
    first, second = Placement.of({0: 1, 1: 1}), Placement.of({1: 1, 2: 1})
    assert replay(pair, [Decision(0, first, 0.0), Decision(1, second, 3.0)]).end_time_s == 6.0
    with pytest.raises(StalledJobError):
        replay(pair, [Decision(0, first, 0.0), Decision(1, second, 2.0)])


@pytest.mark.parametrize("slot_s", [None, 1.0])
def test_a_job_that_takes_no_time_is_refused(slot_s):
    nothing = Instance("nothing", Cluster.uniform(1, 1), [Job("a", 1, 10)], slot_s=slot_s)
    with pytest.raises(ScheduleError, match="job 'a' takes no time"):
        replay(nothing, [Decision(0, HERE, 0.0)])
