"""How much of the library is proved, family by family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from optsched.core.data_files import data_directory
from optsched.core.metrics import Objective
from optsched.core.result import Status
from optsched.files.catalogue import group_members, group_names, load
from optsched.files.known import KnownResult, known_results
from optsched.files.known_file import replace_file

__all__ = [
    "SUMMARY_FILE",
    "FamilySummary",
    "family_meaning",
    "library_summary",
    "summary_text",
    "write_summary",
]

SUMMARY_FILE = "SUMMARY.md"
SUMMARISED: tuple[Objective, ...] = ("makespan", "mean_jct")
LIBRARY_MEANING = "all of these but `colouring`, which is out of proportion"

_HEAD = """\
| family | instances | makespan: proved | mean gap | mean JCT: proved | mean gap | stands for |
| --- | ---: | ---: | ---: | ---: | ---: | --- |
"""


@dataclass(frozen=True, slots=True)
class FamilySummary:
    """What is known of a family for one objective.

    Parameters
    ----------
    proved
        Instances whose best schedule is optimal among all non-preemptive ones.
    aligned
        Further instances whose best schedule is optimal among the event-aligned ones.
    mean_gap
        Mean of value/bound − 1 over all instances of which something is known, the bound being one
        for all non-preemptive schedules; None if nothing is known.
    """

    proved: int
    aligned: int
    mean_gap: float | None

    @classmethod
    def of(cls, results: Sequence[KnownResult | None]) -> FamilySummary:
        """Summarise the results of a family's instances."""
        found = [result for result in results if result is not None]
        gaps = [max(result.gap, 0.0) for result in found if result.gap is not None]
        return cls(
            sum(result.is_proved for result in found),
            sum(result.status is Status.OPTIMAL and not result.is_proved for result in found),
            sum(gaps) / len(gaps) if gaps else None,
        )

    @property
    def gap_text(self) -> str:
        """The mean gap in per cent; empty if it is not known."""
        return "" if self.mean_gap is None else f"{100 * self.mean_gap:.2f}%"

    @property
    def proved_text(self) -> str:
        """Those proved among all, and after a plus those among the event-aligned ones."""
        return f"{self.proved} + {self.aligned}" if self.aligned else f"{self.proved}"


def library_summary(directory: Path | None = None) -> dict[str, dict[Objective, FamilySummary]]:
    """Return what is known of each group, by objective.

    Parameters
    ----------
    directory
        Where ``known.toml`` is; None: among the data of the package.

    Examples
    --------
    >>> library_summary()["hand-made"]["makespan"]
    FamilySummary(proved=2, aligned=0, mean_gap=0.0)
    """
    results = known_results(directory)
    return {
        name: {
            objective: FamilySummary.of(
                [results.get((member, objective)) for member in group_members(name)]
            )
            for objective in SUMMARISED
        }
        for name in group_names()
    }


def family_meaning(name: str) -> str:
    """Return what a group stands for, in a sentence."""
    if name == "library":
        return LIBRARY_MEANING
    if name == "hand-made":
        return "To start jobs at once, or at events only, is not best."
    return load(group_members(name)[0]).description


def summary_text(directory: Path | None = None) -> str:
    """Return the summary as a table in Markdown.

    Examples
    --------
    >>> print(summary_text().splitlines()[0][:20])
    | family | instances
    """
    rows = []
    for name, summaries in library_summary(directory).items():
        cells = [f"`{name}`", str(len(group_members(name)))]
        for summary in summaries.values():
            cells += [summary.proved_text, summary.gap_text]
        rows.append(f"| {' | '.join([*cells, family_meaning(name)])} |")
    # The library, which is all of them, comes last.
    return _HEAD + "\n".join([*rows[1:], rows[0]]) + "\n"


def write_summary(directory: Path | None = None) -> Path:
    """Write the summary beside ``known.toml`` and return the file."""
    path = (directory or data_directory("instances")) / SUMMARY_FILE
    replace_file(path, summary_text(directory))
    return path
