"""What holds for the judge on every schedule, and its agreement with a stepwise integration."""

import random
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_schedules import SLOT_S, preempted_problems, problems, replayed

from optsched.core.cluster import Cluster, Fabric
from optsched.core.errors import StalledJobError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel
from optsched.core.result import Preemption
from optsched.core.schedule import Decision, Schedule
from optsched.judge import replay, verify


@given(preempted_problems(), st.sampled_from([None, SLOT_S]))
@settings(max_examples=300, deadline=None)
def test_what_is_replayed_is_valid(problem, slot_s):
    instance, decisions = problem
    instance = instance.changed(slot_s=slot_s)
    schedule = replayed(instance, decisions)
    judgement = verify(instance, schedule)
    assert judgement.violations == ()
    records = judgement.records
    total = records.queueing_s + records.running_s
    assert total.tolist() == pytest.approx(records.jct_s.tolist())
    assert judgement.objectives["makespan"] == schedule.end_time_s
    assert (records.compute_s + records.restarting_s <= records.running_s * (1 + 1e-9)).all()
    several = len(schedule) > len(instance.jobs)
    assert several or judgement.schedule_class.preemption is Preemption.NONE


@given(problems())
@settings(max_examples=200, deadline=None)
def test_slotted_time_never_ends_a_job_earlier(problem):
    instance, decisions = problem
    continuous = {row.job: row.end_s for row in replay(instance, decisions)}
    try:
        slotted = replay(instance.changed(slot_s=SLOT_S), decisions)
    except StalledJobError:
        assume(False)
    for row in slotted:
        assert row.end_s >= continuous[row.job] * (1 - 1e-9)
        assert (row.end_s / SLOT_S).is_integer()


@given(problems(), st.data())
@settings(max_examples=100, deadline=None)
def test_no_other_end_is_accepted(problem, data):
    instance, decisions = problem
    segments = list(replay(instance, decisions))
    row = data.draw(st.integers(0, len(segments) - 1))
    segment = segments[row]
    share = data.draw(st.sampled_from([-0.5, -1e-4, 1e-4, 0.5]))
    length_s = segment.end_s - segment.start_s
    segments[row] = replace(segment, end_s=segment.end_s + share * length_s)
    expected = "complete" if share < 0 else "held-past-completion"
    violations = verify(instance, Schedule.of(segments)).violations
    name = instance.jobs.ids[segment.job]
    assert (expected, name) in {(violation.rule, violation.job) for violation in violations}


@given(problems())
@settings(max_examples=50, deadline=None)
def test_a_later_clock_changes_nothing(problem):
    instance, decisions = problem
    shift_s = 1.5e9
    jobs = [replace(job, arrival_s=job.arrival_s + shift_s) for job in instance.jobs]
    moved = instance.changed(jobs=jobs)
    shifted = [replace(row, start_s=row.start_s + shift_s) for row in decisions]
    schedule = replay(moved, shifted)
    expected = replay(instance, decisions).end_s + shift_s
    assert schedule.end_s.tolist() == pytest.approx(expected.tolist(), rel=0, abs=1e-4)
    assert verify(moved, schedule).violations == ()


def stepwise_ends(jobs, fabric, weight, overhead_s, starts, step_s=1e-3):
    """Integrate equation 8 in small steps; ``starts`` are (start, {server: GPUs}) by job."""
    left = [float(job.iterations) for job in jobs]
    ends = [0.0] * len(jobs)
    step = 0
    while any(iterations > 0 for iterations in left):
        now = step * step_s
        active = [j for j, (at, _) in enumerate(starts) if at <= now and left[j] > 0]
        spread = [j for j in active if len(starts[j][1]) > 1]
        for j in active:
            job, servers = jobs[j], starts[j][1]
            volume = job.gradient_bytes * (job.gpus - 1) / job.gpus
            tau = job.compute_s + volume / fabric.reduce_bytes_per_s + overhead_s * len(servers)
            if j in spread:
                p = max(sum(s in starts[other][1] for other in spread) for s in servers)
                k = max(1.0, weight * p)
                slowdown = k + fabric.degradation * (k - 1)
                tau += 2 * volume / (fabric.inter_bytes_per_s / slowdown) + fabric.latency_s
            else:
                tau += 2 * volume / fabric.intra_bytes_per_s
            left[j] -= step_s / tau
            if left[j] <= 0:
                ends[j] = now + step_s + left[j] * tau
        step += 1
    return ends


@pytest.mark.parametrize("seed", range(12))
def test_ends_agree_with_a_stepwise_integration(seed):
    draw = random.Random(seed)
    fabric = Fabric(
        intra_bytes_per_s=8e9,
        inter_bytes_per_s=1e9,
        reduce_bytes_per_s=5e9,
        degradation=draw.choice([0.0, 0.25]),
        latency_s=0.01,
    )
    weight, overhead_s = draw.choice([0.5, 1.0]), 0.02
    jobs, starts = [], []
    for number in range(5):
        gpus = draw.randint(1, 4)
        used = draw.sample(range(4), min(gpus, draw.choice([1, 2, 2, 3])))
        taken = {server: 1 for server in used}
        taken[used[0]] += gpus - len(used)
        volume = draw.uniform(0.1e9, 0.6e9)
        jobs.append(Job(f"j{number}", gpus, draw.randint(3, 15), volume, draw.uniform(0.05, 0.3)))
        starts.append((round(draw.uniform(0.0, 6.0), 2), taken))
    model = RateModel.of("ring", contention_weight=weight, server_overhead_s=overhead_s)
    instance = Instance("random", Cluster.uniform(4, 20, fabric=fabric), jobs, model)
    decisions = [
        Decision(job, Placement.of(taken), start_s) for job, (start_s, taken) in enumerate(starts)
    ]
    expected = stepwise_ends(jobs, fabric, weight, overhead_s, starts)
    for segment in replay(instance, decisions):
        assert segment.end_s == pytest.approx(expected[segment.job], rel=1e-3, abs=5e-3)
