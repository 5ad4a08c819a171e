"""Schedules worked out by hand from equation 8; the sums are in the comments."""

import pytest

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel
from optsched.core.result import Preemption
from optsched.core.schedule import Decision
from optsched.judge import replay, verify


def on(**gpus_by_server):
    """Return a placement from ``s0=2, s1=1``."""
    return Placement.of({int(name[1:]): gpus for name, gpus in gpus_by_server.items()})


def ends(instance, *decisions):
    return [segment.end_s for segment in replay(instance, decisions)]


@pytest.fixture
def waiting_pays():
    fabric = Fabric(inter_bytes_per_s=1e9, degradation=0.5)
    jobs = [Job(name, 3, 10, gradient_bytes=750e6, compute_s=0.05) for name in "ab"]
    return Instance("waiting-pays", Cluster.uniform(3, 2, fabric=fabric), jobs)


def pair_instance(iterations, *, gradient_bytes=1e9, compute_s=0.0, slot_s=None, **options):
    """Return 2-GPU jobs on 1-GPU servers: spread, τ = compute + gradient/1e9 · p (α = 0)."""
    jobs = [
        Job(f"j{number}", 2, count, gradient_bytes=gradient_bytes, compute_s=compute_s)
        for number, count in enumerate(iterations)
    ]
    fabric = Fabric(inter_bytes_per_s=1e9)
    return Instance("pairs", Cluster.uniform(6, 2, fabric=fabric), jobs, slot_s=slot_s, **options)


def test_together_both_jobs_of_waiting_pays_end_at_25_5(waiting_pays):
    # alone 0.05 + 2 · 750e6 · (2/3) / 1e9 = 1.05; two on s1: f = 2 + 0.5, so 0.05 + 2.5 = 2.55
    schedule = replay(
        waiting_pays, [Decision(0, on(s0=2, s1=1), 0.0), Decision(1, on(s1=1, s2=2), 0.0)]
    )
    assert schedule.end_s.tolist() == [25.5, 25.5]
    judgement = verify(waiting_pays, schedule)
    assert judgement.violations == ()
    assert judgement.objectives["makespan"] == 25.5
    assert judgement.records.completion_s.sum() == 51.0
    assert judgement.records.contention.tolist() == pytest.approx([2.0, 2.0])


def test_one_after_the_other_the_jobs_of_waiting_pays_end_at_10_5_and_21(waiting_pays):
    schedule = replay(
        waiting_pays, [Decision(1, on(s1=1, s2=2), 10.5), Decision(0, on(s0=2, s1=1), 0.0)]
    )
    assert schedule.end_s.tolist() == [10.5, 21.0]
    judgement = verify(waiting_pays, schedule)
    assert judgement.violations == ()
    assert judgement.objectives["makespan"] == 21.0
    assert judgement.objectives["mean_jct"] * 2 == 31.5
    assert judgement.schedule_class.preemption is Preemption.NONE


def test_contention_that_changes_midway():
    # τ = p seconds. j0 on s0 s1 from 0, j1 on s1 s2 from 2, j2 on s2 s3 from 6.
    #  0- 2: j0 alone, 2 of its 10 done.
    #  2- 6: s1 has two, τ = 2 for j0 and j1: j0 has 4 done, j1 2 of 4.
    #  6-10: s1 and s2 have two each: j0 has 6, j1 4 and ends at 10, j2 2 of 3.
    # 10-  : j0 and j2 alone: j2 needs 1 more and ends at 11, j0 4 more and ends at 14.
    instance = pair_instance([10, 4, 3])
    schedule = replay(
        instance,
        [
            Decision(0, on(s0=1, s1=1), 0.0),
            Decision(1, on(s1=1, s2=1), 2.0),
            Decision(2, on(s2=1, s3=1), 6.0),
        ],
    )
    assert schedule.end_s.tolist() == [14.0, 10.0, 11.0]
    judgement = verify(instance, schedule)
    assert judgement.violations == ()
    # Degrees: j0 1 for 6 s, 2 for 8 s; j1 2 throughout; j2 2 for 4 s, 1 for 1 s.
    assert judgement.records.contention.tolist() == pytest.approx([22 / 14, 2.0, 9 / 5])
    assert judgement.metrics["contention_mean"] == pytest.approx((22 + 16 + 9) / (14 + 8 + 5))
    assert judgement.metrics["contention_max"] == 2.0


def test_degree_is_the_maximum_over_servers_not_the_sum():
    # j0 meets j1 on s0 and j2 on s1: p = 2, not 3; j1 and j2 do not meet. τ = 2, 5 iterations.
    instance = pair_instance([5, 5, 5])
    starts = [
        Decision(0, on(s0=1, s1=1), 0.0),
        Decision(1, on(s0=1, s2=1), 0.0),
        Decision(2, on(s1=1, s3=1), 0.0),
    ]
    assert ends(instance, *starts) == [10.0, 10.0, 10.0]


