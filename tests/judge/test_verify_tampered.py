"""Schedules that were valid until somebody changed them: each change is named by its rule."""

import math
from dataclasses import replace

import numpy as np
import pytest

from optsched.core.cluster import Cluster, Fabric
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.schedule import Schedule, Segment
from optsched.judge import verify

A, B, C = 0, 1, 2
LEFT, RIGHT = Placement.of({0: 2, 1: 1}), Placement.of({1: 1, 2: 2})
LAST = Placement.of({3: 1})


def continuous():
    """Return waiting-pays, beside a job on a server of its own that is preempted once."""
    fabric = Fabric(inter_bytes_per_s=1e9, degradation=0.5)
    jobs = [Job(name, 3, 10, gradient_bytes=750e6, compute_s=0.05) for name in "ab"]
    jobs.append(Job("c", 1, 5, compute_s=1.0, arrival_s=2.0))
    return Instance("four", Cluster.uniform(4, 2, fabric=fabric), jobs, restart_s=1.0)


def valid():
    # c: 2 of its 5 iterations by 4, back at 6, ready at 7, done at 10.
    return [
        Segment(A, LEFT, 0.0, 10.5),
        Segment(B, RIGHT, 10.5, 21.0),
        Segment(C, LAST, 2.0, 4.0),
        Segment(C, LAST, 6.0, 10.0),
    ]


def changed(row, **changes):
    """Return the valid schedule with one segment changed."""
    segments = valid()
    segments[row] = replace(segments[row], **changes)
    return segments


def raw(servers, counts):
    """Return a placement that no constructor would make."""
    return Placement(tuple(servers), tuple(counts))


#: rule, job, server, time, words of the message, segments.
TAMPERED = {
    "unknown job": ("known-job", "#3", "s0", 0.0, "jobs 0 to 2", changed(0, job=3)),
    "negative job": ("known-job", "#-1", "s0", 0.0, "jobs 0 to 2", changed(0, job=-1)),
    "unknown server": (
        *("known-server", "c", "#4", 2.0, "servers 0 to 3"),
        changed(2, placement=Placement.of({4: 1})),
    ),
    "negative server": (
        *("known-server", "c", "#-1", 2.0, "servers 0 to 3"),
        changed(2, placement=raw([-1], [1])),
    ),
    "no server at all": (
        *("known-server", "c", None, 2.0, "no server"),
        changed(2, placement=raw([], [])),
    ),
    "start is no number": ("finite-times", "a", "s0", 10.5, "nan s", changed(0, start_s=math.nan)),
    "end is no number": ("finite-times", "a", "s0", 0.0, "nan s", changed(0, end_s=math.nan)),
    "never ends": ("finite-times", "b", "s1", 10.5, "inf s", changed(1, end_s=math.inf)),
    "no length": ("positive-length", "b", "s1", 10.5, "10.5 s", changed(1, end_s=10.5)),
    "ends before its start": ("positive-length", "b", "s1", 10.5, "to 9 s", changed(1, end_s=9.0)),
    "a GPU too few": (
        *("gang", "a", "s0", 0.0, "3 GPUs at once, got 2"),
        changed(0, placement=Placement.of({0: 1, 1: 1})),
    ),
    "a GPU too many": (
        *("gang", "a", "s0", 0.0, "3 GPUs at once, got 4"),
        changed(0, placement=Placement.of({0: 2, 1: 2})),
    ),
    "a server named twice": (
        *("gang", "a", "s0", 0.0, "each server once"),
        changed(0, placement=raw([0, 0], [2, 1])),
    ),
    "servers out of order": (
        *("gang", "a", "s1", 0.0, "in order"),
        changed(0, placement=raw([1, 0], [1, 2])),
    ),
    "a server without GPUs taken": (
        *("gang", "a", "s0", 0.0, "1 GPU or more"),
        changed(0, placement=raw([0, 1, 2], [2, 1, 0])),
    ),
    "GPUs taken negatively": (
        *("gang", "a", "s0", 0.0, "1 GPU or more"),
        changed(0, placement=raw([0, 1], [4, -1])),
    ),
    "two jobs exchanged": (
        *("gang", "c", "s0", 0.0, "1 GPU at once, got 3"),
        [replace(valid()[0], job=C), *valid()[1:2], replace(valid()[2], job=A), valid()[3]],
    ),
    "a server too full": (
        *("capacity", "c", "s0", 2.0, "at most 2 GPUs held, got up to 3"),
        changed(2, placement=Placement.of({0: 1})),
    ),
    "a server too full for a millisecond": (
        *("capacity", "c", "s0", 10.499, "(1 too many) from 10.499 s to 10.5 s"),
        changed(3, placement=Placement.of({0: 1}), start_s=10.499, end_s=14.499),
    ),
    "twice the same segment": (
        *("no-self-overlap", "a", "s0", 0.0, "lasts until 10.5 s"),
        [*valid(), valid()[0]],
    ),
    "beside itself": ("no-self-overlap", "c", "s3", 3.0, "until 4 s", changed(3, start_s=3.0)),
    "before its arrival": ("arrival", "c", "s3", 1.5, "arrival at 2 s", changed(2, start_s=1.5)),
    "before time began": ("arrival", "a", "s0", -1.0, "got -1 s", changed(0, start_s=-1.0)),
    "a job left out": ("missing-job", "b", None, 0.0, "got none", valid()[:1] + valid()[2:]),
    "nothing at all": ("empty-schedule", None, None, None, "3 jobs", []),
    "ends too early": ("complete", "b", "s1", 20.79, "9.8 (0.2 short)", changed(1, end_s=20.79)),
    "starts too late": ("complete", "b", "s1", 21.0, "10 iterations", changed(1, start_s=10.71)),
    "never resumed": ("complete", "c", "s3", 4.0, "got 2 (3 short)", valid()[:3]),
    "restart not paid": ("complete", "c", "s3", 9.0, "4 (1 short)", changed(3, end_s=9.0)),
    "moved without a restart": (
        *("complete", "c", "s2", 7.0, "4 (1 short)"),
        changed(3, placement=Placement.of({2: 1}), start_s=4.0, end_s=7.0),
    ),
    "contention not paid": (
        *("complete", "b", "s1", 10.5, "10 iterations by its last end at 10.5 s"),
        changed(1, start_s=0.0, end_s=10.5),
    ),
    "held too long": (
        *("held-past-completion", "b", "s1", 21.0, "until 22 s, 1 s too long"),
        changed(1, end_s=22.0),
    ),
    "held once more": (
        *("held-past-completion", "c", "s3", 12.0, "completion at 10 s"),
        [*valid(), Segment(C, LAST, 12.0, 13.0)],
    ),
    "held once more, no longer than a restart": (
        *("held-past-completion", "c", "s3", 10.5, "completion at 10 s"),
        [*valid(), Segment(C, LAST, 10.5, 10.6)],
    ),
}


