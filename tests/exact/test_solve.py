"""The door: status, scope, bound and provenance of what it returns."""

import signal
import sys
from contextlib import suppress
from dataclasses import replace

import pytest

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.errors import (
    BoundViolatedError,
    LimitReachedError,
    UnknownNameError,
    UnsupportedError,
)
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.metrics import OBJECTIVES
from optsched.core.rate_model import RateModel
from optsched.core.result import Bound, Preemption, ProblemClass, Status
from optsched.exact import METHODS, solve
from optsched.exact.list_schedules import list_schedules
from optsched.exact.searches import SEARCHES
from optsched.generate.hand import interior_start, waiting_pays
from optsched.generate.small import forced, light, tight
from optsched.judge import verify

MODULES = ("quick", "record", "solving")
quick, record, solving = (sys.modules[f"optsched.exact.{name}"] for name in MODULES)


def many_jobs(count):
    jobs = [Job(f"j{i}", 1 + i % 3, 10 + i, compute_s=0.5) for i in range(count)]
    return Instance("many", Cluster.uniform(2, 2), jobs)


@pytest.fixture
def search_alone(monkeypatch):
    """Leave out what may make a search needless: dear bounds, and the schedules of policies."""
    monkeypatch.setattr(record, "worthwhile_effort", lambda instance, objective: "instant")
    monkeypatch.setattr(quick, "incumbent_policies", lambda: iter(()))
    monkeypatch.setattr(solving, "annealed_schedule", lambda *_, **__: None)


def test_waiting_pays(search_alone):
    result = solve(waiting_pays())
    assert (result.status, result.scope, result.value) == (Status.OPTIMAL, "all", 21.0)
    assert result.bound.problem_class == ProblemClass("continuous", Preemption.NONE, "ring")
    assert (result.bound.value, result.bound.method) == (21.0, "event-orders")
    assert result.details["proof"] == "all orders of events searched"


@pytest.mark.parametrize("method", ["branch-and-bound", "brute-force"])
def test_waiting_pays_among_event_aligned_schedules(method, search_alone):
    result = solve(waiting_pays(), method=method)
    assert (result.status, result.scope, result.value) == (Status.OPTIMAL, "event-aligned", 21.0)
    assert result.bound.problem_class.preemption is Preemption.MIGRATE
    assert result.bound.value == 10.5
    assert result.details["event_aligned_optimum_s"] == 21.0
    assert "optimal over event-aligned schedules" in result.summary()
    assert verify(waiting_pays(), result.schedule).objectives["makespan"] == 21.0


def test_waiting_pays_mean_jct():
    assert solve(waiting_pays(), "mean_jct").value == 15.75


def test_never_waiting_is_worse():
    greedy = dict(list_schedules(waiting_pays()))["greedy, shortest first"]
    assert verify(waiting_pays(), greedy).objectives["makespan"] == 25.5


@pytest.mark.parametrize("method", ["auto", "event-orders"])
def test_interior_start_among_all_schedules(method):
    result = solve(interior_start(), objective="weighted_jct", method=method)
    assert result.value == pytest.approx(832 / 9, rel=1e-12)
    assert (result.status, result.scope) == (Status.OPTIMAL, "all")
    assert result.details["schedule_from"] == "event-orders"
    assert result.details["event_aligned_optimum_s"] == pytest.approx(833 / 9)
    assert result.bound.value == result.value


@pytest.mark.parametrize("method", ["branch-and-bound", "brute-force"])
def test_interior_start(method):
    result = solve(interior_start(), objective="weighted_jct", method=method)
    assert result.value == pytest.approx(833 / 9, rel=1e-12)
    assert (result.status, result.scope) == (Status.OPTIMAL, "event-aligned")
    assert result.bound.value < 832 / 9


def test_a_bound_that_is_met_is_a_proof_for_all_schedules():
    jobs = [Job("a", 2, 10, compute_s=1.0), Job("b", 2, 10, compute_s=1.0)]
    result = solve(Instance("easy", Cluster.uniform(1, 4), jobs))
    assert (result.status, result.scope, result.value) == (Status.OPTIMAL, "all", 10.0)
    assert "nodes_events" not in result.details
    assert result.details["proof"] == "meets bound 'longest'"
    assert result.gap == 0.0


