"""What a scheduler decides, and the schedule that follows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optsched.core.placement import Placement

__all__ = ["Decision", "Schedule", "Segment", "schedule_sha256"]


@dataclass(frozen=True, slots=True)
class Decision:
    """A start that somebody chose; the model says when it ends.

    Parameters
    ----------
    job
        Position of the job in the instance.
    placement
        Where it runs.
    start_s
        When it starts.
    end_s
        When it is preempted; None lets it run to its completion.
    """

    job: int
    placement: Placement
    start_s: float
    end_s: float | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A job on one placement from one time to another; GPUs are held throughout."""

    job: int
    placement: Placement
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """Segments as columns of shape (k,), sorted by (start, job); placements are shared.

    Parameters
    ----------
    job
        Position of the job of each segment.
    placement
        Position in ``placements`` of each segment's placement.
    start_s, end_s
        Start and end of each segment in seconds.
    placements
        The distinct placements.

    Examples
    --------
    >>> one = Placement.of({0: 2})
    >>> schedule = Schedule.of([Segment(1, one, 3.0, 4.0), Segment(0, one, 0.0, 3.0)])
    >>> [segment.job for segment in schedule], len(schedule.placements), schedule.end_time_s
    ([0, 1], 1, 4.0)
    """

    job: NDArray[np.int64]
    placement: NDArray[np.int64]
    start_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    placements: tuple[Placement, ...]

    @classmethod
    def of(cls, segments: Iterable[Segment]) -> Schedule:
        """Collect segments into columns."""
        rows = list(segments)
        known: dict[Placement, int] = {}
        index = [known.setdefault(row.placement, len(known)) for row in rows]
        return cls.from_columns(
            job=np.array([row.job for row in rows], dtype=np.int64),
            placement=np.array(index, dtype=np.int64),
            start_s=np.array([row.start_s for row in rows], dtype=np.float64),
            end_s=np.array([row.end_s for row in rows], dtype=np.float64),
            placements=tuple(known),
        )

    @classmethod
    def from_columns(
        cls,
        *,
        job: NDArray[np.int64],
        placement: NDArray[np.int64],
        start_s: NDArray[np.float64],
        end_s: NDArray[np.float64],
        placements: tuple[Placement, ...],
    ) -> Schedule:
        """Build a schedule from columns in any order of segments."""
        order = np.lexsort((job, start_s))
        schedule = cls(job[order], placement[order], start_s[order], end_s[order], placements)
        for column in (schedule.job, schedule.placement, schedule.start_s, schedule.end_s):
            column.flags.writeable = False
        return schedule

    @property
    def segments(self) -> Sequence[Segment]:
        """The segments as objects, in order of start."""
        return list(self)

    @property
    def end_time_s(self) -> float:
        """The time at which the last segment ends; 0 for an empty schedule."""
        return float(self.end_s.max()) if len(self) else 0.0

    def __len__(self) -> int:
        return len(self.job)

    def __iter__(self) -> Iterator[Segment]:
        columns = zip(
            self.job.tolist(),
            self.placement.tolist(),
            self.start_s.tolist(),
            self.end_s.tolist(),
            strict=True,
        )
        for job, placement, start_s, end_s in columns:
            yield Segment(job, self.placements[placement], start_s, end_s)


def schedule_sha256(schedule: Schedule) -> str:
    """Return a hash of the segments, the same for the same schedule in any layout of columns."""
    rows = [
        [segment.job, segment.placement.pairs, segment.start_s, segment.end_s]
        for segment in schedule
    ]
    return hashlib.sha256(json.dumps(rows, separators=(",", ":")).encode()).hexdigest()
