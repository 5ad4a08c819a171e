"""Means, intervals and wins of a comparison, worked out by hand."""

import json
import math
import re

import pytest

from optsched.study import Comparison, RunRow


def row(scheduler, value, *, bound=1.0, seed=0, instance=None, family="f", method="area"):
    return RunRow(
        instance=f"{family}-{seed}#0" if instance is None else instance,
        family=family,
        scheduler=scheduler,
        seed=seed,
        objective="makespan",
        value=value,
        bound=bound,
        bound_method=method,
        is_optimal=value == bound,
        ratio=value / bound,
        seconds=0.5,
    )


THREE = Comparison(tuple(row("sjf", float(value), seed=value) for value in (1, 2, 3)))


def test_the_interval_is_students():
    (summary,) = THREE.summary
    # With 2 degrees of freedom the quantile has a closed form: (2p−1)/√(2p(1−p)), p = 0.975.
    quantile = 0.95 / math.sqrt(2 * 0.975 * 0.025)
    assert quantile == pytest.approx(4.302653)
    # The standard deviation of 1, 2, 3 is 1.
    assert summary.ratio_half_width == pytest.approx(quantile / math.sqrt(3))
    assert (summary.ratio_mean, summary.ratio_worst, summary.value_mean) == (2.0, 3.0, 2.0)
    assert (summary.runs, summary.seconds) == (3, 0.5)


def test_one_run_has_no_interval():
    (summary,) = Comparison((row("sjf", 2.0),)).summary
    assert math.isnan(summary.ratio_half_width)
    assert "±" not in str(Comparison((row("sjf", 2.0),)))


def test_equal_runs_have_an_interval_of_zero():
    rows = tuple(row("sjf", 2.0, seed=seed) for seed in range(4))
    assert Comparison(rows).summary[0].ratio_half_width == 0.0


def test_a_tie_is_a_win_for_both():
    rows = (
        row("a", 2.0, seed=0),
        row("b", 2.0 * (1 + 1e-12), seed=0),
        row("a", 3.0, seed=1),
        row("b", 2.5, seed=1),
    )
    wins = {summary.scheduler: summary.wins for summary in Comparison(rows).summary}
    assert wins == {"a": 1, "b": 2}


def test_on_one_instance_all_seeds_are_held_against_each_other():
    # The deterministic scheduler ran once; only two of the random runs come up to it.
    values = [2.0, 3.0, 2.0]
    drawn = [row("random", value, seed=seed, instance="one") for seed, value in enumerate(values)]
    rows = (row("sjf", 2.0, instance="one"), *drawn)
    wins = {summary.scheduler: summary.wins for summary in Comparison(rows).summary}
    assert wins == {"sjf": 1, "random": 2}


def test_families_and_schedulers_keep_the_order_in_which_they_were_run():
    rows = (row("b", 1.0, family="z"), row("a", 1.0, family="z"), row("b", 1.0, family="y"))
    assert [(s.family, s.scheduler) for s in Comparison(rows).summary] == [
        ("z", "b"),
        ("z", "a"),
        ("y", "b"),
    ]
    assert Comparison(rows).ratios() == {"z": {"b": [1.0], "a": [1.0]}, "y": {"b": [1.0]}}


def test_all_bounds_that_were_used_are_named():
    rows = (row("a", 2.0, method="longest"), row("a", 2.0, seed=1, method="area"))
    assert Comparison(rows).summary[0].bound_method == "area, longest"


def test_as_dict_is_json_without_nan():
    document = Comparison((row("sjf", 2.0),)).as_dict()
    assert document["summary"][0]["ratio_half_width"] is None
    again = json.loads(json.dumps(document, allow_nan=False))
    assert RunRow(**again["runs"][0]) == row("sjf", 2.0)


def test_the_text_is_an_aligned_table():
    lines = str(THREE).splitlines()
    header = "family  scheduler  runs  objective  mean [s]  ratio  worst  wins  bound  time [s]"
    assert re.split(r"  +", lines[0]) == re.split(r"  +", header)
    cells = ["f", "sjf", "3", "makespan", "2", "2.000 ± 2.484", "3.000", "3", "area", "0.500"]
    assert re.split(r"  +", lines[1]) == cells
    assert str(Comparison((row("sjf", 1234567.0),))).count("1,234,567") == 1


def test_an_empty_comparison_has_no_rows():
    assert Comparison(()).summary == ()
    assert len(str(Comparison(())).splitlines()) == 1


def test_to_frame_has_a_row_for_each_run():
    pytest.importorskip("pandas")
    frame = THREE.to_frame()
    assert list(frame["value"]) == [1.0, 2.0, 3.0]
    assert set(frame.columns) == set(RunRow.__slots__)


def test_the_picture_is_labelled_with_the_objective():
    assert THREE.plot_ratios(title="three").get_xlabel() == "makespan / lower bound"
