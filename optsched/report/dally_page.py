"""The report of the study of Dally: a page with its pictures, and the same as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from optsched.plot.intervals import plot_intervals
from optsched.plot.stacked_shares import plot_stacked_shares
from optsched.plot.style import save_figure
from optsched.report.dally_tables import (
    PUBLISHED,
    by_setting,
    cost_table,
    group_tables,
    headline_table,
    overview_tables,
    reduction_tables,
)
from optsched.report.plain import plain
from optsched.study.dally_run import DallyRun
from optsched.study.dally_schedulers import PUBLISHED_BASELINES
from optsched.study.dally_summary import (
    DallySummary,
    Reduction,
    paired_reductions,
    summarise,
)
from optsched.study.run import versions

__all__ = ["MEANINGS", "dally_data", "dally_markdown", "save_dally_pictures"]

REDUCED_GROUPS = ("all", "2-8", "9+", "latency-bound", "others")
MEANINGS = """\
What the figures measure.

- The paper's abstract says: makespan up to 69% shorter than under the prevailing
  consolidation-based scheduling, average JCT up to 83% lower, communication overhead up to 98%
  lower, under congested networking. It does not say against which scheduler, on which cluster and
  load, nor whether they are of one experiment. Only the abstract and the authors' simulator were
  read.
- *makespan*: the last completion, from time 0; under Poisson arrivals it is mostly when the last
  jobs come. *JCT*: completion less arrival.
- *comm.*: running time less restarts less computing, which is the simulator's GpuTime − CompTime,
  summed over the jobs; *by GPU*: each job's counted as often as it has GPUs. In percent: of the
  running time less restarts.
- *tiers*: share of the running time of jobs of 2 GPUs or more on one machine, on one rack, and on
  several racks (in the tables of groups: of the group).
- *bound*: no schedule, with any preemption and migration, can be below it on this instance, its
  networks at their best efficiency on this cluster. *±*: half the 95% interval of the mean.
- *reduction*: 1 − Dally's figure / the other's on the same workload, averaged over the seeds; below
  0 where Dally needs more.
