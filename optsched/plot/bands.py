"""The vertical layout of a Gantt chart: a band for each server, with a line for each GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from optsched.contention import rate_functions
from optsched.core.instance import Instance
from optsched.plot.style import FONT_SIZE, axes_size_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Bands", "draw_bands", "server_bands"]

#: A band's label needs this many points of height.
LABEL_POINTS = 9.0


@dataclass(frozen=True, slots=True)
class Bands:
    """Top and height of every band, counted downwards in GPU lines, and its label.

    The first bands are the servers; behind them come the bands of other resources.
    """

    tops: tuple[float, ...]
    heights: tuple[float, ...]
    labels: tuple[str, ...]
    servers: int
    gap: float

    @property
    def bottom(self) -> float:
        """Where the last band ends."""
        return self.tops[-1] + self.heights[-1]


def server_bands(instance: Instance, other_resources: tuple[int, ...] = ()) -> Bands:
    """Stack the servers, and below them a thin band for each of some other shared resources.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> bands = server_bands(Instance("two", Cluster.uniform(2, 4), [Job("a", 1, 1)]))
    >>> bands.tops, bands.heights, bands.labels
    ((0.0, 4.4), (4.0, 4.0), ('s0 (4)', 's1 (4)'))
    """
    servers = instance.cluster.servers
    gpus = servers.gpus.tolist()
    mean = sum(gpus) / len(gpus)
    gap = 0.25 if mean < 3 else 0.1 * mean
    heights = [float(count) for count in gpus] + [max(0.5, 0.3 * mean)] * len(other_resources)
    labels = [f"{name} ({count})" for name, count in zip(servers.ids, gpus, strict=True)]
    if other_resources:
        rates = rate_functions(instance)
        labels += [rates.resource_name(resource) for resource in other_resources]
    tops, top = [], 0.0
    for height in heights:
        tops.append(top)
        top += height + gap
    return Bands(tuple(tops), tuple(heights), tuple(labels), len(gpus), gap)


def draw_bands(ax: Axes, bands: Bands, racks: list[int]) -> None:
    """Draw grounds and separators, and label as many bands as there is room for.

    Parameters
    ----------
    ax
        The axes; their vertical limits are set.
    bands
        The layout.
    racks
        Rack of each server; between two racks the separator is heavier.
    """
    from matplotlib.collections import PolyCollection

    margin = bands.gap / 2
    ax.set_ylim(bands.bottom + margin, -margin)
    points = axes_size_points(ax)[1] / (bands.bottom + 2 * margin)
    left, right = ax.get_xlim()
    grounds = [
        [(left, top), (right, top), (right, top + height), (left, top + height)]
        for top, height in zip(bands.tops, bands.heights, strict=True)
    ]
    ax.add_collection(
        PolyCollection(grounds, facecolors="#f1f1f1", edgecolors="none", zorder=0),
        autolim=False,
    )
    last = len(bands.tops)
    heavy = [
        band
        for band in range(1, last)
        if band == bands.servers or (band < bands.servers and racks[band] != racks[band - 1])
    ]
    light = sorted(set(range(1, last)) - set(heavy))
    for bands_below, colour, width in ((light, "#bbbbbb", 0.5), (heavy, "#444444", 1.0)):
        ax.hlines(
            [bands.tops[band] - margin for band in bands_below],
            left,
            right,
            colors=colour,
            linewidths=min(width, 0.2 * bands.gap * points),
            zorder=0.5,
        )
    ax.set_xlim(left, right)
    positions, labels, free_from = [], [], float("-inf")
    for top, height, label in zip(bands.tops, bands.heights, bands.labels, strict=True):
        middle = top + height / 2
        if middle * points >= free_from:
            positions.append(middle)
            labels.append(label)
            free_from = middle * points + LABEL_POINTS
    ax.set_yticks(positions, labels, fontsize=FONT_SIZE - 1, parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.set_ylabel("server (GPUs)", fontsize=FONT_SIZE)
