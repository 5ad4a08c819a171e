"""Time axes whose ticks are round numbers of seconds, minutes, hours or days."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["duration_text", "set_duration_axis", "set_time_axis", "tick_step_s", "time_unit"]

#: Seconds of a unit, and the span from which on it is used: five of them at least.
UNITS = (("h", 3600.0, 5 * 3600.0), ("min", 60.0, 300.0), ("s", 1.0, 0.0))
MOST_TICKS = 9
#: Ticks of a logarithmic axis of durations: the coarse ones, and all where few of these are seen.
COARSE_S = (1e-3, 0.1, 1.0, 10.0, 60.0, 600.0, 3600.0, 36_000.0, 86_400.0, 864_000.0, 8_640_000.0)
FINE_S = tuple(
    unit * factor
    for unit, factors in (
        (1e-3, (1, 2, 5, 10, 20, 50, 100, 200, 500)),
        (1.0, (1, 2, 5, 10, 20, 30)),
        (60.0, (1, 2, 5, 10, 20, 30)),
        (3600.0, (1, 2, 5, 10)),
        (86_400.0, (1, 2, 5, 10, 20, 50, 100, 200, 500)),
    )
    for factor in factors
)
FEWEST_TICKS = 3


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


def set_duration_axis(ax: Axes) -> None:
    """Make a horizontal axis of durations in seconds logarithmic, with ticks that read well.

    Parameters
    ----------
    ax
        The axes; what it shows is set already.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter, LinearLocator, NullLocator

    ax.set_xscale("log")
    low, high = ax.get_xlim()
    for marks in (COARSE_S, FINE_S):
        shown = [mark for mark in marks if low <= mark <= high]
        if len(shown) >= FEWEST_TICKS:
            break
    ax.xaxis.set_major_locator(
        FixedLocator(shown) if len(shown) >= FEWEST_TICKS else LinearLocator(FEWEST_TICKS)
    )
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: duration_text(value)))


def duration_text(seconds: float) -> str:
    """Return a duration in the unit that suits it.

    Examples
    --------
    >>> duration_text(60.0), duration_text(36_000.0), duration_text(864_000.0)
    ('1 min', '10 h', '10 d')
    """
    for unit, size in (("d", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
