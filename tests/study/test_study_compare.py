"""Which runs a comparison makes, and what it holds them against."""

from importlib import import_module

import pytest

from optsched.core.cluster import Cluster
from optsched.core.errors import BoundViolatedError, UnknownNameError, UnsupportedError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.core.result import Bound, Preemption, ProblemClass
from optsched.files import group_members, save_instance
from optsched.placement import FirstFit
from optsched.study import compare
from optsched.study.compare import ViolatedBoundError
from optsched.study.specification import SchedulerSpecError

MODULE = import_module("optsched.study.compare")


def runs_of(comparison):
    return [(row.family, row.scheduler, row.seed) for row in comparison.runs]


def fixed_instance(name, durations_s, *, gpus=1, arrival_s=0.0):
    jobs = [
        Job(f"j{position}", gpus, 1, compute_s=length, arrival_s=arrival_s * position)
        for position, length in enumerate(durations_s)
    ]
    return Instance(name, Cluster.uniform(1, 2), jobs, rate_model=RateModel("fixed"))


def stub_bounds(monkeypatch, *bounds):
    monkeypatch.setattr(MODULE, "all_bounds", lambda instance, objective, **options: list(bounds))
    monkeypatch.setattr(MODULE, "known_bounds", lambda instance, objective: [])


def makespan_bound(value, preemption=Preemption.MIGRATE, method="stub", time="continuous"):
    return Bound("makespan", value, method, ProblemClass(time, preemption, "ring"))


def test_seed_i_of_a_generator_draws_instance_i_and_seeds_the_schedulers():
    comparison = compare("forced:jobs=4", ["random", "fifo"], seeds=3)
    assert runs_of(comparison) == [
        ("forced:jobs=4", scheduler, seed) for seed in range(3) for scheduler in ("random", "fifo")
    ]
    names = [row.instance for row in comparison.runs if row.scheduler == "fifo"]
    assert [name.split("#")[0] for name in names] == [f"forced-4x3-{seed}" for seed in range(3)]
    again = compare("forced:jobs=4,seed=2", ["random"], seeds=3)
    # There the seed is part of the name, so it is one instance and the seeds go to the scheduler.
    assert runs_of(again) == [("forced-4x3-2", "random", seed) for seed in range(3)]
    same = [row for row in comparison.runs if (row.scheduler, row.seed) == ("random", 2)]
    assert same[0].value == again.runs[2].value
    assert same[0].instance == again.runs[2].instance


def test_a_fixed_instance_runs_once_unless_the_scheduler_is_random():
    comparison = compare("waiting-pays", ["fifo", "random"], seeds=3)
    assert runs_of(comparison) == [
        ("waiting-pays", "fifo", 0),
        *(("waiting-pays", "random", seed) for seed in range(3)),
    ]


def test_an_instance_object_and_a_file_are_fixed_too(tmp_path):
    instance = fixed_instance("mine", [1.0, 2.0])
    save_instance(instance, tmp_path / "other-name.json")
    for given in (instance, str(tmp_path / "other-name.json")):
        assert runs_of(compare(given, ["fifo"], seeds=5)) == [("mine", "fifo", 0)]


def test_a_scheduler_of_ones_own_may_be_random_and_so_gets_all_seeds():
    class Mine:
        def plan(self, instance, *, seed=0):
            from optsched.planners import RandomGpus

            return RandomGpus().plan(instance, seed=seed)

    assert [row.seed for row in compare("waiting-pays", [Mine], seeds=3).runs] == [0, 1, 2]


def test_groups_and_patterns_stand_for_shipped_instances():
    pattern = compare("forced-4x3-*", ["fifo"])
    assert [row.instance.split("#")[0] for row in pattern.runs] == [
        "forced-4x3-0",
        "forced-4x3-1",
        "forced-4x3-2",
    ]
    assert {row.family for row in pattern.runs} == {"forced-4x3-*"}
    physical = compare("physical", ["fifo"])
    assert [row.instance.split("#")[0] for row in physical.runs] == group_members("physical")
    with pytest.raises(UnknownNameError, match="shipped instance"):
        compare("nothing-*", ["fifo"])


def test_a_name_that_is_a_group_and_a_generator_draws():
    assert [row.instance.split("#")[0] for row in compare("forced", ["fifo"], seeds=2).runs] == [
        "forced-6x3-0",
        "forced-6x3-1",
    ]


