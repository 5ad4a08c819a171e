"""Branch and bound against the brute force, by hand, and how it stops."""

import itertools
import os
import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import instances

from optsched.core.cluster import Cluster, Fabric, Link, Server
from optsched.core.errors import LimitReachedError, UnsupportedError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.metrics import OBJECTIVES
from optsched.core.rate_model import RateModel
from optsched.exact import branch_and_bound, brute_force, limits
from optsched.generate.hand import interior_start, waiting_pays
from optsched.generate.small import forced, light, tight
from optsched.judge import verify

#: How far two proven optima may differ.
SAME = 2e-9


def drawn(seed):
    """Return an instance of 3 to 5 jobs in which contention, arrivals and twins are common."""
    draw = random.Random(seed)
    servers = draw.choice([2, 3, 3, 4])
    sizes = [draw.choice([1, 2, 2, 3, 4]) for _ in range(servers)]
    if draw.random() < 0.4:
        sizes = [draw.choice([2, 3])] * servers
    racks = draw.choice([1, 1, 1, 2])
    own = draw.random() < 0.15
    cluster = Cluster(
        [
            Server(f"s{i}", size, f"r{i % racks}", draw.choice([1e9, 2e9]) if own else None)
            for i, size in enumerate(sizes)
        ],
        Fabric(
            intra_bytes_per_s=draw.choice([20e9, 20e9, 0.7e9]),
            inter_bytes_per_s=1e9,
            uplink_bytes_per_s=draw.choice([1e9, float("inf")]),
            reduce_bytes_per_s=20e9,
            degradation=draw.choice([0.0, 0.2, 0.5]),
        ),
    )
    jobs = []
    arrive = draw.random() < 0.4
    for position in range(draw.randint(3, 5)):
        if jobs and draw.random() < 0.2:
            jobs.append(Job(**{**fields(jobs[-1]), "id": f"j{position}"}))
            continue
        jobs.append(
            Job(
                f"j{position}",
                min(draw.choice([1, 2, 2, 3, 3, 4]), sum(sizes)),
                draw.randint(4, 22),
                gradient_bytes=draw.uniform(0.05, 1.0) * 1e9 * draw.choice([1, 1, 0]),
                compute_s=draw.choice([0.1, 0.2, draw.uniform(0.08, 0.25)]),
                arrival_s=draw.choice([0.0, 1.0, draw.uniform(0, 4)]) if arrive else 0.0,
                weight=draw.choice([1.0, 1.0, 0.5, 4.0]),
            )
        )
    model = RateModel.of("ring", contention_weight=draw.choice([0.5, 1.0, 1.0]))
    return Instance(f"drawn-{seed}", cluster, jobs, model)


def fields(job):
    names = ("gpus", "iterations", "gradient_bytes", "compute_s", "arrival_s", "weight")
    return {name: getattr(job, name) for name in names}


def agree(instance, objective, **options):
    found = branch_and_bound(instance, objective=objective, **options)
    best = brute_force(instance, objective=objective)
    assert found.is_complete and found.scope == "event-aligned"
    assert found.value == pytest.approx(best.value, rel=SAME), instance.name
    judgement = verify(instance, found.schedule)
    assert judgement.is_valid and judgement.objectives[objective] == found.value


@pytest.mark.parametrize("seed", range(30))
def test_equals_the_brute_force(seed):
    agree(drawn(seed), OBJECTIVES[seed % 3])


@pytest.mark.slow
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", range(200))
def test_equals_the_brute_force_on_two_hundred(seed, objective):
    agree(drawn(seed), objective)


@pytest.mark.parametrize("seed", range(8))
def test_neither_symmetry_nor_memory_changes_the_optimum(seed):
    instance = drawn(seed)
    for objective in OBJECTIVES:
        values, nodes = [], []
        for symmetry, memo in itertools.product((True, False), repeat=2):
            found = branch_and_bound(instance, objective=objective, symmetry=symmetry, memo=memo)
            values.append(found.value)
            nodes.append(found.nodes)
        assert max(values) <= min(values) * (1 + SAME)
        assert nodes[0] <= nodes[3]


@given(instances(max_jobs=4, max_servers=3, slotted=False))
@settings(max_examples=40, deadline=None)
def test_equals_the_brute_force_on_any_model(instance):
    """Uplinks, unequal rates, arrivals, slow servers inside, fixed durations."""
    for objective in OBJECTIVES:
        agree(instance, objective)


