"""What is rounding and what is not, on clocks that start at 0 and in 2017."""

import numpy as np
import pytest

from optsched.core.cluster import Cluster, Fabric
from optsched.core.errors import ScheduleError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.schedule import Decision, Schedule, Segment
from optsched.judge import replay, verify

UNIX = 1.5e9
LEFT, RIGHT = Placement.of({0: 2, 1: 1}), Placement.of({1: 1, 2: 2})


def waiting_pays(arrival_s=0.0, **options):
    fabric = Fabric(inter_bytes_per_s=1e9, degradation=0.5)
    jobs = [
        Job(name, 3, 10, gradient_bytes=750e6, compute_s=0.05, arrival_s=arrival_s) for name in "ab"
    ]
    return Instance("waiting-pays", Cluster.uniform(3, 2, fabric=fabric), jobs, **options)


def rules(instance, *segments):
    return {violation.rule for violation in verify(instance, Schedule.of(segments)).violations}


def test_an_overlap_by_rounding_is_no_violation():
    end_s = 10.500000000001
    instance = waiting_pays()
    both = Placement.of({0: 2, 1: 1})
    segments = Segment(0, LEFT, 0.0, end_s), Segment(1, both, 10.5, 21.0)
    assert rules(instance, *segments) == set()
    # Nor does it count as contention.
    assert verify(instance, Schedule.of(segments)).metrics["contention_max"] == 1.0


@pytest.mark.parametrize("clock_s", [0.0, UNIX])
@pytest.mark.parametrize("error_s", [1e-4, 1e-2, 1.0])
def test_an_error_that_is_not_rounding_is_found_on_any_clock(clock_s, error_s):
    instance = waiting_pays(clock_s)
    start_s, end_s = clock_s, clock_s + 10.5
    later = Segment(1, RIGHT, end_s + 2, end_s + 12.5)
    assert rules(instance, Segment(0, LEFT, start_s, end_s), later) == set()
    long = Segment(0, LEFT, start_s, end_s + error_s)
    assert rules(instance, long, later) == {"held-past-completion"}
    short = Segment(0, LEFT, start_s, end_s - error_s)
    assert rules(instance, short, later) == {"complete"}
    early = Segment(0, LEFT, start_s - error_s, end_s - error_s)
    assert rules(instance, early, later) == {"arrival"}


def test_times_are_rounded_to_the_resolution_of_the_clock():
    # At 1.5e9 neighbouring times are 2.4e-7 s apart.
    instance = waiting_pays(UNIX + 0.1)
    schedule = replay(instance, [Decision(0, LEFT, UNIX + 0.1), Decision(1, RIGHT, UNIX + 3.3)])
    assert verify(instance, schedule).violations == ()
    ulps = 2 * np.spacing(schedule.end_s)
    nudged = Schedule(
        schedule.job, schedule.placement, schedule.start_s, schedule.end_s + ulps,
        schedule.placements,
    )  # fmt: skip
    assert verify(instance, nudged).violations == ()


def test_slots_at_unix_times():
    # τ = 1.05: with slots of 2 s one iteration a slot, 10 slots. Arrival within a slot.
    instance = waiting_pays(UNIX + 0.5, slot_s=2.0)
    schedule = replay(instance, [Decision(0, LEFT, UNIX + 2), Decision(1, RIGHT, UNIX + 22)])
    assert schedule.end_s.tolist() == [UNIX + 22, UNIX + 42]
    assert verify(instance, schedule).violations == ()
    early = replay(instance, [Decision(0, LEFT, UNIX), Decision(1, RIGHT, UNIX + 22)])
    (violation,) = verify(instance, early).violations
    assert violation.rule == "arrival"


def test_preemption_a_hair_before_completion_may_be_resumed_for_the_rest():
    instance = waiting_pays()
    # 1e-6 s before its end, and back at 15 for just that.
    schedule = replay(
        instance,
        [
            Decision(0, LEFT, 0.0, 10.5 - 1e-6),
            Decision(0, LEFT, 15.0),
            Decision(1, RIGHT, 20.0),
        ],
    )
    assert schedule.end_s.tolist() == pytest.approx([10.5, 15.0, 30.5], abs=1e-5)
    assert verify(instance, schedule).violations == ()


def test_a_job_short_of_completion_by_rounding_only_is_complete():
    # 12 · 0.1 is 1.2000000000000002.
    instance = Instance("tenths", Cluster.uniform(1, 1), [Job("a", 1, 12, compute_s=0.1)])
    here = Placement.of({0: 1})
    schedule = replay(instance, [Decision(0, here, 0.0, 1.2)])
    assert verify(instance, schedule).violations == ()
    with pytest.raises(ScheduleError, match=r"it completed at 1\.2 s"):
        replay(instance, [Decision(0, here, 0.0, 1.2), Decision(0, here, 5.0)])


@pytest.mark.parametrize("end_s", [14.0, 20.0])
def test_what_a_job_holds_after_it_was_complete_but_for_rounding_is_a_violation(end_s):
    # Restart 5 s: [12, 14] is too short for any progress, in [12, 20] the rest is done by 17.
    job = Job("a", 1, 10, compute_s=1.0)
    instance = Instance("again", Cluster.uniform(1, 1), [job], restart_s=5.0)
    here = Placement.of({0: 1})
    segments = [Segment(0, here, 0.0, 10.0 - 1e-9), Segment(0, here, 12.0, end_s)]
    (violation,) = verify(instance, Schedule.of(segments)).violations
    assert violation.rule == "held-past-completion"
    assert "after its completion at 9.999999999 s" in violation.message


def test_a_last_segment_whose_whole_time_was_needed_is_none_held_in_vain():
    # 2 ns short at 10 s; the restart ends at 17 s, and 1 ns of progress leaves 1 ns, which is
    # rounding: the job was not complete before.
    job = Job("a", 1, 10, compute_s=1.0)
    instance = Instance("again", Cluster.uniform(1, 1), [job], restart_s=5.0)
    here = Placement.of({0: 1})
    segments = [Segment(0, here, 0.0, 10.0 - 2e-9), Segment(0, here, 12.0, 17.0 + 1e-9)]
    assert verify(instance, Schedule.of(segments)).violations == ()
