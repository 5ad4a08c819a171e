"""Times of a schedule with the rounding taken out, so that what touches also meets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optsched.core.schedule import Schedule

__all__ = ["snapped_times"]

#: Times that differ by less than this share of the schedule's span are one instant.
ROUNDING = 1e-9


def snapped_times(schedule: Schedule) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return start and end of each segment in seconds, times within rounding made equal.

    A job that starts when another ends may, by rounding, start a billionth earlier. That is no
    overlap, and must show neither as a conflict nor as a sliver of contention.

    Examples
    --------
    >>> from optsched.core.placement import Placement
    >>> from optsched.core.schedule import Segment
    >>> one = Placement.of({0: 1})
    >>> rows = [Segment(0, one, 0.0, 10.0), Segment(1, one, 10.0 - 1e-12, 20.0)]
    >>> start_s, end_s = snapped_times(Schedule.of(rows))
    >>> bool(start_s[1] == end_s[0])
    True
    """
    count = len(schedule)
    if count == 0:
        return schedule.start_s, schedule.end_s
    times, position = np.unique(
        np.concatenate([schedule.start_s, schedule.end_s]), return_inverse=True
    )
    last = float(times[-1])
    tolerance = ROUNDING * (last - float(times[0])) + 8.0 * float(np.spacing(abs(last)))
    snapped = times.copy()
    first = float(times[0])
    for index, time in enumerate(times.tolist()):
        if time - first > tolerance:
            first = time
        snapped[index] = first
    equal = snapped[position.reshape(-1)]
    return equal[:count], equal[count:]
