"""``optsched list instances`` and ``optsched list groups``: with what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from optsched.core.metrics import Objective
    from optsched.files import KnownResult

__all__ = ["group_rows", "instance_rows"]

#: Names of the columns, and rows of plain values.
Rows = tuple[Sequence[str], Sequence[Sequence[object]]]

LISTED: tuple[Objective, ...] = ("makespan", "mean_jct")


def instance_rows(*, is_long: bool) -> Rows:
    """Return the shipped instances, and of each the best objective and bound.

    Parameters
    ----------
    is_long
        True: every objective, and the description (for programs). False: the objective that is of
        interest, makespan, or mean JCT if jobs arrive (for people).
    """
    from optsched.files import known_results
    from optsched.files.catalogue import ALIASES, describe_catalogue

    results = known_results()
    rows: list[Sequence[object]] = []
    for entry in describe_catalogue():
        if entry.kind not in ("instance", "alias"):
            continue
        name = ALIASES.get(entry.name, entry.name)
        sizes = (entry.name, entry.jobs, entry.servers, entry.gpus)
        found = {objective: results.get((name, objective)) for objective in LISTED}
        if is_long:
            figures = {key: _figures(result) for key, result in found.items() if result}
            rows.append((*sizes, entry.description, figures))
            continue
        if entry.kind == "alias":
            rows.append((*sizes, "", "", "", "", f"see {name}"))
            continue
        objective: Objective = "mean_jct" if entry.has_arrivals else "makespan"
        rows.append((*sizes, objective, *_cells(found[objective])))
    columns = ("name", "jobs", "servers", "GPUs")
    if is_long:
        return (*columns, "description", "known"), rows
    return (*columns, "objective", "best [s]", "bound [s]", "gap", "status"), rows


def group_rows(*, is_long: bool) -> Rows:
    """Return the groups, and for each objective how many of their instances are proved.

    First come those proved optimal among all non-preemptive schedules, then those among the
    event-aligned ones only. The mean gap is that of all instances of the group to the bound that
    holds for all non-preemptive schedules.
    """
    from optsched.files.catalogue import group_members, is_generator
    from optsched.files.library_summary import family_meaning, library_summary

    rows: list[Sequence[object]] = []
    for name, summaries in library_summary().items():
        members = group_members(name)
        # A name that is a generator's too draws: the shipped ones of it are called by a pattern.
        shown = _pattern(name, members) if is_generator(name) else name
        figures: list[object] = []
        for summary in summaries.values():
            if is_long:
                figures += [summary.proved, summary.aligned, summary.mean_gap]
            else:
                figures += [summary.proved_text, summary.gap_text]
        rows.append((shown, len(members), *figures, family_meaning(name)))
    columns = ["name", "instances"]
    for objective, title in zip(LISTED, ("makespan", "mean JCT"), strict=True):
        keys = [f"{objective}_{key}" for key in ("proved", "aligned", "mean_gap")]
        columns += keys if is_long else [f"{title}: proved + aligned", "mean gap"]
    return (*columns, "stands for"), rows


def _pattern(name: str, members: Sequence[str]) -> str:
    """Return a pattern of names that the members of a group have, and no others."""
    from fnmatch import filter as matching

    from optsched.files.catalogue import shipped_names

    pattern = f"{name}-*"
    is_exact = sorted(members) == matching(shipped_names(), pattern)
    return pattern if is_exact else f"{name}-[0-9]*"


def _figures(result: KnownResult) -> dict[str, object]:
    return {
        "best_s": result.value,
        "bound_s": result.bound.value,
        "gap": result.gap,
        "status": result.status_text,
        "schedule_by": result.value_method,
        "bound_by": result.bound.method,
        "date": result.date.isoformat(),
    }


def _cells(result: KnownResult | None) -> tuple[str, str, str, str]:
    from optsched.core.quantities import number_text

    if result is None:
        return "", "", "", "unknown"
    return (
        number_text(result.value),
        number_text(result.bound.value),
        _per_cent(result.gap),
        result.status_text,
    )


def _per_cent(gap: float | None) -> str:
    return "" if gap is None else f"{100 * max(gap, 0.0):.2f}%"
