"""Tables for the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from optsched.core.quantities import number_text
from optsched.study.comparison import Comparison, SummaryRow

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

__all__ = ["comparison_table", "gap_table", "rows_table"]


def comparison_table(rows: Sequence[SummaryRow]) -> Group:
    """Return a comparison as a table for each family, the best scheduler of each in bold."""
    from rich.console import Group

    width = max((len(row.scheduler) for row in rows), default=0)
    families = list(dict.fromkeys(row.family for row in rows))
    return Group(
        *(
            _family_table([row for row in rows if row.family == family], width)
            for family in families
        )
    )


def _family_table(rows: Sequence[SummaryRow], name_width: int) -> Table:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    methods = list(dict.fromkeys(row.bound_method for row in rows))
    # Bounds for non-preemptive schedules do not hold for those that preempt.
    differ = len(methods) > 1
    against = "the bound of its class" if differ else f"a lower bound ({methods[0]})"
    title = f"{rows[0].family}: {rows[0].objective} against {against}"
    table = Table(
        title=escape(title),
        title_justify="left",
        title_style="bold",
        header_style="",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    # Beside long names with parameters the numbers keep their place, and the names are folded.
    table.add_column("scheduler", overflow="fold", min_width=min(name_width, 17))
    for name in ("runs", "mean \\[s]", "mean ratio ± 95%", "worst", "wins", "time \\[s]"):
        table.add_column(name, justify="right", no_wrap=True)
    if differ:
        table.add_column("bound", overflow="fold")

    def merit(row: SummaryRow) -> float:
        """Ratios to different bounds do not compare."""
        return row.value_mean if differ else row.ratio_mean

    least = min(merit(row) for row in rows)
    for row in rows:
        interval = "" if math.isnan(row.ratio_half_width) else f" ± {row.ratio_half_width:.3f}"
        table.add_row(
            escape(row.scheduler),
            str(row.runs),
            number_text(row.value_mean),
            f"{row.ratio_mean:.3f}{interval}",
            f"{row.ratio_worst:.3f}",
            f"{row.wins}/{row.runs}",
            f"{row.seconds:.2f}",
            *([row.bound_method] if differ else []),
            style="bold" if merit(row) <= least * (1 + 1e-9) else None,
        )
    return table


def gap_table(comparison: Comparison) -> Table:
    """Return a comparison of many families as one table: the mean gap to the bound in per cent.

    A row a family, the last one all runs together, each instance of equal weight; the smallest gaps
    of a row are bold.
    """
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    together = comparison.pooled("all")
    rows = [*comparison.summary, *together.summary]
    schedulers = list(dict.fromkeys(row.scheduler for row in rows))
    table = Table(
        title=f"{rows[0].objective}: mean gap to the lower bound",
        title_justify="left",
        title_style="bold",
        header_style="",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("family", no_wrap=True)
    table.add_column("instances", justify="right")
    for scheduler in schedulers:
        table.add_column(escape(scheduler), justify="right", overflow="fold", min_width=8)
    families = list(dict.fromkeys(row.family for row in rows))
    for family in families:
        runs = (together if family == "all" else comparison).runs
        count = len({run.instance for run in runs if run.family == family})
        means = {row.scheduler: row.ratio_mean for row in rows if row.family == family}
        table.add_row(
            escape(family),
            str(count),
            *(_gap_cell(means.get(scheduler), min(means.values())) for scheduler in schedulers),
            end_section=family == families[-2],
        )
    return table


def _gap_cell(ratio: float | None, least: float) -> str:
    if ratio is None:
        return ""
    text = f"{100 * (ratio - 1):.1f}%"
    return f"[bold]{text}[/]" if ratio <= least * (1 + 1e-9) else text


def rows_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str | None = None
) -> Table:
    """Return rows of plain values as a table; numbers are set to the right.

    The first column and numbers stay on one line; in the others a line ends between words.
    """
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    listed = [tuple(row) for row in rows]
    table = Table(
        title=None if title is None else escape(title),
        title_justify="left",
        title_style="bold",
        header_style="",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for position, name in enumerate(columns):
        cells = [row[position] for row in listed]
        is_number = any(_is_number(cell) for cell in cells)
        words = [word for cell in cells for word in _cell_text(cell).split()]
        table.add_column(
            escape(name),
            justify="right" if is_number else "left",
            no_wrap=position == 0 or is_number,
            min_width=min(max(map(len, words), default=0), 30),
            overflow="fold",
        )
    for row in listed:
        table.add_row(*(escape(_cell_text(cell)) for cell in row))
    return table


def _cell_text(cell: object) -> str:
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, dict):
        return ", ".join(
            f"{key}={'none' if value is None else value}" for key, value in cell.items()
        )
    if isinstance(cell, list | tuple):
        return ", ".join(str(item) for item in cell)
    return "" if cell is None else str(cell)


def _is_number(cell: object) -> bool:
    if isinstance(cell, str):
        try:
            float(cell.strip("%").replace(",", ""))
        except ValueError:
            return False
        return True
    return isinstance(cell, int | float) and not isinstance(cell, bool)
