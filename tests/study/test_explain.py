"""Why jobs end when they end: parts worked out by hand, and sums that are exact."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_schedules import SLOT_S, preempted_problems, replayed
from strategies import instances
from tiered_strategies import tiered_instances

from optsched.contention import rate_functions
from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.errors import ScheduleError, StalledJobError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel
from optsched.core.schedule import Decision, Schedule
from optsched.generate.hand import waiting_pays
from optsched.judge import replay, verify
from optsched.study import run
from optsched.study.explain import PARTS, explain
from optsched.study.neighbours import shared_with, waited_for
from optsched.study.unmet_demands import unmet_demands


def parts_of(explained, job=0):
    """Return the parts that are not 0, rounded."""
    parts = explained.jobs[job].parts
    values = {part: round(getattr(parts, part), 9) for part in PARTS}
    return {part.removesuffix("_s"): value for part, value in values.items() if value != 0}


def test_waiting_pays_side_by_side():
    # τ = 0.05 + 1 alone, 0.05 + 2.5 together, 10 iterations; spread is the only way.
    both = explain(waiting_pays(), run(waiting_pays(), "fifo").schedule)
    expected = {"compute": 0.5, "communication": 10.0, "contention": 15.0}
    assert parts_of(both, 0) == parts_of(both, 1) == expected
    assert both.totals.contention_s == pytest.approx(30.0)
    assert [(one.job, one.seconds, one.links) for one in shared_with(both, 0)] == [
        ("b", 25.5, ("s1",))
    ]
    assert waited_for(both, 0) == []


def test_waiting_pays_one_after_the_other():
    place = Placement.of({0: 2, 1: 1})
    decisions = [Decision(0, place, 0.0), Decision(1, place, 10.5)]
    schedule = replay(waiting_pays(), decisions)
    explained = explain(waiting_pays(), schedule)
    assert parts_of(explained, 1) == {"waiting": 10.5, "compute": 0.5, "communication": 10.0}
    # Three of the six GPUs were free all the time.
    assert explained.jobs[1].waiting_with_room_s == 10.5
    (blocker,) = waited_for(explained, 1)
    assert (blocker.job, blocker.seconds, blocker.gpus, blocker.made_way) == ("a", 10.5, 3, True)
    assert shared_with(explained, 1) == []


def one_job(**changes):
    # Local τ = 0.5 + 2·1e9·(1/2)/4e9 + 0.1 = 0.85; spread 0.5 + 1e9/1e9 + 0.2 = 1.7.
    fabric = Fabric(intra_bytes_per_s=4e9, inter_bytes_per_s=1e9)
    model = RateModel.of("ring", server_overhead_s=0.1)
    job = Job("a", 2, 10, gradient_bytes=1e9, compute_s=0.5, arrival_s=1.0)
    return Instance("one", Cluster.uniform(2, 2, fabric=fabric), [job], model, **changes)


def test_spreading_costs():
    spread = Placement.of({0: 1, 1: 1})
    schedule = replay(one_job(), [Decision(0, spread, 3.0)])
    explained = explain(one_job(), schedule)
    expected = {"waiting": 2.0, "compute": 5.0, "communication": 3.5, "spreading": 8.5}
    assert parts_of(explained) == expected
    assert explained.jobs[0].waiting_with_room_s == 2.0


def test_a_preemption_costs_the_gap_and_the_restart():
    instance = one_job(restart_s=0.5, restart_s_per_gpu=0.25)
    here = Placement.of({0: 2})
    schedule = replay(instance, [Decision(0, here, 1.0, 1.0 + 4 * 0.85), Decision(0, here, 10.0)])
    explained = explain(instance, schedule)
    # Six of ten iterations are left after the gap and a second of restarting.
    assert schedule.end_time_s == pytest.approx(10.0 + 1.0 + 6 * 0.85)
    expected = {"preempted": 5.6, "restarting": 1.0, "compute": 5.0, "communication": 3.5}
    assert parts_of(explained) == expected


def test_a_cut_in_place_costs_nothing():
    instance = one_job(restart_s=0.5)
    here = Placement.of({0: 2})
    schedule = replay(instance, [Decision(0, here, 1.0, 3.0), Decision(0, here, 3.0)])
    assert parts_of(explain(instance, schedule)) == {"compute": 5.0, "communication": 3.5}


def test_slots_round_up():
    # ⌊2 / 0.85⌋ = 2 iterations a slot: five slots from the one at 2 s on, the arrival being at 1.
    instance = one_job(slot_s=2.0)
    schedule = replay(instance, [Decision(0, Placement.of({0: 2}), 2.0)])
    expected = {"waiting": 1.0, "compute": 5.0, "communication": 3.5, "rounding": 1.5}
    assert parts_of(explain(instance, schedule)) == expected


def test_fixed_durations_are_computing():
    jobs = [Job("a", 1, 1, compute_s=3.0), Job("b", 2, 1, compute_s=4.0)]
    instance = Instance("fixed", Cluster.uniform(2, 1), jobs, RateModel("fixed"))
    explained = explain(instance, run(instance, "fifo").schedule)
    assert parts_of(explained, 0) == {"compute": 3.0}
    assert parts_of(explained, 1) == {"waiting": 3.0, "compute": 4.0}
    assert explained.jobs[1].waiting_with_room_s == 0.0


def test_a_schedule_that_is_not_valid_is_refused():
    with pytest.raises(ScheduleError, match=r"only a valid schedule can be explained:\n  empty"):
        explain(one_job(), Schedule.of([]))


def check(instance, schedule):
    """Check what holds of every explanation, with contention counted between any two events."""
    explained = explain(instance, schedule)
    records = verify(instance, schedule).records
    span_s = schedule.end_time_s
    contention_s, spreading_s = counted(instance, schedule)
    for at, job in enumerate(explained.jobs):
        parts = [getattr(job.parts, part) for part in PARTS]
        assert math.fsum(parts) == job.jct_s == records.jct_s[at]
        assert abs(float(sum(map(Fraction, parts)) - Fraction(job.jct_s))) <= 1e-15 * job.jct_s
        assert all(part >= -1e-9 * span_s for part in parts)
        if not instance.is_slotted:
            assert abs(job.parts.rounding_s) <= 4e-9 * span_s
        waiting_s = job.parts.waiting_s + job.parts.preempted_s
        assert waiting_s == pytest.approx(records.queueing_s[at], abs=4e-9 * span_s)
        assert -1e-9 * span_s <= job.waiting_with_room_s <= waiting_s + 1e-9 * span_s
        assert job.parts.restarting_s == pytest.approx(records.restarting_s[at], abs=4e-9 * span_s)
        assert job.parts.compute_s == pytest.approx(records.compute_s[at])
        assert job.parts.contention_s == pytest.approx(contention_s[at], abs=1e-7 * span_s)
        assert job.parts.spreading_s == pytest.approx(spreading_s[at], abs=1e-7 * span_s)
        if not shared_with(explained, at):
            assert job.parts.contention_s == pytest.approx(0.0, abs=1e-9 * span_s)
        waited = waited_for(explained, at)
        assert all(one.seconds <= waiting_s + 1e-9 * span_s for one in waited)
    return explained


def counted(instance, schedule):
    """Return the time that contention and spreading cost each job, from event to event."""
    rates = rate_functions(instance)
    slot_s = instance.slot_s
    rows = list(schedule)
    crossed = [rates.shared_resources(row.placement) for row in rows]
    events = sorted({row.start_s for row in rows} | {row.end_s for row in rows})
    count = len(instance.jobs)
    contention_s, spreading_s = np.zeros(count), np.zeros(count)
    for job in range(count):
        left = instance.jobs.iterations.item(job)
        own = sorted(
            (at for at in range(len(rows)) if rows[at].job == job), key=lambda at: rows[at].start_s
        )
        ready_s = 0.0
        for number, at in enumerate(own):
            row = rows[at]
            goes_on = (
                number > 0
                and row.placement == rows[own[number - 1]].placement
                and row.start_s <= rows[own[number - 1]].end_s
            )
            if number > 0 and not goes_on:
                restart_s = instance.restart_time_s(job)
                if slot_s is not None:
                    restart_s = math.ceil(restart_s / slot_s - 1e-9) * slot_s
                ready_s = row.start_s + restart_s
            alone_s = rates.iteration_time_s(job, row.placement, [1] * len(crossed[at]))
            for begin_s, end_s in itertools.pairwise(events):
                begin_s = max(begin_s, ready_s)
                if not row.start_s <= begin_s < end_s <= row.end_s:
                    continue
                load = [
                    sum(
                        resource in crossed[other]
                        and rows[other].start_s < end_s
                        and rows[other].end_s > begin_s
                        for other in range(len(rows))
                    )
                    for resource in crossed[at]
                ]
                tau_s = rates.iteration_time_s(job, row.placement, load)
                if slot_s is None:
                    done = (end_s - begin_s) / tau_s
                else:
                    done = round((end_s - begin_s) / slot_s) * rates.progress_per_slot(tau_s)
                done = min(left, done)
                left -= done
                contention_s[job] += done * (tau_s - alone_s)
                spreading_s[job] += done * (alone_s - rates.best_iteration_time_s(job))
    return contention_s, spreading_s


@settings(max_examples=60)
@given(preempted_problems(), st.sampled_from([None, SLOT_S]))
def test_the_parts_of_preempted_jobs_add_up(problem, slot_s):
    instance, decisions = problem
    instance = instance.changed(slot_s=slot_s)
    check(instance, replayed(instance, decisions))


@settings(max_examples=40)
@given(
    instances(max_jobs=6, restarts=True),
    st.sampled_from(["fifo", "srtf", "tiresias", "fewest-gpus", "random"]),
)
def test_the_parts_add_up_under_schedulers(instance, scheduler):
    try:
        schedule = run(instance, scheduler, objective="makespan").schedule
    except StalledJobError:
        assume(False)
    check(instance, schedule)


@settings(max_examples=40)
@given(tiered_instances(max_jobs=4))
def test_the_parts_add_up_in_tiers(instance):
    check(instance, run(instance, "srtf", objective="makespan").schedule)


def test_a_demand_that_no_placement_meets():
    fabric = Fabric(intra_bytes_per_s=1e9, inter_bytes_per_s=10e9)
    servers = [Server("s0", 1), Server("s1", 1), Server("s2", 4, inter_bytes_per_s=1e9)]
    jobs = [Job("a", 3, 4, gradient_bytes=3e9, compute_s=0.1), Job("b", 1, 4, compute_s=0.1)]
    instance = Instance("stall", Cluster(servers, fabric), jobs, slot_s=1.0)
    # 0.1 + 2·3e9·(2/3)/1e9: over the slow network, inside the large server as between any.
    (unmet,) = unmet_demands(instance)
    assert (unmet.job, unmet.gpus) == ("a", 3)
    assert unmet.reason.endswith("takes 4.1 s, and a slot has 1 s")
    assert unmet_demands(instance.changed(slot_s=5.0)) == []
    assert unmet_demands(instance.changed(slot_s=None)) == []
