"""The slotted mixed-integer program: optima by hand and by enumeration, and honest stops."""

import sys

import pulp
import pytest
from method_agreement import check_agreement, tiny_slotted
from mip_solvers import MIP_SOLVERS, has_cbc, needs_cbc
from slotted_instances import tiny_instance

from optsched.core.cluster import Cluster, Fabric
from optsched.core.errors import (
    BoundViolatedError,
    LimitReachedError,
    TooLargeError,
    UnsupportedError,
)
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.exact import brute_force, event_orders, milp_search
from optsched.exact.list_schedules import list_schedules
from optsched.exact.milp import milp, write_milp
from optsched.formulations.slot_levels import SlotLevels
from optsched.generate.hand import waiting_pays
from optsched.solvers import ProgramAnswer, solve_program

#: The name in the package is the function's.
milp_module = sys.modules[milp.__module__]
both = pytest.mark.parametrize("solver", MIP_SOLVERS)
SOLVERS = ("highs", "cbc") if has_cbc() else ("highs",)


def pair(slot_s=5.1):
    """Two jobs of 3 GPUs on 3 servers of 2: 4 iterations a slot alone, 2 in contention, of 10."""
    return waiting_pays().changed(slot_s=slot_s)


def check_all(instances, objectives=("makespan", "mean_jct"), time_limit_s=None):
    """Brute force over all slots = each solver, and no less than the continuous optimum.

    With a time limit one search in twenty may be stopped by it.
    """
    stopped = []
    for instance in instances:
        for objective in objectives:
            outcomes = {"brute-force": brute_force(instance, objective=objective, starts="slots")}
            for solver in SOLVERS:
                outcomes[solver] = milp(
                    instance, solver=solver, objective=objective, time_limit_s=time_limit_s
                )
            if time_limit_s is not None:
                late = [name for name, one in outcomes.items() if one.stopped_by == "time limit"]
                stopped += [(instance.name, objective, name) for name in late]
                outcomes = {name: one for name, one in outcomes.items() if name not in late}
            check_agreement(instance, objective, outcomes)
            free = event_orders(instance.changed(slot_s=None), objective=objective)
            assert free.is_complete
            assert free.value <= outcomes["brute-force"].value * (1 + 1e-9), instance.name
    assert len(stopped) <= len(instances) * len(objectives) * len(SOLVERS) // 20, stopped


def test_brute_force_and_both_solvers_agree():
    check_all(tiny_slotted(25, most_slots=8, jobs=3))


@pytest.mark.slow
def test_brute_force_and_both_solvers_agree_on_many():
    # pytest -m slow tests/exact/test_milp.py
    check_all(tiny_slotted(200, most_slots=12), time_limit_s=120.0)


@pytest.mark.slow
def test_weighted_jct_agrees_on_many():
    check_all(tiny_slotted(60, most_slots=12), ("weighted_jct",), time_limit_s=120.0)


@both
def test_sharing_one_slot_by_hand(solver):
    # a: 4 + 4 + 2 = 10 in slots 0, 1, 2. b: 2 + 4 + 4 = 10 in slots 2, 3, 4.
    outcome = milp(pair(), solver=solver)
    assert (outcome.value, outcome.bound, outcome.is_complete) == (5 * 5.1, 5 * 5.1, True)
    assert outcome.scope == "all" and outcome.method == f"milp-{solver}"
    assert milp(pair(), solver=solver, objective="mean_jct").value == pytest.approx(4 * 5.1)


@both
def test_contention_that_stalls_is_avoided(solver):
    # τ is 1.05 s alone and 2.55 s together: in slots of 2 s, 1 iteration and none. 3 to do.
    jobs = [Job(name, 3, 3, 750e6, compute_s=0.05) for name in "ab"]
    instance = pair(2.0).changed(jobs=jobs)
    assert milp(instance, solver=solver).value == 12.0
    assert milp(instance, solver=solver, objective="mean_jct").value == 9.0


