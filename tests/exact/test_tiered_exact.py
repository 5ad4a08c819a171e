"""Exact solving and bounds under the rate model ``tiered``, in which fewest servers is no law."""

import pytest
from enumeration_reference import event_aligned_optimum, slotted_optimum
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tiered_strategies import tiered_instances

from optsched.bounds import all_bounds
from optsched.contention import rate_problems, worst_durations_s
from optsched.core.cluster import Cluster
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.metrics import OBJECTIVES
from optsched.core.rate_model import RateModel
from optsched.core.result import violates
from optsched.exact import brute_force, solve
from optsched.judge import verify

objectives = st.sampled_from(OBJECTIVES)


def check(instance, objective, *, starts="events"):
    """Check that bounds hold, the judge agrees, and servers of one rack may be exchanged."""
    found = brute_force(instance, objective=objective, starts=starts)
    judgement = verify(instance, found.schedule)
    assert judgement.is_valid, judgement.violations
    assert judgement.objectives[objective] == found.value
    for bound in all_bounds(instance, objective):
        assert not violates(found.value, bound.value), bound
    plain = brute_force(instance, objective=objective, starts=starts, symmetry=False, pruning=False)
    assert found.value == pytest.approx(plain.value, rel=1e-10)
    return found.value


@settings(max_examples=40)
@given(tiered_instances(max_jobs=3, max_servers=3), objectives)
def test_brute_force_in_continuous_time(instance, objective):
    value = check(instance, objective)
    assert value == pytest.approx(event_aligned_optimum(instance, objective), rel=1e-7)


@settings(max_examples=15)
@given(tiered_instances(max_jobs=2, max_servers=2), objectives)
def test_brute_force_in_slots(instance, objective):
    # At its worst a job takes a slot or two.
    slotted = instance.changed(slot_s=worst_durations_s(instance).max().item() / 1.5)
    assume(not [problem for problem in rate_problems(slotted) if not problem.is_warning])
    value = check(slotted, objective, starts="slots")
    assert value == pytest.approx(slotted_optimum(slotted, objective), rel=1e-9)


def test_spreading_wider_can_be_the_optimum():
    # Machines of 2 in two racks. Latency 1 s a step and no bytes to speak of: three GPUs over two
    # machines, or over three, are a flat ring of 4 steps; in a rack these are dear, between racks
    # they are free. So the best placement crosses racks although one rack would do.
    model = RateModel.of(
        "tiered",
        rack_latency_s=1.0,
        network_latency_s=0.0,
        **{"layers.net": "1 1 1 1"},
    )
    job = Job("a", 3, 10, compute_s=1.5, profile="net")
    instance = Instance("wide", Cluster.uniform(4, 2, racks=2), [job], model)
    result = solve(instance)
    assert result.status == "optimal"
    assert result.value == pytest.approx(15.0)
    (segment,) = result.schedule.segments
    assert {server // 2 for server in segment.placement.servers} == {0, 1}


def test_twins_have_the_same_profile():
    """Jobs that differ in their network alone are no twins: one suffers in racks, one does not."""
    model = RateModel.of(
        "tiered",
        **{"layers.quiet": "1 1 1 0", "layers.loud": "1 1 1 1", "rack_latency_s": 10.0},
    )
    cluster = Cluster.uniform(2, 2)
    jobs = [
        Job("l", 2, 10, compute_s=1.0, profile="loud"),
        Job("q", 2, 10, compute_s=1.0, profile="quiet"),
        Job("one", 1, 10, compute_s=1.0),
    ]
    for order in (jobs, jobs[::-1], [jobs[1], jobs[0], *jobs[2:]]):
        check(Instance("twins", cluster, order, model), "makespan")
