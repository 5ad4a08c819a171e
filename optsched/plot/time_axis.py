"""Time axes whose ticks are round numbers of seconds, minutes or hours."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["set_time_axis", "tick_step_s", "time_unit"]

#: Seconds of a unit, and the span from which on it is used: five of them at least.
UNITS = (("h", 3600.0, 5 * 3600.0), ("min", 60.0, 300.0), ("s", 1.0, 0.0))
MOST_TICKS = 9


def time_unit(span_s: float) -> tuple[str, float]:
    """Return the unit that suits a span, and its length in seconds.

    Examples
    --------
    >>> time_unit(25.5), time_unit(1800.0), time_unit(86400.0)
    (('s', 1.0), ('min', 60.0), ('h', 3600.0))
    """
    return next((name, length) for name, length, least_s in UNITS if span_s >= least_s)


def tick_step_s(span_s: float) -> float:
    """Return the least of 1, 2, 5, 10, 20 … units that takes at most 9 steps through a span.

    Examples
    --------
    >>> tick_step_s(25.5), tick_step_s(1800.0), tick_step_s(0.3)
    (5.0, 300.0, 0.05)
    """
    _, length = time_unit(span_s)
    units = span_s / length
    exponent = -12
    while True:
        for digit in (1, 2, 5):
            step = digit * 10.0**exponent if exponent >= 0 else digit / 10.0**-exponent
            if units <= step * MOST_TICKS:
                return step * length
        exponent += 1


def set_time_axis(ax: Axes, start_s: float, end_s: float) -> None:
    """Set limits, ticks and label of a horizontal axis; the data stay in seconds.

    Parameters
    ----------
    ax
        The axes.
    start_s, end_s
        What the axis shows, in seconds.
    """
    from matplotlib.ticker import FuncFormatter, MultipleLocator

    span_s = end_s - start_s
    unit, length = time_unit(span_s)
    ax.set_xlim(start_s, end_s)
    ax.xaxis.set_major_locator(MultipleLocator(tick_step_s(span_s)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda time_s, _: f"{time_s / length:.10g}"))
    ax.set_xlabel(f"time ({unit})")
