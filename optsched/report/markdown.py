"""Tables that are shown in a terminal and written into a page alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from optsched.study.statistics import Interval

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["TextTable", "interval_text"]


@dataclass(frozen=True, slots=True)
class TextTable:
    r"""A title, names of columns, and rows of text.

    Parameters
    ----------
    title
        What it shows.
    columns
        Names; the first is the name of the rows.
    rows
        Cells as text.

    Examples
    --------
    >>> print(TextTable("Two", ("policy", "JCT"), [("srtf", "1 | 2")]).markdown())
    **Two**
    <BLANKLINE>
    | policy | JCT |
    | --- | ---: |
    | srtf | 1 \| 2 |
    """

    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """Return the table for a page, its title in bold above it."""
        lines = [self.columns, ["---", *(["---:"] * (len(self.columns) - 1))], *self.rows]
        table = "\n".join(
            "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
        )
        return f"**{self.title}**\n\n{table}"

    def terminal(self) -> Table:
        """Return the table for a terminal."""
        from rich import box
        from rich.markup import escape
        from rich.table import Table

        table = Table(
            title=escape(self.title),
            title_justify="left",
            title_style="bold",
            header_style="",
            box=box.SIMPLE_HEAD,
            pad_edge=False,
            padding=(0, 1, 0, 0),
        )
        for position, name in enumerate(self.columns):
            table.add_column(
                escape(name),
                justify="right" if position else "left",
                no_wrap=position == 0,
                overflow="fold",
            )
        for row in self.rows:
            table.add_row(*(escape(cell) for cell in row))
        return table


def interval_text(
    interval: Interval, *, scale: float = 1.0, decimals: int = 1, sign: bool = False
) -> str:
    """Return a mean with half its interval; without one if there was a single value.

    Examples
    --------
    >>> interval_text(Interval(7200.0, 360.0, 10), scale=1 / 3600)
    '2.0 ± 0.1'
    >>> interval_text(Interval(0.5, float("nan"), 1), scale=100, decimals=0, sign=True)
    '+50'
    """
    if math.isnan(interval.mean):
        return "–"
    text = f"{interval.mean * scale:{'+' if sign else ''}.{decimals}f}"
    if math.isnan(interval.half_width):
        return text
    return f"{text} ± {interval.half_width * scale:.{decimals}f}"
