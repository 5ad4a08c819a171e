"""Where a plan goes wrong, against a count by hand."""

from optsched.core.cluster import Cluster, Fabric
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.formulations.cpsat_slotted import CpSatGoal, cpsat_slotted
from optsched.formulations.lazy_contention import contended_jobs, repaired_schedule
from optsched.formulations.slot_levels import SlotLevels
from optsched.formulations.slotted_program import SlottedRun
from optsched.generate.hand import waiting_pays
from optsched.judge import verify
from optsched.solvers import solve_cp_model

LEFT, RIGHT = (2, 1, 0), (0, 1, 2)


def levels_of_pair():
    # 4 iterations a slot alone, 2 together; 10 of them take 3 slots alone.
    return SlotLevels.of(waiting_pays().changed(slot_s=5.1))


def test_one_shared_slot_is_forgiven_and_two_are_not():
    levels = levels_of_pair()
    # 4 + 4 + 2 iterations: the rounding up to 3 slots has room for one slot at half the rate.
    first, third = SlottedRun(0, 3, LEFT), SlottedRun(2, 5, RIGHT)
    assert contended_jobs(levels, [first, third]) == frozenset()
    # 4 + 2 + 2 are too few.
    assert contended_jobs(levels, [first, SlottedRun(1, 4, RIGHT)]) == {0, 1}
    # They meet nowhere if one is on a server of its own.
    assert contended_jobs(levels, [first, SlottedRun(1, 4, (0, 0, 3))]) == frozenset()


def test_who_only_passes_by_is_named_too():
    """The third job shares a server with one that falls short, so it has a part in it."""
    fabric = Fabric(inter_bytes_per_s=1.0)
    slow = [Job(name, 2, 8, gradient_bytes=0.4, compute_s=0.1) for name in "ab"]
    jobs = [*slow, Job("c", 2, 2, compute_s=0.1)]
    # τ of a and b: .5 alone, .9 for two: 2 iterations a slot of 1 s, or 1. Both need 4 slots.
    levels = SlotLevels.of(
        Instance("three", Cluster.uniform(4, 4, fabric=fabric), jobs, slot_s=1.0)
    )
    runs = [
        SlottedRun(0, 4, (1, 1, 0, 0)),
        SlottedRun(4, 8, (1, 1, 0, 0)),
        SlottedRun(1, 2, (0, 1, 1, 0)),
    ]
    assert contended_jobs(levels, runs) == {0, 2}


def test_a_repair_waits_for_the_gpus_and_is_valid():
    levels = levels_of_pair()
    runs = [SlottedRun(0, 3, LEFT), SlottedRun(2, 5, (1, 1, 1))]
    repaired = repaired_schedule(levels, runs)
    judgement = verify(levels.instance, repaired)
    assert judgement.is_valid and judgement.objectives["makespan"] == 6 * 5.1


def test_the_relaxation_is_one():
    levels = levels_of_pair()

    def least(active):
        return solve_cp_model(cpsat_slotted(levels, CpSatGoal((9, 9)), active=active).model).value

    # Without contention both fit side by side; with one active alone nobody slows it.
    assert [least(frozenset(jobs)) for jobs in ((), (0,), (0, 1))] == [3, 3, 5]
    assert cpsat_slotted(levels, CpSatGoal((9, 2))) is None
