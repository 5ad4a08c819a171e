"""Axes of ratios: linear while that shows enough, logarithmic with plain numbers otherwise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ratio_ticks", "set_ratio_axis"]

#: Above this quotient of the largest and the smallest ratio the axis is logarithmic.
LARGEST_LINEAR_QUOTIENT = 4.0
#: First digits of ticks for axes of less than so many decades.
TICK_DIGITS: tuple[tuple[float, tuple[float, ...]], ...] = (
    (1.0, (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0)),
    (2.0, (1.0, 2.0, 5.0)),
    (4.0, (1.0, 3.0)),
    (math.inf, (1.0,)),
)


def set_ratio_axis(ax: Axes, values: Sequence[float]) -> None:
    """Set scale, limits and ticks of a horizontal axis of ratios; 1 is always in sight."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    low = min(1.0, *values) if values else 1.0
    high = max(1.0, *values) if values else 1.0
    if high / low > LARGEST_LINEAR_QUOTIENT:
        ax.set_xscale("log")
        margin = (high / low) ** 0.03
        ax.set_xlim(low / margin, high * margin)
        ax.xaxis.set_major_locator(FixedLocator(ratio_ticks(low, high)))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        span = max(high - low, 0.05)
        ax.set_xlim(low - 0.03 * span, low + 1.04 * span)
    ax.grid(axis="x", color="#e5e5e5", linewidth=0.6)
    ax.set_axisbelow(True)


def ratio_ticks(low: float, high: float) -> list[float]:
    """Return ticks for a logarithmic axis that people can read, as in 1, 1.5, 2, 3.

    Examples
    --------
    >>> ratio_ticks(1.0, 6.0)
    [1.0, 1.5, 2.0, 3.0, 4.0, 5.0]
    >>> ratio_ticks(0.8, 400.0)
    [1.0, 3.0, 10.0, 30.0, 100.0, 300.0]
    """
    decades = math.log10(high / low)
    digits = next(digits for most, digits in TICK_DIGITS if decades < most)
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [digit * 10.0**exponent for exponent in exponents for digit in digits]
    return [tick for tick in ticks if low <= tick <= high]
