"""What happens over time in a schedule: GPUs in use, jobs that wait, and delay timers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from optsched.core.instance import Instance
from optsched.core.schedule import Schedule
from optsched.plot.demand_classes import demand_classes
from optsched.plot.step_curve import (
    StepCurve,
    gpus_in_use,
    jobs_waiting,
    last_value_curve,
    shown_span_s,
)
from optsched.plot.style import FONT_SIZE, INK, add_legend, assigned_colours, new_axes
from optsched.plot.time_axis import set_time_axis, tick_step_s, time_unit

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

__all__ = ["TimerRow", "plot_queue", "plot_timers", "plot_utilisation"]

#: More steps than this are drawn as means over so many intervals of equal length.
MOST_STEPS, INTERVALS = 1500, 300
DASHES = (0, (4, 2))
#: (time in s, GPUs or None for all demands, wait for a rack in s, wait for any GPUs in s).
TimerRow = tuple[float, int | None, float, float]


def plot_utilisation(
    instance: Instance, schedule: Schedule, *, title: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the share of the GPUs that jobs hold, over time.

    With more than 1,500 changes the line is the mean over each 300th of the time, in a band from
    the least to the most.

    Parameters
    ----------
    instance, schedule
        The instance and a schedule for it.
    title
        Title of the axes; by default the mean.
    ax
        Axes to draw on; a new figure if absent. Horizontal positions are seconds.

    Examples
    --------
    >>> import optsched as osd
    >>> instance = osd.load("waiting-pays")
    >>> ax = plot_utilisation(instance, osd.run(instance, "fifo").schedule)
    >>> ax.get_title(loc="left"), ax.get_ylabel()
    ('GPUs in use: 100.0% of 6', 'GPUs in use (%)')
    """
    ax = new_axes(height=2.0) if ax is None else ax
    total = instance.cluster.total_gpus
    curve = gpus_in_use(instance, schedule)
    percent = StepCurve(curve.times_s, 100.0 * curve.values / total)
    _draw_area(ax, percent, assigned_colours(["GPUs in use"])["GPUs in use"])
    ax.set_ylim(0.0, 103.0)
    ax.set_yticks([0, 25, 50, 75, 100])
    text = f"GPUs in use: {percent.mean:.1f}% of {total:,}"
    _finish(ax, instance, schedule, "GPUs in use (%)", text if title is None else title)
    return ax


