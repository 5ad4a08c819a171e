"""Certifying keeps what is better, and stops where schedules and bounds contradict each other."""

from importlib import import_module

import pytest
from known_library import makespan_bound, one_after_the_other, result_of, save, side_by_side

from optsched.bounds.door import BoundSurvey
from optsched.core.cluster import Cluster
from optsched.core.errors import LimitReachedError, ScheduleError, UnknownNameError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.result import Preemption, Provenance, Result, Status
from optsched.files import group_members, known, known_results, load
from optsched.files.catalogue import shipped_names
from optsched.files.known import schedule_path
from optsched.generate import forced, waiting_pays
from optsched.judge import verify
from optsched.study import make_scheduler
from optsched.study.certify import certify
from optsched.study.certify_library import certify_tasks, library_tasks
from optsched.study.compare import ViolatedBoundError

MODULE = import_module("optsched.study.certify")


def stub_solve(
    monkeypatch, schedule, *, bound=None, status=Status.FEASIBLE, scope="all", **details
):
    """Let the solver find this schedule, and the bounds be none but that of the solver."""

    def solve(instance, *, objective, time_limit_s, seed, **_):
        judgement = verify(instance, schedule)
        value = judgement.objectives[objective]
        asked = Provenance("auto", seed=seed, time_limit_s=time_limit_s)
        return Result(
            status, objective, value, schedule, judgement, bound, scope, 0.0, asked, details
        )

    monkeypatch.setattr(MODULE, "solve", solve)
    monkeypatch.setattr(MODULE, "_anneal", lambda *_: None)
    monkeypatch.setattr(
        MODULE, "survey_bounds", lambda *_, **__: BoundSurvey((makespan_bound(5.0),), {}, "")
    )


def certified(previous=None, schedule=None, **options):
    return certify(
        waiting_pays(),
        time_limit_s=options.pop("time_limit_s", 2.0),
        previous=previous,
        previous_schedule=schedule,
        **options,
    )


def test_a_better_schedule_replaces_the_old_one(monkeypatch):
    stub_solve(monkeypatch, one_after_the_other(), schedule_from="branch-and-bound")
    done = certified(result_of(side_by_side(), 25.5), side_by_side())
    assert done.changes == ("schedule",)
    assert (done.result.value, done.result.value_method) == (21.0, "branch-and-bound")
    assert done.result.bound == makespan_bound(10.5)
    assert done.schedule.end_time_s == 21.0
    assert done.result.version != "0.0.1"


def test_a_worse_schedule_does_not(monkeypatch):
    stub_solve(monkeypatch, side_by_side())
    before = result_of(one_after_the_other(), 21.0)
    done = certified(before, one_after_the_other())
    assert done.changes == ()
    # Searched longer, and else as it was, with its date and version.
    assert done.result == result_of(one_after_the_other(), 21.0, time_limit_s=2.0)
    assert done.schedule.end_time_s == 21.0
    assert certified(before, one_after_the_other(), time_limit_s=0.5).result == before


def test_bounds_get_better_class_by_class(monkeypatch):
    stub_solve(monkeypatch, one_after_the_other(), bound=makespan_bound(20.0, Preemption.NONE))
    before = result_of(one_after_the_other(), 21.0, makespan_bound(10.5), value_method="old")
    done = certified(before, one_after_the_other())
    assert done.changes == ("bound",)
    values = [(bound.value, bound.problem_class.preemption) for bound in done.result.bounds]
    assert values == [(20.0, Preemption.NONE), (10.5, Preemption.MIGRATE)]
    assert done.result.value_method == "old"
    # One that holds for all and is the strongest makes the others superfluous.
    stub_solve(monkeypatch, one_after_the_other(), bound=makespan_bound(20.5))
    again = certified(done.result, done.schedule)
    assert [bound.value for bound in again.result.bounds] == [20.5]
    weaker = certified(again.result, again.schedule)
    assert weaker.changes == ()


def test_value_and_bound_that_meet_are_a_proof(monkeypatch):
    stub_solve(monkeypatch, side_by_side(), bound=makespan_bound(21.0, method="a"))
    done = certified(result_of(one_after_the_other(), 21.0), one_after_the_other())
    assert done.changes == ("bound", "proof")
    assert (done.result.status, done.result.scope) == (Status.OPTIMAL, "all")
    assert done.result.proof == "meets bound 'a'"