def test_slotted_optimum_is_one_of_all_schedules(search_alone):
    instance = forced(jobs=4, servers=3, seed=0, slot_s=1.0)
    result = solve(instance, method="brute-force")
    assert (result.status, result.scope) == (Status.OPTIMAL, "all")
    assert result.bound.value == result.value and result.bound.method == "brute-force"
    assert result.bound.problem_class == ProblemClass("slotted", Preemption.NONE, "ring")
    assert result.details["proof"] == "all slotted schedules enumerated"


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_methods_agree_with_arrivals(objective):
    jobs = [
        Job(f"j{i}", g, f, gradient_bytes=m, compute_s=0.1, arrival_s=r, weight=w)
        for i, (g, f, m, r, w) in enumerate(
            [(3, 20, 4e8, 0.0, 1.0), (3, 9, 8e8, 2.0, 4.0), (1, 30, 0.0, 1.0, 2.0)]
        )
    ]
    fabric = Fabric(inter_bytes_per_s=1e9, degradation=0.5)
    instance = Instance("late", Cluster.uniform(2, 2, fabric=fabric), jobs)
    continuous = [name for name, entry in METHODS.items() if entry.continuous]
    found = {name: solve(instance, objective=objective, method=name) for name in continuous}
    assert found["branch-and-bound"].value == pytest.approx(found["brute-force"].value)
    assert found["auto"].value == pytest.approx(found["event-orders"].value)
    assert found["auto"].value <= found["brute-force"].value * (1 + 1e-9)
    assert all(one.value >= one.bound.value for one in found.values())


def test_provenance():
    result = solve(waiting_pays(), seed=3, time_limit_s=5.0)
    provenance = result.provenance
    assert (provenance.method, provenance.seed, provenance.time_limit_s) == ("auto", 3, 5.0)
    assert set(provenance.versions) == {"optsched", "python", "numpy"}
    assert result.details["schedule_from"].startswith("list schedule")


def test_same_input_same_output():
    instance = forced(jobs=5, servers=3, seed=1)
    first, second = solve(instance, objective="mean_jct"), solve(instance, objective="mean_jct")
    assert first.value == second.value and first.details == second.details
    assert first.schedule.start_s.tolist() == second.schedule.start_s.tolist()


def test_incumbents_are_reported_with_the_bound():
    seen = []
    result = solve(
        forced(jobs=6, servers=3, seed=0),
        method="branch-and-bound",
        on_incumbent=lambda *report: seen.append(report),
    )
    values = [value for _, value, _, _ in seen]
    assert values == sorted(values, reverse=True) and values[-1] == result.value
    assert seen[-1][0] is result.schedule
    assert all(bound == result.bound.value and seconds >= 0 for _, _, bound, seconds in seen)


def test_no_time_leaves_the_best_quick_schedule_and_its_gap():
    result = solve(waiting_pays(), time_limit_s=0.0)
    assert (result.status, result.scope) == (Status.FEASIBLE, "all")
    assert result.details["stopped_by"] == "time limit"
    assert result.gap > 0 and result.judgement.is_valid


def test_brute_force_without_time_has_nothing():
    with pytest.raises(LimitReachedError):
        solve(waiting_pays(), method="brute-force", time_limit_s=0.0)


def test_too_many_jobs_for_brute_force():
    with pytest.raises(UnsupportedError, match=r"at most 12 jobs, and 'many' has 13; use method"):
        solve(many_jobs(13), method="brute-force")


def test_auto_gives_a_gap_for_many_jobs():
    result = solve(many_jobs(40), objective="mean_jct")
    assert result.status is Status.FEASIBLE and result.gap > 0
    assert result.details["search"] == (
        "none: method 'brute-force' takes at most 12 jobs, and 'many' has 40"
    )


def test_auto_refuses_what_it_has_no_schedule_for(monkeypatch, search_alone):
    monkeypatch.setattr(quick, "list_schedules", lambda instance: iter(()))
    monkeypatch.setattr(quick, "incumbent_planners", lambda: iter(()))
    with pytest.raises(LimitReachedError, match="compare planners with the lower bounds"):
        solve(many_jobs(40))


def test_unknown_method_and_objective():
    with pytest.raises(UnsupportedError, match="'brute-force' applies"):
        solve(waiting_pays(), method="bruteforce")
    with pytest.raises(UnsupportedError, match="'auto' applies"):
        solve(many_jobs(13), method="bruteforce")
    with pytest.raises(UnsupportedError, match="'auto' applies"):
        solve(waiting_pays(), method="magic")
    with pytest.raises(UnknownNameError):
        solve(waiting_pays(), objective="flowtime")


def test_stalling_placements_are_avoided():
    # Spread, an iteration takes 0.5 + 1 s, longer than a slot.
    fabric = Fabric(inter_bytes_per_s=1e9)
    jobs = [Job("a", 2, 4, gradient_bytes=1e9, compute_s=0.5)]
    instance = Instance("stall", Cluster.uniform(2, 2, fabric=fabric), jobs, slot_s=1.0)
    result = solve(instance)
    assert (result.status, result.scope, result.value) == (Status.OPTIMAL, "all", 2.0)