def test_local_jobs_neither_suffer_nor_cause_contention():
    # j0 has both GPUs on s0 (bⁱ infinite: τ = 0.5); j1 shares nothing with it but server s1.
    instance = pair_instance([4, 4], compute_s=0.5)
    schedule = replay(instance, [Decision(0, on(s1=2), 0.0), Decision(1, on(s0=1, s2=1), 0.0)])
    assert schedule.end_s.tolist() == [2.0, 6.0]
    records = verify(instance, schedule).records
    assert records.contention.tolist() == [0.0, 1.0]
    assert records.spread_s.tolist() == [0.0, 6.0]


def test_a_job_of_one_gpu_has_no_ring():
    fabric = Fabric(intra_bytes_per_s=1.0, inter_bytes_per_s=1.0, reduce_bytes_per_s=1.0)
    job = Job("a", 1, 4, gradient_bytes=1e9, compute_s=0.25)
    instance = Instance("one", Cluster([Server("s0", 1)], fabric), [job])
    assert ends(instance, Decision(0, on(s0=1), 3.0)) == [4.0]


def test_uplinks_are_loaded_by_jobs_that_span_racks_only():
    # s0 s1 in rack 0, s2 s3 in rack 1; interfaces 1e9, uplinks 0.5e9 (τ = 2p on the uplinks).
    # j0 and j1 cross both uplinks on different servers: p = 2 there, τ = 4; 3 iterations: 12 s.
    fabric = Fabric(inter_bytes_per_s=1e9, uplink_bytes_per_s=0.5e9)
    jobs = [Job(name, 2, 3, gradient_bytes=1e9) for name in "abc"]
    instance = Instance("racks", Cluster.uniform(4, 2, racks=2, fabric=fabric), jobs)
    across = [Decision(0, on(s0=1, s2=1), 0.0), Decision(1, on(s1=1, s3=1), 0.0)]
    assert ends(instance, *across) == [12.0, 12.0]
    # c stays in rack 0 and meets a on the interface of s0 only: τ = 2 there for both. The uplinks
    # carry a alone, which makes 2 s as well. Both end at 6.
    within = [Decision(0, on(s0=1, s2=1), 0.0), Decision(2, on(s0=1, s1=1), 0.0)]
    assert ends(instance, *within) == [6.0, 6.0]


def test_a_constant_pace_gives_exactly_start_plus_duration():
    # Sums of 0.1 would miss these; 12 · 0.1 is 1.2000000000000002 and must be so.
    jobs = [Job("a", 1, 1, compute_s=86_399.0), Job("b", 1, 12, compute_s=0.1)]
    instance = Instance("exact", Cluster([Server("s0", 2)]), jobs, RateModel("fixed"))
    place = on(s0=1)
    assert ends(instance, Decision(0, place, 7.0), Decision(1, place, 0.0)) == [12 * 0.1, 86_406.0]


def test_slotted_time_rounds_iterations_down_and_ends_up():
    # τ = 0.3: 3 iterations a slot of 1 s, 10 take 4 slots; continuous: 3 s.
    job = Job("a", 1, 10, compute_s=0.3)
    instance = Instance("slots", Cluster([Server("s0", 1)]), [job], slot_s=1.0)
    assert ends(instance, Decision(0, on(s0=1), 2.0)) == [6.0]
    continuous = instance.changed(slot_s=None)
    assert ends(continuous, Decision(0, on(s0=1), 2.0)) == [5.0]


def test_a_job_loads_its_resources_through_its_last_slot():
    # τ = 0.2 p: 5 iterations a slot alone, 2 with another. j0 (3 iterations) needs 2 slots with
    # half an iteration's worth to spare. j1 (9): 2 + 2, then 5 alone, so it ends at 3 s.
    instance = pair_instance([3, 9], gradient_bytes=0.2e9, slot_s=1.0)
    schedule = replay(
        instance, [Decision(0, on(s0=1, s1=1), 0.0), Decision(1, on(s1=1, s2=1), 0.0)]
    )
    assert schedule.end_s.tolist() == [2.0, 3.0]
    assert verify(instance, schedule).violations == ()


