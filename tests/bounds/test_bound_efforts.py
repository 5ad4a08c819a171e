"""The door: efforts, what is skipped and why, interrupts, and what is imported when."""

import subprocess
import sys

import pytest

from optsched.bounds import BOUNDS, EFFORTS, all_bounds, bound, survey_bounds
from optsched.core.cluster import Cluster, Fabric
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.core.result import Preemption
from optsched.generate import generate, waiting_pays


def test_more_effort_only_adds():
    pair = waiting_pays()
    for objective in ("makespan", "mean_jct"):
        instant = {one.method for one in all_bounds(pair, objective)}
        seconds = {one.method for one in all_bounds(pair, objective, effort="seconds")}
        minutes = {one.method for one in all_bounds(pair, objective, effort="minutes")}
        assert instant < seconds <= minutes
        assert instant == {
            name
            for name, entry in BOUNDS.items()
            if entry.cost == "instant" and objective in entry.objectives
        }
    assert EFFORTS == ("instant", "seconds", "minutes")


def test_the_strongest_wins():
    best = bound(waiting_pays(), effort="seconds")
    assert best.method == "rate-configuration"
    assert best.value == pytest.approx(21.0, rel=1e-12)
    assert best.runtime_s > 0


def test_reasons_of_what_does_not_apply():
    slow = Fabric(intra_bytes_per_s=0.5e9, inter_bytes_per_s=1e9)
    pair = waiting_pays().changed(cluster=Cluster.uniform(3, 2, fabric=slow))
    survey = survey_bounds(pair, effort="seconds")
    assert set(survey.skipped) == {"rate-configuration"}
    assert "uplinks" in survey.skipped["rate-configuration"]
    assert survey.stopped_by == ""


def test_an_interrupt_between_bounds_keeps_those_found(monkeypatch):
    from optsched.bounds import knapsack_kernel

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(knapsack_kernel, "best_configuration", interrupted)
    survey = survey_bounds(waiting_pays(), effort="seconds")
    assert survey.stopped_by == "interrupt"
    assert {one.method for one in survey.bounds} == {"longest", "area", "dual-feasible"}


def test_an_interrupt_within_a_bound_ends_the_survey(monkeypatch):
    from optsched.bounds.covering import CoveringMaster

    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(CoveringMaster, "duals", interrupted)
    survey = survey_bounds(waiting_pays(), effort="seconds")
    assert survey.stopped_by == "interrupt"
    assert "configuration" in {one.method for one in survey.bounds}
    assert "rate-configuration" not in {one.method for one in survey.bounds}


def test_an_interrupt_before_anything_is_passed_on(monkeypatch):
    from optsched.bounds import door

    def interrupted(*_):
        raise KeyboardInterrupt

    first = next(name for name, entry in BOUNDS.items() if "makespan" in entry.objectives)
    entry = BOUNDS[first]
    replaced = door.BoundEntry(entry.objectives, entry.cost, interrupted, entry.statement)
    monkeypatch.setitem(BOUNDS, first, replaced)
    with pytest.raises(KeyboardInterrupt):
        survey_bounds(waiting_pays())


def test_only_whole_jobs_and_the_plain_lagrangian_leave_out_preemption():
    instance = generate("forced", {"jobs": "6", "servers": "3"}, seed=0)
    for objective in ("makespan", "weighted_jct"):
        for one in all_bounds(instance, objective, effort="seconds"):
            is_plain = one.method in ("gpu-load", "lagrangian")
            preemption = Preemption.NONE if is_plain else Preemption.MIGRATE
            assert one.problem_class.preemption is preemption


def test_integer_traces_by_hand():
    """Durations of whole seconds on one pool: 3 + 2 GPUs on 4 cannot run together."""
    rows = [Job("a", 3, 1, compute_s=4.0), Job("b", 2, 1, compute_s=3.0, arrival_s=2.0)]
    trace = Instance("trace", Cluster.uniform(2, 2), rows, RateModel("fixed"))
    values = {one.method: one.value for one in all_bounds(trace, effort="seconds")}
    assert values["configuration"] == 7.0
    # b waits for a until 4 and ends at 7: JCT 4 and 5.
    values = {one.method: one.value for one in all_bounds(trace, "mean_jct", effort="seconds")}
    assert values["durations"] == 3.5
    assert 3.5 < values["lagrangian"] <= 4.5
    # Both fill the cluster and are there at once: b ends at 3, then a at 7.
    rows = [Job("a", 4, 1, compute_s=4.0), Job("b", 4, 1, compute_s=3.0)]
    values = {
        one.method: one.value
        for one in all_bounds(trace.with_jobs(rows), "mean_jct", effort="seconds")
    }
    for method in ("lagrangian", "lagrangian-preemptive", "mean-busy-time"):
        assert values[method] == pytest.approx(5.0, rel=1e-4)
        assert values[method] <= 5.0


def test_the_same_call_gives_the_same_bounds():
    instance = generate("forced", {"jobs": "12", "servers": "4"}, seed=3)
    for objective in ("makespan", "weighted_jct"):
        twice = [
            [
                (one.method, one.value, one.certificate)
                for one in all_bounds(instance, objective, effort="seconds")
            ]
            for _ in range(2)
        ]
        assert twice[0] == twice[1]


def test_instant_bounds_import_no_compiler_and_no_solver():
    code = (
        "import sys; from optsched.bounds import bound; from optsched.generate import generate; "
        "bound(generate('forced', {}, seed=0)); "
        "print([m for m in ('numba', 'highspy', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