def test_a_proof_among_aligned_schedules_is_kept_as_such(monkeypatch):
    stub_solve(
        monkeypatch,
        one_after_the_other(),
        status=Status.OPTIMAL,
        scope="event-aligned",
        proof="all searched",
    )
    done = certified(result_of(side_by_side(), 25.5), side_by_side())
    assert done.result.status_text == "optimal, event-aligned"
    assert done.result.proof == "all searched"
    assert not done.result.is_proved
    # A later search that is cut short does not take it away, and one that proves all tops it.
    stub_solve(monkeypatch, side_by_side(), bound=makespan_bound(12.0))
    kept = certified(done.result, done.schedule)
    assert kept.changes == ("bound",)
    assert (kept.result.status_text, kept.result.proof) == (
        "optimal, event-aligned",
        "all searched",
    )
    stub_solve(
        monkeypatch, one_after_the_other(), bound=makespan_bound(21.0), status=Status.OPTIMAL
    )
    assert certified(kept.result, kept.schedule).result.status_text == "optimal"


def test_a_value_below_a_stored_bound_stops_it(monkeypatch):
    stub_solve(monkeypatch, one_after_the_other())
    before = result_of(side_by_side(), 25.5, makespan_bound(25.0))
    with pytest.raises(ViolatedBoundError) as caught:
        certified(before, side_by_side())
    assert caught.value.bound.value == 25.0
    assert caught.value.result.value == 21.0
    assert caught.value.exit_code == 1


def test_a_bound_above_a_stored_value_stops_it(monkeypatch):
    stub_solve(monkeypatch, side_by_side(), bound=makespan_bound(21.5, method="wrong"))
    with pytest.raises(ViolatedBoundError, match="of wrong"):
        certified(result_of(one_after_the_other(), 21.0), one_after_the_other())


def test_a_stored_schedule_that_is_worse_than_said_or_missing_stops_it():
    with pytest.raises(ScheduleError, match=r"25\.5 s, and 21\.0 s is said to be known"):
        certified(result_of(one_after_the_other(), 21.0), side_by_side())
    with pytest.raises(ValueError, match="is missing"):
        certified(result_of(one_after_the_other(), 21.0), None)


def test_what_is_known_of_another_content_is_left_aside(monkeypatch):
    stub_solve(monkeypatch, side_by_side())
    stale = result_of(one_after_the_other(), 21.0, makespan_bound(999.0), instance_sha256="0" * 64)
    done = certified(stale, None)
    assert done.previous is None
    assert (done.result.value, done.result.bound.value) == (25.5, 5.0)


def test_schedulers_compete_unless_they_preempt(monkeypatch):
    stub_solve(monkeypatch, side_by_side())
    done = certified(schedulers=[make_scheduler("list-scheduling"), make_scheduler("srtf")])
    assert done.result.value <= 25.5
    assert verify(waiting_pays(), done.schedule).schedule_class.preemption is Preemption.NONE


def test_without_any_schedule_there_is_an_error(monkeypatch):
    def solve(instance, **_):
        raise LimitReachedError("too late")

    monkeypatch.setattr(MODULE, "solve", solve)
    monkeypatch.setattr(MODULE, "_anneal", lambda *_: None)
    with pytest.raises(LimitReachedError, match="too late"):
        certified()


def test_annealing_is_tried_where_it_applies_and_is_the_hint(monkeypatch):
    hints = []
    real = MODULE.solve

    def solve(instance, *, hint, **options):
        hints.append(hint)
        return real(instance, hint=hint, **options)

    monkeypatch.setattr(MODULE, "solve", solve)
    # 3 + 3 against 2 + 2 + 2 s: longest first, and so every list schedule tried, has 7 s.
    jobs = [Job(f"j{i}", 1, 1, compute_s=s) for i, s in enumerate([3.0, 3.0, 2.0, 2.0, 2.0])]
    done = certify(Instance("partition", Cluster.uniform(2, 1), jobs), time_limit_s=1.0)
    assert (done.result.value, done.result.value_method) == (6.0, "annealing")
    assert hints[0].end_time_s == 6.0
    # With uplinks it does not apply.
    racks = certify(load("racks-5x4-0"), time_limit_s=1.0)
    assert racks.result.value_method != "annealing"
    assert hints[1] is None


def test_an_interrupt_keeps_what_was_found(monkeypatch):
    stub_solve(monkeypatch, one_after_the_other(), stopped_by="interrupt")
    done = certified(result_of(side_by_side(), 25.5), side_by_side())
    assert (done.result.value, done.stopped_by) == (21.0, "interrupt")
    # The search was not as long as it was to be.
    assert done.result.time_limit_s == 1.0


def test_a_real_instance_is_certified_to_the_optimum_of_brute_force():
    from optsched.exact import solve

    instance = forced(jobs=4, seed=1)
    done = certify(instance, objective="mean_jct", time_limit_s=20.0)
    optimum = solve(instance, objective="mean_jct", method="brute-force", time_limit_s=60.0)
    assert done.result.value == pytest.approx(optimum.value)
    assert done.result.bound.value <= optimum.value * (1 + 1e-9)
    assert done.result.status is Status.OPTIMAL