"""


def dally_markdown(
    runs: Sequence[DallyRun], schedulers: Mapping[str, str], *, title: str, pictures: Sequence[Path]
) -> str:
    """Return the report as a page in Markdown.

    Parameters
    ----------
    runs
        The runs.
    schedulers
        Name in tables to scheduler.
    title
        What the workload is.
    pictures
        Files beside the page.
    """
    summaries = summarise(runs, schedulers)
    reductions = _reductions(runs, schedulers)
    everything = [one for one in reductions if one.group == "all"]
    seeds = max((run.seed for run in runs), default=-1) + 1
    parts = [
        f"# Dally, reproduced: {title}",
        f"{len(runs):,} runs, seeds 0 to {seeds - 1}; {_versions_text()}.",
        MEANINGS.rstrip(),
    ]
    if everything:
        parts += ["## Dally beside the others", headline_table(everything).markdown()]
        parts += [table.markdown() for table in reduction_tables(everything)]
    parts += [f"![{path.stem}]({path.name})" for path in pictures]
    parts += ["## Every policy", *(table.markdown() for table in overview_tables(summaries))]
    parts += ["## By class of jobs"]
    parts += [f"Apart stands `{name}`." for name in sorted({run.apart for run in runs})]
    parts += [
        table.markdown() for table in reduction_tables(r for r in reductions if r.group != "all")
    ]
    parts += [table.markdown() for table in group_tables(summaries)]
    parts += ["## Cost", cost_table(summaries).markdown()]
    listed = "\n".join(f"- {name}: `{spec}`" for name, spec in schedulers.items())
    parts += ["## Schedulers", listed]
    return "\n\n".join(parts) + "\n"


def dally_data(runs: Sequence[DallyRun], schedulers: Mapping[str, str]) -> dict[str, Any]:
    """Return summaries and reductions as plain data that JSON can hold."""
    return {
        "schedulers": dict(schedulers),
        "published_percent": dict(PUBLISHED),
        "runs": len(runs),
        "apart": sorted({run.apart for run in runs}),
        "summary": [
            plain(asdict(one) | {"setting": one.setting.name})
            for one in summarise(runs, schedulers)
        ],
        "reductions": [
            plain(
                {
                    "setting": one.setting.name,
                    "compared_with": one.baseline,
                    "quantity": one.quantity,
                    "group": one.group,
                    **asdict(one.interval),
                    "by_seed": one.by_seed,
                }
            )
            for one in _reductions(runs, schedulers)
        ],
        "versions": dict(versions()),
    }


def save_dally_pictures(
    runs: Sequence[DallyRun], schedulers: Mapping[str, str], folder: Path
) -> list[Path]:
    """Draw ratios to bounds, tiers and reductions, and return the files."""
    summaries = summarise(runs, schedulers)
    paths = []
    for arrivals in dict.fromkeys(one.setting.arrivals for one in summaries):
        own = [one for one in summaries if one.setting.arrivals == arrivals]
        for objective, words in (("makespan", "makespan"), ("mean_jct", "mean JCT")):
            axes = plot_intervals(
                _ratios(own, objective),
                label=f"{words} / lower bound",
                is_ratio=True,
                title=f"{words}, {arrivals} arrivals",
            )
            paths.append(save_figure(axes, folder / f"{objective}-{arrivals}.svg"))
    for setting, one_setting in by_setting(summaries).items():
        shares = {
            one.scheduler: {
                "one machine": one.groups["2-8"]["machine_share"].mean,
                "one rack": one.groups["2-8"]["rack_share"].mean,
                "several racks": one.groups["2-8"]["network_share"].mean,
            }
            for one in one_setting
            if "2-8" in one.groups
        }
        if shares:
            axes = plot_stacked_shares(
                shares, label="running time of jobs of 2 to 8 GPUs", title=setting.name
            )
            paths.append(save_figure(axes, folder / f"tiers-{_file_name(setting.name)}.svg"))
    reductions = _reductions(runs, schedulers)
    for quantity, published in PUBLISHED.items():
        chosen = [
            one
            for one in reductions
            if (one.quantity, one.group) == (quantity, "all")
            and one.baseline in PUBLISHED_BASELINES
        ]
        if chosen:
            axes = plot_intervals(
                _reduction_rows(chosen),
                label=f"{quantity}: less than the other's [%]",
                reference=(published, f'the paper: "up to {published:.0f}%"'),
                title=f"Reduction of {quantity} by Dally",
            )
            paths.append(save_figure(axes, folder / f"reduction-{_file_name(quantity)}.svg"))
    return paths


def _reductions(runs: Sequence[DallyRun], schedulers: Mapping[str, str]) -> list[Reduction]:
    return [
        one for group in REDUCED_GROUPS for one in paired_reductions(runs, schedulers, group=group)
    ]


def _ratios(
    summaries: Sequence[DallySummary], objective: str
) -> dict[str, dict[str, tuple[float, float]]]:
    rows: dict[str, dict[str, tuple[float, float]]] = {}
    for one in summaries:
        interval = one.ratios[objective]
        series = f"{one.setting.cluster}, {one.setting.fabric}"
        rows.setdefault(one.scheduler, {})[series] = (interval.mean, interval.half_width)
    return rows


def _reduction_rows(
    reductions: Sequence[Reduction],
) -> dict[str, dict[str, tuple[float, float]]]:
    rows: dict[str, dict[str, tuple[float, float]]] = {}
    for one in reductions:
        interval = one.interval
        rows.setdefault(one.setting.name, {})[f"against {one.baseline}"] = (
            100 * interval.mean,
            100 * interval.half_width,
        )
    return rows


def _versions_text() -> str:
    return ", ".join(f"{name} {version}" for name, version in versions().items())


def _file_name(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text).split())