def test_fixed_durations_are_rounded_up_to_slots_as_a_whole():
    # 5 s in slots of 2 s: 3 slots. Preempted after one slot, 3 s are left: 2 slots.
    jobs = [Job("a", 1, 1, compute_s=5.0), Job("b", 1, 1, compute_s=4.0)]
    cluster = Cluster([Server("s0", 2)])
    instance = Instance("fixed", cluster, jobs, RateModel("fixed"), slot_s=2.0)
    place = on(s0=1)
    assert ends(instance, Decision(0, place, 0.0), Decision(1, place, 0.0)) == [6.0, 4.0]
    preempted = [Decision(0, place, 0.0, 2.0), Decision(0, place, 10.0)]
    assert ends(instance, *preempted) == [2.0, 14.0]


@pytest.mark.parametrize(
    ("slot_s", "expected"),
    [
        # Restart 2 + 2 · 0.5 = 3 s. Done 4 by 4, 6 by 6 without a restart in between, 4 left at 8:
        # ready at 11, complete at 15.
        (None, [4.0, 6.0, 15.0]),
        # Slots of 2 s hold 2 iterations; 3 s are rounded up to 4, ready at 12, complete at 16.
        (2.0, [4.0, 6.0, 16.0]),
    ],
)
def test_restart_time_is_charged_after_a_gap_and_not_for_going_on(slot_s, expected):
    job = Job("a", 2, 10, compute_s=1.0)
    cluster = Cluster.uniform(2, 2)
    instance = Instance(
        "restart", cluster, [job], slot_s=slot_s, restart_s=2.0, restart_s_per_gpu=0.5
    )
    decisions = [
        Decision(0, on(s0=2), 0.0, 4.0),
        Decision(0, on(s0=2), 4.0, 6.0),
        Decision(0, on(s0=2), 8.0),
    ]
    schedule = replay(instance, decisions)
    assert schedule.end_s.tolist() == expected
    judgement = verify(instance, schedule)
    assert judgement.violations == ()
    assert judgement.records.preemptions.tolist() == [1]
    assert judgement.records.restarting_s.tolist() == [3.0 if slot_s is None else 4.0]
    assert judgement.records.queueing_s.tolist() == [2.0]
    assert judgement.schedule_class.preemption is Preemption.PREEMPT


def test_going_on_elsewhere_is_a_migration_with_a_restart():
    job = Job("a", 2, 10, compute_s=1.0)
    instance = Instance("moved", Cluster.uniform(2, 2), [job], restart_s=3.0)
    schedule = replay(instance, [Decision(0, on(s0=2), 0.0, 4.0), Decision(0, on(s1=2), 4.0)])
    assert schedule.end_s.tolist() == [4.0, 13.0]
    judgement = verify(instance, schedule)
    assert judgement.violations == ()
    assert judgement.schedule_class.preemption is Preemption.MIGRATE


def test_going_on_within_a_restart_goes_on_with_the_restart():
    # Preempted at 4 with 6 left, back at 5, ready at 8; the cut at 6 changes nothing: 8 + 6 = 14.
    job = Job("a", 2, 10, compute_s=1.0)
    instance = Instance("cut", Cluster.uniform(2, 2), [job], restart_s=3.0)
    place = on(s0=2)
    cuts = [Decision(0, place, 0.0, 4.0), Decision(0, place, 5.0, 6.0), Decision(0, place, 6.0)]
    schedule = replay(instance, cuts)
    assert schedule.end_s.tolist() == [4.0, 6.0, 14.0]
    judgement = verify(instance, schedule)
    assert judgement.violations == ()
    assert judgement.records.restarting_s.tolist() == [3.0]


def test_a_restarting_job_loads_the_network():
    # τ = p. j0 does 1 of 2 iterations elsewhere, comes to s1 at 2, is ready at 6 and ends at 8.
    # j1 has done 2 of 6 by 2, does 3 more by 8 beside j0 (restarting or not), and 1 alone: 9.
    instance = pair_instance([2, 6], restart_s=4.0)
    decisions = [
        Decision(0, on(s3=1, s4=1), 0.0, 1.0),
        Decision(1, on(s1=1, s2=1), 0.0),
        Decision(0, on(s0=1, s1=1), 2.0),
    ]
    schedule = replay(instance, decisions)
    assert schedule.end_s.tolist() == [1.0, 9.0, 8.0]
    assert verify(instance, schedule).violations == ()


def test_a_job_done_before_its_preemption_gives_its_gpus_back_at_completion():
    instance = pair_instance([3])
    assert ends(instance, Decision(0, on(s0=1, s1=1), 1.0, 99.0)) == [4.0]


def test_a_partial_schedule_can_be_replayed():
    instance = pair_instance([3, 3])
    schedule = replay(instance, [Decision(1, on(s0=1, s1=1), 0.0, 2.0)])
    assert [(segment.job, segment.end_s) for segment in schedule] == [(1, 2.0)]
    assert len(replay(instance, [])) == 0