def test_what_is_named_twice_runs_once():
    assert len(compare(["waiting-pays", "waiting-pays"], ["fifo"]).runs) == 1
    with pytest.raises(SchedulerSpecError, match="fifo: is named twice"):
        compare("waiting-pays", ["fifo", "sjf", "fifo"])


def test_other_instances_of_the_same_name_are_told_apart(tmp_path):
    instances = [fixed_instance("mine", [length]) for length in (1.0, 2.0)]
    for name, instance in zip(("a", "b"), instances, strict=True):
        save_instance(instance, tmp_path / f"{name}.json")
    paths = [str(tmp_path / f"{name}.json") for name in ("a", "b")]
    assert [row.family for row in compare(paths, ["fifo"]).summary] == [
        "mine",
        f"mine ({paths[1]})",
    ]
    assert [row.family for row in compare(instances, ["fifo"]).summary] == ["mine", "mine (#2)"]


def test_objects_of_one_class_are_told_apart():
    from optsched.policies import ComposedPolicy

    first = ComposedPolicy(lambda job, state: job.index, placement=FirstFit())
    second = ComposedPolicy(lambda job, state: -job.index, placement=FirstFit())
    names = [row.scheduler for row in compare("waiting-pays", [first, second]).summary]
    assert names == ["ComposedPolicy", "ComposedPolicy#2"]


def test_there_is_at_least_one_scheduler_and_one_seed():
    with pytest.raises(SchedulerSpecError, match="at least one scheduler"):
        compare("waiting-pays", [])
    with pytest.raises(ValueError, match="at least 1, got 0"):
        compare("waiting-pays", ["fifo"], seeds=0)


def test_the_default_objective_is_one_for_the_whole_table():
    at_zero = fixed_instance("at-zero", [1.0, 2.0])
    later = fixed_instance("later", [1.0, 2.0], arrival_s=0.5)
    assert {row.objective for row in compare([at_zero], ["fifo"]).runs} == {"makespan"}
    assert {row.objective for row in compare([later], ["fifo"]).runs} == {"mean_jct"}
    assert {row.objective for row in compare([at_zero, later], ["fifo"]).runs} == {"mean_jct"}
    asked = compare([later], ["fifo"], objective="makespan")
    assert asked.runs[0].objective == "makespan"
    with pytest.raises(UnknownNameError):
        compare([later], ["fifo"], objective="speed")


def test_ratio_and_bound_are_those_of_the_strongest_bound():
    # Two jobs of 2 GPUs on 2 GPUs: 3 s + 5 s is both the area and the makespan.
    row = compare(fixed_instance("full", [3.0, 5.0], gpus=2), ["fifo"]).runs[0]
    assert (row.value, row.bound, row.ratio, row.is_optimal) == (8.0, 8.0, 1.0, True)
    assert row.bound_method in ("area", "dual-feasible")
    # Side by side the longest decides, and fifo starts both at once.
    row = compare(fixed_instance("loose", [3.0, 5.0]), ["fifo"]).runs[0]
    assert (row.value, row.bound, row.bound_method) == (5.0, 5.0, "longest")
    # By hand: 25.5 s together, and no schedule is shorter than 21 s (rate-configuration LP).
    row = compare("waiting-pays", ["fifo"]).runs[0]
    assert (row.value, row.bound, row.is_optimal) == (25.5, 21.0, False)
    assert row.ratio == 25.5 / 21.0


def test_a_violated_bound_stops_the_comparison_and_keeps_both_sides(monkeypatch):
    bound = makespan_bound(30.0)
    stub_bounds(monkeypatch, bound)
    with pytest.raises(ViolatedBoundError) as caught:
        compare("waiting-pays", ["fifo"])
    error = caught.value
    assert isinstance(error, BoundViolatedError)
    assert error.exit_code == 1
    assert error.bound is bound
    assert error.result.value == 25.5
    assert error.instance.name == "waiting-pays"
    assert len(error.result.schedule) == 2
    assert "fifo on 'waiting-pays' has makespan 25.5 s, below the bound 30.0 s of stub" in str(
        error
    )


def test_a_weaker_bound_that_is_violated_stops_it_too(monkeypatch):
    stub_bounds(monkeypatch, makespan_bound(10.0), makespan_bound(26.0, Preemption.NONE, "wrong"))
    with pytest.raises(ViolatedBoundError, match="of wrong"):
        compare("waiting-pays", ["fifo"])