def test_arrivals_within_slots_and_weights_by_hand():
    # One GPU, 3 slots each. b comes at 0.5 s, so in slot 1, and weighs 4 times as much. After a it
    # ends at 6 s: 3 + 4 · 5.5 = 25. Before a it ends at 4 s and a at 7 s: 7 + 4 · 3.5 = 21.
    jobs = [
        Job("a", 1, 3, compute_s=1.0),
        Job("b", 1, 3, compute_s=1.0, arrival_s=0.5, weight=4.0),
    ]
    instance = Instance("two", Cluster.uniform(1, 1), jobs, slot_s=1.0)
    assert milp(instance, objective="weighted_jct").value == pytest.approx(21 / 5)
    assert milp(instance, objective="mean_jct").value == pytest.approx((3 + 5.5) / 2)
    late = instance.changed(jobs=[Job("a", 1, 3, compute_s=1.0, arrival_s=1.5e9 + 0.25)])
    assert milp(late).value == 1.5e9 + 4
    assert milp(late, objective="mean_jct").value == 3.75


def test_jobs_without_weight_may_come_last():
    jobs = [Job("a", 2, 3, compute_s=1.0, weight=0.0), Job("b", 2, 2, compute_s=1.0)]
    instance = Instance("two", Cluster.uniform(1, 2), jobs, slot_s=1.0)
    assert milp(instance, objective="weighted_jct").value == 2.0


@pytest.mark.parametrize("seed", [0, 2, 4, 5])
def test_symmetry_keeps_the_optimum(seed):
    instance = tiny_instance(seed, jobs=3, twins=True)
    values = [milp(instance, symmetry=symmetry).value for symmetry in (True, False)]
    assert values[0] == values[1]


def test_only_better_schedules_are_looked_for():
    nothing = milp(pair(), below=5 * 5.1)
    assert (nothing.schedule, nothing.is_complete, nothing.bound) == (None, True, 5 * 5.1)
    assert milp(pair(), below=5 * 5.1 + 0.1).value == 5 * 5.1
    nothing = milp(pair(), objective="mean_jct", below=20.4)
    assert (nothing.schedule, nothing.is_complete, nothing.bound) == (None, True, 20.4)
    assert milp(pair(), objective="mean_jct", below=20.5).value == pytest.approx(20.4)


@both
def test_a_hint_is_never_made_worse(solver):
    hint = max((s for _, s in list_schedules(pair())), key=lambda s: s.end_time_s)
    told = []
    outcome = milp(
        pair(),
        solver=solver,
        hint=hint,
        time_limit_s=0.0,
        on_incumbent=lambda schedule, value: told.append(value),
    )
    assert not outcome.is_complete and outcome.stopped_by == "time limit"
    assert outcome.value == hint.end_time_s == told[0]
    assert outcome.bound is None or outcome.bound <= 5 * 5.1
    best = milp(pair(), solver=solver, hint=hint)
    assert best.value == 5 * 5.1 and best.is_complete
    again = milp(pair(), solver=solver, hint=best.schedule)
    assert again.value == 5 * 5.1 and again.is_complete


def test_the_hint_is_a_solution_of_the_program():
    for seed in range(6):
        instance = tiny_instance(seed, jobs=3)
        best = brute_force(instance, starts="slots")
        search = milp_search.MilpSearch(
            instance, "makespan", "highs", hint=best.schedule, symmetry=False
        )
        problem = search.program(0.0).problem
        start = search.start_values()
        # Fixed to the hint, the program is still feasible, and has its value.
        for variable, value in zip(problem.variables(), start, strict=True):
            problem += variable == value, f"hint_{variable.name}"
        answer = solve_program(problem)
        assert answer.status == "optimal"
        assert answer.value * instance.slot_s == best.value


@pytest.mark.parametrize(
    ("solver", "instance"),
    [
        pytest.param("cbc", (14, 4, True), marks=needs_cbc),
        # The first node of HiGHS takes seconds, and is often the last.
        pytest.param("highs", (3, 5, False), marks=pytest.mark.slow),
    ],
)
def test_a_limit_is_no_proof_and_repeats(solver, instance):
    seed, jobs, twins = instance
    first, second = (
        milp(
            tiny_instance(seed, jobs=jobs, twins=twins),
            solver=solver,
            deterministic_limit=0.01,
            seed=3,
        )
        for _ in range(2)
    )
    assert not first.is_complete and first.stopped_by == "deterministic limit"
    assert first.value is not None and first.bound < first.value
    assert (first.value, first.bound, first.nodes) == (second.value, second.bound, second.nodes)
    assert list(first.schedule) == list(second.schedule)


