"""Brute force on instances solved by hand, and how it stops."""

import itertools

import pytest

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.errors import LimitReachedError, UnknownNameError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel
from optsched.core.schedule import Decision
from optsched.exact import brute_force, limits
from optsched.generate.hand import interior_start, waiting_pays
from optsched.judge import replay, verify


def fixed(*jobs, gpus=(1,), slot_s=None):
    """Jobs as (gpus, duration_s, arrival_s, weight)."""
    rows = [
        Job(f"j{i}", g, 1, compute_s=d, arrival_s=r, weight=w)
        for i, (g, d, r, w) in enumerate(jobs)
    ]
    servers = [Server(f"s{i}", count) for i, count in enumerate(gpus)]
    return Instance("hand", Cluster(servers), rows, RateModel("fixed"), slot_s=slot_s)


@pytest.mark.parametrize("symmetry", [True, False])
@pytest.mark.parametrize("pruning", [True, False])
def test_waiting_pays(symmetry, pruning):
    options = {"symmetry": symmetry, "pruning": pruning}
    assert brute_force(waiting_pays(), **options).value == 21.0
    assert brute_force(waiting_pays(), objective="mean_jct", **options).value == 31.5 / 2


@pytest.mark.parametrize("pruning", [True, False])
def test_interior_start_is_833_with_starts_at_events(pruning):
    found = brute_force(interior_start(), objective="weighted_jct", pruning=pruning)
    assert found.value == pytest.approx(833 / 9, rel=1e-12)
    assert found.scope == "event-aligned"


def test_interior_start_is_832_with_a_start_between_events():
    """So the brute force may not claim more than the event-aligned optimum."""
    left, right = Placement.of({0: 2, 1: 1}), Placement.of({1: 1, 2: 2})
    everywhere = Placement.of({0: 2, 1: 2, 2: 2})
    starts = [Decision(0, left, 0.0), Decision(1, right, 3.0), Decision(2, left, 8.0)]
    instance = interior_start()
    end_s = replay(instance, starts).end_time_s
    judgement = verify(instance, replay(instance, [*starts, Decision(3, everywhere, end_s)]))
    assert judgement.is_valid
    assert judgement.objectives["weighted_jct"] == pytest.approx(832 / 9, rel=1e-12)


def test_idling_for_an_arrival_can_pay():
    # One GPU. The job of weight 10 arrives at 1 and takes 1; to start the other (10 s) at 0 would
    # make it wait until 10: Σ w JCT = 10 + 10·10 = 110; after idling to 1: 12 + 10·1 = 22.
    instance = fixed((1, 10.0, 0.0, 1.0), (1, 1.0, 1.0, 10.0))
    for pruning in (True, False):
        found = brute_force(instance, objective="weighted_jct", pruning=pruning)
        assert found.value == 22 / 11
        assert found.schedule.start_s.tolist() == [1.0, 2.0]


def test_nothing_arrives_at_time_zero():
    found = brute_force(fixed((1, 2.0, 5.0, 1.0), (1, 2.0, 6.0, 1.0)))
    assert (found.value, found.schedule.start_s.tolist()) == (9.0, [5.0, 7.0])


def test_slotted_arrivals_and_starts():
    # Slots of 2 s. 3 s are 2 slots. The arrival at 2.5 counts from slot 2 on.
    instance = fixed((1, 3.0, 2.5, 1.0), slot_s=2.0)
    for starts in ("events", "slots"):
        found = brute_force(instance, starts=starts)
        assert (found.value, found.schedule.start_s.tolist()) == (8.0, [4.0])
    assert found.scope == "all"


def test_placements_that_stall_are_left_out():
    # Spread, an iteration takes 0.5 + 2·(1/2)·1e9/1e9 = 1.5 s: none fits into a slot of 1 s.
    fabric = Fabric(inter_bytes_per_s=1e9)
    jobs = [Job("a", 2, 4, gradient_bytes=1e9, compute_s=0.5)]
    instance = Instance("stall", Cluster.uniform(2, 2, fabric=fabric), jobs, slot_s=1.0)
    for pruning in (True, False):
        found = brute_force(instance, starts="slots", symmetry=False, pruning=pruning)
        assert found.value == 2.0
        assert not any(segment.placement.is_spread for segment in found.schedule)


