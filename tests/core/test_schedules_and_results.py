"""Placements, schedules, objectives, classes and results."""

import numpy as np
import pytest

from optsched.core.errors import PolicyError, UnknownNameError
from optsched.core.jobs import Job, Jobs
from optsched.core.metrics import OBJECTIVES, checked_objective, objective_value
from optsched.core.placement import Placement
from optsched.core.result import (
    Bound,
    Preemption,
    ProblemClass,
    Provenance,
    Result,
    Status,
    Violation,
    violates,
)
from optsched.core.schedule import Schedule, Segment, schedule_sha256

ONE, TWO = Placement.of({0: 2}), Placement.of({0: 1, 1: 1})


def test_placements_are_sorted_and_equal_by_content():
    first, second = Placement.of({2: 1, 0: 2}), Placement.of([(0, 2), (2, 1)])
    assert first == second
    assert hash(first) == hash(second)
    assert first.pairs == ((0, 2), (2, 1))
    assert (first.gpus, first.is_spread, ONE.is_spread) == (3, True, False)
    servers, counts = Placement.of([(np.int64(1), np.int64(2))]).pairs[0]
    assert (type(servers), type(counts)) == (int, int)


@pytest.mark.parametrize(
    ("pairs", "text"),
    [([], "at least one server"), ({0: 0}, "at least 1 GPU"), ([(1, 1), (1, 2)], "once")],
)
def test_wrong_placements_are_refused(pairs, text):
    with pytest.raises(ValueError, match=text):
        Placement.of(pairs)


def test_segments_are_sorted_by_start_then_job_and_placements_shared():
    segments = [Segment(2, TWO, 5.0, 6.0), Segment(1, ONE, 0.0, 3.0), Segment(0, TWO, 0.0, 4.0)]
    schedule = Schedule.of(segments)
    assert list(schedule) == [segments[2], segments[1], segments[0]]
    assert schedule.segments == list(schedule)
    assert len(schedule.placements) == 2
    assert schedule.end_time_s == 6.0
    with pytest.raises(ValueError, match="read-only"):
        schedule.end_s[0] = 0.0


def test_an_empty_schedule_ends_at_once():
    assert (len(Schedule.of([])), Schedule.of([]).end_time_s) == (0, 0.0)


def test_the_hash_of_a_schedule_does_not_depend_on_its_columns():
    segments = [Segment(0, ONE, 0.0, 1.0), Segment(1, TWO, 1.0, 2.0)]
    schedule = Schedule.of(segments)
    other = Schedule.from_columns(
        job=np.array([1, 0]),
        placement=np.array([2, 1]),
        start_s=np.array([1.0, 0.0]),
        end_s=np.array([2.0, 1.0]),
        placements=(Placement.of({5: 1}), ONE, TWO),
    )
    assert schedule_sha256(schedule) == schedule_sha256(other)
    moved = [segments[0], Segment(1, ONE, 1.0, 2.0)]
    assert schedule_sha256(Schedule.of(moved)) != schedule_sha256(schedule)


def test_objectives():
    # Completions 4, 6, 12 with arrivals 0, 1, 2: JCT 4, 5, 10; weights 1, 1, 3: (4 + 5 + 30) / 5.
    jobs = Jobs.of([Job("a", 1, 1), Job("b", 1, 1, arrival_s=1.0),
                    Job("c", 1, 1, arrival_s=2.0, weight=3.0)])  # fmt: skip
    completion_s = np.array([4.0, 6.0, 12.0])
    values = [objective_value(objective, jobs, completion_s) for objective in OBJECTIVES]
    assert values == pytest.approx([12.0, 19 / 3, 7.8])


def test_unknown_objectives_are_refused_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match="did you mean 'makespan'"):
        checked_objective("makspan")


def test_classes_contain_each_other_in_order():
    def of(time="continuous", preemption=Preemption.NONE, model="ring", exclusive=True):
        return ProblemClass(time, preemption, model, exclusive)

    assert of().contains(of())
    assert of().contains(of("slotted"))
    assert not of("slotted").contains(of())
    assert of(preemption=Preemption.MIGRATE).contains(of(preemption=Preemption.PREEMPT))
    assert of(preemption=Preemption.PREEMPT).contains(of())
    assert not of().contains(of(preemption=Preemption.PREEMPT))
    assert not of(preemption=Preemption.PREEMPT).contains(of(preemption=Preemption.MIGRATE))
    assert not of().contains(of(model="fixed"))
    assert of(exclusive=False).contains(of())
    assert not of().contains(of(exclusive=False))
    assert str(of("slotted", Preemption.MIGRATE)) == "slotted, preemptive with migration"


def result(value, bound_value, status=Status.FEASIBLE, scope="all"):
    its_class = ProblemClass("continuous", Preemption.NONE, "ring")
    bound = None if bound_value is None else Bound("makespan", bound_value, "area", its_class)
    return Result(
        status, "makespan", value, None, None, bound, scope, 1.25, Provenance("list-scheduling")
    )


@pytest.mark.parametrize(
    ("value", "bound", "gap"),
    [
        (21.0, 20.0, 0.05),
        (20.0, 20.0, 0.0),
        (None, 20.0, None),
        (21.0, None, None),
        (1.0, 0.0, None),
    ],
)
def test_gap(value, bound, gap):
    assert result(value, bound).gap == (None if gap is None else pytest.approx(gap))


def test_a_summary_names_value_bound_and_gap():
    assert result(21.0, 20.0).summary().splitlines() == [
        "method     list-scheduling",
        "status     feasible",
        "makespan   21 s",
        "bound      20 s (area)",
        "gap        5.00%",
        "runtime    1.25 s",
    ]


def test_a_summary_says_over_which_schedules_a_proof_holds():
    text = result(21.0, 21.0, Status.OPTIMAL, "event-aligned").summary()
    assert "status     optimal over event-aligned schedules" in text
    assert "status     optimal\n" in result(21.0, 21.0, Status.OPTIMAL).summary()


def test_a_bound_is_violated_only_beyond_rounding():
    assert violates(99.9, 100.0)
    assert not violates(100.0, 100.0)
    assert not violates(100.0 - 1e-8, 100.0)
    assert violates(100.0 - 1e-6, 100.0)


def test_messages_name_the_rule_and_the_place():
    assert str(Violation("capacity", "s0 is full")) == "capacity: s0 is full"
    error = PolicyError("needs 3 free GPUs", job="a", server="s0", time_s=4.5)
    assert (error.job, error.server, error.time_s) == ("a", "s0", 4.5)
    assert str(PolicyError("has no such timer", time_s=2.0)) == "at 2 s: has no such timer"