def assert_found(judgement, rule, job, server, time_s, words):
    found = [violation for violation in judgement.violations if violation.rule == rule]
    assert found, f"{rule} not among {[str(violation) for violation in judgement.violations]}"
    matching = [violation for violation in found if violation.job == job]
    assert matching, found
    violation = matching[0]
    assert violation.server == server
    if time_s is None:
        assert violation.time_s is None
    else:
        assert violation.time_s == pytest.approx(time_s)
    assert words in violation.message
    if job is not None:
        assert repr(job) in violation.message
    assert not judgement.is_valid
    assert judgement.objectives == {}
    assert judgement.metrics == {}
    assert judgement.records is None


def test_the_schedule_before_any_change_is_valid():
    judgement = verify(continuous(), Schedule.of(valid()))
    assert judgement.violations == ()
    assert judgement.records.completion_s.tolist() == [10.5, 21.0, 10.0]


@pytest.mark.parametrize("change", TAMPERED)
def test_tampered(change):
    *expected, segments = TAMPERED[change]
    assert_found(verify(continuous(), Schedule.of(segments)), *expected)


def test_a_placement_that_does_not_exist():
    columns = {"job": [0], "placement": [1], "start_s": [0.0], "end_s": [10.5]}
    arrays = {name: np.array(column) for name, column in columns.items()}
    judgement = verify(continuous(), Schedule.from_columns(**arrays, placements=(LEFT,)))
    assert_found(judgement, "known-server", "a", None, 0.0, "no placement")


def slotted():
    # τ = 0.3: 3 iterations a slot, 10 take 4 slots. d arrives within slot 2.
    jobs = [Job("d", 1, 10, compute_s=0.3, arrival_s=2.5), Job("e", 1, 10, compute_s=0.3)]
    return Instance("slots", Cluster.uniform(2, 1), jobs, slot_s=1.0)


SLOTTED = [Segment(0, Placement.of({0: 1}), 3.0, 7.0), Segment(1, Placement.of({1: 1}), 0.0, 4.0)]


