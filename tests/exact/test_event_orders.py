"""The search over event orders against the event-aligned one, by hand, and how it stops."""

import os
import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import instances

from optsched.core.cluster import Cluster, Fabric
from optsched.core.errors import LimitReachedError, UnsupportedError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.metrics import OBJECTIVES
from optsched.core.rate_model import RateModel
from optsched.exact import branch_and_bound, event_orders, limits
from optsched.generate.hand import interior_start, waiting_pays
from optsched.generate.small import forced, tight
from optsched.judge import verify

SAME = 2e-9


def drawn(seed, jobs=4):
    """Return an instance of forced contention, some with arrivals and weights."""
    draw = random.Random(seed)
    arrive = draw.random() < 0.4
    cluster = Cluster.uniform(
        3, 2, fabric=Fabric(inter_bytes_per_s=1e9, degradation=draw.choice([0.2, 0.5]))
    )
    rows = [
        Job(
            f"j{i}",
            draw.choice([1, 2, 3, 3, 4]),
            draw.randint(4, 20),
            gradient_bytes=draw.uniform(0.1, 0.8) * 1e9,
            compute_s=draw.uniform(0.05, 0.3),
            arrival_s=draw.uniform(0, 3) if arrive and i else 0.0,
            weight=draw.choice([1.0, 3.0]),
        )
        for i in range(jobs)
    ]
    return Instance(f"orders-{seed}", cluster, rows)


def test_a_start_between_events():
    found = event_orders(interior_start(), objective="weighted_jct")
    assert found.is_complete and found.scope == "all"
    assert found.value == pytest.approx(832 / 9, rel=1e-12)
    assert found.schedule.start_s.tolist() == pytest.approx([0.0, 3.0, 8.0, 28.0])
    # It is not better for the other objectives.
    for objective in ("makespan", "mean_jct"):
        aligned = branch_and_bound(interior_start(), objective=objective).value
        assert event_orders(interior_start(), objective=objective).value == pytest.approx(aligned)


def test_waiting_pays():
    assert event_orders(waiting_pays()).value == pytest.approx(21.0, rel=1e-12)
    assert event_orders(waiting_pays(), objective="mean_jct").value == pytest.approx(15.75)


@pytest.mark.parametrize("seed", range(12))
def test_never_worse_than_event_aligned(seed):
    """Equal wherever no start between events helps, which is so on all of these."""
    instance = drawn(seed)
    for objective in OBJECTIVES:
        aligned = branch_and_bound(instance, objective=objective).value
        found = event_orders(instance, objective=objective)
        assert found.is_complete
        assert found.value <= aligned * (1 + SAME)
        assert verify(instance, found.schedule).objectives[objective] == found.value
        if not instance.has_arrivals:
            assert found.value == pytest.approx(aligned, rel=SAME)
        better = event_orders(instance, objective=objective, below=found.value)
        assert better.is_complete and better.schedule is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200))
def test_never_worse_than_event_aligned_on_two_hundred(seed):
    instance = drawn(1000 + seed)
    for objective in OBJECTIVES:
        aligned = branch_and_bound(instance, objective=objective).value
        found = event_orders(instance, objective=objective, below=aligned)
        assert found.is_complete
        assert found.value is None or found.value < aligned


@given(instances(max_jobs=3, max_servers=3, slotted=False))
@settings(max_examples=25, deadline=None)
def test_any_model(instance):
    for objective in OBJECTIVES:
        aligned = branch_and_bound(instance, objective=objective).value
        found = event_orders(instance, objective=objective)
        assert found.is_complete and found.value <= aligned * (1 + SAME) + 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_symmetry_does_not_change_the_optimum(seed):
    instance = drawn(seed, jobs=3)
    twin = instance.jobs[0]
    rows = [
        *instance.jobs,
        Job("twin", twin.gpus, twin.iterations, twin.gradient_bytes, twin.compute_s),
    ]
    rows[0] = Job("first", twin.gpus, twin.iterations, twin.gradient_bytes, twin.compute_s)
    instance = instance.changed(jobs=rows)
    for objective in ("makespan", "mean_jct"):
        with_symmetry = event_orders(instance, objective=objective)
        without = event_orders(instance, objective=objective, symmetry=False)
        assert with_symmetry.value == pytest.approx(without.value, rel=SAME)
        assert with_symmetry.nodes <= without.nodes


