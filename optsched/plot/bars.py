"""The bars of a Gantt chart and the texts in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optsched.core.instance import Instance
from optsched.core.schedule import Schedule, Segment
from optsched.plot.bands import Bands
from optsched.plot.demand_classes import demand_classes
from optsched.plot.event_times import snapped_times
from optsched.plot.gpu_rows import RowRun
from optsched.plot.style import CHARACTER_WIDTH, FONT_SIZE, INK, assigned_colours, axes_size_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch

__all__ = ["Corners", "draw_bars", "rectangle", "resumed_segments", "write_labels"]

#: Up to this many jobs each has a colour; beyond, all jobs of a demand class have one.
MOST_JOB_COLOURS = 20
#: White mixed into the bars, so that only contention makes them dark.
WHITENESS = 0.25
RESUMED_HATCH = "////"
#: Smallest letters, in points.
SMALLEST_LABEL = 4.5

Corners = list[tuple[float, float]]


def rectangle(start_s: float, end_s: float, top: float, height: float) -> Corners:
    """Return the corners of a bar."""
    bottom = top + height
    return [(start_s, top), (end_s, top), (end_s, bottom), (start_s, bottom)]


def draw_bars(
    ax: Axes, instance: Instance, schedule: Schedule, runs: Sequence[RowRun], bands: Bands
) -> list[Patch]:
    """Draw the bars, and return what the legend says of them."""
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Patch

    colours, key = _segment_colours(instance, schedule)
    starts, ends = schedule.start_s.tolist(), schedule.end_s.tolist()
    spread = [schedule.placements[position].is_spread for position in schedule.placement.tolist()]
    resumed = resumed_segments(schedule)
    # White outlines first: the dark ones must not be cut by those of neighbours.
    ordered = sorted(runs, key=lambda run: spread[run.segment])
    corners = [
        rectangle(
            starts[run.segment],
            ends[run.segment],
            bands.tops[run.server] + run.first_gpu,
            run.count,
        )
        for run in ordered
    ]
    is_dark = [spread[run.segment] for run in ordered]
    ax.add_collection(
        PolyCollection(
            corners,
            facecolors=[colours[run.segment] for run in ordered],
            edgecolors=[INK if dark else "white" for dark in is_dark],
            linewidths=_outline_points(ax, corners),
            zorder=2,
        ),
        autolim=False,
    )
    hatched = [bar for run, bar in zip(ordered, corners, strict=True) if resumed[run.segment]]
    # A hatch takes the colour of the outline, so it lies on the bars as a layer of its own.
    hatch: dict[str, Any] = {"edgecolor": "#555555", "linewidth": 0.0, "hatch": RESUMED_HATCH}
    if hatched:
        layer = PolyCollection(hatched, facecolor="none", zorder=2.5, **hatch)
        ax.add_collection(layer, autolim=False)
    if any(is_dark):
        key.append(Patch(facecolor="white", edgecolor=INK, label="spread over servers"))
    if hatched:
        key.append(Patch(facecolor="white", label="resumed or moved", **hatch))
    return key


def _segment_colours(instance: Instance, schedule: Schedule) -> tuple[list[str], list[Patch]]:
    """Return the colour of every segment, and the legend's entries if they need explaining."""
    from matplotlib.patches import Patch

    ids, jobs = instance.jobs.ids, schedule.job.tolist()
    if len(ids) <= MOST_JOB_COLOURS:
        by_name = assigned_colours(ids, whiteness=WHITENESS)
        return [by_name[ids[job]] for job in jobs], []
    names, class_of = demand_classes(instance.jobs.gpus.tolist())
    by_name = assigned_colours(names, whiteness=WHITENESS)
    key = [Patch(facecolor=by_name[name], label=name) for name in names]
    return [by_name[names[class_of[job]]] for job in jobs], key


def resumed_segments(schedule: Schedule) -> list[bool]:
    """Tell of each segment whether its job was stopped or moved before.

    A segment that goes on where and when the one before it ends is a part of that one.

    Examples
    --------
    >>> from optsched.core.placement import Placement
    >>> here = Placement.of({0: 1})
    >>> rows = [Segment(0, here, 0, 1), Segment(0, here, 1, 2), Segment(0, here, 5, 6)]
    >>> resumed_segments(Schedule.of(rows))
    [False, False, True]
    """
    starts, ends = (times.tolist() for times in snapped_times(schedule))
    last: dict[int, int] = {}
    resumed: list[bool] = []
    jobs, placements = schedule.job.tolist(), schedule.placement.tolist()
    for segment, job in enumerate(jobs):
        before = last.get(job)
        if before is None:
            resumed.append(False)
        else:
            goes_on = ends[before] == starts[segment] and placements[before] == placements[segment]
            resumed.append(resumed[before] or not goes_on)
        last[job] = segment
    return resumed


def _outline_points(ax: Axes, bars: Sequence[Corners]) -> NDArray[np.float64]:
    """Return a line width for each bar that leaves most of the bar to see."""
    if not bars:
        return np.ones(0)
    points_per_s, points_per_gpu = _points_per_unit(ax)
    corners = np.array(bars)
    lengths = (corners[:, 2, 0] - corners[:, 0, 0]) * points_per_s
    heights = (corners[:, 2, 1] - corners[:, 0, 1]) * points_per_gpu
    widths: NDArray[np.float64] = np.clip(0.12 * np.minimum(lengths, heights), 0.1, 1.0)
    return widths


def _points_per_unit(ax: Axes) -> tuple[float, float]:
    width, height = axes_size_points(ax)
    left, right = ax.get_xlim()
    bottom, top = ax.get_ylim()
    return width / (right - left), height / (bottom - top)


def write_labels(
    ax: Axes,
    instance: Instance,
    schedule: Schedule,
    runs: Sequence[RowRun],
    bands: Bands,
    label: Callable[[Segment], str] | None,
) -> None:
    """Write a text into every bar that is large enough for it."""
    points_per_s, points_per_gpu = _points_per_unit(ax)
    # A bright ground, for text on hatches and shades; a rim would make an SVG four times as large.
    ground = {"boxstyle": "square,pad=0.1", "fc": (1.0, 1.0, 1.0, 0.4), "ec": "none"}
    segments = schedule.segments
    for run in runs:
        segment = segments[run.segment]
        room = points_per_s * (segment.end_s - segment.start_s) - 3.0
        size = min(FONT_SIZE - 1, 0.8 * points_per_gpu * run.count)
        if size < SMALLEST_LABEL or room < SMALLEST_LABEL:
            continue
        text = instance.jobs.ids[segment.job] if label is None else label(segment)
        if not text:
            continue
        size = min(size, room / (CHARACTER_WIDTH * len(text)))
        if size >= SMALLEST_LABEL:
            ax.text(
                (segment.start_s + segment.end_s) / 2,
                bands.tops[run.server] + run.first_gpu + run.count / 2,
                text,
                fontsize=size,
                color="black",
                ha="center",
                va="center",
                clip_on=True,
                parse_math=False,
                bbox=ground,
                zorder=4,
            )
