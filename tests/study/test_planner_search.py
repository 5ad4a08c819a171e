"""SJF-BCO's search laid open: every (λ, κ, θ) is there, with the makespan of its schedule."""

from optsched.files import load
from optsched.planners import SjfBco
from optsched.planners.sjf_bco import kappas
from optsched.study.planner_search import sjf_bco_search


def test_the_search_holds_every_factor_and_kappa_and_its_best_is_the_planner_s():
    instance = load("forced-6x3-0")
    rows = sjf_bco_search(instance, factors=[1.0, 2.0])
    assert {row.capacity_factor for row in rows} == {1.0, 2.0}
    assert {row.kappa for row in rows} == set(kappas(instance))
    for factor in (1.0, 2.0):
        best = min(
            row.makespan_s
            for row in rows
            if row.capacity_factor == factor and row.makespan_s is not None
        )
        assert best == SjfBco(capacity_factor=factor).plan(instance).schedule.end_time_s


def test_parameters_reach_the_planner():
    rows = sjf_bco_search(
        load("forced-6x3-0"), factors=[1.0], parameters={"kappa": 2, "cap_search": "sweep"}
    )
    assert {row.kappa for row in rows} == {2}
    assert len({row.cap_s for row in rows}) == len(rows) > 20
