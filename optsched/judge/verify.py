"""From a schedule to a verdict: what it is worth, or every rule that it breaks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optsched.contention.rate_model import RateFunctions, rate_functions
from optsched.core.instance import Instance
from optsched.core.metrics import OBJECTIVES, objective_value
from optsched.core.result import Judgement
from optsched.core.schedule import Schedule
from optsched.judge import segment_rules
from optsched.judge.clock import tolerance_s
from optsched.judge.job_rules import check_arrivals, check_missing, check_self_overlaps
from optsched.judge.measures import job_records, schedule_class, schedule_metrics
from optsched.judge.occupancy import check_capacity
from optsched.judge.progress import ProgressRules
from optsched.judge.segments import clocked_segments
from optsched.judge.timeline import constant_pieces
from optsched.judge.violations import ViolationLog

__all__ = ["verify"]


def verify(
    instance: Instance, schedule: Schedule, *, rates: RateFunctions | None = None
) -> Judgement:
    """Judge a schedule by the rules of the instance and its rate model alone.

    Times may be off by a billionth of the schedule's span and a few units in the last place of
    the clock. The rules, as :class:`~optsched.core.result.Violation` names them:

    ``known-job``, ``known-server``, ``finite-times``, ``positive-length``
        The segment can be read.
    ``gang``
        It holds exactly the GPUs its job asks for, each server named once.
    ``capacity``
        No server has more GPUs held than it has.
    ``no-self-overlap``, ``arrival``, ``missing-job``, ``empty-schedule``
        Every job runs, once at a time, and not before it arrives.
    ``slot-boundary``
        In slotted time segments start and end at slot boundaries.
    ``complete``, ``stalled``, ``held-past-completion``
        Every job does all its iterations, makes progress after a restart, and gives its GPUs
        back when it is done; in slotted time at the end of its last slot.

    Parameters
    ----------
    instance
        The instance.
    schedule
        The schedule; where it comes from does not matter.
    rates
        The functions of the instance's rate model, if at hand.

    Returns
    -------
    Judgement
        With all violations (of one rule the first 20, and how many more there are), or with
        objectives, metrics and records.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.jobs import Job
    >>> from optsched.core.placement import Placement
    >>> from optsched.core.schedule import Segment
    >>> one = Instance("one", Cluster([Server("s0", 4)]), [Job("a", 2, 10, compute_s=0.5)])
    >>> place = Placement.of({0: 2})
    >>> verify(one, Schedule.of([Segment(0, place, 1.0, 6.0)])).objectives["makespan"]
    6.0
    >>> for violation in verify(one, Schedule.of([Segment(0, place, 1.0, 5.0)])).violations:
    ...     print(violation)
    complete: job 'a': expected 10 iterations by its last end at 5 s, got 8 (2 short)
    """
    rates = rate_functions(instance) if rates is None else rates
    log = ViolationLog()
    usable, countable = _readable(instance, schedule, log)
    allowed_s = tolerance_s(schedule.start_s[countable], schedule.end_s[countable], instance.slot_s)
    segment_rules.check_gangs(instance, schedule, usable, log)
    segment_rules.check_slot_boundaries(instance, schedule, usable, log)
    check_capacity(instance, schedule, countable, allowed_s, log)
    segments = clocked_segments(instance, schedule, usable)
    check_missing(instance, schedule, log)
    check_arrivals(instance, schedule, segments, allowed_s, log)
    check_self_overlaps(instance, schedule, segments, allowed_s, log)
    pieces = constant_pieces(rates, segments, schedule.placements)
    progress = ProgressRules(instance, schedule, rates, segments, pieces, allowed_s, log)
    progress.check(_jobs_of(instance, schedule, ~usable))
    violations = log.violations()
    its_class = schedule_class(instance, segments)
    if violations:
        return Judgement(violations, {}, {}, None, its_class)
    is_spread = np.array([place.is_spread for place in schedule.placements], dtype=bool)
    records = job_records(instance, segments, pieces, is_spread[segments.placement], rates)
    return Judgement(
        violations=(),
        objectives={
            objective: objective_value(objective, instance.jobs, records.completion_s)
            for objective in OBJECTIVES
        },
        metrics=schedule_metrics(instance, records, pieces, allowed_s),
        records=records,
        schedule_class=its_class,
    )


def _readable(
    instance: Instance, schedule: Schedule, log: ViolationLog
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which segments can be judged in full, and which at least hold GPUs for some time."""
    is_known = segment_rules.find_known_jobs(instance, schedule, log)
    is_placed = segment_rules.find_placed(instance, schedule, log)
    is_timed = segment_rules.find_timed(instance, schedule, log)
    countable = is_placed & is_timed
    return countable & is_known, countable


def _jobs_of(
    instance: Instance, schedule: Schedule, chosen: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return the jobs of which a segment is chosen, as a mask of shape (n,)."""
    jobs = schedule.job[chosen]
    mask = np.zeros(len(instance.jobs), dtype=bool)
    mask[jobs[(jobs >= 0) & (jobs < len(mask))]] = True
    return mask