@pytest.mark.parametrize("method", ["auto", "brute-force"])
def test_a_job_that_stalls_wherever_it_runs_is_infeasible(method):
    # Best case: two fast servers, 0.1 + 4e9/10e9 = 0.5 s. But 3 GPUs always need the slow one,
    # 4.1 s, in a slot of 1 s; on it alone the GPUs' own network is as slow.
    fabric = Fabric(intra_bytes_per_s=1e9, inter_bytes_per_s=10e9)
    servers = [Server("s0", 1), Server("s1", 1), Server("s2", 4, inter_bytes_per_s=1e9)]
    jobs = [Job("a", 3, 4, gradient_bytes=3e9, compute_s=0.1)]
    result = solve(Instance("stall", Cluster(servers, fabric), jobs, slot_s=1.0), method=method)
    assert (result.status, result.scope) == (Status.INFEASIBLE, "all")
    assert result.value is result.schedule is result.bound is None
    assert result.details["proof"] == "some job stalls on every placement"


def test_an_interrupt_keeps_the_best_schedule():
    def interrupt(*report):
        raise KeyboardInterrupt

    result = solve(waiting_pays(), on_incumbent=interrupt)
    assert result.status is Status.FEASIBLE
    assert result.details["stopped_by"] == "interrupt" and result.judgement.is_valid
    result = solve(waiting_pays(), method="brute-force", on_incumbent=interrupt)
    assert result.status is Status.FEASIBLE and result.judgement.is_valid


