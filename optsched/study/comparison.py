"""The outcome of a comparison: one row a run, and one a scheduler and family."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from optsched.core.quantities import number_text
from optsched.study.statistics import mean_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["Comparison", "RunRow", "SummaryRow"]


@dataclass(frozen=True, slots=True)
class RunRow:
    """One scheduler on one instance with one seed.

    Parameters
    ----------
    instance, family
        Name of the instance with the start of its hash, and the family it is a member of.
    scheduler
        Name of the scheduler with its parameters.
    seed
        Seed of the instance, if it was drawn, and of the scheduler.
    objective, value
        The objective and its value in seconds.
    bound, bound_method
        The strongest lower bound that holds for the schedule, in seconds, and what gave it.
    is_optimal
        True if the value equals the bound.
    ratio
        value / bound.
    seconds
        Wall time of the scheduler.
    """

    instance: str
    family: str
    scheduler: str
    seed: int
    objective: str
    value: float
    bound: float
    bound_method: str
    is_optimal: bool
    ratio: float
    seconds: float


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """All runs of one scheduler on one family.

    Parameters
    ----------
    family, scheduler, objective, runs
        What was run, and how often.
    value_mean
        Mean of the objective in seconds.
    ratio_mean, ratio_half_width
        Mean ratio to the bound, and half its 95% confidence interval (Student); NaN for one run.
    ratio_worst
        The largest ratio.
    wins
        Runs that no other run of the comparison on the same instance has beaten.
    bound_method
        The bounds that the ratios are to.
    seconds
        Mean wall time of a run.
    """

    family: str
    scheduler: str
    objective: str
    runs: int
    value_mean: float
    ratio_mean: float
    ratio_half_width: float
    ratio_worst: float
    wins: int
    bound_method: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What :func:`~optsched.study.compare` returns; printing it gives a table.

    Parameters
    ----------
    runs
        Every run.
    """

    runs: tuple[RunRow, ...]

    @property
    def summary(self) -> tuple[SummaryRow, ...]:
        """One row for each family and scheduler, in the order in which they were run."""
        groups: dict[tuple[str, str], list[RunRow]] = {}
        for row in self.runs:
            groups.setdefault((row.family, row.scheduler), []).append(row)
        # An instance drawn for each seed has a hash of its own in its name.
        best: dict[str, float] = {}
        for row in self.runs:
            best[row.instance] = min(best.get(row.instance, math.inf), row.value)
        return tuple(_summary_row(rows, best) for rows in groups.values())

    def ratios(self) -> dict[str, dict[str, list[float]]]:
        """Return the ratios as family → scheduler → list, the form that plots take."""
        grouped: dict[str, dict[str, list[float]]] = {}
        for row in self.runs:
            grouped.setdefault(row.family, {}).setdefault(row.scheduler, []).append(row.ratio)
        return grouped

    def pooled(self, family: str) -> Comparison:
        """Return the same runs as one family.

        Examples
        --------
        >>> from optsched.study import compare
        >>> both = compare(["waiting-pays", "never-wait-bad-6x3"], ["fifo"])
        >>> [(row.family, row.runs) for row in both.pooled("bad").summary]
        [('bad', 2)]
        """
        return Comparison(tuple(replace(row, family=family) for row in self.runs))

    def plot_ratios(self, *, ax: Axes | None = None, title: str | None = None) -> Axes:
        """Draw the ratios, box and points, and return the axes."""
        from optsched.plot import plot_ratios

        return plot_ratios(self.ratios(), objective=self.runs[0].objective, ax=ax, title=title)

    def to_frame(self) -> DataFrame:
        """Return the runs as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.runs])

    def as_dict(self) -> dict[str, Any]:
        """Return runs and summary as plain data that JSON can hold: None for what is not known."""
        return {
            "summary": [_finite(asdict(row)) for row in self.summary],
            "runs": [_finite(asdict(row)) for row in self.runs],
        }

    def __str__(self) -> str:
        return summary_text(self.summary)


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in row.items()
    }


def _summary_row(rows: Sequence[RunRow], best: dict[str, float]) -> SummaryRow:
    ratios = np.array([row.ratio for row in rows])
    wins = sum(row.value <= best[row.instance] * (1 + 1e-9) for row in rows)
    methods = sorted({row.bound_method for row in rows})
    return SummaryRow(
        family=rows[0].family,
        scheduler=rows[0].scheduler,
        objective=rows[0].objective,
        runs=len(rows),
        value_mean=float(np.mean([row.value for row in rows])),
        ratio_mean=float(ratios.mean()),
        ratio_half_width=mean_interval([row.ratio for row in rows]).half_width,
        ratio_worst=float(ratios.max()),
        wins=wins,
        bound_method=", ".join(methods),
        seconds=float(np.mean([row.seconds for row in rows])),
    )


def summary_text(rows: Sequence[SummaryRow]) -> str:
    """Return a summary as an aligned table."""
    header = ("family", "scheduler", "runs", "objective", "mean [s]", "ratio", "worst", "wins",
              "bound", "time [s]")  # fmt: skip
    lines = [header]
    for row in rows:
        interval = "" if math.isnan(row.ratio_half_width) else f" ± {row.ratio_half_width:.3f}"
        lines.append(
            (
                row.family,
                row.scheduler,
                str(row.runs),
                row.objective,
                number_text(row.value_mean),
                f"{row.ratio_mean:.3f}{interval}",
                f"{row.ratio_worst:.3f}",
                str(row.wins),
                row.bound_method,
                f"{row.seconds:.3f}",
            )
        )
    is_text = (True, True, False, True, False, False, False, False, True, False)
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if text else cell.rjust(width)
            for cell, width, text in zip(line, widths, is_text, strict=True)
        ).rstrip()
        for line in lines
    )