@pytest.mark.parametrize(
    ("start_s", "end_s", "rule", "time_s", "words"),
    [
        (3.5, 8.0, "slot-boundary", 3.5, "expected a start at a multiple of 1 s, got 3.5 s"),
        (3.0, 6.4, "slot-boundary", 6.4, "expected an end at a multiple of 1 s, got 6.4 s"),
        (3.0, 6.4, "complete", 6.4, "9 (1 short)"),
        (3.0, 6.0, "complete", 6.0, "9 (1 short)"),
        (3.0, 8.0, "held-past-completion", 7.0, "completion at 7 s"),
        (3.0, 7.25, "held-past-completion", 7.0, "0.25 s too long"),
        (2.0, 6.0, "arrival", 2.0, "arrival at 2.5 s, so with the slot at 3 s"),
    ],
)
def test_tampered_in_slotted_time(start_s, end_s, rule, time_s, words):
    assert verify(slotted(), Schedule.of(SLOTTED)).violations == ()
    segments = [replace(SLOTTED[0], start_s=start_s, end_s=end_s), SLOTTED[1]]
    assert_found(verify(slotted(), Schedule.of(segments)), rule, "d", "s0", time_s, words)


def test_a_segment_that_holds_no_whole_slot_does_nothing():
    sliver = replace(SLOTTED[0], end_s=3.0 + 1e-8)
    judgement = verify(slotted(), Schedule.of([sliver, SLOTTED[1]]))
    assert_found(judgement, "complete", "d", "s0", 3.0, "0 (10 short)")


def test_stalled():
    too_short = slotted().changed(slot_s=0.25)
    judgement = verify(too_short, Schedule.of(SLOTTED))
    words = "at least one iteration in a slot of 0.25 s, got none from 3 s on"
    assert_found(judgement, "stalled", "d", "s0", 3.0, words)
    assert_found(judgement, "stalled", "e", "s1", 0.0, "one takes 0.3 s")
    assert_found(judgement, "complete", "e", "s1", 4.0, "0 (10 short)")


def test_every_violation_is_reported_not_only_the_first():
    segments = [
        replace(valid()[0], end_s=9.0),
        replace(valid()[1], placement=LEFT),
        replace(valid()[2], start_s=1.0, job=7),
    ]
    rules = {v.rule for v in verify(continuous(), Schedule.of(segments)).violations}
    assert rules == {"known-job", "missing-job", "complete"}


def test_an_interval_of_too_many_GPUs_is_reported_once_with_its_peak():
    jobs = [Job(f"j{number}", 1, 1, compute_s=10.0) for number in range(4)]
    instance = Instance("full", Cluster.uniform(1, 2), jobs)
    here = Placement.of({0: 1})
    # Held: 1 from 0, 2 from 1, 3 from 2, 4 from 3, 3 from 10, 2 from 11.
    segments = [Segment(number, here, float(number), number + 10.0) for number in range(4)]
    (violation,) = verify(instance, Schedule.of(segments)).violations
    assert violation.rule == "capacity"
    assert violation.time_s == 2.0
    assert "got up to 4 (2 too many) from 2 s to 11 s" in violation.message
    assert "'j0', 'j1', 'j2', 'j3'" in violation.message


def test_two_intervals_of_too_many_GPUs_are_two_violations():
    jobs = [Job(f"j{number}", 1, 1, compute_s=4.0) for number in range(4)]
    instance = Instance("full", Cluster.uniform(1, 1), jobs)
    here = Placement.of({0: 1})
    starts = [0.0, 3.0, 7.0, 10.0]
    segments = [Segment(number, here, at, at + 4.0) for number, at in enumerate(starts)]
    messages = [v.message for v in verify(instance, Schedule.of(segments)).violations]
    assert ["from 3 s to 4 s" in messages[0], "from 10 s to 11 s" in messages[1]] == [True, True]
    assert len(messages) == 2


def test_of_one_rule_twenty_violations_are_listed_and_the_rest_counted():
    jobs = [Job(f"j{number}", 1, 1, compute_s=4.0, arrival_s=5.0) for number in range(50)]
    instance = Instance("early", Cluster.uniform(50, 1), jobs)
    segments = [Segment(at, Placement.of({at: 1}), 1.0, 5.0) for at in range(50)]
    violations = verify(instance, Schedule.of(segments)).violations
    assert [violation.rule for violation in violations] == ["arrival"] * 21
    assert violations[-1].message == "and 30 more"