def test_bounds_rise_and_hold():
    instance = tiny_instance(7, jobs=4)
    told, seen = [], []
    outcome = milp(
        instance, on_bound=told.append, on_incumbent=lambda schedule, value: seen.append(value)
    )
    assert outcome.is_complete
    assert told == sorted(told) and all(bound <= outcome.value for bound in told)
    assert seen == sorted(seen, reverse=True) and len(set(seen)) == len(seen)


@both
def test_a_request_to_stop(solver, monkeypatch):
    monkeypatch.setattr("optsched.solvers.cbc.PATIENCE_S", 0.2)
    outcome = milp(tiny_instance(3, jobs=5), solver=solver, should_stop=lambda: True)
    assert not outcome.is_complete and outcome.stopped_by == "interrupt"
    assert outcome.schedule is not None


def test_a_limit_without_any_schedule(monkeypatch):
    monkeypatch.setattr(milp_search, "list_schedules", lambda _: ())
    with pytest.raises(LimitReachedError, match="no schedule of 'waiting-pays' within its limits"):
        milp(pair(), time_limit_s=0.0)
    assert milp(pair()).value == 5 * 5.1


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (ProgramAnswer("infeasible", None, float("inf")), "no schedule up to"),
        (ProgramAnswer("limit", None, 99.0, stopped_by="time limit"), "no schedule is below"),
    ],
    ids=["infeasible", "bound"],
)
def test_a_solver_that_is_refuted(monkeypatch, answer, said):
    monkeypatch.setattr(milp_module, "solve_program", lambda *_, **__: answer)
    with pytest.raises(BoundViolatedError, match=said):
        milp(pair())


def test_the_word_optimal_is_not_enough(monkeypatch):
    def stopped(problem, **_):
        found = solve_program(problem)
        return ProgramAnswer("optimal", found.value, found.value - 1, found.values)

    monkeypatch.setattr(milp_module, "solve_program", stopped)
    outcome = milp(pair())
    assert not outcome.is_complete and outcome.stopped_by == "solver"
    assert (outcome.value, outcome.bound) == (5 * 5.1, 4 * 5.1)


def test_no_schedule_at_all():
    jobs = [Job("a", 1, 3, compute_s=1.0), Job("b", 1, 3, compute_s=3.0)]
    stuck = Instance("stuck", Cluster.uniform(1, 2), jobs, slot_s=2.0)
    outcome = milp(stuck)
    assert (outcome.schedule, outcome.is_complete, outcome.bound) == (None, True, float("inf"))


def test_refusals():
    with pytest.raises(UnsupportedError, match="continuous time"):
        milp(waiting_pays())
    fabric = Fabric(inter_bytes_per_s=1e9, uplink_bytes_per_s=1e9)
    jobs = [Job("a", 3, 3, gradient_bytes=1e8, compute_s=0.1)]
    racks = Instance("racks", Cluster.uniform(4, 1, racks=2, fabric=fabric), jobs, slot_s=1.0)
    with pytest.raises(UnsupportedError, match="use method 'brute-force'"):
        milp(racks)
    large = pair(1.1).changed(jobs=[Job(f"j{i}", 3, 50, 750e6, compute_s=0.05) for i in range(30)])
    with pytest.raises(TooLargeError, match=r"about [0-9,]+ binaries.* use method 'cp-sat'"):
        milp(large)
    with pytest.raises(ValueError, match="solver is one of highs, cbc"):
        milp(pair(), solver="glpk")


def test_the_files_hold_the_program(tmp_path):
    files = write_milp(pair(), "mean_jct", tmp_path)
    assert [file.name for file in files] == ["milp-slotted.mps", "milp-slotted.lp"]
    _, problem = pulp.LpProblem.fromMPS(str(files[0]))
    # Σ C is 8 slots.
    assert solve_program(problem).value == 8.0
    text = files[1].read_text(encoding="utf-8")
    for name in ("start_once_0", "keep_running", "hold_capacity", "count_sharing", "finish_work_1"):
        assert name in text


def test_slots_by_hand():
    levels = SlotLevels.of(pair())
    assert [job.shortest for job in levels.jobs] == [3, 3]
