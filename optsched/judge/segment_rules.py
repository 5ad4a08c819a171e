"""The rules that each segment keeps by itself."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from optsched.core.instance import Instance
from optsched.core.placement import Placement
from optsched.core.result import Violation
from optsched.core.schedule import Schedule
from optsched.judge.clock import boundaries, seconds
from optsched.judge.names import segment_text, segment_violation
from optsched.judge.violations import ViolationLog

__all__ = ["check_gangs", "check_slot_boundaries", "find_known_jobs", "find_placed", "find_timed"]

Mask = NDArray[np.bool_]


def find_timed(instance: Instance, schedule: Schedule, log: ViolationLog) -> Mask:
    """Check ``finite-times`` and ``positive-length``; return the segments that keep both."""
    start_s, end_s = schedule.start_s, schedule.end_s
    is_finite = np.isfinite(start_s) & np.isfinite(end_s)
    is_timed = is_finite & (end_s > start_s)

    def not_finite(row: int) -> Violation:
        text = f"expected finite times, got {segment_text(instance, schedule, row)}"
        start = start_s.item(row)
        time_s = start if np.isfinite(start) else end_s.item(row)
        return segment_violation(instance, schedule, row, "finite-times", text, time_s=time_s)

    def not_positive(row: int) -> Violation:
        text = f"expected an end after the start, got {segment_text(instance, schedule, row)}"
        return segment_violation(instance, schedule, row, "positive-length", text)

    log.add_where("finite-times", ~is_finite, not_finite)
    log.add_where("positive-length", is_finite & ~is_timed, not_positive)
    return is_timed


def find_known_jobs(instance: Instance, schedule: Schedule, log: ViolationLog) -> Mask:
    """Check ``known-job``; return the segments whose job the instance has."""
    last = len(instance.jobs) - 1
    is_known = (schedule.job >= 0) & (schedule.job <= last)

    def unknown(row: int) -> Violation:
        text = f"expected jobs 0 to {last}, got one {segment_text(instance, schedule, row)}"
        return segment_violation(instance, schedule, row, "known-job", text)

    log.add_where("known-job", ~is_known, unknown)
    return np.asarray(is_known)


def find_placed(instance: Instance, schedule: Schedule, log: ViolationLog) -> Mask:
    """Check ``known-server``; return the segments whose GPUs can be counted.

    A placement that names a server twice, or takes none of its GPUs, breaks ``gang``.
    """
    last = len(instance.cluster.servers) - 1
    is_known = _by_placement(schedule, lambda placement: _is_known(placement, last))
    is_formed = _by_placement(schedule, _is_well_formed)

    def unknown(row: int) -> Violation:
        text = f"expected servers 0 to {last}, got {segment_text(instance, schedule, row)}"
        return segment_violation(instance, schedule, row, "known-server", text)

    def malformed(row: int) -> Violation:
        expected = "each server once, in order, with 1 GPU or more"
        text = f"expected {expected}, got {segment_text(instance, schedule, row)}"
        return segment_violation(instance, schedule, row, "gang", text)

    log.add_where("known-server", ~is_known, unknown)
    log.add_where("gang", is_known & ~is_formed, malformed)
    return np.asarray(is_known & is_formed)


def check_gangs(instance: Instance, schedule: Schedule, usable: Mask, log: ViolationLog) -> None:
    """Check ``gang``: a segment holds as many GPUs as its job asks for, no more and no fewer."""
    rows = np.flatnonzero(usable)
    held = np.array([sum(place.counts) for place in schedule.placements], dtype=np.int64)
    got, asked = held[schedule.placement[rows]], instance.jobs.gpus[schedule.job[rows]]

    def describe(at: int) -> Violation:
        row = rows.item(at)
        where = segment_text(instance, schedule, row)
        plural = "s" * (asked.item(at) != 1)
        text = f"expected {asked[at]} GPU{plural} at once, got {got[at]}: {where}"
        return segment_violation(instance, schedule, row, "gang", text)

    log.add_where("gang", got != asked, describe)


def check_slot_boundaries(
    instance: Instance, schedule: Schedule, usable: Mask, log: ViolationLog
) -> None:
    """Check ``slot-boundary``: in slotted time segments start and end between slots."""
    slot_s = instance.slot_s
    if slot_s is None:
        return
    rows = np.flatnonzero(usable)

    def check(name: str, times_s: NDArray[np.float64]) -> None:
        def describe(at: int) -> Violation:
            row, time_s = rows.item(at), times_s.item(at)
            text = f"expected {name} at a multiple of {slot_s:g} s, got {seconds(time_s)}"
            return segment_violation(instance, schedule, row, "slot-boundary", text, time_s=time_s)

        log.add_where("slot-boundary", ~boundaries(times_s, slot_s)[1], describe)

    check("a start", schedule.start_s[rows])
    check("an end", schedule.end_s[rows])


def _by_placement(schedule: Schedule, test: Callable[[Placement], bool]) -> Mask:
    """Return which segments have a placement that passes a test; one that is absent does not."""
    passes = np.array([test(placement) for placement in schedule.placements], dtype=bool)
    exists = (schedule.placement >= 0) & (schedule.placement < len(passes))
    result = np.zeros(len(schedule), dtype=bool)
    result[exists] = passes[schedule.placement[exists]]
    return result


def _is_known(placement: Placement, last: int) -> bool:
    servers = placement.servers
    return len(servers) > 0 and min(servers) >= 0 and max(servers) <= last


def _is_well_formed(placement: Placement) -> bool:
    servers, counts = placement.servers, placement.counts
    ascending = all(left < right for left, right in pairwise(servers))
    return ascending and len(servers) == len(counts) and min(counts, default=0) >= 1
