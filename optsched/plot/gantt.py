"""A schedule as a Gantt chart by server, with the network's contention shaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from optsched.core.instance import Instance
from optsched.core.schedule import Schedule, Segment
from optsched.plot.bands import Bands, draw_bands, server_bands
from optsched.plot.bars import Corners, draw_bars, rectangle, write_labels
from optsched.plot.contention_intervals import ContentionInterval, contention_intervals
from optsched.plot.gpu_rows import gpu_rows
from optsched.plot.style import FONT_SIZE, PAGE_WIDTH_IN, add_legend, new_axes
from optsched.plot.time_axis import set_time_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch

__all__ = ["plot_gantt"]

#: Opacity of the shade for contention degree 2, 3, 4 and 5 or more.
SHADES = (0.2, 0.33, 0.44, 0.55)


def plot_gantt(
    instance: Instance,
    schedule: Schedule,
    *,
    title: str | None = None,
    ax: Axes | None = None,
    label: Callable[[Segment], str] | None = None,
) -> Axes:
    """Draw every segment as a bar over the GPUs it holds, server by server.

    Up to 20 jobs each have a colour of their own; beyond that colours stand for the GPUs a job
    asks for. Bars of spread jobs have a dark outline, segments after a job's first are hatched.
    A server's band is shaded while two or more spread jobs share its network interface, the darker
    the more there are; where racks' uplinks are shared they get bands of their own at the bottom.

    Parameters
    ----------
    instance
        The instance.
    schedule
        A schedule for it.
    title
        Title of the axes; by default the instance's name, and the jobs and GPUs it has.
    ax
        Axes to draw on; a new figure of page width if absent. Horizontal positions are seconds,
        whatever the unit of the ticks.
    label
        Text for the bar of a segment, the job's id by default; shown where it has room.

    Returns
    -------
    Axes
        The axes drawn on.

    Raises
    ------
    ScheduleError
        If a server has not as many GPUs as the segments on it hold at some time.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> from optsched.core.placement import Placement
    >>> instance = Instance("one", Cluster.uniform(1, 2), [Job("a", 2, 10, compute_s=1.0)])
    >>> schedule = Schedule.of([Segment(0, Placement.of({0: 2}), 0.0, 10.0)])
    >>> ax = plot_gantt(instance, schedule)
    >>> ax.get_title(loc="left"), ax.get_xlabel()
    ('one: 1 job, 1 server, 2 GPUs', 'time (s)')
    """
    runs = gpu_rows(instance, schedule)
    intervals = contention_intervals(instance, schedule)
    servers = instance.cluster.servers
    uplinks = tuple(
        sorted({interval.resource for interval in intervals if interval.resource >= len(servers)})
    )
    bands = server_bands(instance, uplinks)
    owns_figure = ax is None
    if ax is None:
        ax = new_axes(PAGE_WIDTH_IN, _height_in(servers.gpus.tolist()))
    set_time_axis(ax, *_time_limits_s(schedule))
    draw_bands(ax, bands, servers.rack.tolist())
    ax.tick_params(axis="x", labelsize=FONT_SIZE - 1)
    ax.xaxis.label.set_fontsize(FONT_SIZE)

    key = draw_bars(ax, instance, schedule, runs, bands)
    key += _shade_contention(ax, intervals, bands, uplinks)
    write_labels(ax, instance, schedule, runs, bands, label)
    add_legend(ax, key, owns_figure=owns_figure)
    if title is None:
        title = f"{instance.name}: {_counted(len(instance.jobs), 'job')}, "
        title += f"{_counted(len(servers), 'server')}, {instance.cluster.total_gpus:,} GPUs"
    ax.set_title(title, fontsize=FONT_SIZE + 1, loc="left", parse_math=False)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _height_in(gpus: Sequence[int]) -> float:
    """Return a figure's height: servers of readable size, but no more than a page."""
    return min(9.0, 1.35 + sum(min(max(0.25 * count, 0.3), 1.2) for count in gpus))


def _time_limits_s(schedule: Schedule) -> tuple[float, float]:
    """Return what to show: from 0, unless that would be mostly empty."""
    if len(schedule) == 0:
        return 0.0, 1.0
    first, last = float(schedule.start_s.min()), float(schedule.end_s.max())
    start = 0.0 if 0 <= first <= last - first else first
    return start, last + 0.01 * (last - start) if last > start else start + 1.0


def _shade_contention(
    ax: Axes, intervals: Iterable[ContentionInterval], bands: Bands, uplinks: Sequence[int]
) -> list[Patch]:
    """Shade bands while their resource is shared, and return what the legend says of it."""
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Patch

    shaded: dict[int, list[Corners]] = {}
    for interval in intervals:
        band = interval.resource
        if band >= bands.servers:
            band = bands.servers + uplinks.index(band)
        corners = rectangle(interval.start_s, interval.end_s, bands.tops[band], bands.heights[band])
        shaded.setdefault(min(interval.degree, len(SHADES) + 1), []).append(corners)
    key: list[Patch] = []
    for degree in sorted(shaded):
        opacity = SHADES[degree - 2]
        name = f"p ≥ {degree}" if degree == len(SHADES) + 1 else f"p = {degree}"
        ax.add_collection(
            PolyCollection(
                shaded[degree],
                facecolors=(0.0, 0.0, 0.0, opacity),
                edgecolors="none",
                zorder=3,
                label=name,
            ),
            autolim=False,
        )
        text = name if key else f"{name} spread jobs share the network"
        key.append(Patch(facecolor=(0.0, 0.0, 0.0, opacity), label=text))
    return key
