"""A schedule in one picture: what happens over time, how long jobs take, and where they run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import TYPE_CHECKING

from optsched.core.instance import Instance
from optsched.core.schedule import Schedule
from optsched.plot.demand_classes import demand_classes
from optsched.plot.job_times import plot_jct_distribution, plot_tier_shares
from optsched.plot.style import FONT_SIZE, INK, PAGE_WIDTH_IN, add_legend, assigned_colours
from optsched.plot.timelines import TimerRow, plot_queue, plot_timers, plot_utilisation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_timelines"]

#: Heights of the panels in inches.
OVER_TIME_IN, TIMERS_IN, BELOW_IN = 1.45, 1.75, 2.6


def plot_timelines(
    instance: Instance,
    schedule: Schedule,
    *,
    timers: Iterable[TimerRow] = (),
    title: str | None = None,
    axes: Mapping[str, Axes] | None = None,
) -> dict[str, Axes]:
    """Draw GPUs in use, jobs waiting and timers over time, JCT and the tiers jobs ran on.

    Everything but the timers follows from the schedule.

    Parameters
    ----------
    instance, schedule
        The instance and a schedule for it.
    timers
        As for :func:`plot_timers`; without any that are finite there is no panel of them.
    title
        Title of the figure.
    axes
        Axes by name of the panel, ``utilisation``, ``queue``, ``timers``, ``jct`` and ``tiers``;
        only these are drawn. None: all of them on a new figure of page width.

    Returns
    -------
    dict
        The axes drawn on, by name.

    Examples
    --------
    >>> import optsched as osd
    >>> instance = osd.load("waiting-pays")
    >>> axes = plot_timelines(instance, osd.run(instance, "fifo").schedule)
    >>> list(axes), axes["queue"].get_xlabel()
    (['utilisation', 'queue', 'jct', 'tiers'], 'time (s)')
    """
    rows = [row for row in timers if isfinite(row[2]) or isfinite(row[3])]
    owns_figure = axes is None
    drawn = _new_panels(has_timers=bool(rows)) if axes is None else dict(axes)
    for name, ax in drawn.items():
        if name == "utilisation":
            plot_utilisation(instance, schedule, ax=ax)
        elif name == "queue":
            plot_queue(instance, schedule, ax=ax)
        elif name == "timers":
            plot_timers(instance, schedule, rows, ax=ax, legend=not owns_figure)
        elif name == "jct":
            plot_jct_distribution(instance, schedule, ax=ax, legend=not owns_figure)
        elif name == "tiers":
            plot_tier_shares(instance, schedule, ax=ax)
        else:
            raise ValueError(f"no panel is called {name!r}")
    if owns_figure:
        _share_time(drawn)
        _add_common_parts(instance, drawn, title or instance.name)
    return drawn


def _new_panels(*, has_timers: bool) -> dict[str, Axes]:
    from matplotlib.figure import Figure

    names = ["utilisation", "queue", *(["timers"] if has_timers else [])]
    heights = [OVER_TIME_IN, OVER_TIME_IN, *([TIMERS_IN] if has_timers else []), BELOW_IN]
    figure = Figure(figsize=(PAGE_WIDTH_IN, sum(heights) + 0.7), layout="constrained")
    mosaic = [*([name, name] for name in names), ["jct", "tiers"]]
    panels: dict[str, Axes] = figure.subplot_mosaic(mosaic, height_ratios=heights)  # type: ignore[arg-type]
    return {name: panels[name] for name in (*names, "jct", "tiers")}


def _share_time(drawn: Mapping[str, Axes]) -> None:
    """Name the time once, under the last of the panels that share it."""
    over_time = [name for name in drawn if name in ("utilisation", "queue", "timers")]
    for name in over_time[:-1]:
        drawn[name].set_xlabel("")
        drawn[name].tick_params(labelbottom=False)


def _add_common_parts(instance: Instance, drawn: Mapping[str, Axes], title: str) -> None:
    """Explain the colours of demands, which two panels share, and name the figure."""
    from matplotlib.lines import Line2D

    names, _ = demand_classes(instance.jobs.gpus.tolist())
    key = [Line2D([], [], color=INK, linewidth=2.0, label="all jobs")]
    if len(names) > 1:
        key += [
            Line2D([], [], color=colour, label=name)
            for name, colour in assigned_colours(names).items()
        ]
    ax = drawn["jct"]
    add_legend(ax, key, owns_figure=True)
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.suptitle(title, fontsize=FONT_SIZE + 1, x=0.01, ha="left", parse_math=False)
