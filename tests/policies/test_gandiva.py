"""Gandiva by hand: machines of one demand, turns, and moves."""

import pytest
from judged_runs import judged_rows as run

from optsched.core.cluster import Cluster, Fabric
from optsched.core.jobs import Job
from optsched.policies import Gandiva


def test_machines_serve_one_demand_as_long_as_there_is_room():
    jobs = [
        Job(f"j{number}", gpus, 10, compute_s=1.0)
        for number, gpus in enumerate([1, 2, 1, 2, 4, 1, 2])
    ]
    found = run(Cluster.uniform(3, 4), jobs, Gandiva(lease_s=100.0))
    # The last wants two GPUs on one machine, where there is only one left, until 10 s.
    assert [(row[0], row[1], row[2]) for row in found] == [
        (0, {0: 1}, 0.0),
        (1, {1: 2}, 0.0),
        (2, {0: 1}, 0.0),
        (3, {1: 2}, 0.0),
        (4, {2: 4}, 0.0),
        (5, {0: 1}, 0.0),
        (6, {0: 2}, 10.0),
    ]


def test_a_demand_without_room_goes_to_the_machine_with_the_most_free():
    jobs = [Job(f"j{number}", gpus, 10, compute_s=1.0) for number, gpus in enumerate([3, 1, 3, 2])]
    found = run(Cluster.uniform(3, 4), jobs, Gandiva(lease_s=100.0))
    # The second job of three goes to the machine without a demand, as the first machine, which has
    # its demand, is full. The job of two has no machine of its demand, nor is there one without:
    # the second machine has three free.
    assert [row[1] for row in found] == [{0: 3}, {1: 1}, {2: 3}, {1: 2}]


def test_jobs_take_turns():
    jobs = [Job(name, 2, 3, compute_s=1.0) for name in "abc"]
    found = run(Cluster.uniform(1, 2), jobs, Gandiva(lease_s=2.0))
    assert [(row[0], row[2], row[3]) for row in found] == [
        (0, 0.0, 2.0),
        (1, 2.0, 4.0),
        (2, 4.0, 6.0),
        (0, 6.0, 7.0),
        (1, 7.0, 8.0),
        (2, 8.0, 9.0),
    ]


def two_racks():
    """Return racks of two machines of two GPUs; between racks three workers lose 2 s."""
    return Cluster.uniform(4, 2, racks=2, fabric=Fabric(uplink_bytes_per_s=1e9))


def wide_over_racks():
    # Left are a GPU in the first rack and a machine in the second, until the third job ends there.
    return [
        Job("first", 2, 50, compute_s=1.0),
        Job("second", 1, 100, compute_s=1.0),
        Job("third", 2, 5, compute_s=1.0),
        Job("wide", 3, 10, compute_s=1.0, gradient_bytes=1.5e9),
    ]


def test_a_job_moves_into_one_rack_when_there_is_room():
    # In 5 s it has done 5/3 of 10 iterations; the rest takes 1 s each.
    found = run(two_racks(), wide_over_racks(), Gandiva(lease_s=1000.0))
    assert [row[1:] for row in found if row[0] == 3] == [
        ({1: 1, 3: 2}, 0.0, 5.0),
        ({2: 2, 3: 1}, 5.0, pytest.approx(5 + 25 / 3)),
    ]


def test_it_stays_if_the_move_costs_more_than_it_saves():
    # It would save two thirds of 25 s.
    for restart_s, segments in ((16.0, 2), (17.0, 1)):
        found = run(two_racks(), wide_over_racks(), Gandiva(lease_s=1000.0), restart_s=restart_s)
        assert len([row for row in found if row[0] == 3]) == segments


def test_it_stays_if_nothing_is_to_move():
    found = run(two_racks(), wide_over_racks(), Gandiva(lease_s=1000.0, migration=False))
    assert [row[1:] for row in found if row[0] == 3] == [({1: 1, 3: 2}, 0.0, 30.0)]


def test_settings_are_checked():
    with pytest.raises(ValueError, match="lease_s is"):
        Gandiva(lease_s=0.0)


def test_wide_jobs_may_take_any_gpus_as_the_seed_says():
    def placements(seed):
        jobs = [Job(f"j{number}", 3, 10, compute_s=1.0) for number in range(4)]
        policy = Gandiva(lease_s=100.0, migration=False, spread="any", seed=seed)
        return [row[1] for row in run(Cluster.uniform(8, 2, racks=2), jobs, policy)]

    assert placements(0) == placements(0)
    assert placements(0) != placements(1)
    # All sixteen GPUs but four are taken, and the nearest would be two machines for each job.
    assert all(sum(one.values()) == 3 for one in placements(0))
    assert max(len(one) for one in placements(0)) == 3


def test_an_unknown_spread_is_refused():
    with pytest.raises(ValueError, match="spread is 'nearest' or 'any'"):
        Gandiva(spread="far")


@pytest.mark.parametrize("compute_s", [0.1, 0.3, 0.7, 1.1])
def test_it_stays_if_the_move_saves_nothing_but_rounding(compute_s):
    # Without traffic one rack is as good as two.
    jobs = [
        Job("first", 2, 50, compute_s=1.0),
        Job("second", 1, 100, compute_s=1.0),
        Job("third", 2, 3, compute_s=1.1),
        Job("wide", 3, 101, compute_s=compute_s),
    ]
    found = run(two_racks(), jobs, Gandiva(lease_s=1000.0))
    assert [row[1:3] for row in found if row[0] == 3] == [({1: 1, 3: 2}, 0.0)]