def test_one_gpu_and_arrivals_by_hand():
    # One GPU. To idle to 1 for the job of weight 10 costs 12 + 10; to start the other first, 110.
    jobs = [
        Job("long", 1, 1, compute_s=10.0, weight=1.0),
        Job("urgent", 1, 1, compute_s=1.0, arrival_s=1.0, weight=10.0),
    ]
    instance = Instance("idle", Cluster.uniform(1, 1), jobs, RateModel("fixed"))
    found = event_orders(instance, objective="weighted_jct")
    assert found.value == pytest.approx(22 / 11)
    assert found.schedule.start_s.tolist() == pytest.approx([1.0, 2.0])
    assert event_orders(instance).value == pytest.approx(11.0)


def test_nothing_arrives_at_time_zero():
    jobs = [
        Job("a", 1, 2, compute_s=1.0, arrival_s=5.0),
        Job("b", 1, 2, compute_s=1.0, arrival_s=6),
    ]
    found = event_orders(Instance("late", Cluster.uniform(1, 1), jobs))
    assert (found.value, found.schedule.start_s.tolist()) == (9.0, [5.0, 7.0])


class Clock:
    def __init__(self):
        self.reads = 0

    def monotonic(self):
        self.reads += 1
        return float(self.reads)


def test_a_limit_is_never_taken_for_a_proof(monkeypatch):
    module = sys.modules[event_orders.__module__]
    clock = Clock()
    monkeypatch.setattr(limits, "time", clock)
    monkeypatch.setattr(module, "FIRST_BUDGET", 20)
    monkeypatch.setattr(module, "WORK_A_TURN", 0)
    instance = forced(jobs=4, servers=3, seed=2)
    best = event_orders(instance, time_limit_s=1e9)
    needed = clock.reads
    assert best.is_complete and needed > 20
    completes = []
    for limit in [*range(1, needed, needed // 30 + 1), needed - 1, needed, needed + 1]:
        clock.reads = 0
        try:
            found = event_orders(instance, time_limit_s=limit)
        except LimitReachedError:
            continue
        assert found.stopped_by == ("" if found.is_complete else "time limit")
        assert not found.is_complete or found.value == best.value
        completes.append(found.is_complete)
    assert completes == sorted(completes) and completes[0] is False and completes[-1] is True


def test_an_interrupt_keeps_the_best_so_far():
    def interrupt(schedule, value):
        raise KeyboardInterrupt

    found = event_orders(waiting_pays(), on_incumbent=interrupt)
    assert found.stopped_by == "interrupt" and not found.is_complete
    assert verify(waiting_pays(), found.schedule).objectives["makespan"] == found.value


def test_slots_are_refused():
    with pytest.raises(UnsupportedError, match="'brute-force'"):
        event_orders(forced(jobs=4, slot_s=1.0))


SCRIPT = """
import warnings
warnings.simplefilter("ignore")
from optsched.exact import event_orders
from optsched.generate.hand import interior_start
for objective in ("makespan", "weighted_jct"):
    found = event_orders(interior_start(), objective=objective)
    print(round(found.value, 9), found.nodes, found.details)
"""


def test_compiled_code_does_what_python_does():
    said = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "NUMBA_DISABLE_JIT": flag},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for flag in ("0", "1")
    ]
    assert said[0] == said[1] and said[0].count("\n") == 2


def test_same_input_same_output():
    first, second = (event_orders(tight(jobs=4, servers=3, seed=1)) for _ in range(2))
    assert (first.value, first.nodes) == (second.value, second.nodes)
    assert np.array_equal(first.schedule.start_s, second.schedule.start_s)
