"""How far each scheduler is from the bound: a box and points per scheduler."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from optsched.core.metrics import Objective, checked_objective
from optsched.plot.ratio_axis import set_ratio_axis
from optsched.plot.style import (
    CHARACTER_WIDTH,
    FONT_SIZE,
    INK,
    PAGE_WIDTH_IN,
    SMALL_FONT_SIZE,
    add_legend,
    assigned_colours,
    axes_size_points,
    new_axes,
    shortened_names,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["OBJECTIVE_NAMES", "plot_ratios"]

#: What the objectives are called in text.
OBJECTIVE_NAMES: Mapping[Objective, str] = {
    "makespan": "makespan",
    "mean_jct": "mean JCT",
    "weighted_jct": "weighted JCT",
}
DEFAULT_BOUND_LABEL = "lower bound"
#: Fewer points than this say more by themselves than their quartiles do.
LEAST_RUNS_FOR_BOX = 5
#: Half the height of a box, in rows.
HALF_BOX = 0.32
#: Rounding may put the ratio of an optimal schedule this far below 1.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the picture: a heading, or the ratios of a scheduler."""

    label: str
    scheduler: str | None
    ratios: tuple[float, ...] = ()


def plot_ratios(
    ratios: Mapping[str, Mapping[str, Sequence[float]]],
    *,
    objective: str,
    title: str | None = None,
    ax: Axes | None = None,
    bound_label: str = DEFAULT_BOUND_LABEL,
) -> Axes:
    """Draw the ratio of an objective to its bound, a row for each scheduler of each family.

    Every run is a point, spread a little across its row so that equal ones show. From 5 runs on a
    box gives quartiles and median, and whiskers reach to the last points within 1.5 times the
    box's length. A diamond marks the mean, whose value stands at the right. The axis is linear,
    or logarithmic if the largest ratio is more than 4 times the smallest.

    Parameters
    ----------
    ratios
        Instance family to scheduler to the ratios of its runs, each above 0. Rows keep this
        order, and a scheduler has one colour in all families.
    objective
        ``makespan``, ``mean_jct`` or ``weighted_jct``.
    title
        Title of the axes; the family's name if absent and there is one family only.
    ax
        Axes to draw on; a new figure of page width if absent.
    bound_label
        What the objectives were divided by. Only the default is said to be a limit that nothing
        can be below, since an optimum of another class of schedules need not be one.

    Returns
    -------
    Axes
        The axes drawn on.

    Raises
    ------
    UnknownNameError
        If there is no such objective.
    ValueError
        If there is no scheduler to draw, or a ratio is not a finite number above 0.

    Examples
    --------
    >>> ax = plot_ratios({"forced": {"sjf-bco": [1.0, 1.1], "random": [1.4]}}, objective="makespan")
    >>> ax.get_xlabel()
    'makespan / lower bound'
    """
    quantity = OBJECTIVE_NAMES[checked_objective(objective)]
    rows = list(_rows(ratios))
    values = [value for row in rows for value in row.ratios]
    owns_figure = ax is None
    if ax is None:
        row_in = 0.2 if len(rows) <= 24 else 0.165
        ax = new_axes(PAGE_WIDTH_IN, 1.25 + row_in * max(len(rows), 2))
    row_points = axes_size_points(ax)[1] / len(rows)
    font_size = min(FONT_SIZE, max(4.5, 0.75 * row_points))

    is_limit = bound_label == DEFAULT_BOUND_LABEL and min(values, default=1.0) >= 1.0 - ROUNDING
    set_ratio_axis(ax, values)
    ax.set_xlabel(f"{quantity} / {bound_label}", fontsize=FONT_SIZE, parse_math=False)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_yticks(
        range(len(rows)), [row.label for row in rows], fontsize=font_size, parse_math=False
    )
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", labelsize=SMALL_FONT_SIZE + 0.5)
    for position, (row, text) in enumerate(zip(rows, ax.get_yticklabels(), strict=True)):
        if row.scheduler is None:
            text.set_fontweight("bold")
            if position > 0:
                ax.axhline(position - 0.5, color="#999999", linewidth=0.6)

    if is_limit:
        ax.axvspan(ax.get_xlim()[0], 1.0, facecolor="#dddddd", edgecolor="none", zorder=0)
    limit = f"{bound_label} (no schedule can be below)" if is_limit else bound_label
    ax.axvline(1.0, color=INK, linewidth=1.2, zorder=1.5, label=limit)
    _draw_rows(ax, rows, row_points)
    _write_means(ax, rows, font_size)
    _explain_marks(ax, rows, limit, owns_figure=owns_figure)
    if title is None and len(ratios) == 1:
        title = next(iter(ratios))
    if title is not None:
        ax.set_title(title, fontsize=FONT_SIZE + 1, loc="left", parse_math=False)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    return ax


