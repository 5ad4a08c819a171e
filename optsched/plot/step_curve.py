"""Counts over time, as they follow from the columns of a schedule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optsched.core.instance import Instance
from optsched.core.schedule import Schedule
from optsched.plot.event_times import snapped_times

__all__ = ["StepCurve", "gpus_in_use", "jobs_waiting", "last_value_curve", "shown_span_s"]

Real = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class StepCurve:
    """A value that jumps: ``values[i]`` holds from ``times_s[i]`` to ``times_s[i + 1]``.

    Parameters
    ----------
    times_s
        Strictly increasing, shape (k + 1,).
    values
        Shape (k,).

    Examples
    --------
    >>> curve = StepCurve(np.array([0.0, 1.0, 4.0]), np.array([2.0, 6.0]))
    >>> curve.mean, curve.over(np.array([0.0, 2.0, 4.0]))[0].tolist()
    (5.0, [4.0, 6.0])
    """

    times_s: Real
    values: Real

    @property
    def mean(self) -> float:
        """The mean over time."""
        lengths_s = np.diff(self.times_s)
        return float(self.values @ lengths_s / lengths_s.sum())

    def over(self, edges_s: Real) -> tuple[Real, Real, Real]:
        """Return the mean, the least and the greatest value in each of some intervals.

        Parameters
        ----------
        edges_s
            Ends of the intervals, increasing, within the curve.
        """
        integral = np.concatenate([[0.0], np.cumsum(self.values * np.diff(self.times_s))])
        mean = np.diff(np.interp(edges_s, self.times_s, integral)) / np.diff(edges_s)
        cuts_s = np.union1d(self.times_s, edges_s)
        held = np.searchsorted(self.times_s, cuts_s[:-1], side="right") - 1
        pieces = self.values[np.clip(held, 0, len(self.values) - 1)]
        first = np.searchsorted(cuts_s, edges_s[:-1])
        # Whatever lies beyond the last interval is not to be counted into it.
        pieces = pieces[: int(np.searchsorted(cuts_s, edges_s[-1]))]
        return mean, np.minimum.reduceat(pieces, first), np.maximum.reduceat(pieces, first)


def shown_span_s(instance: Instance, schedule: Schedule) -> tuple[float, float]:
    """Return from when to when a schedule is of interest: from 0, unless that is mostly empty.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> from optsched.core.placement import Placement
    >>> from optsched.core.schedule import Segment
    >>> one = Instance("one", Cluster.uniform(1, 2), [Job("a", 2, 10, compute_s=1.0)])
    >>> shown_span_s(one, Schedule.of([Segment(0, Placement.of({0: 2}), 2.0, 12.0)]))
    (0.0, 12.0)
    """
    if len(schedule) == 0:
        return 0.0, 1.0
    arrived_s = instance.jobs.arrival_s[np.unique(schedule.job)]
    first_s = min(float(arrived_s.min()), float(schedule.start_s.min()))
    last_s = schedule.end_time_s
    start_s = 0.0 if 0 <= first_s <= last_s - first_s else first_s
    return start_s, last_s if last_s > start_s else start_s + 1.0


def gpus_in_use(instance: Instance, schedule: Schedule) -> StepCurve:
    """Return the number of GPUs that jobs hold.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> from optsched.core.placement import Placement
    >>> from optsched.core.schedule import Segment
    >>> jobs = [Job("a", 2, 10, compute_s=1.0), Job("b", 1, 5, compute_s=1.0)]
    >>> rows = [Segment(0, Placement.of({0: 2}), 0.0, 10.0), Segment(1, Placement.of({0: 1}), 0, 5)]
    >>> curve = gpus_in_use(Instance("two", Cluster.uniform(1, 4), jobs), Schedule.of(rows))
    >>> curve.times_s.tolist(), curve.values.tolist()
    ([0.0, 5.0, 10.0], [3.0, 2.0])
    """
    start_s, end_s = snapped_times(schedule)
    gpus = instance.jobs.gpus[schedule.job].astype(np.float64)
    return _curve(
        np.concatenate([start_s, end_s]),
        np.concatenate([gpus, -gpus]),
        shown_span_s(instance, schedule),
    )


def jobs_waiting(instance: Instance, schedule: Schedule) -> StepCurve:
    """Return the number of jobs that have arrived, are not done and hold no GPUs.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> from optsched.core.placement import Placement
    >>> from optsched.core.schedule import Segment
    >>> jobs = [Job("a", 2, 10, compute_s=1.0), Job("b", 1, 5, compute_s=1.0, arrival_s=4.0)]
    >>> two = Instance("two", Cluster.uniform(1, 2), jobs)
    >>> rows = [Segment(0, Placement.of({0: 2}), 0, 10), Segment(1, Placement.of({0: 1}), 10, 15)]
    >>> curve = jobs_waiting(two, Schedule.of(rows))
    >>> curve.times_s.tolist(), curve.values.tolist()
    ([0.0, 4.0, 10.0, 15.0], [0.0, 1.0, 0.0])
    """
    start_s, end_s = snapped_times(schedule)
    known = np.unique(schedule.job)
    # A job waits from its arrival on, but not in its segments, and not after the last of them.
    done_s = np.full(len(instance.jobs), -np.inf)
    np.maximum.at(done_s, schedule.job, end_s)
    arrived_s = instance.jobs.arrival_s[known]
    one, each = np.ones(len(known)), np.ones(len(schedule))
    curve = _curve(
        np.concatenate([arrived_s, start_s, end_s, done_s[known]]),
        np.concatenate([one, -each, each, -one]),
        shown_span_s(instance, schedule),
    )
    # A start may, by rounding, lie a billionth before the arrival.
    return StepCurve(curve.times_s, np.maximum(0.0, curve.values))


def last_value_curve(times_s: Real, values: Real, end_s: float) -> StepCurve:
    """Return the curve of a value that is set at some times; of equal times the last counts.

    Parameters
    ----------
    times_s, values
        When it is set, and to what, in order, shape (k,).
    end_s
        When the curve ends.
    """
    is_last = np.append(np.diff(times_s) > 0, True) & (times_s < end_s)
    return StepCurve(np.append(times_s[is_last], end_s), values[is_last])


def _curve(times_s: Real, changes: Real, span_s: tuple[float, float]) -> StepCurve:
    """Add up changes over a span; changes at one time, and those before the span, are one."""
    moments_s, position = np.unique(np.maximum(times_s, span_s[0]), return_inverse=True)
    total = np.bincount(position.reshape(-1), weights=changes, minlength=len(moments_s))
    values: Real = np.cumsum(total, dtype=np.float64)
    if len(moments_s) == 0 or moments_s[0] > span_s[0]:
        moments_s, values = np.append(span_s[0], moments_s), np.append(0.0, values)
    within = moments_s < span_s[1]
    return StepCurve(np.append(moments_s[within], span_s[1]), values[within])
