"""Tables for the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from optsched.study.comparison import SummaryRow

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["comparison_table", "rows_table"]


def comparison_table(rows: Sequence[SummaryRow], *, title: str | None = None) -> Table:
    """Return a comparison as a table, a block for each family, the best of each in bold."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=title, title_justify="left", header_style="bold")
    objective = rows[0].objective if rows else "objective"
    for name in ("family", "scheduler"):
        table.add_column(name, overflow="fold")
    for name in ("runs", f"{objective}\nmean \\[s]", "ratio to bound\nmean ± 95%", "worst", "wins"):
        table.add_column(name, justify="right")
    table.add_column("bound", overflow="fold")
    table.add_column("time\n\\[s]", justify="right")
    families = list(dict.fromkeys(row.family for row in rows))
    for family in families:
        members = [row for row in rows if row.family == family]
        least = min(row.ratio_mean for row in members)
        for position, row in enumerate(members):
            interval = "" if math.isnan(row.ratio_half_width) else f" ± {row.ratio_half_width:.3f}"
            table.add_row(
                escape(family) if position == 0 else "",
                escape(row.scheduler),
                str(row.runs),
                f"{row.value_mean:.6g}",
                f"{row.ratio_mean:.3f}{interval}",
                f"{row.ratio_worst:.3f}",
                f"{row.wins}/{row.runs}",
                row.bound_method,
                f"{row.seconds:.2f}",
                style="bold" if row.ratio_mean <= least * (1 + 1e-9) else None,
                end_section=position == len(members) - 1,
            )
    return table


def rows_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, title: str | None = None
) -> Table:
    """Return rows of texts as a table; numbers are set to the right."""
    from rich.markup import escape
    from rich.table import Table

    listed = [tuple(row) for row in rows]
    table = Table(title=title, title_justify="left", header_style="bold")
    for position, name in enumerate(columns):
        is_number = bool(listed) and all(_is_number(row[position]) for row in listed)
        justify = "right" if is_number else "left"
        table.add_column(escape(name), justify=justify, overflow="fold")  # type: ignore[arg-type]
    for row in listed:
        table.add_row(*(escape(cell) for cell in row))
    return table


def _is_number(text: str) -> bool:
    try:
        float(text.strip("%").replace(",", "") or "0")
    except ValueError:
        return False
    return True
