"""How well the law of contention fits measured latencies: the fit, and what it misses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from optsched.contention.calibration import Calibration
from optsched.plot.style import (
    FONT_SIZE,
    INK,
    PAGE_WIDTH_IN,
    add_legend,
    assigned_colours,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

__all__ = ["plot_calibration"]

#: More sizes than this are told apart by a scale of one hue, and not all of them are named.
MAX_SIZES_NAMED = 6
#: Width over which the points of one number of jobs are spread.
SPREAD = 0.4
OUTSIDE = "#eeeeee"
DASHES = (0, (3, 2))


def plot_calibration(
    calibration: Calibration, *, title: str | None = None, axes: tuple[Axes, Axes] | None = None
) -> tuple[Axes, Axes]:
    """Draw latencies with the fitted law at the left, how far each is from it at the right.

    Filled points were fitted. Hollow ones, on grey, have more jobs than the law was fitted to.

    Parameters
    ----------
    calibration
        What to draw.
    title
        Title of the left axes; the constants found if absent.
    axes
        Left and right axes to draw on; those of a new figure of page width if absent.

    Returns
    -------
    tuple
        The axes drawn on.

    Examples
    --------
    >>> from optsched.contention import LatencyMeasurements, calibrate
    >>> rows = [(k, m, (1.2 * k - 0.2) * 1e-9 * m) for k in (1, 2, 4) for m in (1e6, 1e7)]
    >>> left, right = plot_calibration(calibrate(LatencyMeasurements.of(rows), resamples=100))
    >>> left.get_title(loc="left")
    'α = 0.200, 95% interval 0.200 to 0.200'
    """
    owns_figure = axes is None
    if axes is None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(PAGE_WIDTH_IN, 3.2), layout="constrained")
        axes = tuple(figure.subplots(1, 2))
    left, right = axes
    colours = _colours(calibration)
    _draw_fit(left, calibration, colours)
    _draw_residuals(right, calibration, colours)
    for ax in axes:
        _finish(ax, calibration)
    left.set_title(
        title or _constants(calibration), fontsize=FONT_SIZE, loc="left", parse_math=False
    )
    error = calibration.mean_relative_error
    text = f"misfit: {error:.0%} on average where fitted"
    right.set_title(text, fontsize=FONT_SIZE, loc="left")
    add_legend(left, _key(calibration, colours), owns_figure=owns_figure)
    return left, right


def _draw_fit(ax: Axes, calibration: Calibration, colours: dict[float, str]) -> None:
    most = max(row.jobs for row in calibration.residuals)
    inside = np.linspace(1, min(most, calibration.max_jobs), 50)
    beyond = np.linspace(calibration.max_jobs, most, 50)
    for size, colour in colours.items():
        times = [calibration.predicted_s(jobs, size) for jobs in inside]
        ax.plot(inside, times, color=colour, linewidth=1.1, zorder=2)
        if most > calibration.max_jobs:
            times = [calibration.predicted_s(jobs, size) for jobs in beyond]
            ax.plot(beyond, times, color=colour, linewidth=0.9, linestyle=DASHES, zorder=2)
        rows = [row for row in calibration.residuals if row.message_bytes == size]
        _draw_points(ax, [(row.jobs, row.measured_s, row.is_fitted) for row in rows], colour)
    ax.set_yscale("log")
    _set_time_ticks(ax)
    ax.set_ylabel("time of an all-reduce", fontsize=FONT_SIZE)


def _draw_residuals(ax: Axes, calibration: Calibration, colours: dict[float, str]) -> None:
    from matplotlib.ticker import PercentFormatter

    ax.axhline(0.0, color=INK, linewidth=1.0, zorder=1.5)
    for position, (size, colour) in enumerate(colours.items()):
        shift = SPREAD * ((position + 0.5) / len(colours) - 0.5)
        rows = [row for row in calibration.residuals if row.message_bytes == size]
        points = [(row.jobs + shift, row.relative, row.is_fitted) for row in rows]
        _draw_points(ax, points, colour)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ax.set_ylabel("measured / law − 1", fontsize=FONT_SIZE)


def _draw_points(ax: Axes, points: list[tuple[float, float, bool]], colour: str) -> None:
    for is_fitted in (True, False):
        chosen = [point for point in points if point[2] == is_fitted]
        ax.plot(
            [point[0] for point in chosen],
            [point[1] for point in chosen],
            linestyle="none",
            marker="o",
            markersize=3.6,
            markerfacecolor=colour if is_fitted else "white",
            markeredgecolor=colour,
            markeredgewidth=0.9,
            zorder=3,
        )


def _finish(ax: Axes, calibration: Calibration) -> None:
    """Set what both axes share: jobs from 1 on, grey where the law was not fitted."""
    most = max(row.jobs for row in calibration.residuals)
    ax.set_xlim(0.5, most + 0.5)
    if most > calibration.max_jobs:
        ax.axvspan(
            calibration.max_jobs + 0.5, most + 0.5, facecolor=OUTSIDE, edgecolor="none", zorder=0
        )
    step = -(-most // 9)
    ax.set_xticks(sorted({1, *range(step, most + 1, step)}))
    ax.set_xlabel("all-reduces at once, k", fontsize=FONT_SIZE)
    ax.tick_params(labelsize=FONT_SIZE - 1)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _set_time_ticks(ax: Axes) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = ax.get_ylim()
    # A range of less than two decades has too few powers of ten to read values from.
    steps = (1.0,) if high > 100.0 * low * 10.0 else (1.0, 2.0, 5.0)
    ax.yaxis.set_major_locator(LogLocator(subs=steps))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: time_text(value)))
    ax.yaxis.set_minor_formatter(NullFormatter())


def time_text(seconds: float) -> str:
    """Return a time in the unit that suits it.

    Examples
    --------
    >>> time_text(0.002), time_text(5e-5), time_text(20)
    ('2 ms', '50 µs', '20 s')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.9999 * size:
            return f"{seconds / size:.4g} {unit}"
    return f"{seconds / 1e-9:.4g} ns"


