"""Tables and figures for people, at any width."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from optsched.core.quantities import number_text
from optsched.core.result import Judgement, Preemption, ProblemClass
from optsched.report import comparison_table, figures_text, rows_table
from optsched.report.tables import gap_table
from optsched.study.comparison import Comparison, RunRow, SummaryRow


def printed(table, width):
    console = Console(file=io.StringIO(), width=width)
    console.print(table)
    return console.file.getvalue()


def summary(family, scheduler, ratio, half_width=0.1):
    return SummaryRow(
        family=family,
        scheduler=scheduler,
        objective="mean_jct",
        runs=10,
        value_mean=1234567.8,
        ratio_mean=ratio,
        ratio_half_width=half_width,
        ratio_worst=2 * ratio,
        wins=3,
        bound_method="area",
        seconds=1.25,
    )


ROWS = [
    summary("paper-160:servers=14", "sjf-bco", 1.5),
    summary("paper-160:servers=14", "list-scheduling", 1.25, float("nan")),
    summary("[odd] family", "sjf:placement=first_fit", 1.75),
]


@pytest.mark.parametrize("width", [80, 160])
def test_a_comparison_has_a_table_for_each_family_with_every_number_whole(width):
    text = printed(comparison_table(ROWS), width)
    assert all(len(line) <= width for line in text.splitlines())
    assert "paper-160:servers=14: mean_jct against a lower bound (area)" in text
    assert "[odd] family: mean_jct" in text
    for word in ("list-scheduling", "1,234,568", "1.500 ± 0.100", "3.000", "3/10", "1.25"):
        assert word in text
    line = next(line for line in text.splitlines() if "list-scheduling" in line)
    assert "±" not in line


def test_the_best_of_each_family_stands_out():
    console = Console(file=io.StringIO(), width=100, force_terminal=True)
    console.print(comparison_table(ROWS))
    bold = [line for line in console.file.getvalue().splitlines() if "\x1b[1m" in line]
    assert any("list-scheduling" in line for line in bold)
    assert not any("sjf-bco" in line for line in bold)


def test_rows_held_against_different_bounds_name_them_and_compare_by_value():
    whole = replace(summary("busy", "sjf", 1.1), value_mean=50.0, bound_method="lagrangian")
    cut = replace(summary("busy", "srtf", 1.2), value_mean=45.0, bound_method="durations")
    text = printed(comparison_table([whole, cut]), 100)
    assert "busy: mean_jct against the bound of its class" in text
    assert (
        next(line for line in text.splitlines() if " srtf" in line).rstrip().endswith("durations")
    )
    console = Console(file=io.StringIO(), width=100, force_terminal=True)
    console.print(comparison_table([whole, cut]))
    bold = [line for line in console.file.getvalue().splitlines() if "\x1b[1m" in line]
    assert any("srtf" in line for line in bold)
    assert not any("sjf" in line for line in bold)


def test_rows_show_plain_values_for_people():
    rows = [
        ("a", 1, True, ["x", "y"], {"k": None, "n": 2}, None),
        ("b", 20, False, [], {}, "[markup]"),
    ]
    text = printed(rows_table(["name", "count", "known", "list", "map", "note"], rows), 80)
    assert "x, y" in text
    assert "k=none, n=2" in text
    assert "[markup]" in text
    assert "yes" in text
    lines = text.splitlines()
    units = [next(line for line in lines if line.startswith(f" {name}")) for name in "ab"]
    # Numbers are set to the right.
    assert units[0].index(" 1 ") + 1 == units[1].index("20 ") + 1


def test_words_are_not_broken_where_there_is_room_between_them():
    words = "unbreakable words stay whole although the line is far too short for them all"
    text = printed(rows_table(["name", "note"], [("x" * 30, words)]), 60)
    assert set(words.split()) <= set(text.split())


def test_figures_have_units_and_no_doubles():
    kind = ProblemClass("continuous", Preemption.NONE, "ring")
    metrics = {
        "jct_mean_s": 2.5,
        "jct_p95_s": 7.0,
        "utilisation": 0.5,
        "contention_mean": 1.5,
        "preemptions": 3.0,
        "something_new_s": 9.0,
    }
    judgement = Judgement((), {"makespan": 1234567.0, "mean_jct": 2.5}, metrics, None, kind)
    assert [line.split(maxsplit=10) for line in figures_text(judgement).splitlines()] == [
        ["makespan", "1,234,567", "s"],
        ["mean", "JCT", "2.5", "s"],
        ["95th", "percentile", "JCT", "7", "s"],
        ["utilisation", "50.0%", "of", "the", "GPU", "time", "up", "to", "the", "makespan"],
        ["mean", "contention", "degree", "1.5"],
        ["preemptions", "3"],
        ["something_new_s", "9", "s"],
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1e-7, "1e-07"),
        (0.00123456789, "0.00123457"),
        (99999.94, "99,999.9"),
        (123456.7, "123,457"),
        (-2.5, "-2.5"),
    ],
)
def test_numbers_read_well(value, text):
    assert number_text(value) == text


def test_many_families_are_one_table_with_all_runs_in_the_last_row():
    runs = tuple(
        RunRow(
            instance=f"{family}-{number}#0",
            family=family,
            scheduler=scheduler,
            seed=0,
            objective="makespan",
            value=ratio * 10.0,
            bound=10.0,
            bound_method="area",
            is_optimal=ratio == 1.0,
            ratio=ratio,
            seconds=0.1,
        )
        for family, scheduler, ratios in (
            ("one", "a", (1.0, 1.2)),
            ("one", "b", (1.5, 1.5)),
            ("two[0]", "a", (2.0,)),
        )
        for number, ratio in enumerate(ratios)
    )
    lines = printed(gap_table(Comparison(runs)), 100).splitlines()
    cells = [line.split() for line in lines if "%" in line]
    # Means by hand: (0 + 20)/2, (50 + 50)/2; 100; (0 + 20 + 100)/3 = 40.
    assert cells == [
        ["one", "2", "10.0%", "50.0%"],
        ["two[0]", "1", "100.0%"],
        ["all", "3", "40.0%", "50.0%"],
    ]