def plot_queue(
    instance: Instance, schedule: Schedule, *, title: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the number of jobs that wait for GPUs, over time; those that were stopped count too.

    Parameters
    ----------
    instance, schedule, title, ax
        As for :func:`plot_utilisation`; the title's default tells the mean and the most.

    Examples
    --------
    >>> import optsched as osd
    >>> instance = osd.load("waiting-pays")
    >>> ax = plot_queue(instance, osd.solve(instance).schedule)
    >>> ax.get_title(loc="left")
    'jobs waiting: 0.5 on average, 1 at most'
    """
    from matplotlib.ticker import MaxNLocator

    ax = new_axes(height=2.0) if ax is None else ax
    curve = jobs_waiting(instance, schedule)
    _draw_area(ax, curve, assigned_colours(["", "jobs waiting"])["jobs waiting"])
    most = float(curve.values.max(initial=0.0))
    ax.set_ylim(0.0, 1.06 * max(1.0, most))
    ax.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    text = f"jobs waiting: {curve.mean:,.3g} on average, {most:,.0f} at most"
    _finish(ax, instance, schedule, "jobs waiting", text if title is None else title)
    return ax


def plot_timers(
    instance: Instance,
    schedule: Schedule,
    timers: Iterable[TimerRow],
    *,
    title: str | None = None,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Draw for how long jobs of each demand insist on one machine, and on one rack.

    Parameters
    ----------
    instance, schedule, ax
        As for :func:`plot_utilisation`. A demand's line ends with the last of its jobs.
    timers
        Rows of (time in s, GPUs, wait for a rack in s, wait for any GPUs in s): what holds from a
        time on for a demand, or with GPUs None for all that have no row of their own yet. A policy
        that has such timers tells them as ``details["timers"]`` of a result.
    title
        Title of the axes.
    legend
        Whether to explain the colours, which stand for demands.

    Examples
    --------
    >>> import optsched as osd
    >>> instance = osd.load("waiting-pays")
    >>> schedule = osd.run(instance, "fifo").schedule
    >>> ax = plot_timers(instance, schedule, [(0.0, None, 6.0, 12.0), (5.0, 3, 8.0, 12.0)])
    >>> ax.get_ylabel(), len(ax.lines)
    ('wait (s)', 2)
    """
    from matplotlib.lines import Line2D
    from matplotlib.ticker import FuncFormatter, MultipleLocator

    owns_figure = ax is None
    ax = new_axes(height=2.4) if ax is None else ax
    # A timer is of interest for as long as there are jobs of its demand.
    done_s = {
        int(gpus): float(schedule.end_s[instance.jobs.gpus[schedule.job] == gpus].max())
        for gpus in np.unique(instance.jobs.gpus[schedule.job])
    }
    names, class_of = demand_classes(instance.jobs.gpus.tolist())
    colours = assigned_colours(names)
    name_of = {
        gpus: names[number]
        for gpus, number in zip(instance.jobs.gpus.tolist(), class_of, strict=True)
    }
    most = 0.0
    drawn: set[str] = set()
    for gpus, (times_s, for_rack, for_network) in _by_demand(timers, name_of).items():
        name = "all demands" if gpus is None else name_of[gpus]
        colour = INK if gpus is None else colours[name]
        for waits, style in ((for_rack, "-"), (for_network, DASHES)):
            is_finite = np.isfinite(waits)
            if not is_finite.any():
                continue
            end_s = schedule.end_time_s if gpus is None else done_s.get(gpus, 0.0)
            curve = last_value_curve(times_s[is_finite], waits[is_finite], end_s)
            if len(curve.values) == 0:
                continue
            edges_s, heights = _drawn_steps(curve)
            most = max(most, float(heights.max()))
            ax.plot(
                edges_s,
                np.append(heights, heights[-1]),
                drawstyle="steps-post",
                color=colour,
                linestyle=style,
                linewidth=1.1,
            )
            drawn.add(name)
    unit, length_s = time_unit(most)
    top_s = 1.06 * most if most > 0 else 1.0
    ax.set_ylim(0.0, top_s)
    # Half as many ticks as along a page's width.
    ax.yaxis.set_major_locator(MultipleLocator(2 * tick_step_s(top_s)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / length_s:.3g}"))
    text = "timers: a job insists on one machine (solid), on one rack (dashed) for so long"
    _finish(ax, instance, schedule, f"wait ({unit})", text if title is None else title)
    if legend:
        every = {"all demands": INK} | colours
        key: list[Artist] = [
            Line2D([], [], color=colour, label=name)
            for name, colour in every.items()
            if name in drawn
        ]
        add_legend(ax, key, owns_figure=owns_figure)
    return ax


def _by_demand(
    timers: Iterable[TimerRow], known: Iterable[int]
) -> dict[int | None, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return times and waits of each demand that was ever set; if none was, those of all."""
    common: list[TimerRow] = []
    own: dict[int, list[TimerRow]] = {}
    demands = set(known)
    for row in timers:
        if row[1] is None:
            common.append(row)
        elif row[1] in demands:
            own.setdefault(row[1], []).append(row)
    rows: dict[int | None, list[TimerRow]] = {}
    for gpus in sorted(own):
        before = [row for row in common if row[0] <= own[gpus][0][0]]
        rows[gpus] = [*before, *own[gpus]]
    if common and not own:
        rows[None] = common

    def column(some: list[TimerRow], at: int) -> np.ndarray:
        return np.array([row[at] for row in some], dtype=np.float64)

    return {
        gpus: (column(some, 0), column(some, 2), column(some, 3)) for gpus, some in rows.items()
    }


def _drawn_steps(curve: StepCurve) -> tuple[np.ndarray, np.ndarray]:
    """Return edges and heights to draw: the steps themselves, or means of many of them."""
    if len(curve.values) <= MOST_STEPS:
        return curve.times_s, curve.values
    edges_s = np.linspace(curve.times_s[0], curve.times_s[-1], INTERVALS + 1)
    return edges_s, curve.over(edges_s)[0]


def _draw_area(ax: Axes, curve: StepCurve, colour: str) -> None:
    """Draw steps filled down to 0, or means with a band where there are too many steps."""
    edges_s, heights = _drawn_steps(curve)
    if heights is not curve.values:
        _, least, most = curve.over(edges_s)
        ax.stairs(most, edges_s, baseline=least, fill=True, color=colour, alpha=0.25, linewidth=0)
    else:
        ax.stairs(heights, edges_s, fill=True, color=colour, alpha=0.3, linewidth=0)
    ax.stairs(heights, edges_s, baseline=None, color=colour, linewidth=1.1)


def _finish(ax: Axes, instance: Instance, schedule: Schedule, label: str, title: str) -> None:
    set_time_axis(ax, *shown_span_s(instance, schedule))
    ax.tick_params(labelsize=FONT_SIZE - 1)
    ax.xaxis.label.set_fontsize(FONT_SIZE)
    ax.set_ylabel(label, fontsize=FONT_SIZE)
    ax.set_title(title, fontsize=FONT_SIZE, loc="left", parse_math=False)
    ax.spines[["top", "right"]].set_visible(False)
