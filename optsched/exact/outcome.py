"""What a search for an optimum answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from optsched.core.schedule import Schedule

__all__ = ["SearchOutcome"]


@dataclass(frozen=True, slots=True, eq=False)
class SearchOutcome:
    """What a search found.

    Parameters
    ----------
    schedule, value
        The best schedule and its objective in seconds; None if none was found.
    is_complete
        True if the whole space was searched: the value is the optimum of ``scope``, or with no
        schedule there is none.
    scope
        ``all`` or ``event-aligned``.
    nodes
        Partial schedules that were extended.
    stopped_by
        ``""``, ``"time limit"`` or ``"interrupt"``.
    method
        The search that found it.
    details
        Further counts by name.
    bound
        A lower bound on the objective of every schedule of ``scope``, in seconds, that the search
        has proven; None if it proves none before its end.
    """

    schedule: Schedule | None
    value: float | None
    is_complete: bool
    scope: Literal["all", "event-aligned"]
    nodes: int
    stopped_by: str
    method: str
    details: Mapping[str, float] = field(default_factory=dict)
    bound: float | None = None
