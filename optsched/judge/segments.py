"""The segments of a schedule in the form in which the judge looks at them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optsched.contention.slots import at_slot_boundary
from optsched.core.instance import Instance
from optsched.core.schedule import Schedule
from optsched.judge.clock import boundaries

__all__ = ["Segments", "clocked_segments"]


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Segments as columns of shape (k,), sorted by (job, start).

    Parameters
    ----------
    job, placement
        Positions of the job and of its placement; equal placements have equal positions.
    start_s, end_s
        Start and end in seconds, as given.
    begin, end
        The same on the judge's clock: seconds, or in slotted time whole slots (a slot that is
        held in part does not count).
    ready
        When progress begins on that clock: later than ``begin`` after a restart.
    is_on_slots
        True if start and end are slot boundaries, or time is continuous.
    is_later
        True if the job has an earlier segment.
    is_contiguous
        True if it also goes on where the earlier one was, at the time at which that one ended.
    """

    job: NDArray[np.int64]
    placement: NDArray[np.int64]
    start_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    begin: NDArray[np.float64]
    end: NDArray[np.float64]
    ready: NDArray[np.float64]
    is_on_slots: NDArray[np.bool_]
    is_later: NDArray[np.bool_]
    is_contiguous: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.job)


def clocked_segments(instance: Instance, schedule: Schedule, usable: NDArray[np.bool_]) -> Segments:
    """Return those segments of a schedule that are usable, with the time of each restart."""
    rows = np.flatnonzero(usable)
    rows = rows[np.lexsort((schedule.start_s[rows], schedule.job[rows]))]
    first_of = {placement: at for at, placement in reversed(list(enumerate(schedule.placements)))}
    same = np.array([first_of[placement] for placement in schedule.placements], dtype=np.int64)
    job, start_s, end_s = schedule.job[rows], schedule.start_s[rows], schedule.end_s[rows]
    placement = same[schedule.placement[rows]]
    begin, end, is_on_slots = _clock(start_s, end_s, instance.slot_s)

    is_later = np.zeros(len(rows), dtype=bool)
    is_contiguous = np.zeros(len(rows), dtype=bool)
    is_later[1:] = job[1:] == job[:-1]
    is_contiguous[1:] = is_later[1:] & (placement[1:] == placement[:-1]) & (begin[1:] <= end[:-1])
    ready = begin.copy()
    restarts = np.flatnonzero(is_later & ~is_contiguous)
    ready[restarts] += _restart_times(instance, job[restarts])
    # A segment that goes on where the one before ended also goes on with its restart.
    for row in np.flatnonzero(is_contiguous).tolist():
        ready[row] = max(begin[row], ready[row - 1])
    return Segments(
        job, placement, start_s, end_s, begin, end, ready, is_on_slots, is_later, is_contiguous
    )


def _clock(
    start_s: NDArray[np.float64], end_s: NDArray[np.float64], slot_s: float | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    if slot_s is None:
        return start_s, end_s, np.ones(len(start_s), dtype=bool)
    begin, begins_on = boundaries(start_s, slot_s)
    end, ends_on = boundaries(end_s, slot_s)
    begin = np.where(begins_on, begin, np.ceil(start_s / slot_s))
    end = np.where(ends_on, end, np.floor(end_s / slot_s))
    return begin, np.maximum(begin, end), begins_on & ends_on


def _restart_times(instance: Instance, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
    times_s = [instance.restart_time_s(job) for job in jobs.tolist()]
    if instance.slot_s is None:
        return np.array(times_s, dtype=np.float64)
    return np.array([at_slot_boundary(time_s, instance.slot_s) for time_s in times_s], np.float64)
