"""SJF-BCO: what its search does, and which values of κ matter."""

import random

import numpy as np
import pytest

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.schedule import schedule_sha256
from optsched.planners import FirstFitPlanner, ListScheduling, RandomGpus, SjfBco, dispatch
from optsched.planners.gpu_loads import ROUNDING, GpuLoads
from optsched.planners.plan import task_of


def drawn(seed, *, jobs=9, arrivals=False, slot_s=None):
    """Return an instance whose jobs contend: 4 servers of 1 to 4 GPUs, demands up to 5."""
    draw = random.Random(seed)
    fabric = Fabric(inter_bytes_per_s=1e9, degradation=0.3)
    servers = [Server(f"s{i}", draw.randint(1, 4)) for i in range(3)] + [Server("s3", 4)]
    cluster = Cluster(servers, fabric)
    rows = [
        Job(
            f"j{i}",
            draw.choice([1, 1, 2, 3, 5]),
            draw.randint(1, 30),
            gradient_bytes=draw.choice([0.1e9, 0.5e9]),
            compute_s=draw.choice([0.1, 0.3, draw.random()]),
            arrival_s=draw.choice([0.0, 1.0, 5.0 * draw.random()]) if arrivals else 0.0,
        )
        for i in range(jobs)
    ]
    return Instance(f"drawn-{seed}", cluster, rows, slot_s=slot_s)


def sorted_by_size(instance):
    """Return the instance with its jobs in the order that SJF-BCO gives them."""
    estimate_s = task_of(instance, estimate_servers=4, estimate_degree=4).estimate_s
    jobs = instance.jobs
    order = sorted(range(len(jobs)), key=lambda job: (jobs.gpus[job], estimate_s[job], job))
    return instance.with_jobs([jobs[job] for job in order])


def digest(plan):
    return schedule_sha256(plan.schedule)


@pytest.mark.parametrize("mode", ["wait", "queue"])
@pytest.mark.parametrize("slot_s", [None, 8.0])
@pytest.mark.parametrize("seed", range(8))
def test_literal_with_the_largest_kappa_is_list_scheduling_of_the_smallest_first(
    seed, slot_s, mode
):
    instance = sorted_by_size(drawn(seed, slot_s=slot_s))
    largest = int(instance.jobs.gpus.max())
    ours = SjfBco(fa_ffp="literal", kappa=largest, dispatch=mode).plan(instance)
    theirs = ListScheduling(dispatch=mode).plan(instance)
    assert digest(ours) == digest(theirs)
    tried = [(step["cap_s"], step["makespan_s"]) for step in ours.details["search"]]
    assert tried == [(t["cap_s"], t["makespan_s"]) for t in theirs.details["search"]]


@pytest.mark.parametrize("fa_ffp", ["literal", "pack"])
@pytest.mark.parametrize("seed", range(6))
def test_no_kappa_but_one_and_the_demands_gives_another_schedule(seed, fa_ffp):
    instance = drawn(seed)
    jobs = [job for job in instance.jobs if job.gpus != 3]
    jobs.append(Job("large", 5, 7, gradient_bytes=0.5e9, compute_s=0.2))
    instance = instance.with_jobs(jobs)
    demands = {1, *instance.jobs.gpus.tolist()}
    assert demands < set(range(1, max(demands) + 1)), "some kappa is no demand"
    plans = {
        kappa: digest(SjfBco(fa_ffp=fa_ffp, kappa=kappa).plan(instance))
        for kappa in range(1, max(demands) + 2)
    }
    for kappa, found in plans.items():
        assert found == plans[max(demand for demand in demands if demand <= kappa)]


def test_kappa_matters():
    found = {
        kappa: {digest(SjfBco(kappa=kappa).plan(drawn(seed))) for seed in range(6)}
        for kappa in (1, 2, 5)
    }
    assert found[1] != found[2] != found[5]