def test_tasks_are_all_objectives_of_all_members():
    tasks = library_tasks(["hand-made", "forced-4x3-?", "small-6x3", "forced-4x3-0"])
    assert [(task.instance, task.objective) for task in tasks][:5] == [
        ("waiting-pays", "makespan"),
        ("waiting-pays", "mean_jct"),
        ("interior-start", "makespan"),
        ("interior-start", "mean_jct"),
        ("interior-start", "weighted_jct"),
    ]
    names = list(dict.fromkeys(task.instance for task in tasks))
    assert names[2:] == [*(f"forced-4x3-{seed}" for seed in range(3)), "forced-6x3-0"]
    everything = library_tasks(["library"], objective="makespan")
    assert [task.instance for task in everything] == shipped_names()
    forced_ones = library_tasks(["forced"], objective="mean_jct")
    assert [task.instance for task in forced_ones] == group_members("forced")
    for name in ("nothing-*", "paper-160", "mine.json"):
        with pytest.raises(UnknownNameError):
            library_tasks([name])


def test_what_is_proved_or_searched_is_left_out(tmp_path):
    save(tmp_path, one_after_the_other(), 21.0)
    options = {"objective": "makespan", "directory": tmp_path}

    def left(**more):
        return [task.instance for task in library_tasks(["hand-made"], **options, **more)]

    assert left() == ["waiting-pays", "interior-start"]
    assert left(only_open=True) == ["waiting-pays", "interior-start"]
    assert left(searched_s=1.0) == ["interior-start"]
    assert left(searched_s=1.5) == ["waiting-pays", "interior-start"]
    save(tmp_path, one_after_the_other(), 21.0, makespan_bound(21.0))
    assert left() == ["waiting-pays", "interior-start"]
    assert left(only_open=True) == left(searched_s=60.0) == ["interior-start"]
    # A changed instance is a new one.
    save(tmp_path, one_after_the_other(), 21.0, makespan_bound(21.0), instance_sha256="0" * 64)
    tasks = library_tasks(["waiting-pays"], only_open=True, **options)
    assert [task.known for task in tasks] == [None]


def test_each_outcome_is_written_before_the_next_is_begun(tmp_path):
    tasks = library_tasks(["hand-made"], objective="makespan", directory=tmp_path)
    outcomes = certify_tasks(tasks, time_limit_s=5.0, directory=tmp_path, update=True)
    next(outcomes)
    assert [name for name, _ in known_results(tmp_path)] == ["waiting-pays"]
    assert known("waiting-pays", directory=tmp_path).value == 21.0
    next(outcomes)
    assert [name for name, _ in known_results(tmp_path)] == ["waiting-pays", "interior-start"]
    with pytest.raises(StopIteration):
        next(outcomes)


def test_without_update_nothing_is_written(tmp_path):
    tasks = library_tasks(["waiting-pays"], objective="makespan", directory=tmp_path)
    ((_, done),) = certify_tasks(tasks, time_limit_s=5.0, directory=tmp_path)
    assert done.result.value == 21.0
    assert not list(tmp_path.iterdir())


def test_a_limit_reached_does_not_stop_the_others(tmp_path, monkeypatch):
    real = MODULE.solve

    def solve(instance, **options):
        if instance.name == "waiting-pays":
            raise LimitReachedError("too late")
        return real(instance, **options)

    monkeypatch.setattr(MODULE, "solve", solve)
    monkeypatch.setattr(MODULE, "_anneal", lambda *_: None)
    tasks = library_tasks(["hand-made"], objective="makespan", directory=tmp_path)
    outcomes = list(certify_tasks(tasks, time_limit_s=5.0, directory=tmp_path, update=True))
    assert isinstance(outcomes[0][1], LimitReachedError)
    assert [name for name, _ in known_results(tmp_path)] == ["interior-start"]


def test_a_process_that_dies_between_the_two_files_leaves_what_can_be_certified(tmp_path):
    # The schedule is written first: the table then still speaks of the worse one.
    save(tmp_path, side_by_side(), 25.5)
    better = tmp_path / "better"
    better.mkdir()
    save(better, one_after_the_other(), 21.0)
    path = schedule_path("waiting-pays", "makespan", directory=tmp_path)
    path.write_text(schedule_path("waiting-pays", "makespan", directory=better).read_text())
    tasks = library_tasks(["waiting-pays"], objective="makespan", directory=tmp_path)
    ((_, done),) = certify_tasks(tasks, time_limit_s=5.0, directory=tmp_path, update=True)
    assert done.result.value == 21.0
    assert known("waiting-pays", directory=tmp_path) == done.result
    assert load("waiting-pays").name == done.instance.name
