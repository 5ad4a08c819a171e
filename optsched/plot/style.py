"""What all pictures share: colours that everyone can tell apart, and figures without a display."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optsched.core.errors import UnknownNameError

if TYPE_CHECKING:
    # matplotlib takes half a second to load, so at run time only the functions that draw do so.
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = [
    "CHARACTER_WIDTH",
    "FONT_SIZE",
    "INK",
    "PAGE_WIDTH_IN",
    "PALETTE",
    "SMALL_FONT_SIZE",
    "add_legend",
    "assigned_colours",
    "axes_size_points",
    "new_axes",
    "save_figure",
    "shortened_names",
]

#: Text width of a printed page.
PAGE_WIDTH_IN = 7.0
FONT_SIZE = 9.0
SMALL_FONT_SIZE = 7.5
#: Mean width of a letter as a share of the size of the font.
CHARACTER_WIDTH = 0.6
#: Colour of text and of outlines.
INK = "#222222"

#: The seven hues of Okabe and Ito (2008), which survive the common kinds of colour blindness;
#: black is left to text and shading, and neighbours in the order differ much in lightness.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#56B4E9", "#D55E00", "#CC79A7", "#F0E442")

#: How much white is mixed in when the hues have to serve again.
TINTS = (0.0, 0.45, 0.7)

#: Suffix of a picture's file and the metadata that would make its bytes depend on the clock.
DATED_METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None},
    "png": {},
    "pdf": {"CreationDate": None},
}


def assigned_colours(names: Iterable[str], *, whiteness: float = 0.0) -> dict[str, str]:
    """Give each name a colour, by position, so that the same names always look the same.

    Parameters
    ----------
    names
        Whatever the colours stand for; doubles count once. After 7 names the hues come again in a
        lighter tint, after 21 they repeat.
    whiteness
        Share of white mixed into every colour, from 0 to 1.

    Examples
    --------
    >>> assigned_colours(["sjf-bco", "random"])
    {'sjf-bco': '#0072b2', 'random': '#e69f00'}
    """
    hues = len(PALETTE)
    colours = {}
    for position, name in enumerate(dict.fromkeys(names)):
        tint = TINTS[position // hues % len(TINTS)]
        white = 1.0 - (1.0 - tint) * (1.0 - whiteness)
        colours[name] = _mixed_with_white(PALETTE[position % hues], white)
    return colours


def _mixed_with_white(colour: str, share: float) -> str:
    channels = [int(colour[start : start + 2], 16) for start in (1, 3, 5)]
    return "#" + "".join(f"{round(value + (255 - value) * share):02x}" for value in channels)


def shortened_names(names: Sequence[str], *, longest: int = 36) -> list[str]:
    """Cut the middle out of long names, unless two of them would then look the same.

    Examples
    --------
    >>> shortened_names(["abcdefghij", "abc"], longest=7)
    ['abc…hij', 'abc']
    >>> shortened_names(["abc-1-xyz", "abc-2-xyz"], longest=7)
    ['abc-1-xyz', 'abc-2-xyz']
    """
    head = longest // 2
    tail = longest - head - 1
    short = [
        name if len(name) <= longest else f"{name[:head]}…{name[len(name) - tail :]}"
        for name in names
    ]
    return short if len(set(short)) == len(set(names)) else list(names)


def new_axes(width: float = PAGE_WIDTH_IN, height: float = 3.0) -> Axes:
    """Return the axes of a new figure that needs no display and that pyplot does not know of.

    Parameters
    ----------
    width, height
        Size of the figure in inches.

    Examples
    --------
    >>> new_axes(4, 3).figure.get_size_inches().tolist()
    [4.0, 3.0]
    """
    from matplotlib.figure import Figure

    # The constrained layout makes room for labels and for legends outside the axes.
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure.add_subplot()


def axes_size_points(ax: Axes) -> tuple[float, float]:
    """Return the width and height of axes in points (1/72 inch), before any layout is done."""
    extent = ax.get_window_extent()
    dpi = ax.figure.dpi
    return extent.width / dpi * 72.0, extent.height / dpi * 72.0


def add_legend(ax: Axes, handles: Sequence[Artist], *, owns_figure: bool) -> None:
    """Put a legend below everything else, in as many columns as have room.

    Parameters
    ----------
    ax
        The axes.
    handles
        What to explain; each has a label.
    owns_figure
        True if nothing else is on the figure: the legend then takes its whole width. Otherwise it
        hangs under the axes.
    """
    from matplotlib.transforms import ScaledTranslation

    figure = ax.get_figure(root=True)
    if figure is None or not handles:
        return
    labels = [str(handle.get_label()) for handle in handles]
    page_width = figure.get_size_inches().item(0) * 72.0
    width = page_width if owns_figure else axes_size_points(ax)[0]
    style: dict[str, Any] = {
        "handles": handles,
        "ncols": _legend_columns(labels, width),
        "frameon": False,
        "fontsize": SMALL_FONT_SIZE,
        "columnspacing": 1.4,
        "handletextpad": 0.6,
    }
    if owns_figure:
        legend = figure.legend(loc="outside lower center", **style)
    else:
        below = ax.transAxes + ScaledTranslation(0, -32 / 72, figure.dpi_scale_trans)
        legend = ax.legend(
            loc="upper left", bbox_to_anchor=(0, 0), bbox_transform=below, borderaxespad=0, **style
        )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _legend_columns(labels: Sequence[str], width: float) -> int:
    """Return the most columns that fit into ``width`` points; the legend fills them downwards."""
    for columns in range(min(len(labels), 6), 1, -1):
        rows = -(-len(labels) // columns)
        longest = [
            max(len(label) for label in labels[first : first + rows])
            for first in range(0, len(labels), rows)
        ]
        # The mark, and the spaces around it and between columns, take 4.2 letter heights.
        needed = sum(CHARACTER_WIDTH * length + 4.2 for length in longest) * SMALL_FONT_SIZE
        if needed <= width:
            return columns
    return 1


def save_figure(picture: Axes | Figure | SubFigure, path: str | Path) -> Path:
    """Write a picture to a file of the format its suffix names: svg, png or pdf.

    The same picture gives the same bytes: no date is written, and the ids inside an SVG do not
    depend on chance.

    Parameters
    ----------
    picture
        A figure, or any axes of it.
    path
        The file; it is overwritten.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    UnknownNameError
        If the suffix is none of the three.

    Examples
    --------
    >>> save_figure(new_axes(), "picture.txt")
    Traceback (most recent call last):
        ...
    optsched.core.errors.UnknownNameError: no picture format is called 'txt'; known: pdf, png, \
svg (the suffix of picture.txt)
    """
    import matplotlib
    from matplotlib.axes import Axes

    file = Path(path)
    suffix = file.suffix.removeprefix(".").lower()
    if suffix not in DATED_METADATA:
        hint = f"(the suffix of {file})"
        raise UnknownNameError("picture format", suffix, DATED_METADATA, hint)
    figure = picture.figure if isinstance(picture, Axes) else picture
    while figure is not figure.figure:
        figure = figure.figure
    with matplotlib.rc_context({"svg.hashsalt": "optsched"}):
        figure.savefig(
            file,
            format=suffix,
            dpi=200,
            bbox_inches="tight",
            pad_inches=0.05,
            metadata=DATED_METADATA[suffix],
        )
    return file
