"""The tables of the study of Dally."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from optsched.report.markdown import TextTable, interval_text
from optsched.study.dally_schedulers import PUBLISHED_BASELINES
from optsched.study.dally_summary import REDUCED, DallySummary, Reduction, largest
from optsched.study.dally_workload import DallySetting
from optsched.study.statistics import Interval

__all__ = [
    "PUBLISHED",
    "cost_table",
    "group_tables",
    "headline_table",
    "overview_tables",
    "reduction_tables",
]

HOUR = 1 / 3600
PERCENT = 100.0
#: The paper's "up to", by what it is said of; percent.
PUBLISHED: Mapping[str, float] = {"makespan": 69, "mean JCT": 83, "communication": 98}
#: Groups of jobs that have a table of their own, and what they are.
GROUPS: Mapping[str, str] = {
    "1": "1 GPU",
    "2-8": "2 to 8 GPUs",
    "9+": "more than 8 GPUs",
    "latency-bound": "the most latency-bound network",
    "2-8 latency-bound": "the most latency-bound network, 2 to 8 GPUs",
    "9+ latency-bound": "the most latency-bound network, more than 8 GPUs",
    "others": "all other networks",
    "2-8 others": "all other networks, 2 to 8 GPUs",
    "9+ others": "all other networks, more than 8 GPUs",
}


def overview_tables(summaries: Sequence[DallySummary]) -> list[TextTable]:
    """Return a table for each setting: objectives beside their bounds, communication, tiers."""
    columns = (
        "scheduler", "makespan [h]", "/ bound", "mean JCT [h]", "/ bound", "median [h]", "p95 [h]",
        "comm. [%]", "by GPU [%]", "tiers [%]", "preempted",
    )  # fmt: skip
    return [
        TextTable(
            f"{setting.name} (bounds: {_methods(own, 'makespan')}; {_methods(own, 'mean_jct')})",
            columns,
            [_overview_row(summary) for summary in own],
        )
        for setting, own in by_setting(summaries).items()
    ]


def _overview_row(summary: DallySummary) -> list[str]:
    every = summary.groups["all"]
    return [
        summary.scheduler,
        interval_text(every["makespan_s"], scale=HOUR, decimals=0),
        interval_text(summary.ratios["makespan"], decimals=2),
        interval_text(every["mean_jct_s"], scale=HOUR),
        interval_text(summary.ratios["mean_jct"], decimals=2),
        interval_text(every["median_jct_s"], scale=HOUR),
        interval_text(every["p95_jct_s"], scale=HOUR, decimals=0),
        interval_text(every["communication_share"], scale=PERCENT),
        interval_text(every["gpu_communication_share"], scale=PERCENT),
        # Jobs of one GPU are always on one machine.
        _tiers(summary.groups.get("2+", every)),
        f"{every['preemptions'].mean:,.0f}",
    ]


def group_tables(summaries: Sequence[DallySummary]) -> list[TextTable]:
    """Return a table for each setting and group of jobs."""
    columns = (
        "scheduler", "last end [h]", "mean JCT [h]", "median [h]", "p95 [h]", "comm. [h]",
        "comm. [%]", "by GPU [h]", "by GPU [%]", "tiers [%]", "preempted",
    )  # fmt: skip
    tables = []
    for setting, own in by_setting(summaries).items():
        for group, words in GROUPS.items():
            inside = [summary for summary in own if group in summary.groups]
            if inside:
                jobs = inside[0].groups[group]["jobs"].mean
                rows = [_group_row(one.scheduler, one.groups[group]) for one in inside]
                tables.append(
                    TextTable(f"{setting.name}: {words} ({jobs:.0f} jobs)", columns, rows)
                )
    return tables


def _group_row(scheduler: str, figures: Mapping[str, Interval]) -> list[str]:
    return [
        scheduler,
        interval_text(figures["makespan_s"], scale=HOUR, decimals=0),
        interval_text(figures["mean_jct_s"], scale=HOUR),
        interval_text(figures["median_jct_s"], scale=HOUR),
        interval_text(figures["p95_jct_s"], scale=HOUR, decimals=0),
        interval_text(figures["communication_s"], scale=HOUR, decimals=0),
        interval_text(figures["communication_share"], scale=PERCENT),
        interval_text(figures["gpu_communication_s"], scale=HOUR, decimals=0),
        interval_text(figures["gpu_communication_share"], scale=PERCENT),
        _tiers(figures),
        f"{figures['preemptions'].mean:,.0f}",
    ]


def reduction_tables(reductions: Iterable[Reduction]) -> list[TextTable]:
    """Return a table for each setting and group: by how much less Dally needs than each other."""
    listed = list(reductions)
    tables = []
    places = dict.fromkeys((one.setting, one.group) for one in listed)
    for setting, group in places:
        own = [one for one in listed if (one.setting, one.group) == (setting, group)]
        rows = []
        for baseline in dict.fromkeys(one.baseline for one in own):
            found = {one.quantity: one.interval for one in own if one.baseline == baseline}
            cells = [
                interval_text(found[quantity], scale=PERCENT, decimals=0, sign=True)
                if quantity in found
                else "–"
                for quantity in REDUCED
            ]
            rows.append([baseline, *cells])
        whose = "" if group == "all" else f", {GROUPS.get(group, group)}"
        title = f"{setting.name}{whose}: reduction by Dally [%]"
        tables.append(TextTable(title, ("compared with", *REDUCED), rows))
    return tables


def headline_table(reductions: Sequence[Reduction]) -> TextTable:
    """Return the paper's "up to" beside the largest mean reductions found anywhere."""
    rows = []
    for quantity in REDUCED:
        published = f"{PUBLISHED[quantity]:.0f}" if quantity in PUBLISHED else "–"
        cells = [quantity, published]
        for baselines in (PUBLISHED_BASELINES, None):
            best = largest(reductions, quantity, baselines)
            if best is None:
                cells += ["–", ""]
                continue
            interval = interval_text(best.interval, scale=PERCENT, decimals=0, sign=True)
            cells += [interval, f"{best.baseline}; {best.setting.name}"]
        rows.append(cells)
    return TextTable(
        'Largest mean reduction by Dally [%] beside the paper\'s "up to"',
        ("of", "paper", "over its baselines", "which, where", "over any", "which, where"),
        rows,
    )


def cost_table(summaries: Sequence[DallySummary]) -> TextTable:
    """Return the processor time of a run of each scheduler in each setting."""
    settings = list(by_setting(summaries))
    found = {(one.scheduler, one.setting): one for one in summaries}
    rows = [
        [
            name,
            *(
                interval_text(found[name, setting].cpu_s, decimals=2)
                if (name, setting) in found
                else "–"
                for setting in settings
            ),
        ]
        for name in dict.fromkeys(one.scheduler for one in summaries)
    ]
    columns = ("scheduler", *(setting.name for setting in settings))
    return TextTable("Processor time of a run, simulation and judge [s]", columns, rows)


def by_setting(summaries: Iterable[DallySummary]) -> dict[DallySetting, list[DallySummary]]:
    """Return the summaries of each setting."""
    found: dict[DallySetting, list[DallySummary]] = {}
    for summary in summaries:
        found.setdefault(summary.setting, []).append(summary)
    return found


def _methods(summaries: Iterable[DallySummary], objective: str) -> str:
    return ", ".join(dict.fromkeys(one.methods[objective] for one in summaries))


def _tiers(figures: Mapping[str, Interval]) -> str:
    names = ("machine_share", "rack_share", "network_share")
    return "/".join(f"{PERCENT * figures[name].mean:.0f}" for name in names)
