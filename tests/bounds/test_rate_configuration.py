"""The rate-configuration LP by shapes against the LP over all states, and by hand."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
from state_enumeration import progress, rate_configuration_lp, states

from optsched.bounds.configuration import configuration_bound
from optsched.bounds.longest import longest_bound
from optsched.bounds.rate_configuration import rate_configuration_bound
from optsched.bounds.workload import Workload
from optsched.contention import rate_functions
from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.errors import UnsupportedError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.generate import generate, waiting_pays


def tiny(seed, *, servers=(2, 3), jobs=(3, 5), slot_s=None):
    """Servers of 1 to 4 GPUs, demands of 1 to 4, all parameters of the model in play."""
    draws = random.Random(seed)
    while True:
        capacities = [draws.choice((1, 2, 2, 3, 4)) for _ in range(draws.randint(*servers))]
        demands = [draws.choice((1, 2, 3, 3, 4)) for _ in range(draws.randint(*jobs))]
        if max(demands) <= sum(capacities):
            break
    fabric = Fabric(20.0, 1.0, reduce_bytes_per_s=20.0, degradation=draws.choice((0.0, 0.2, 0.5)))
    model = RateModel.of(
        "ring",
        contention_weight=draws.choice((0.5, 1.0, 1.0)),
        server_overhead_s=draws.choice((0.0, 0.01, 0.03)),
    )
    rows = [
        Job(
            f"j{i}",
            gpus,
            draws.randint(4, 22),
            gradient_bytes=draws.uniform(0.05, 0.3) * draws.choice((1.0, 1.0, 0.3)),
            compute_s=draws.uniform(0.08, 0.25),
        )
        for i, gpus in enumerate(demands)
    ]
    machines = [Server(f"s{i}", gpus) for i, gpus in enumerate(capacities)]
    return Instance("tiny", Cluster(machines, fabric), rows, model, slot_s=slot_s)


def check_equal(instance, **options):
    made = rate_configuration_bound(Workload.of(instance), **options)
    expected = rate_configuration_lp(instance)
    if instance.is_slotted:
        expected = np.ceil(expected / instance.slot_s - 1e-7) * instance.slot_s
    assert made.value <= expected * (1 + 1e-9)
    assert made.value == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("seed", range(20))
def test_shapes_give_the_lp_over_all_states(seed):
    check_equal(tiny(seed, slot_s=2.0 if seed % 4 == 3 else None))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20, 70))
def test_shapes_give_the_lp_over_all_states_often(seed):
    check_equal(tiny(seed, jobs=(4, 6), slot_s=1.5 if seed % 4 == 3 else None))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_shapes_of_four_servers_too(seed):
    check_equal(tiny(1000 + seed, servers=(4, 4), jobs=(4, 5)), exact_servers=4, steps=10**7)


@pytest.mark.parametrize("seed", range(20))
def test_relaxed_components_never_bound_higher(seed):
    workload = Workload.of(tiny(seed, servers=(3, 3)))
    values = [rate_configuration_bound(workload, exact_servers=k).value for k in (1, 2, 3)]
    assert values[0] <= values[1] * (1 + 1e-9) <= values[2] * (1 + 2e-9)
    assert values[0] >= longest_bound(workload).value * (1 - 1e-9)


def test_waiting_pays_by_hand():
    # The two jobs of 3 GPUs meet on one of three servers of 2. Alone an iteration takes 0.05 + 1
    # seconds, together 0.05 + 2.5: one after the other is 10·1.05·2 s, and together 25.5 s.
    made = rate_configuration_bound(Workload.of(waiting_pays()))
    assert made.value == pytest.approx(21.0, rel=1e-12)
    assert made.value <= 21.0


def test_waiting_pays_in_slots_by_hand():
    # A slot of 2.6 s holds two iterations alone and one together: 5 slots each alone, so 10 in a
    # row; together both need 10 as well.
    made = rate_configuration_bound(Workload.of(waiting_pays().changed(slot_s=2.6)))
    assert made.value == pytest.approx(26.0, rel=1e-12)


def test_running_time_rows_keep_what_slots_round_up():
    # A slot of 2.4 s holds two iterations alone and none together. Five iterations need 3 slots
    # then, two jobs in a row 6; the iterations alone would fit into 5.
    jobs = [Job(name, 3, 5, gradient_bytes=750e6, compute_s=0.05) for name in "ab"]
    made = rate_configuration_bound(Workload.of(waiting_pays().with_jobs(jobs).changed(slot_s=2.4)))
    assert made.value == pytest.approx(6 * 2.4, rel=1e-12)


def test_release_dates_by_hand():
    first, second = waiting_pays().jobs
    late = [
        Job(job.id, 3, 10, gradient_bytes=750e6, compute_s=0.05, arrival_s=100.0)
        for job in (first, second)
    ]
    early = Job("early", 1, 1, compute_s=3.0)
    made = rate_configuration_bound(Workload.of(waiting_pays().with_jobs([early, *late])))
    assert made.value == pytest.approx(121.0, rel=1e-12)
    assert made.certificate["release_s"] == 100.0


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("slot_s", [None, 2.0])
def test_prices_check_out_against_every_state(seed, slot_s):
    instance = tiny(seed + 300, jobs=(3, 4), slot_s=slot_s)
    workload = Workload.of(instance)
    made = rate_configuration_bound(workload)
    prices = dict(zip(made.certificate["jobs"], made.certificate["prices"], strict=True))
    by_job = [prices[name] for name in instance.jobs.ids]
    rates = rate_functions(instance)
    iterations = instance.jobs.iterations.tolist()
    for state in states(instance):
        worth = Fraction(0)
        for job, done in enumerate(progress(instance, rates, state).tolist()):
            if done > 0:
                worth += by_job[job][0] * Fraction(done) / iterations[job]
                if slot_s is not None:
                    worth += by_job[job][1] / Fraction(workload.duration.item(job))
        # In continuous time the test divides in floating point.
        assert worth <= made.certificate["worth"] * (1 + Fraction(1, 10**14))
    value = Fraction(sum(map(sum, by_job)), made.certificate["worth"])
    assert Fraction(made.value) <= (value if slot_s is None else value.__ceil__() * 2)


@pytest.mark.parametrize("seed", range(5))
def test_at_least_the_configuration_lp(seed):
    workload = Workload.of(generate("forced", {"jobs": "15", "servers": "5"}, seed=seed))
    rate = rate_configuration_bound(workload).value
    assert rate >= configuration_bound(workload).value * (1 - 1e-9)


def test_wide_servers_are_bounded_too():
    """Eight and sixteen GPUs a server; a job that fills two of them in any case."""
    servers = [Server(f"s{i}", gpus) for i, gpus in enumerate((8, 8, 16, 32))]
    fabric = Fabric(30.0, 1.0, degradation=0.2)
    demands = (1, 1, 2, 4, 8, 8, 16, 16, 24, 32, 40)
    jobs = [
        Job(f"j{i}", gpus, 100, gradient_bytes=0.01, compute_s=0.02)
        for i, gpus in enumerate(demands)
    ]
    workload = Workload.of(Instance("wide", Cluster(servers, fabric), jobs))
    made = rate_configuration_bound(workload)
    assert made.value >= configuration_bound(workload).value * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("slot_s", [None, 2.0])
def test_pooled_small_demands_bound_lower_but_not_below_one_pool(seed, slot_s, monkeypatch):
    from optsched.bounds import rate_configuration

    instance = tiny(seed, slot_s=slot_s)
    workload = Workload.of(instance)
    expected = rate_configuration_bound(workload).value
    simple = max(one(workload).value for one in (configuration_bound, longest_bound))
    demands = sorted(set(instance.jobs.gpus.tolist()))
    make = rate_configuration.enumerate_shapes
    for pooled in demands:
        monkeypatch.setattr(
            rate_configuration,
            "enumerate_shapes",
            lambda *a, p=pooled, **k: make(*a, **(k | {"pooled": p})),
        )
        made = rate_configuration_bound(workload)
        assert made.certificate["pooled_gpus"] == pooled
        assert simple * (1 - 1e-9) <= made.value <= expected * (1 + 1e-9)
    # With all of them in the pool nothing is left but the configuration LP.
    assert made.value == pytest.approx(simple, rel=1e-7)


def test_small_demands_are_pooled_when_there_are_too_many_shapes():
    workload = Workload.of(generate("light", {"jobs": "40", "servers": "8"}, seed=0))
    full = rate_configuration_bound(workload, exact_servers=1)
    pooled = rate_configuration_bound(workload, exact_servers=1, steps=3_000)
    assert full.certificate["pooled_gpus"] == 0 < pooled.certificate["pooled_gpus"]
    assert pooled.value <= full.value * (1 + 1e-9)
    assert pooled.value >= configuration_bound(workload).value * (1 - 1e-9)


def test_models_without_levels_are_refused():
    slow = Fabric(intra_bytes_per_s=0.5e9, inter_bytes_per_s=1e9)
    cluster = Cluster.uniform(3, 2, fabric=slow)
    with pytest.raises(UnsupportedError, match="number of servers and the contention degree"):
        rate_configuration_bound(Workload.of(waiting_pays().changed(cluster=cluster)))
    fixed = Instance(
        "f", Cluster.uniform(2, 2), [Job("a", 1, 1, compute_s=1.0)], RateModel("fixed")
    )
    with pytest.raises(UnsupportedError, match="nothing to add to the configuration LP"):
        rate_configuration_bound(Workload.of(fixed))


def test_too_many_shapes_are_refused_with_the_limit(monkeypatch):
    from optsched.bounds import rate_configuration

    monkeypatch.setattr(rate_configuration, "LEAST_STEPS", 5)
    workload = Workload.of(generate("light", {"jobs": "20", "servers": "5"}, seed=0))
    with pytest.raises(UnsupportedError, match="more than 5 steps to enumerate even if"):
        rate_configuration_bound(workload, steps=10)


def test_an_interrupt_keeps_the_best_so_far(monkeypatch):
    from optsched.bounds.covering import CoveringMaster

    workload = Workload.of(generate("forced", {"jobs": "10", "servers": "4"}, seed=0))
    solve, calls = CoveringMaster.duals, itertools.count()

    def interrupted(self):
        if next(calls) == 4:
            raise KeyboardInterrupt
        return solve(self)

    monkeypatch.setattr(CoveringMaster, "duals", interrupted)
    made = rate_configuration_bound(workload)
    assert made.certificate["stopped_by"] == "interrupt"
    assert 0.0 < made.value <= rate_configuration_bound(workload).value
