"""How long jobs take, and how near to each other their GPUs are meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from optsched.core.instance import Instance
from optsched.core.schedule import Schedule
from optsched.plot.demand_classes import demand_classes
from optsched.plot.style import FONT_SIZE, INK, add_legend, assigned_colours, new_axes
from optsched.plot.tier_times import tier_times_s
from optsched.plot.time_axis import duration_text, set_duration_axis

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

__all__ = ["plot_jct_distribution", "plot_tier_shares"]

#: More jobs than this are drawn by quantiles.
MOST_POINTS = 1000
#: From a dark to a bright blue: the nearer, the darker.
TIER_COLOURS = {2: ("#0b4f8a", "#a8cbe6"), 3: ("#0b4f8a", "#5b9fd0", "#cfe3f2")}


def plot_jct_distribution(
    instance: Instance,
    schedule: Schedule,
    *,
    title: str | None = None,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Draw the share of jobs whose JCT is at most some time: of all jobs, and by demand.

    Parameters
    ----------
    instance, schedule
        The instance and a schedule for it.
    title
        Title of the axes; by default median, 95th and 99th percentile.
    ax
        Axes to draw on; a new figure if absent. Horizontal positions are seconds.
    legend
        Whether to explain the colours, which stand for demands.

    Examples
    --------
    >>> import optsched as osd
    >>> instance = osd.load("waiting-pays")
    >>> ax = plot_jct_distribution(instance, osd.solve(instance).schedule)
    >>> ax.get_title(loc="left")
    'JCT: median 15.8 s, p95 20.5 s, p99 20.9 s'
    """
    from matplotlib.lines import Line2D

    owns_figure = ax is None
    ax = new_axes(4.5, 3.0) if ax is None else ax
    known = np.unique(schedule.job)
    done_s = np.full(len(instance.jobs), -np.inf)
    np.maximum.at(done_s, schedule.job, schedule.end_s)
    jct_s = (done_s - instance.jobs.arrival_s)[known]
    names, class_of = demand_classes(instance.jobs.gpus.tolist())
    colours = assigned_colours(names)
    kind = np.array(class_of, dtype=np.int64)[known]
    # A job that takes no time has no place on the axis but its left end.
    least_s = float(jct_s[jct_s > 0].min(initial=np.inf))
    shown_s = np.maximum(jct_s, least_s if np.isfinite(least_s) else 1.0)
    key: list[Artist] = []
    if len(names) > 1:
        for number, name in enumerate(names):
            if (kind == number).any():
                _draw_steps(ax, shown_s[kind == number], colours[name], 1.0)
                key.append(Line2D([], [], color=colours[name], label=name))
    _draw_steps(ax, shown_s, INK, 2.0)
    key.insert(0, Line2D([], [], color=INK, linewidth=2.0, label="all jobs"))
    set_duration_axis(ax)
    ax.set_ylim(0.0, 103.0)
    ax.set_yticks([0, 25, 50, 75, 100])
    ax.grid(axis="y", color="#e3e3e3", linewidth=0.8)
    ax.set_axisbelow(True)
    if title is None:
        marks = np.percentile(jct_s, [50, 95, 99]).tolist() if len(jct_s) else [0.0] * 3
        texts = [duration_text(mark) for mark in marks]
        title = f"JCT: median {texts[0]}, p95 {texts[1]}, p99 {texts[2]}"
    _finish(ax, "job completion time", "jobs done within it (%)", title)
    if legend:
        add_legend(ax, key, owns_figure=owns_figure)
    return ax


def plot_tier_shares(
    instance: Instance, schedule: Schedule, *, title: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw which share of their time jobs ran on one machine, on one rack, and on several.

    The first two bars are all jobs, by the GPU time they hold and by their running time; then
    follow the jobs of each demand. In other rate models than ``tiered`` the tiers are one server
    and several.

    Parameters
    ----------
    instance, schedule, ax
        As for :func:`plot_jct_distribution`.
    title
        Title of the axes.

    Examples
    --------
    >>> import optsched as osd
    >>> instance = osd.load("waiting-pays")
    >>> ax = plot_tier_shares(instance, osd.run(instance, "fifo").schedule)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['all, GPU time', 'all, job time', '3 GPUs']
    """
    from matplotlib.patches import Patch

    ax = new_axes(4.5, 3.0) if ax is None else ax
    tiers, times_s = tier_times_s(instance, schedule)
    gpus = instance.jobs.gpus
    names, class_of = demand_classes(gpus.tolist())
    kind = np.array(class_of, dtype=np.int64)
    rows = {
        "all, GPU time": (gpus[:, None] * times_s).sum(axis=0),
        "all, job time": times_s.sum(axis=0),
    }
    rows |= {name: times_s[kind == number].sum(axis=0) for number, name in enumerate(names)}
    places = [place + 0.4 * (place > 1) for place in range(len(rows))]
    totals = np.array(list(rows.values()))
    sums = totals.sum(axis=1, keepdims=True)
    shares = 100.0 * np.divide(totals, sums, out=np.zeros_like(totals), where=sums > 0)
    left = np.zeros(len(rows))
    colours = TIER_COLOURS[len(tiers)]
    for number, colour in enumerate(colours):
        width = shares[:, number]
        ax.barh(places, width, left=left, height=0.75, color=colour)
        left = left + width
    ax.set_yticks(places, list(rows))
    ax.invert_yaxis()
    ax.set_xlim(0.0, 100.0)
    text = "where jobs ran" if title is None else title
    _finish(ax, "share of the time that GPUs are held (%)", "", text)
    # The legend stands between the title and the bars.
    ax.set_title(text, fontsize=FONT_SIZE, loc="left", parse_math=False, pad=18)
    ax.tick_params(axis="y", length=0)
    ax.legend(
        handles=[
            Patch(color=colour, label=name) for name, colour in zip(tiers, colours, strict=True)
        ],
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=len(tiers),
        frameon=False,
        fontsize=FONT_SIZE - 1.5,
        borderaxespad=0.1,
        columnspacing=1.0,
        handlelength=1.0,
        handletextpad=0.4,
    )
    return ax


def _draw_steps(ax: Axes, jct_s: np.ndarray, colour: str, width: float) -> None:
    """Draw a distribution, by quantiles where there are many jobs."""
    count = len(jct_s)
    if count == 0:
        return
    ordered = np.sort(jct_s)
    rank = np.arange(1, count + 1)
    if count > MOST_POINTS:
        rank = np.unique(np.linspace(1, count, MOST_POINTS).round().astype(np.int64))
        ordered = ordered[rank - 1]
    ax.plot(
        np.append(ordered[0], ordered),
        np.append(0.0, 100.0 * rank / count),
        drawstyle="steps-post",
        color=colour,
        linewidth=width,
    )


def _finish(ax: Axes, x_label: str, y_label: str, title: str) -> None:
    ax.tick_params(labelsize=FONT_SIZE - 1)
    ax.set_xlabel(x_label, fontsize=FONT_SIZE)
    ax.set_ylabel(y_label, fontsize=FONT_SIZE)
    ax.set_title(title, fontsize=FONT_SIZE, loc="left", parse_math=False)
    ax.spines[["top", "right"]].set_visible(False)
