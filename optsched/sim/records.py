"""What happened, as flat arrays."""

from __future__ import annotations

from array import array

import numpy as np

from optsched.core.placement import Placement
from optsched.core.schedule import Schedule

__all__ = ["SegmentRecorder"]


class SegmentRecorder:
    """Collects segments as they end, 32 bytes each.

    Examples
    --------
    >>> recorder = SegmentRecorder()
    >>> recorder.add(0, Placement.of({0: 1}), 0.0, 2.5)
    >>> recorder.schedule().end_time_s
    2.5
    """

    __slots__ = (
        "_end_s", "_job", "_last", "_numbers", "_placement", "_placements", "_start_s",
    )  # fmt: skip

    def __init__(self) -> None:
        self._job = array("q")
        self._placement = array("q")
        self._start_s = array("d")
        self._end_s = array("d")
        #: Number of each placement; pairs of tuples are hashed without a call of Python code.
        self._numbers: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        self._placements: list[Placement] = []
        self._last: dict[int, tuple[Placement, float]] = {}

    def __len__(self) -> int:
        return len(self._job)

    def add(self, job: int, placement: Placement, start_s: float, end_s: float) -> None:
        """Add one segment."""
        key = (placement.servers, placement.counts)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._placements)
            self._placements.append(placement)
        self._job.append(job)
        self._placement.append(number)
        self._start_s.append(start_s)
        self._end_s.append(end_s)

    def remember(self, job: int, placement: Placement, end_s: float) -> None:
        """Note where and when a preempted job stopped."""
        self._last[job] = (placement, end_s)

    def is_continued(self, job: int, placement: Placement, start_s: float) -> bool:
        """Return True if a start continues the job's last segment without a gap or a move."""
        return self._last.get(job) == (placement, start_s)

    def schedule(self) -> Schedule:
        """Return all segments so far."""
        return Schedule.from_columns(
            job=np.array(self._job, dtype=np.int64),
            placement=np.array(self._placement, dtype=np.int64),
            start_s=np.array(self._start_s, dtype=np.float64),
            end_s=np.array(self._end_s, dtype=np.float64),
            placements=tuple(self._placements),
        )
