"""The list of what is wrong with a schedule."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from optsched.core.checks import MAX_PROBLEMS_PER_RULE
from optsched.core.result import Violation

__all__ = ["ViolationLog"]


class ViolationLog:
    """Violations by rule, in the order in which rules were first broken.

    Examples
    --------
    >>> log = ViolationLog()
    >>> for number in range(22):
    ...     log.add(Violation("arrival", f"job {number} is early"))
    >>> [len(log.violations()), log.violations()[-1].message]
    [21, 'and 2 more']
    """

    def __init__(self) -> None:
        self._listed: dict[str, list[Violation]] = {}
        self._count: dict[str, int] = {}

    def add(self, violation: Violation) -> None:
        """Add one violation; of one rule only the first few are kept, the rest are counted."""
        rule = violation.rule
        self._count[rule] = self._count.get(rule, 0) + 1
        listed = self._listed.setdefault(rule, [])
        if len(listed) < MAX_PROBLEMS_PER_RULE:
            listed.append(violation)

    def add_where(
        self, rule: str, broken: NDArray[np.bool_], describe: Callable[[int], Violation]
    ) -> None:
        """Add a violation of ``rule`` for each True in ``broken``; few need to be described."""
        positions = np.flatnonzero(broken)
        for position in positions[:MAX_PROBLEMS_PER_RULE].tolist():
            self.add(describe(position))
        if len(positions) > MAX_PROBLEMS_PER_RULE:
            self._count[rule] += len(positions) - MAX_PROBLEMS_PER_RULE

    def violations(self) -> tuple[Violation, ...]:
        """Return the violations, each rule's cut short with the number left out."""
        found: list[Violation] = []
        for rule, listed in self._listed.items():
            found += listed
            more = self._count[rule] - len(listed)
            if more:
                found.append(Violation(rule, f"and {more:,} more"))
        return tuple(found)