def test_an_interrupt_that_bounds_take_for_themselves_ends_all(monkeypatch):
    """Bounds end early and give what they have; so may compiled code that calls back."""
    real = record.strongest_bound

    def interrupted(instance, objective, **effort):
        if effort:
            with suppress(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        return real(instance, objective)

    def unwanted(*arguments, **options):
        pytest.fail("goes on after an interrupt")

    monkeypatch.setattr(record, "strongest_bound", interrupted)
    for name in ("annealed_schedule", "run_search"):
        monkeypatch.setattr(solving, name, unwanted)
    before = signal.getsignal(signal.SIGINT)
    result = solve(tight(jobs=9, servers=3, seed=0), objective="mean_jct")
    assert (result.status, result.details["stopped_by"]) == (Status.FEASIBLE, "interrupt")
    assert signal.getsignal(signal.SIGINT) is before


def hurried(search, *names):
    """Return a search that has no time, if it is one of those named."""

    def run(task, **calls):
        if task.search.name in names:
            task = replace(task, time_limit_s=0.0)
        return search(task, **calls)

    return run


def test_time_that_runs_out_among_slots_keeps_the_event_aligned_proof(monkeypatch, search_alone):
    monkeypatch.setattr(solving, "run_search", hurried(solving.run_search, "slots"))
    result = solve(forced(jobs=4, servers=3, seed=0, slot_s=1.0), method="brute-force")
    assert (result.status, result.scope) == (Status.OPTIMAL, "event-aligned")
    assert result.bound.method != "brute-force"


def test_a_schedule_below_its_bound_stops_everything(monkeypatch):
    wrong = Bound("makespan", 30.0, "wrong", ProblemClass("continuous", Preemption.MIGRATE, "ring"))
    monkeypatch.setattr(record, "strongest_bound", lambda instance, objective, **effort: wrong)
    with pytest.raises(BoundViolatedError, match=r"below the bound 'wrong' of 30\.0 s"):
        solve(waiting_pays())


def test_planners_are_asked_too(monkeypatch, search_alone):
    """A planner whose schedule is better than the list schedules is taken."""
    instance = light(jobs=5, servers=3, seed=1)
    best = solve(instance)

    class Oracle:
        def plan(self, instance, *, seed=0):
            return best

    monkeypatch.setattr(quick, "list_schedules", lambda instance: iter(()))
    monkeypatch.setattr(quick, "incumbent_planners", lambda: [("oracle", Oracle())])
    result = solve(instance, time_limit_s=0.0)
    assert result.value == best.value and result.details["schedule_from"] == "oracle"


def test_a_planner_that_finds_nothing_is_passed_over(monkeypatch):
    class Hopeless:
        def plan(self, instance, *, seed=0):
            raise LimitReachedError("nothing found")

    monkeypatch.setattr(quick, "incumbent_planners", lambda: [("hopeless", Hopeless())])
    assert solve(waiting_pays()).value == 21.0


def test_fixed_durations():
    jobs = [Job(f"j{i}", 1, 1, compute_s=d) for i, d in enumerate((3.0, 3.0, 2.0, 2.0, 2.0))]
    instance = Instance("three-twos", Cluster.uniform(1, 2), jobs, RateModel("fixed"))
    result = solve(instance)
    assert (result.status, result.scope, result.value) == (Status.OPTIMAL, "all", 6.0)


def test_methods_say_what_they_support():
    own = ["auto", "branch-and-bound", "event-orders", "brute-force"]
    assert list(METHODS)[: len(own)] == own
    assert [name for name in own if METHODS[name].slotted] == ["auto", "brute-force"]
    assert all(METHODS[name].objectives == OBJECTIVES for name in own)
    for entry in METHODS.values():
        assert entry.statement and entry.proves and (entry.continuous or entry.slotted)
        assert {"ring", "fixed"} <= set(entry.rate_models)


def test_every_method_has_a_search_and_every_search_a_method():
    assert {search.method for search in SEARCHES.values()} | {"auto"} >= set(METHODS)


@pytest.mark.parametrize("method", ["branch-and-bound", "event-orders"])
def test_continuous_methods_refuse_slots(method):
    with pytest.raises(
        UnsupportedError, match=r"continuous time only.*use method '(cp-sat|brute-force)'"
    ):
        solve(forced(jobs=4, servers=3, seed=0, slot_s=1.0), method=method)


def test_too_many_jobs_for_the_orders_of_events():
    with pytest.raises(UnsupportedError, match=r"at most 10 jobs.*use method 'branch-and-bound'"):
        solve(many_jobs(13), method="event-orders")


def test_too_many_placements_leave_the_brute_force(search_alone):
    # One job over 12 servers of 8 GPUs: hundreds of thousands of placements, one of them enough.
    jobs = [Job("a", 20, 5, compute_s=1.0), Job("b", 90, 5, compute_s=1.0)]
    instance = Instance("wide", Cluster.uniform(12, 8), jobs)
    with pytest.raises(UnsupportedError, match="more than 20,000 placements"):
        solve(instance, method="branch-and-bound")


def test_time_that_runs_out_among_the_orders_keeps_the_event_aligned_proof(
    monkeypatch, search_alone
):
    monkeypatch.setattr(solving, "run_search", hurried(solving.run_search, "event-orders"))
    result = solve(waiting_pays())
    assert (result.status, result.scope, result.value) == (Status.OPTIMAL, "event-aligned", 21.0)
    assert result.details["stopped_by"] == "time limit" and result.bound.value == 10.5


def test_the_bound_covers_what_the_orders_found():
    """An optimum among all schedules is at most the event-aligned one, and bounds it."""
    for seed in range(3):
        instance = forced(jobs=5, servers=3, seed=seed)
        for objective in ("makespan", "mean_jct"):
            whole = solve(instance, objective=objective)
            aligned = solve(instance, objective=objective, method="branch-and-bound")
            assert whole.scope == "all" and whole.value <= aligned.value * (1 + 1e-9)
            assert whole.bound.value <= whole.value and aligned.value >= whole.bound.value * (
                1 - 1e-9
            )


def test_a_bound_that_sees_contention_makes_the_search_needless():
    # Side by side the jobs of waiting-pays do less together than one alone, so 21 s is a bound.
    result = solve(waiting_pays())
    assert (result.status, result.scope, result.value) == (Status.OPTIMAL, "all", 21.0)
    assert (result.bound.method, result.bound.value) == ("rate-configuration", 21.0)
    assert result.bound.problem_class.preemption is Preemption.MIGRATE


def test_a_short_time_is_not_spent_on_bounds():
    result = solve(waiting_pays(), method="branch-and-bound", time_limit_s=5.0)
    assert result.bound.method == "longest"


def test_policies_are_asked_too(monkeypatch):
    monkeypatch.setattr(quick, "list_schedules", lambda instance: iter(()))
    monkeypatch.setattr(quick, "incumbent_planners", lambda: iter(()))
    # One GPU wide, on two: 3 beside 1 + 1 + 1. Only the longest first ends at 3 s.
    jobs = [
        Job(name, 1, 1, compute_s=time_s) for name, time_s in zip("abcd", [1, 1, 1, 3], strict=True)
    ]
    result = solve(Instance("four", Cluster.uniform(1, 2), jobs, RateModel("fixed")))
    assert (result.value, result.details["schedule_from"]) == (3.0, "longest-first")