def test_rounding_is_no_violation(monkeypatch):
    stub_bounds(monkeypatch, makespan_bound(25.5 * (1 + 1e-12)))
    row = compare("waiting-pays", ["fifo"]).runs[0]
    assert row.is_optimal


class Pausing:
    """Starts all jobs, stops them at 1 s and starts them again at 2 s where they were."""

    def schedule(self, state):
        if state.now_s == 1.0:
            for job in list(state.running):
                state.preempt(job)
                state.set_timer(2.0, job)
            return
        for job in list(state.waiting):
            state.start(job, FirstFit().offer(job, state.free, state))
            if state.now_s == 0.0:
                state.set_timer(1.0, job)


def test_a_bound_of_another_class_is_not_held_against_a_schedule(monkeypatch):
    higher = makespan_bound(1000.0, Preemption.NONE, "without")
    stub_bounds(monkeypatch, higher, makespan_bound(5.0, Preemption.MIGRATE, "with"))
    row = compare("waiting-pays", [Pausing]).runs[0]
    # 25.5 s together, and the second in which nothing runs.
    assert row.value == pytest.approx(26.5)
    assert (row.bound, row.bound_method) == (5.0, "with")
    with pytest.raises(ViolatedBoundError, match="of without"):
        compare("waiting-pays", ["fifo"])


def test_without_any_bound_of_its_class_there_is_a_clear_error(monkeypatch):
    stub_bounds(monkeypatch, makespan_bound(1000.0, Preemption.NONE, "without"))
    with pytest.raises(UnsupportedError) as caught:
        compare("waiting-pays", [Pausing])
    assert "no lower bound holds for the continuous, preemptive schedule" in str(caught.value)
    assert "bounds of the instance: without (continuous, non-preemptive)" in str(caught.value)
    stub_bounds(monkeypatch)
    with pytest.raises(UnsupportedError, match="bounds of the instance: none"):
        compare("waiting-pays", ["fifo"])


def test_progress_is_told_after_each_run():
    told, seen = [], []
    comparison = compare(
        "forced:jobs=4",
        ["fifo", "random"],
        seeds=2,
        on_progress=lambda done, total, row: told.append((done, total, row)),
        on_instance=lambda instance: seen.append(instance.name),
    )
    assert [(done, total) for done, total, _ in told] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert tuple(row for _, _, row in told) == comparison.runs
    assert seen == ["forced-4x3-0", "forced-4x3-1"]


def test_certified_bounds_count_where_they_are_stronger_and_hold(monkeypatch):
    stub_bounds(monkeypatch, makespan_bound(20.0))

    def certified(*bounds):
        monkeypatch.setattr(MODULE, "known_bounds", lambda instance, objective: list(bounds))
        return compare("waiting-pays", ["fifo"], **options).runs[0]

    options = {}
    row = certified(makespan_bound(21.0, method="known optimum"))
    assert (row.bound, row.bound_method) == (21.0, "known optimum")
    assert certified(makespan_bound(19.0, method="known area")).bound_method == "stub"
    with pytest.raises(ViolatedBoundError, match="of known optimum"):
        certified(makespan_bound(26.0, method="known optimum"))
    # One without preemption says nothing of a scheduler that preempts.
    higher = makespan_bound(26.75, Preemption.NONE, "known optimum")
    monkeypatch.setattr(MODULE, "known_bounds", lambda instance, objective: [higher])
    assert compare("waiting-pays", [Pausing]).runs[0].bound == 20.0
    options = {"use_known": False}
    assert certified(higher).bound == 20.0


def test_drawn_instances_are_all_held_against_computed_bounds(monkeypatch):
    stub_bounds(monkeypatch, makespan_bound(1.0))
    monkeypatch.setattr(
        MODULE, "known_bounds", lambda instance, objective: [makespan_bound(2.0, method="known x")]
    )
    assert {row.bound for row in compare("forced:jobs=4", ["fifo"], seeds=2).runs} == {1.0}
    assert {row.bound for row in compare("forced-4x3-0", ["fifo"]).runs} == {2.0}


def test_the_library_is_shown_by_family(monkeypatch):
    members = ["waiting-pays", "forced-4x3-0", "forced-4x3-1"]
    monkeypatch.setattr(MODULE, "group_members", lambda name: members)
    comparison = compare(["library", "waiting-pays"], ["fifo"])
    assert [row.family for row in comparison.runs] == ["hand-made", "forced", "forced", members[0]]
    pooled = comparison.pooled("all").summary
    assert [(row.family, row.runs) for row in pooled] == [("all", 4)]
