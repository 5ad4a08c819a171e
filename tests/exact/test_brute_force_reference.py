"""Brute force against enumerations that share no code with it, and against the bounds."""

import pytest
from enumeration_reference import event_aligned_optimum, slotted_optimum
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import instances

from optsched.bounds import all_bounds
from optsched.contention import best_durations_s
from optsched.core.metrics import OBJECTIVES
from optsched.core.result import violates
from optsched.exact import brute_force
from optsched.judge import verify

objectives = st.sampled_from(OBJECTIVES)


def check_event_aligned(instance, objective):
    found = brute_force(instance, objective=objective)
    assert found.is_complete and found.scope == "event-aligned"
    assert found.value == pytest.approx(event_aligned_optimum(instance, objective), rel=1e-7)


def check_slotted(instance, objective):
    found = brute_force(instance, objective=objective, starts="slots")
    assert found.is_complete and found.scope == "all"
    assert found.value == pytest.approx(slotted_optimum(instance, objective), rel=1e-9)


def check_reductions(instance, objective, starts):
    """Neither symmetry nor pruning changes the optimum."""
    values = [
        brute_force(
            instance, objective=objective, starts=starts, symmetry=symmetry, pruning=pruning
        ).value
        for symmetry, pruning in ((True, True), (False, True), (True, False), (False, False))
    ]
    assert values == pytest.approx([values[0]] * 4, rel=1e-10)


def check_bounds(instance):
    """No bound of any objective exceeds the optimum, and the judge agrees with its value."""
    for objective in OBJECTIVES:
        starts = "slots" if instance.is_slotted else "events"
        found = brute_force(instance, objective=objective, starts=starts)
        judgement = verify(instance, found.schedule)
        assert judgement.is_valid, judgement.violations
        assert judgement.objectives[objective] == found.value
        for bound in all_bounds(instance, objective):
            assert bound.problem_class.contains(judgement.schedule_class)
            assert not violates(found.value, bound.value), bound


def small(instance):
    """Whether there are so few placements that even the plainest enumeration ends."""
    return instance.cluster.total_gpus <= 6 and len(instance.cluster.servers) <= 3


def few_slots(instance, most=24):
    """Whether one job after the other, each at its best, would end within so many slots."""
    horizon_s = best_durations_s(instance).sum() + instance.jobs.arrival_s.max()
    return horizon_s <= most * instance.slot_s


@settings(max_examples=60)
@given(instances(max_jobs=3, max_servers=3, slotted=False), objectives)
def test_event_aligned_optimum(instance, objective):
    assume(small(instance))
    check_event_aligned(instance, objective)


@settings(max_examples=40)
@given(instances(max_jobs=3, max_servers=3, slotted=True, model="ring"), objectives)
def test_slotted_optimum(instance, objective):
    assume(small(instance) and few_slots(instance))
    check_slotted(instance, objective)


@settings(max_examples=40)
@given(instances(max_jobs=3, max_servers=3, slotted=False), objectives)
def test_reductions_keep_the_optimum(instance, objective):
    assume(small(instance))
    check_reductions(instance, objective, "events")


@settings(max_examples=20)
@given(instances(max_jobs=2, max_servers=2, slotted=True), objectives)
def test_reductions_keep_the_slotted_optimum(instance, objective):
    assume(small(instance) and few_slots(instance, 12))
    check_reductions(instance, objective, "slots")


@settings(max_examples=80)
@given(instances(max_jobs=4, max_servers=3, slotted=False))
def test_bounds_hold_in_continuous_time(instance):
    assume(small(instance))
    check_bounds(instance)


@settings(max_examples=40)
@given(instances(max_jobs=3, max_servers=3, slotted=True))
def test_bounds_hold_in_slotted_time(instance):
    assume(small(instance) and few_slots(instance))
    check_bounds(instance)


@settings(max_examples=40)
@given(instances(max_jobs=3, max_servers=2, slotted=True), objectives)
def test_starts_at_slots_include_those_at_events(instance, objective):
    assume(small(instance) and few_slots(instance))
    aligned = brute_force(instance, objective=objective)
    at_slots = brute_force(instance, objective=objective, starts="slots")
    assert at_slots.value <= aligned.value


@pytest.mark.slow
@settings(max_examples=400)
@given(instances(max_jobs=3, max_servers=3), objectives)
def test_many_optima(instance, objective):
    assume(small(instance))
    if not instance.is_slotted:
        check_event_aligned(instance, objective)
    elif instance.rate_model.name == "ring":
        assume(few_slots(instance))
        check_slotted(instance, objective)


@pytest.mark.slow
@settings(max_examples=300)
@given(instances(max_jobs=4, max_servers=4, slotted=False), objectives)
def test_many_reductions(instance, objective):
    assume(instance.cluster.total_gpus <= 6)
    check_reductions(instance, objective, "events")


@pytest.mark.slow
@settings(max_examples=600)
@given(instances(max_jobs=5, max_servers=3))
def test_many_bounds(instance):
    assume(small(instance) and (not instance.is_slotted or few_slots(instance)))
    check_bounds(instance)