def test_identical_jobs_and_servers():
    jobs = [Job(f"j{i}", 3, 10, gradient_bytes=750e6, compute_s=0.05) for i in range(5)]
    fabric = Fabric(inter_bytes_per_s=1e9, degradation=0.5)
    instance = Instance("five", Cluster.uniform(3, 2, fabric=fabric), jobs)
    # Any two contend, and contention wastes: one after the other.
    assert branch_and_bound(instance).value == pytest.approx(52.5)
    assert branch_and_bound(instance, objective="mean_jct").value == pytest.approx(31.5)
    plain = branch_and_bound(instance, symmetry=False, memo=False)
    assert plain.value == pytest.approx(52.5)
    cut = branch_and_bound(instance).details["cut_by_limit"]
    assert cut < plain.details["cut_by_limit"] / 3


def test_hand_made_instances():
    assert branch_and_bound(waiting_pays()).value == 21.0
    assert branch_and_bound(waiting_pays(), objective="mean_jct").value == 15.75
    found = branch_and_bound(interior_start(), objective="weighted_jct")
    assert found.value == pytest.approx(833 / 9, rel=1e-12)


def test_a_graph_with_two_switches():
    # Two jobs over the link between the switches take turns or slow each other.
    links = [Link((f"s{i}", "a" if i < 2 else "b"), 2e9) for i in range(4)]
    links.append(Link(("a", "b"), 1e9))
    fabric = Fabric(links=tuple(links), degradation=0.5)
    cluster = Cluster([Server(f"s{i}", 1) for i in range(4)], fabric)
    jobs = [Job(name, 3, 5, gradient_bytes=6e8, compute_s=0.1) for name in "ab"]
    jobs.append(Job("c", 1, 9, compute_s=0.2))
    instance = Instance("graph", cluster, jobs)
    for objective in OBJECTIVES:
        agree(instance, objective)


@pytest.mark.parametrize("family", [forced, tight, light])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_six_jobs_agree_without_memory_or_symmetry(family, objective):
    """Beyond the reach of the brute force: two searches that leave out different things."""
    instance = family(jobs=6, servers=3, seed=7)
    full = branch_and_bound(instance, objective=objective, time_limit_s=60)
    other = branch_and_bound(
        instance, objective=objective, memo=False, symmetry=False, time_limit_s=60
    )
    assert full.is_complete and other.is_complete
    assert full.value == pytest.approx(other.value, rel=SAME)


def test_clocks_that_start_late_lose_no_precision():
    instance = drawn(3)
    late = instance.changed(
        jobs=[
            Job(**{**fields(j), "id": j.id, "arrival_s": j.arrival_s + 1e9}) for j in instance.jobs
        ]
    )
    for objective in ("mean_jct", "weighted_jct"):
        near = branch_and_bound(instance, objective=objective).value
        # At 10⁹ s a double knows 10⁻⁷ s.
        assert branch_and_bound(late, objective=objective).value == pytest.approx(near, abs=1e-5)


def test_below_looks_for_better_schedules_only():
    found = branch_and_bound(waiting_pays(), below=21.0)
    assert found.is_complete and found.schedule is None and found.value is None
    assert branch_and_bound(waiting_pays(), below=21.1).value == 21.0


def test_incumbents_improve_and_are_reported():
    seen = []
    instance = forced(jobs=6, servers=3, seed=2)
    found = branch_and_bound(instance, on_incumbent=lambda s, value: seen.append((s, value)))
    values = [value for _, value in seen]
    assert len(values) > 1 and values == sorted(values, reverse=True)
    assert seen[-1] == (found.schedule, found.value)
    assert all(verify(instance, s).objectives["makespan"] == value for s, value in seen)


def test_same_input_same_output():
    instance = tight(jobs=8, servers=3, seed=1)
    first, second = branch_and_bound(instance), branch_and_bound(instance)
    assert (first.value, first.nodes, first.details) == (second.value, second.nodes, second.details)
    assert first.schedule.start_s.tolist() == second.schedule.start_s.tolist()


class Clock:
    """A clock that advances by a second whenever it is read."""

    def __init__(self):
        self.reads = 0

    def monotonic(self):
        self.reads += 1
        return float(self.reads)


