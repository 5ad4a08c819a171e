"""Means with their intervals: a row for each scheduler, a mark for each setting."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from optsched.plot.ratio_axis import set_ratio_axis
from optsched.plot.style import (
    FONT_SIZE,
    INK,
    PAGE_WIDTH_IN,
    SMALL_FONT_SIZE,
    add_legend,
    assigned_colours,
    new_axes,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

__all__ = ["plot_intervals"]

MARKERS = "osD^vPX"
#: Height over which the marks of a row are spread, in rows.
SPREAD = 0.6


def plot_intervals(
    rows: Mapping[str, Mapping[str, tuple[float, float]]],
    *,
    label: str,
    is_ratio: bool = False,
    reference: tuple[float, str] | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a mean with its interval for each row and series; series differ in colour and mark.

    Parameters
    ----------
    rows
        Row to series to (mean, half its interval); a half that is NaN is not drawn.
    label
        What the axis shows.
    is_ratio
        Whether values are ratios to a bound: the axis is then logarithmic if they differ much, and
        1 is marked.
    reference
        A value to mark by a line, and what it is.
    title
        Title of the axes.
    ax
        Axes to draw on; a new figure of page width if absent.

    Returns
    -------
    Axes
        The axes drawn on.

    Raises
    ------
    ValueError
        If there is nothing to draw.

    Examples
    --------
    >>> shown = {"dally": {"batch": (1.4, 0.1)}, "srtf": {"batch": (1.2, float("nan"))}}
    >>> ax = plot_intervals(shown, label="makespan / lower bound", is_ratio=True)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['dally', 'srtf']
    """
    from matplotlib.lines import Line2D

    series = list(dict.fromkeys(name for row in rows.values() for name in row))
    if not series:
        raise ValueError("expected at least one value to draw, got none")
    owns_figure = ax is None
    if ax is None:
        row_in = max(0.2, 0.075 * len(series))
        ax = new_axes(PAGE_WIDTH_IN, 1.3 + row_in * max(len(rows), 2))
    means = [mean for row in rows.values() for mean, _ in row.values()]
    if is_ratio:
        set_ratio_axis(ax, means)
        ax.axvline(1.0, color=INK, linewidth=1.2, zorder=1.5)
    else:
        ax.grid(axis="x", color="#e5e5e5", linewidth=0.6)
        ax.set_axisbelow(True)
    colours = assigned_colours(series)
    for position, row in enumerate(rows.values()):
        if position % 2:
            ax.axhspan(position - 0.5, position + 0.5, facecolor="#f5f5f5", zorder=0)
        for place, name in enumerate(series):
            if name not in row:
                continue
            mean, half = row[name]
            offset = 0.0 if len(series) == 1 else SPREAD * (place / (len(series) - 1) - 0.5)
            ax.errorbar(
                mean,
                position + offset,
                xerr=None if math.isnan(half) else half,
                fmt=MARKERS[place % len(MARKERS)],
                markersize=4,
                markeredgecolor=INK,
                markeredgewidth=0.4,
                color=colours[name],
                elinewidth=1.1,
                zorder=3,
            )
    handles: list[Artist] = [
        Line2D(
            [],
            [],
            linestyle="none",
            marker=MARKERS[place % len(MARKERS)],
            color=colours[name],
            markeredgecolor=INK,
            markeredgewidth=0.4,
            markersize=5,
            label=name,
        )
        for place, name in enumerate(series)
    ]
    if reference is not None:
        value, text = reference
        line = ax.axvline(value, color=INK, linewidth=1.0, linestyle=(0, (4, 2)), label=text)
        handles.append(line)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_yticks(range(len(rows)), list(rows), fontsize=FONT_SIZE - 1, parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", labelsize=SMALL_FONT_SIZE + 0.5)
    ax.set_xlabel(label, fontsize=FONT_SIZE, parse_math=False)
    if title is not None:
        ax.set_title(title, fontsize=FONT_SIZE + 1, loc="left", parse_math=False)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    add_legend(ax, handles, owns_figure=owns_figure)
    return ax