@pytest.mark.parametrize("mode", ["wait", "queue"])
@pytest.mark.parametrize("search", ["bisect", "feasible", "sweep"])
@pytest.mark.parametrize("slot_s", [None, 8.0])
def test_the_search_is_recorded_and_the_least_makespan_wins(slot_s, search, mode):
    for seed in range(3):
        instance = drawn(seed, slot_s=slot_s)
        plan = SjfBco(cap_search=search, dispatch=mode).plan(instance)
        steps = plan.details["search"]
        tried = [(step["cap_s"], step["kappa"]) for step in steps]
        assert len(set(tried)) == len(tried), "every cap and kappa once"
        kappas = sorted({1, *instance.jobs.gpus.tolist()})
        caps = list(dict.fromkeys(cap for cap, _ in tried))
        assert tried == [(cap, kappa) for cap in caps for kappa in kappas]
        feasible = [step for step in steps if step["makespan_s"] is not None]
        best = min(feasible, key=lambda step: step["makespan_s"])
        assert plan.schedule.end_time_s == best["makespan_s"]
        assert (plan.details["cap_s"], plan.details["kappa"]) == (best["cap_s"], best["kappa"])
        assert plan.details["tightest_cap_s"] == min(step["cap_s"] for step in feasible)
        if slot_s is not None:
            assert all(cap % slot_s == 0 for cap in caps)


def test_the_winner_is_what_its_cap_and_kappa_give():
    plan = SjfBco().plan(drawn(4))
    again = SjfBco(
        kappa=plan.details["kappa"], horizon_s=plan.details["cap_s"], cap_search="sweep"
    ).plan(drawn(4))
    assert again.details["search"][0]["makespan_s"] == plan.schedule.end_time_s


@pytest.mark.parametrize("planner", [SjfBco, ListScheduling, FirstFitPlanner])
@pytest.mark.parametrize("mode", ["wait", "queue"])
@pytest.mark.parametrize("arrivals", [False, True])
def test_no_gpu_is_ever_given_more_work_than_the_cap(monkeypatch, planner, mode, arrivals):
    made = []

    class Watched(GpuLoads):
        def __init__(self, cluster):
            super().__init__(cluster)
            made.append(self)

    monkeypatch.setattr(dispatch, "GpuLoads", Watched)
    for seed in range(4):
        made.clear()
        instance = drawn(seed, arrivals=arrivals)
        plan = planner(dispatch=mode).plan(instance)
        estimate_s = task_of(instance, estimate_servers=4, estimate_degree=4).estimate_s
        steps = plan.details["search"]
        assert len(made) == len(steps)
        for loads, step in zip(made, steps, strict=True):
            assert loads.load_s.max() <= step["cap_s"] * (1 + ROUNDING)
            if step["makespan_s"] is not None:
                work_s = float(np.dot(instance.jobs.gpus, estimate_s))
                assert loads.load_s.sum() == pytest.approx(work_s, rel=1e-9)


def test_order_is_by_demand_then_estimate_then_position():
    # One GPU a server and one server of two: everything in turn. Demand 1 comes before 2 though it
    # is longer; of equal demand the shorter; of equal length the first.
    jobs = [
        Job("wide", 2, 1, compute_s=1.0),
        Job("long", 1, 9, compute_s=1.0),
        Job("short", 1, 2, compute_s=1.0),
        Job("short too", 1, 2, compute_s=1.0),
    ]
    instance = Instance("order", Cluster.uniform(1, 2), jobs)
    schedule = SjfBco(kappa=2, horizon_s=1e3, cap_search="sweep").plan(instance).schedule
    assert [row.job for row in schedule.segments if row.start_s == 0] == [2, 3]
    starts = {row.job: row.start_s for row in schedule.segments}
    assert starts == {2: 0.0, 3: 0.0, 1: 2.0, 0: 11.0}