def test_uplinks_count():
    # Two racks with a slow uplink: two jobs of 2 GPUs on four servers with one GPU each. Within
    # racks τ = 0.1 + 1 = 1.1 s; across, each alone 0.1 + 4 = 4.1 s.
    fabric = Fabric(inter_bytes_per_s=1e9, uplink_bytes_per_s=0.25e9)
    jobs = [Job(name, 2, 10, gradient_bytes=1e9, compute_s=0.1) for name in "ab"]
    servers = [Server(f"s{i}", 1, f"r{i % 2}") for i in range(4)]
    instance = Instance("racks", Cluster(servers, fabric), jobs)
    for symmetry in (True, False):
        found = brute_force(instance, symmetry=symmetry)
        assert found.value == pytest.approx(11.0)
        assert sorted(segment.placement.servers for segment in found.schedule) == [(0, 2), (1, 3)]


def test_slots_need_slotted_time():
    with pytest.raises(ValueError, match="use 'events'"):
        brute_force(waiting_pays(), starts="slots")
    with pytest.raises(UnknownNameError):
        brute_force(waiting_pays(), objective="flowtime")


def test_below_looks_for_better_schedules_only():
    found = brute_force(waiting_pays(), below=21.0)
    assert found.is_complete and found.schedule is None and found.value is None
    assert brute_force(waiting_pays(), below=21.1).value == 21.0


def test_incumbents_improve_and_are_reported():
    seen = []
    found = brute_force(waiting_pays(), on_incumbent=lambda s, value: seen.append((s, value)))
    values = [value for _, value in seen]
    assert values == sorted(values, reverse=True)
    assert seen[-1] == (found.schedule, found.value)


class Clock:
    """A clock that advances by a second whenever it is read."""

    def __init__(self):
        self.reads = 0

    def monotonic(self):
        self.reads += 1
        return float(self.reads)


@pytest.fixture
def clock(monkeypatch):
    one = Clock()
    monkeypatch.setattr(limits, "time", one)
    return one


def test_a_limit_is_never_taken_for_a_proof(clock):
    """Whatever the instant at which time runs out, the result says so."""
    instance = fixed(*[(1, d, 0.0, 1.0) for d in (5.0, 3.0, 2.0)], gpus=(2,))
    brute_force(instance, objective="mean_jct", time_limit_s=1e9)
    needed = clock.reads
    assert needed > 20
    completes = []
    for limit in range(1, needed + 2):
        clock.reads = 0
        try:
            found = brute_force(instance, objective="mean_jct", time_limit_s=limit)
        except LimitReachedError as error:
            assert "no schedule of 'hand' within" in str(error)
            continue
        was_late = clock.reads - 1 >= limit
        assert found.is_complete == (not was_late)
        assert found.stopped_by == ("time limit" if was_late else "")
        completes.append(found.is_complete)
    assert completes == sorted(completes) and completes[0] is False and completes[-1] is True


def test_a_limit_before_the_first_schedule():
    with pytest.raises(LimitReachedError, match="no schedule of 'waiting-pays' within 0 s"):
        brute_force(waiting_pays(), time_limit_s=0.0)


def test_an_interrupt_keeps_the_best_so_far():
    instance = fixed(*[(1, d, 0.0, 1.0) for d in (5.0, 3.0, 2.0)])

    def interrupt(schedule, value):
        raise KeyboardInterrupt

    found = brute_force(instance, objective="mean_jct", on_incumbent=interrupt)
    assert found.stopped_by == "interrupt" and not found.is_complete
    assert verify(instance, found.schedule).objectives["mean_jct"] == found.value


def test_fixed_jobs_on_one_gpu_follow_smith():
    # Weighted completions of 1 || Σ wC are least by falling w/d: checked over all orders.
    rows = [(1, 4.0, 0.0, 1.0), (1, 1.0, 0.0, 2.0), (1, 3.0, 0.0, 6.0), (1, 2.0, 0.0, 1.0)]

    def total(order):
        now = sum_ = 0.0
        for _, duration, _, weight in order:
            now += duration
            sum_ += weight * now
        return sum_

    best = min(total(order) for order in itertools.permutations(rows))
    assert brute_force(fixed(*rows), objective="weighted_jct").value == pytest.approx(best / 10)
