"""All exact methods of slotted time on the same instances: they agree, or both schedules are shown.

Brute force shares nothing with the others but the judge. CP-SAT and the mixed-integer program share
the table of iterations a slot holds; the lazy search starts without contention; HiGHS and CBC solve
the same file. ``pytest -m slow tests/exact/test_methods_agree.py`` takes 200 instances.
"""

import dataclasses

import pytest
from method_agreement import check_agreement, tiny_slotted
from mip_solvers import has_cbc

from optsched.core.schedule import Decision
from optsched.exact import brute_force, event_orders
from optsched.exact.cp_sat import cp_sat
from optsched.exact.destructive import destructive
from optsched.exact.lazy_contention import lazy_contention
from optsched.exact.milp import milp
from optsched.judge import replay

#: Units of work, about seconds; none of the small ones comes near it.
LIMIT = 60.0


def check_all_methods(instances, objectives, *, limit=LIMIT, may_stop=()):
    """Check that they agree; one in twenty of those that may stop at the limit may do so."""
    stopped = []
    for instance in instances:
        for objective in objectives:
            asked = {"objective": objective, "deterministic_limit": limit}
            outcomes = {
                "brute-force": brute_force(instance, objective=objective, starts="slots"),
                "cp-sat": cp_sat(instance, **asked),
                "lazy-contention": lazy_contention(instance, **asked),
                "milp-highs": milp(instance, solver="highs", **asked),
            }
            if objective == "makespan":
                outcomes["destructive"] = destructive(instance, **asked)
            if has_cbc():
                outcomes["milp-cbc"] = milp(instance, solver="cbc", **asked)
            for name in may_stop:
                if name in outcomes and outcomes[name].stopped_by == "deterministic limit":
                    stopped.append((instance.name, objective, name))
                    del outcomes[name]
            check_agreement(instance, objective, outcomes)
            free = event_orders(instance.changed(slot_s=None), objective=objective)
            assert free.is_complete
            assert free.value <= outcomes["brute-force"].value * (1 + 1e-9), instance.name
    assert len(stopped) <= len(instances) * len(objectives) // 20, stopped


def test_all_methods_agree():
    # Each half of them is held against brute force on 25 in its own tests.
    check_all_methods(tiny_slotted(5, most_slots=8, jobs=3, seed=500), ("makespan", "mean_jct"))


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["makespan", "mean_jct"])
def test_all_methods_agree_on_many(objective):
    # CBC does not end in time on one or the other.
    check_all_methods(
        tiny_slotted(200, most_slots=12), (objective,), limit=20.0, may_stop=("milp-cbc",)
    )


def test_a_disagreement_shows_both_schedules():
    instance = tiny_slotted(1, most_slots=8, jobs=3)[0]
    best = brute_force(instance, starts="slots")
    # What ends last starts 100 s later: worse, and as valid.
    late = [
        Decision(s.job, s.placement, s.start_s + (100.0 if s.end_s == best.value else 0.0))
        for s in best.schedule
    ]
    schedule = replay(instance, late)
    worse = dataclasses.replace(best, schedule=schedule, value=schedule.end_time_s, bound=None)
    with pytest.raises(AssertionError) as caught:
        check_agreement(instance, "makespan", {"one": best, "other": worse})
    text = str(caught.value)
    assert f"one: {best.value!r} s" in text and f"other: {worse.value!r} s" in text
    assert text.count(" from ") == 2 * len(instance.jobs)
