"""Shares that add up to one, as a stacked bar for each row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from optsched.plot.style import (
    FONT_SIZE,
    PAGE_WIDTH_IN,
    SMALL_FONT_SIZE,
    add_legend,
    assigned_colours,
    new_axes,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

__all__ = ["plot_stacked_shares"]

#: A share is written into its part of the bar from here on.
LEAST_WRITTEN = 0.06


def plot_stacked_shares(
    rows: Mapping[str, Mapping[str, float]],
    *,
    label: str,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a bar for each row, parted by shares, with the large ones written into it.

    Parameters
    ----------
    rows
        Row to part to its share; every row has the same parts, and their sum is 1.
    label
        What the shares are of.
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
        If there is no row.

    Examples
    --------
    >>> ax = plot_stacked_shares({"srtf": {"machine": 0.75, "rack": 0.25}}, label="running time")
    >>> [float(bar.get_width()) for bar in ax.patches]
    [0.75, 0.25]
    """
    if not rows:
        raise ValueError("expected at least one row to draw, got none")
    owns_figure = ax is None
    if ax is None:
        ax = new_axes(PAGE_WIDTH_IN, 1.1 + 0.2 * max(len(rows), 2))
    names = list(rows)
    left = [0.0] * len(names)
    handles: list[Artist] = []
    # Pale enough for the numbers in them.
    for part, colour in assigned_colours(next(iter(rows.values())), whiteness=0.4).items():
        widths = [rows[name][part] for name in names]
        handles.append(ax.barh(range(len(names)), widths, left=left, color=colour, label=part)[0])
        handles[-1].set_label(part)
        for position, (start, width) in enumerate(zip(left, widths, strict=True)):
            if width >= LEAST_WRITTEN:
                ax.text(
                    start + width / 2,
                    position,
                    f"{100 * width:.0f}",
                    ha="center",
                    va="center_baseline",
                    fontsize=SMALL_FONT_SIZE,
                    color="black",
                )
        left = [start + width for start, width in zip(left, widths, strict=True)]
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_yticks(range(len(names)), names, fontsize=FONT_SIZE - 1, parse_math=False)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"])
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", labelsize=SMALL_FONT_SIZE + 0.5)
    ax.set_xlabel(f"{label} [%]", fontsize=FONT_SIZE, parse_math=False)
    if title is not None:
        ax.set_title(title, fontsize=FONT_SIZE + 1, loc="left", parse_math=False)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    add_legend(ax, handles, owns_figure=owns_figure)
    return ax