def test_a_limit_is_never_taken_for_a_proof(monkeypatch):
    module = sys.modules[branch_and_bound.__module__]
    clock = Clock()
    monkeypatch.setattr(limits, "time", clock)
    monkeypatch.setattr(module, "FIRST_BUDGET", 20)
    monkeypatch.setattr(module, "WORK_A_TURN", 0)
    instance = forced(jobs=6, servers=3, seed=2)
    best = branch_and_bound(instance, time_limit_s=1e9)
    needed = clock.reads
    assert best.is_complete and needed > 20
    completes = []
    for limit in range(1, needed + 2):
        clock.reads = 0
        try:
            found = branch_and_bound(instance, time_limit_s=limit)
        except LimitReachedError as error:
            assert "no schedule of 'forced-6x3-2' within" in str(error)
            continue
        assert found.stopped_by == ("" if found.is_complete else "time limit")
        assert not found.is_complete or found.value == best.value
        completes.append(found.is_complete)
    assert completes == sorted(completes) and completes[0] is False and completes[-1] is True


def test_a_limit_before_the_first_schedule():
    with pytest.raises(LimitReachedError, match="no schedule of 'waiting-pays' within 0 s"):
        branch_and_bound(waiting_pays(), time_limit_s=0.0)
    found = branch_and_bound(waiting_pays(), time_limit_s=0.0, below=30.0)
    assert found.schedule is None and not found.is_complete


def test_an_interrupt_keeps_the_best_so_far():
    def interrupt(schedule, value):
        raise KeyboardInterrupt

    instance = forced(jobs=6, servers=3, seed=2)
    found = branch_and_bound(instance, on_incumbent=interrupt)
    assert found.stopped_by == "interrupt" and not found.is_complete
    assert verify(instance, found.schedule).objectives["makespan"] == found.value


def test_refusals_name_the_brute_force():
    with pytest.raises(UnsupportedError, match="'brute-force'"):
        branch_and_bound(forced(jobs=4, slot_s=1.0))
    wide = Instance("wide", Cluster.uniform(12, 8), [Job("a", 20, 5, compute_s=1.0)])
    with pytest.raises(UnsupportedError, match=r"more than 20,000 placements.*'brute-force'"):
        branch_and_bound(wide)


SCRIPT = """
import warnings
warnings.simplefilter("ignore")
from optsched.exact import branch_and_bound
from optsched.generate.small import forced
for objective in ("makespan", "mean_jct"):
    found = branch_and_bound(forced(jobs=5, servers=3, seed=0), objective=objective)
    print(repr(found.value), found.nodes, sorted(found.details.items()))
"""


def test_compiled_code_does_what_python_does():
    """The same tree, node for node, when nothing is compiled."""
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


def test_no_limit_is_above_the_optimum():
    """Every limit met on the way to an optimal schedule is at most the optimum."""
    from optsched.exact.search_tables import search_tables
    from optsched.exact.state_prices import StatePrices

    for seed in range(10):
        instance = drawn(seed)
        if instance.has_arrivals:
            continue
        tables = search_tables(instance, range(len(instance.jobs)), objective="makespan").tables
        prices = StatePrices(tables)
        assert prices.add(tables.iterations)
        best = brute_force(instance).value
        bounds = prices.vectors @ tables.iterations
        assert np.all(bounds <= best * (1 + 1e-9))
        assert bounds[-1] >= bounds.max() * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_windows_cut_nothing_that_is_better(seed):
    """Told to beat what is just above the optimum, the search still finds it."""
    instance = drawn(100 + seed)
    best = brute_force(instance)
    found = branch_and_bound(instance, below=best.value * 1.0001)
    assert found.is_complete and found.value == pytest.approx(best.value, rel=SAME)
    nothing = branch_and_bound(instance, below=best.value)
    assert nothing.is_complete and nothing.schedule is None


def test_windows_see_what_may_not_be_interrupted():
    # 4 GPUs. Three jobs of 2 GPUs for 6 s and one of 4 for 1 s: 9 s by area. But two of the three
    # run in turn, and the large one beside neither: 13 s.
    from optsched.exact.search_energy import is_overfull

    sizes = np.array([[0.5, 0.5, 0.5, 1.0]])
    left, starts = np.array([6.0, 6.0, 6.0, 1.0]), np.zeros(4)
    state = (0.0, left, np.zeros(4, dtype=np.int64), starts)
    points = np.empty((3, 10))
    assert not is_overfull(sizes, *state, 13.0, points)
    # Below 12 s each of the three must run in the middle, and they need 6 GPUs there.
    assert is_overfull(sizes, *state, 11.9, points)
    jobs = [Job(f"j{i}", 2, 1, compute_s=6.0) for i in range(3)] + [Job("all", 4, 1, compute_s=1.0)]
    instance = Instance("turns", Cluster.uniform(1, 4), jobs, RateModel("fixed"))
    found = branch_and_bound(instance)
    assert found.value == 13.0
