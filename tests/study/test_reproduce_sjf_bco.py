"""The study of SJF-BCO: the paper's figures beside ours."""

import pytest

from optsched.files import load
from optsched.planners import SjfBco
from optsched.report.sjf_bco_tables import sjf_bco_data, sjf_bco_tables
from optsched.study.reproduce_sjf_bco import (
    STUDY,
    PaperFigure,
    PaperOutcome,
    reproduce_sjf_bco,
)
from optsched.study.specification import make_scheduler
from optsched.study.statistics import Interval


def test_every_scheduler_of_the_study_exists():
    for figure in STUDY:
        for _, spec in figure.schedulers:
            make_scheduler(spec)


def test_makespans_are_means_over_the_instances_of_the_seeds():
    chosen = [one for one in STUDY if one.part == "κ (λ = 1)" and one.label == "32"]
    told = []
    (outcome,) = reproduce_sjf_bco(
        servers=6, seeds=2, study=chosen, on_run=lambda done, total: told.append((done, total))
    )
    plans = [
        SjfBco(kappa=32).plan(load("paper-160:servers=6", seed=seed)).schedule.end_time_s
        for seed in range(2)
    ]
    (name, interval), (other, _) = outcome.makespans
    assert (name, other) == ("ours", "ours, pack")
    assert interval.mean == pytest.approx(sum(plans) / 2)
    assert interval.count == 2
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def outcome(label, published, ours):
    figure = PaperFigure("λ", label, published, (("ours", f"sjf-bco:capacity_factor={label}"),))
    return PaperOutcome(figure, (("ours", Interval(ours, 2.5, 3)),))


def test_tables_say_how_much_longer_than_the_first_row():
    (table,) = sjf_bco_tables([outcome("1", 1000, 400.0), outcome("2", 800, 300.0)])
    assert table.columns == ("λ", "paper", "+%", "ours", "+%")
    assert table.rows == [
        ["1", "1000", "+0", "400.0 ± 2.5", "+0"],
        ["2", "800", "-20", "300.0 ± 2.5", "-25"],
    ]
    assert "ours: 3)" in table.title


def test_data_name_the_scheduler_of_each_reading():
    (figure,) = sjf_bco_data([outcome("1", 1000, 400.0)])["figures"]
    assert figure["schedulers"] == {"ours": "sjf-bco:capacity_factor=1"}
    assert figure["makespan_slots"]["ours"] == {"mean": 400.0, "half_width": 2.5, "count": 3}
