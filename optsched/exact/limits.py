"""When a search of our own has to stop, and what it need not look for."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Protocol

from optsched.core.errors import LimitReachedError
from optsched.core.instance import Instance
from optsched.core.schedule import Schedule

__all__ = ["NODES_A_UNIT", "OnSchedule", "SearchLimits", "run_to_a_stop"]

#: Called with each better schedule and its objective in seconds.
OnSchedule = Callable[[Schedule, float], None]
#: Nodes that count as one unit of a deterministic limit: about what a core does in a second.
NODES_A_UNIT = {"branch-and-bound": 20_000, "event-orders": 50_000, "brute-force": 500}


class SearchLimits:
    """Time, nodes, and the objective that a schedule has to be below to be of interest.

    Parameters
    ----------
    method
        Whose nodes are counted; see :data:`NODES_A_UNIT`.
    time_limit_s
        Seconds from now; None: no limit.
    deterministic_limit
        The same in units that no clock is needed for; None: no limit.
    below
        Only schedules of a lower objective are of interest.
    known
        Says which objective has been reached elsewhere meanwhile.

    Examples
    --------
    >>> limits = SearchLimits("brute-force", deterministic_limit=0.5, below=9.0)
    >>> limits.are_reached(249), limits.are_reached(250), limits.stopped_by
    (False, True, 'deterministic limit')
    """

    def __init__(
        self,
        method: str,
        *,
        time_limit_s: float | None = None,
        deterministic_limit: float | None = None,
        below: float = math.inf,
        known: Callable[[], float] | None = None,
    ) -> None:
        self.deadline = math.inf if time_limit_s is None else time.monotonic() + time_limit_s
        units = math.inf if deterministic_limit is None else deterministic_limit
        self.most_nodes = units * NODES_A_UNIT[method]
        self.amounts = {
            "time limit": f"{time_limit_s:g} s" if time_limit_s is not None else "",
            "deterministic limit": f"{units:g} units of work",
        }
        self.below = below
        self.known = known
        self.stopped_by = ""

    def are_reached(self, nodes: float) -> bool:
        """Return True if the search has to stop, and from then on."""
        if not self.stopped_by:
            if nodes >= self.most_nodes:
                self.stopped_by = "deterministic limit"
            elif time.monotonic() >= self.deadline:
                self.stopped_by = "time limit"
        return bool(self.stopped_by)

    def cutoff(self, own: float) -> float:
        """Return the objective to be beaten: the search's own, or a better one from elsewhere."""
        return own if self.known is None else min(own, self.known())


class _Search(Protocol):
    instance: Instance
    best: tuple[Schedule, float] | None

    def run(self, limits: SearchLimits, on_incumbent: OnSchedule | None) -> bool:
        """Search; return False if a limit was reached."""


def run_to_a_stop(
    search: _Search, limits: SearchLimits, on_incumbent: OnSchedule | None
) -> tuple[Schedule | None, float | None, str]:
    """Run a search, and return its best schedule, the value, and what stopped it before its end.

    Raises
    ------
    LimitReachedError, KeyboardInterrupt
        If there is no schedule yet, and none was known before.
    """
    has_other = limits.below < math.inf
    stopped_by = ""
    try:
        if not search.run(limits, on_incumbent):
            stopped_by = limits.stopped_by
    except KeyboardInterrupt:
        if search.best is None and not has_other:
            raise
        stopped_by = "interrupt"
    if search.best is None:
        if stopped_by and not has_other:
            raise LimitReachedError(
                f"no schedule of {search.instance.name!r} within {limits.amounts[stopped_by]}"
            )
        return None, None, stopped_by
    return *search.best, stopped_by
