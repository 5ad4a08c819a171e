"""Philly's relaxation by hand."""

import pytest
from judged_runs import judged_rows as run

from optsched.core.cluster import Cluster
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.placement import Relaxation
from optsched.policies import Philly
from optsched.sim import simulate


def pair_between():
    """Return two jobs that leave a GPU on each of two servers of three, and one that wants two."""
    return [
        Job("hold", 2, 40, compute_s=1.0),
        Job("keep", 2, 40, compute_s=1.0),
        Job("pair", 2, 4, compute_s=1.0, arrival_s=1.0),
        Job("small", 1, 1, compute_s=1.0, arrival_s=2.0),
    ]


def start_of_pair(racks, **settings):
    found = run(Cluster.uniform(2, 3, racks=racks), pair_between(), Philly(**settings))
    assert [row[2] for row in found if row[0] == 3] == [2.0], "small overtakes"
    return next(row[2] for row in found if row[0] == 2)


def test_a_job_asks_for_less_after_some_rounds():
    settings = {"round_s": 2.0, "rack_after": 2, "anywhere_after": 4}
    assert start_of_pair(1, **settings) == 5.0
    assert start_of_pair(2, **settings) == 9.0
    assert start_of_pair(1) == 40.0, "2 minutes a round are too long here"


class State:
    """As much of a simulation as the rule asks for."""

    def __init__(self, simulation, now_s):
        self.instance, self.now_s = simulation, now_s

    def has_come(self, time_s):
        return time_s <= self.now_s


def test_at_first_a_large_job_asks_for_the_fewest_machines_of_one_rack():
    from optsched.sim import FreePool, LiveJob

    instance = Instance("racks", Cluster.uniform(6, 2, racks=2), [Job("a", 3, 1, compute_s=1.0)])
    job, rule = LiveJob(0, 3, 0.0, 1, 1.0, 1.0), Relaxation(10.0, 20.0)
    rule.on_arrival(job, State(instance, 0.0))
    pool = FreePool([2] * 6)
    pool.take(Placement.of({0: 1, 1: 1, 2: 1, 4: 2, 5: 2}))

    def offered(now_s):
        found = rule.offer(job, pool, State(instance, now_s))
        return None if found is None else dict(found.pairs)

    # Two machines would do; one GPU on each of three is what the first rack has.
    assert offered(0.0) is None
    assert offered(10.0) == {0: 1, 1: 1, 2: 1}
    pool.take(Placement.of({2: 1}))
    assert offered(19.0) is None
    assert offered(20.0) == {0: 1, 3: 2}
    pool.give(Placement.of({4: 2}))
    assert offered(0.0) == {3: 2, 4: 1}


def test_a_job_larger_than_a_rack_takes_any_gpus_at_once():
    instance = Instance("large", Cluster.uniform(2, 2, racks=2), [Job("a", 3, 1, compute_s=1.0)])
    assert simulate(instance, Philly(), debug=True).schedule.start_s.tolist() == [0.0]


def test_settings_are_checked():
    with pytest.raises(ValueError, match="round_s is"):
        Philly(round_s=-1.0)
    with pytest.raises(ValueError, match="a job takes a rack"):
        Philly(rack_after=5, anywhere_after=4)
