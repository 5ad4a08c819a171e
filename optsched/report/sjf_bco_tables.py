"""The tables of the study of SJF-BCO."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from optsched.report.markdown import TextTable, interval_text
from optsched.report.plain import plain
from optsched.study.reproduce_sjf_bco import PaperOutcome
from optsched.study.run import versions

__all__ = ["sjf_bco_data", "sjf_bco_tables"]


def sjf_bco_tables(outcomes: Sequence[PaperOutcome]) -> list[TextTable]:
    """Return a table for each comparison of the paper, makespans in slots.

    In the column +% stands how much longer a makespan is than that of the first row.
    """
    tables = []
    for part in dict.fromkeys(one.figure.part for one in outcomes):
        own = [one for one in outcomes if one.figure.part == part]
        first = own[0]
        names = [name for name, _ in first.makespans]
        columns = [part, "paper", "+%"]
        for name in names:
            columns += [name, "+%"]
        rows = []
        for one in own:
            published = one.figure.published_slots
            cells = [one.figure.label, str(published)]
            cells.append(_more(published, first.figure.published_slots))
            for (_, mine), (_, least) in zip(one.makespans, first.makespans, strict=True):
                cells += [interval_text(mine), _more(mine.mean, least.mean)]
            rows.append(cells)
        runs = first.makespans[0][1].count
        title = f"{part}: makespan in slots (the paper: one instance; ours: {runs})"
        tables.append(TextTable(title, tuple(columns), rows))
    return tables


def sjf_bco_data(outcomes: Sequence[PaperOutcome]) -> dict[str, Any]:
    """Return the outcomes as plain data that JSON can hold."""
    return {
        "figures": [
            plain(
                {
                    "part": one.figure.part,
                    "label": one.figure.label,
                    "published_slots": one.figure.published_slots,
                    "schedulers": dict(one.figure.schedulers),
                    "makespan_slots": {name: asdict(value) for name, value in one.makespans},
                }
            )
            for one in outcomes
        ],
        "versions": dict(versions()),
    }


def _more(value: float, least: float) -> str:
    return f"{100 * (value / least - 1):+.0f}"