def _rows(ratios: Mapping[str, Mapping[str, Sequence[float]]]) -> Iterator[Row]:
    names = list(dict.fromkeys(name for schedulers in ratios.values() for name in schedulers))
    if not names:
        raise ValueError("ratios of at least one scheduler are needed, got none")
    short = dict(zip(names, shortened_names(names), strict=True))
    counts = {len(values) for schedulers in ratios.values() for values in schedulers.values()}
    for family, schedulers in ratios.items():
        for name, values in schedulers.items():
            for value in values:
                if not (math.isfinite(value) and value > 0):
                    raise ValueError(
                        f"a ratio is a finite number above 0, got {value!r} for scheduler "
                        f"{name!r} on family {family!r}"
                    )
        if len(ratios) > 1:
            yield Row(family, None)
        for name, values in schedulers.items():
            runs = len(values)
            # One number for all is said once, below the axis.
            label = short[name] if len(counts) == 1 else f"{short[name]} (n = {runs})"
            yield Row(label, name, tuple(float(value) for value in values))


def _draw_rows(ax: Axes, rows: Sequence[Row], row_points: float) -> None:
    colours = assigned_colours(row.scheduler for row in rows if row.scheduler is not None)
    diameter = min(4.0, max(1.2, 0.22 * row_points))
    for position, row in enumerate(rows):
        if row.scheduler is None or not row.ratios:
            continue
        colour = colours[row.scheduler]
        values = np.array(row.ratios)
        if len(values) >= LEAST_RUNS_FOR_BOX:
            _draw_box(ax, values, position, colour)
        # Multiples of the golden ratio never come close to one another for long.
        spread = (np.arange(len(values)) * 0.6180339887498949 + 0.5) % 1.0 - 0.5
        if len(values) == 1:
            spread[:] = 0.0
        ax.plot(
            values,
            position + 1.4 * HALF_BOX * spread,
            linestyle="none",
            marker="o",
            markersize=diameter,
            markerfacecolor=colour,
            markeredgecolor=INK,
            markeredgewidth=0.3,
            alpha=1.0 if len(values) <= 30 else 0.6,
            zorder=3,
        )
        if len(values) > 1:
            ax.plot(
                values.mean(),
                position,
                marker="D",
                markersize=diameter + 1.0,
                markerfacecolor="white",
                markeredgecolor=INK,
                markeredgewidth=0.9,
                zorder=4,
            )


def _draw_box(
    ax: Axes, values: np.ndarray[tuple[int], np.dtype[np.float64]], position: int, colour: str
) -> None:
    low, median, high = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    reach = 1.5 * (high - low)
    inside = values[(values >= low - reach) & (values <= high + reach)]
    top, bottom = position - HALF_BOX, position + HALF_BOX
    ax.hlines(position, inside.min(), inside.max(), colors="#777777", linewidth=0.9, zorder=2)
    ax.fill_betweenx(
        [top, bottom], low, high, facecolor=colour, edgecolor="none", alpha=0.4, zorder=2.1
    )
    ax.vlines(median, top, bottom, colors=INK, linewidth=1.3, zorder=2.5)


def _write_means(ax: Axes, rows: Sequence[Row], font_size: float) -> None:
    """Write the means into a column of their own, where no point can hide them."""
    from matplotlib.transforms import ScaledTranslation

    means = [float(np.mean(row.ratios)) if row.ratios else None for row in rows]
    decimals = 3 if max((mean for mean in means if mean is not None), default=1.0) < 2 else 2
    figure = ax.get_figure(root=True)
    assert figure is not None
    # Beside the axes, a fixed distance away however wide they become.
    width = 5.5 * CHARACTER_WIDTH * font_size + 8.0
    column = ax.get_yaxis_transform() + ScaledTranslation(width / 72, 0, figure.dpi_scale_trans)
    style: dict[str, Any] = {"fontsize": font_size, "ha": "right", "transform": column}
    for position, (row, mean) in enumerate(zip(rows, means, strict=True)):
        if row.scheduler is not None:
            text = "–" if mean is None else f"{mean:.{decimals}f}"
            ax.text(1.0, position, text, va="center_baseline", **style)
    ax.text(1.0, -0.6, "mean", va="bottom", **style)


def _explain_marks(ax: Axes, rows: Sequence[Row], limit: str, *, owns_figure: bool) -> None:
    """Add the legend."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    counts = {len(row.ratios) for row in rows if row.scheduler is not None}
    run = f"run ({counts.pop()} in each row)" if len(counts) == 1 else "run"
    most = max(len(row.ratios) for row in rows)
    handles = [
        Line2D([], [], color=INK, linewidth=1.2, label=limit),
        Line2D([], [], marker="o", linestyle="none", color="#777777", markersize=4, label=run),
    ]
    if most > 1:
        mean = {"marker": "D", "markerfacecolor": "white", "markeredgecolor": INK}
        handles.append(Line2D([], [], linestyle="none", markersize=5, label="mean", **mean))  # type: ignore[arg-type]
    boxes = [Patch(facecolor="#bbbbbb", label="quartiles")] if most >= LEAST_RUNS_FOR_BOX else []
    add_legend(ax, [*handles, *boxes], owns_figure=owns_figure)
