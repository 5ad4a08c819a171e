"""The tables of the study of Dally, from figures made by hand."""

import math

import pytest

from optsched.report.dally_tables import (
    cost_table,
    group_tables,
    headline_table,
    overview_tables,
    reduction_tables,
)
from optsched.report.markdown import TextTable, interval_text
from optsched.study.dally_summary import DallySummary, Reduction
from optsched.study.dally_workload import DallySetting
from optsched.study.statistics import Interval

SETTING = DallySetting("batch", 2, 8, 8, "congested")
FIGURES = {
    "jobs": 3,
    "makespan_s": 360_000,
    "mean_jct_s": 36_000,
    "median_jct_s": 18_000,
    "p95_jct_s": 72_000,
    "queueing_s": 0,
    "communication_s": 7_200,
    "gpu_communication_s": 72_000,
    "communication_share": 0.125,
    "gpu_communication_share": 0.5,
    "machine_share": 0.625,
    "rack_share": 0.25,
    "network_share": 0.125,
    "preemptions": 1234,
}


def known(value, half_width=math.nan):
    return Interval(float(value), half_width, 2)


@pytest.fixture
def summary():
    figures = {name: known(value) for name, value in FIGURES.items()}
    wide = figures | {"machine_share": known(0.0), "rack_share": known(0.75)}
    return DallySummary(
        setting=SETTING,
        scheduler="dally",
        runs=2,
        ratios={"makespan": known(1.5, 0.25), "mean_jct": known(2.0)},
        methods={"makespan": "area", "mean_jct": "lagrangian-preemptive"},
        groups={"all": figures, "2+": wide, "9+": wide},
        schedule_class="continuous, preemptive with migration",
        cpu_s=known(0.75, 0.01),
    )


def test_the_overview_is_in_hours_and_percent(summary):
    (table,) = overview_tables([summary])
    assert table.title == "batch, 2×8×8, congested (bounds: area; lagrangian-preemptive)"
    (row,) = table.rows
    assert dict(zip(table.columns[:2], row[:2], strict=True)) == {
        "scheduler": "dally",
        "makespan [h]": "100",
    }
    assert row[2:] == [
        "1.50 ± 0.25", "10.0", "2.00", "5.0", "20", "12.5", "50.0",
        # The tiers are those of jobs of several GPUs.
        "0/75/12", "1,234",
    ]  # fmt: skip
    assert len(row) == len(table.columns)


def test_groups_have_tables_of_their_own(summary):
    (table,) = group_tables([summary])
    assert table.title == "batch, 2×8×8, congested: more than 8 GPUs (3 jobs)"
    assert table.rows == [
        ["dally", "100", "10.0", "5.0", "20", "2", "12.5", "20", "50.0", "0/75/12", "1,234"]
    ]
    assert len(table.rows[0]) == len(table.columns)


def test_costs_have_a_column_for_each_setting(summary):
    table = cost_table([summary])
    assert table.columns == ("scheduler", "batch, 2×8×8, congested")
    assert table.rows == [["dally", "0.75 ± 0.01"]]


def reduction(baseline, quantity, *by_seed):
    return Reduction(SETTING, baseline, quantity, "all", by_seed)


def test_reductions_are_percent_of_the_others(summary):
    reductions = [
        reduction("gandiva", "makespan", 0.5),
        reduction("gandiva", "mean JCT", -0.25),
        reduction("sjf", "makespan", 0.75),
    ]
    (table,) = reduction_tables(reductions)
    assert table.title == "batch, 2×8×8, congested: reduction by Dally [%]"
    assert table.rows == [
        ["gandiva", "+50", "-25", "–", "–"],
        ["sjf", "+75", "–", "–", "–"],
    ]


def test_the_headline_has_the_papers_figures_beside_ours():
    reductions = [
        reduction("gandiva", "makespan", 0.4, 0.6),
        reduction("sjf", "makespan", 0.75),
    ]
    table = headline_table(reductions)
    assert [row[:2] for row in table.rows] == [
        ["makespan", "69"],
        ["mean JCT", "83"],
        ["communication", "98"],
        ["communication, by GPUs", "–"],
    ]
    # Of two values t is 12.7, the standard error 10%.
    assert table.rows[0][2:4] == ["+50 ± 127", "gandiva; batch, 2×8×8, congested"]
    assert table.rows[0][4:] == ["+75", "sjf; batch, 2×8×8, congested"]
    assert table.rows[1][2:] == ["–", "", "–", ""]


def test_a_table_reads_alike_in_a_page_and_a_terminal():
    table = TextTable("T", ("name", "value"), [["a", interval_text(known(math.nan))]])
    assert table.markdown().splitlines()[2:] == ["| name | value |", "| --- | ---: |", "| a | – |"]
    shown = table.terminal()
    assert [column.header for column in shown.columns] == ["name", "value"]
    assert shown.row_count == 1