def size_text(size: float) -> str:
    """Return a number of bytes in the unit that suits it, binary where that is whole.

    Examples
    --------
    >>> size_text(10485760), size_text(25e6), size_text(512)
    ('10 MiB', '25 MB', '512 B')
    """
    for power, names in ((3, ("GiB", "GB")), (2, ("MiB", "MB")), (1, ("KiB", "kB"))):
        if size >= 1024**power and size % 1024**power == 0:
            return f"{size / 1024**power:g} {names[0]}"
        if size >= 1000**power:
            return f"{size / 1000**power:.4g} {names[1]}"
    return f"{size:g} B"


def _constants(calibration: Calibration) -> str:
    alpha = calibration.degradation
    interval = f"{alpha.low:.3f} to {alpha.high:.3f}".replace("inf", "∞")
    return f"α = {alpha.value:.3f}, {calibration.confidence:.0%} interval {interval}"


def _colours(calibration: Calibration) -> dict[float, str]:
    sizes = sorted({row.message_bytes for row in calibration.residuals})
    if len(sizes) <= MAX_SIZES_NAMED:
        names = [str(size) for size in sizes]
        return dict(zip(sizes, assigned_colours(names).values(), strict=True))
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    # The lightest fifth of the scale would not show on white.
    places = np.linspace(0.0, 0.85, len(sizes))
    return {size: to_hex(colormaps["viridis"](p)) for size, p in zip(sizes, places, strict=True)}


def _key(calibration: Calibration, colours: dict[float, str]) -> list[Artist]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    sizes = list(colours)
    if len(sizes) > MAX_SIZES_NAMED:
        places = np.linspace(0, len(sizes) - 1, MAX_SIZES_NAMED).round().astype(int)
        sizes = [sizes[place] for place in places]
    key: list[Artist] = [
        Line2D(
            [],
            [],
            color=colours[size],
            linewidth=1.1,
            marker="o",
            markersize=3.6,
            label=size_text(size),
        )
        for size in sizes
    ]
    if any(not row.is_fitted for row in calibration.residuals):
        label = f"k > {calibration.max_jobs}: not fitted, outside the law"
        key.append(Patch(facecolor=OUTSIDE, edgecolor="none", label=label))
    return key