def test_large_jobs_take_the_least_busy_servers_and_lambda_lets_them_take_more():
    # On 3 x 2 the small job (1 GPU) sits on server 0 for 10 s. The large one (2 GPUs) takes all of
    # server 1, the first of the least busy. With λ = 2 servers 1 and 2 are to choose from: still
    # the first two GPUs, for equal loads go by the rank of the server.
    jobs = [Job("small", 1, 10, compute_s=1.0), Job("large", 2, 10, compute_s=1.0)]
    instance = Instance("large", Cluster.uniform(3, 2), jobs)
    for factor in (1.0, 2.0):
        schedule = SjfBco(kappa=1, capacity_factor=factor).plan(instance).schedule
        places = {row.job: dict(row.placement.pairs) for row in schedule.segments}
        assert places == {0: {0: 1}, 1: {1: 2}}
    # Literal FA-FFP takes the least loaded GPUs in order: one of server 0 and one of server 1.
    schedule = SjfBco(kappa=2).plan(instance).schedule
    places = {row.job: dict(row.placement.pairs) for row in schedule.segments}
    assert places == {0: {0: 1}, 1: {0: 1, 1: 1}}


def test_lambda_ends_the_wait_for_a_server_that_is_not_wholly_free():
    # Three jobs of 1 GPU fill 1.5 servers of 2 x 2 (loads 10, 10 | 10, 0: means 10 and 5). The
    # large one wants 2: λ = 1 lets it choose from server 1 alone, where one GPU is taken.
    jobs = [Job(f"small{i}", 1, 10 + i, compute_s=1.0) for i in range(3)]
    jobs += [Job("large", 2, 5, compute_s=1.0)]
    instance = Instance("lambda", Cluster.uniform(2, 2), jobs)

    def start_of_large(factor):
        planner = SjfBco(kappa=1, capacity_factor=factor, cap_search="sweep", horizon_s=100.0)
        large = [row for row in planner.plan(instance).schedule.segments if row.job == 3]
        return large[0].start_s, dict(large[0].placement.pairs)

    assert start_of_large(1.0) == (12.0, {1: 2}), "until small2 leaves server 1 at 12 s"
    assert start_of_large(2.0) == (10.0, {0: 1, 1: 1}), "until small0 leaves server 0 at 10 s"


def test_parameters_out_of_range():
    with pytest.raises(ValueError, match=r"capacity_factor \(λ\) is at least 1, got 0.5"):
        SjfBco(capacity_factor=0.5)
    with pytest.raises(ValueError, match=r"kappa is a whole number, got 1\.5"):
        SjfBco(kappa=1.5)
    with pytest.raises(ValueError, match="kappa is at least 1, got 0"):
        SjfBco(kappa=0)
    with pytest.raises(ValueError, match=r"fa_ffp is one of literal, pack; got 'packed'"):
        SjfBco(fa_ffp="packed")


@pytest.mark.parametrize("mode", ["wait", "queue"])
def test_random_draws_are_the_seeds(mode):
    instance = drawn(2)
    planner = RandomGpus(dispatch=mode)
    digests = [digest(planner.plan(instance, seed=seed)) for seed in (1, 1, 2, 3)]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3


@pytest.mark.parametrize("planner", [SjfBco, ListScheduling, FirstFitPlanner])
def test_the_others_draw_nothing(planner):
    instance = drawn(2)
    assert digest(planner().plan(instance, seed=1)) == digest(planner().plan(instance, seed=2))


@pytest.mark.parametrize("planner", [SjfBco, ListScheduling, FirstFitPlanner])
@pytest.mark.parametrize("count", [1, 3, 6])
def test_the_horizon_admits_all_work_on_one_gpu(planner, count):
    for seed in range(40):
        draw = random.Random(seed)
        jobs = [Job(f"j{i}", 2, 1, compute_s=draw.random()) for i in range(count)]
        instance = Instance("in turn", Cluster.uniform(1, 2), jobs)
        end_s = planner().plan(instance).schedule.end_time_s
        assert end_s == pytest.approx(sum(job.compute_s for job in jobs), rel=1e-12)
