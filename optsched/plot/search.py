"""The makespan that a planner's search finds over its parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from optsched.plot.style import INK, add_legend, assigned_colours, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_makespan_over_caps", "plot_makespan_over_parameter"]


def plot_makespan_over_parameter(
    makespans_s: Mapping[float, Sequence[float]],
    *,
    parameter: str,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the makespan over the values of one parameter, a line an instance and their mean.

    Parameters
    ----------
    makespans_s
        For each value of the parameter, the makespan in seconds of each instance, in one order.
    parameter
        What the values are, with the symbol: ``κ, largest demand that is packed``.
    title
        Title of the picture.
    ax
        Axes to draw on; None makes new ones.

    Examples
    --------
    >>> ax = plot_makespan_over_parameter({1: [510.0], 2: [413.0]}, parameter="λ")
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_xticklabels()]
    ('λ', ['1', '2'])
    """
    owns_figure = ax is None
    axes = new_axes() if ax is None else ax
    values = list(makespans_s)
    places = range(len(values))
    columns = list(zip(*makespans_s.values(), strict=True))
    for column in columns:
        axes.plot(places, column, color="#9a9a9a", linewidth=0.8, marker="o", markersize=2.5)
    means = [sum(makespans) / len(makespans) for makespans in makespans_s.values()]
    (mean,) = axes.plot(
        places, means, color=INK, linewidth=1.8, marker="D", markersize=5, markerfacecolor="white"
    )
    count = len(columns)
    mean.set_label("mean" if count > 1 else "makespan")
    if count > 1:
        axes.lines[0].set_label(f"one instance ({count} in all)")
    axes.set_xticks(list(places), [f"{value:g}" for value in values])
    axes.set_xlabel(parameter)
    _finish(axes, title)
    add_legend(axes, [axes.lines[0], mean] if count > 1 else [mean], owns_figure=owns_figure)
    return axes


def plot_makespan_over_caps(
    trials: Iterable[tuple[int, float, float | None]],
    *,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the makespan over the load cap θ, a line for each κ; crosses mark caps too tight.

    Parameters
    ----------
    trials
        (κ, θ in seconds, makespan in seconds or None) of each schedule that was tried.
    title
        Title of the picture.
    ax
        Axes to draw on; None makes new ones.

    Examples
    --------
    >>> ax = plot_makespan_over_caps([(1, 8.0, 7.0), (1, 4.0, 6.0), (2, 4.0, None)])
    >>> ax.get_xlabel()
    'θ, load cap of a GPU (s)'
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    owns_figure = ax is None
    axes = new_axes() if ax is None else ax
    rows = sorted(trials, key=lambda row: (row[0], row[1]))
    kappas = list(dict.fromkeys(row[0] for row in rows))
    colours = assigned_colours(str(kappa) for kappa in kappas)
    handles = []
    for kappa in kappas:
        found = [(cap, value) for k, cap, value in rows if k == kappa and value is not None]
        (line,) = axes.plot(
            [cap for cap, _ in found],
            [value for _, value in found],
            color=colours[str(kappa)],
            marker="o",
            markersize=3.5,
            linewidth=1.2,
            label=f"κ = {kappa}",
        )
        handles.append(line)
    tight = sorted({cap for _, cap, value in rows if value is None})
    if tight:
        bottom = axes.get_ylim()[0]
        crosses = axes.scatter(
            tight, [bottom] * len(tight), marker="x", color=INK, s=18, clip_on=False, zorder=3
        )
        crosses.set_label("no schedule for some κ")
        axes.set_ylim(bottom=bottom)
        handles.append(crosses)  # type: ignore[arg-type]
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("θ, load cap of a GPU (s)")
    _finish(axes, title)
    add_legend(axes, handles, owns_figure=owns_figure)
    return axes


def _finish(axes: Axes, title: str | None) -> None:
    axes.set_ylabel("makespan (s)")
    axes.grid(axis="y", color="#e3e3e3", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if title is not None:
        axes.set_title(title, loc="left")
