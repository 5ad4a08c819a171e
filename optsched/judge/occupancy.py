"""The rule that a server's GPUs are not held by more workers than there are GPUs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optsched.core.instance import Instance
from optsched.core.result import Violation
from optsched.core.schedule import Schedule
from optsched.judge.clock import seconds
from optsched.judge.names import job_name
from optsched.judge.violations import ViolationLog

__all__ = ["check_capacity"]


@dataclass(frozen=True, slots=True, eq=False)
class _Holdings:
    """GPUs of one server held by one segment, a row each."""

    segment: NDArray[np.int64]
    server: NDArray[np.int64]
    gpus: NDArray[np.int64]


def check_capacity(
    instance: Instance,
    schedule: Schedule,
    usable: NDArray[np.bool_],
    tolerance_s: float,
    log: ViolationLog,
) -> None:
    """Check ``capacity``: one violation for each longest time in which a server is overfull.

    Two segments may overlap by less than the tolerance, as when one ends at 10.500000000001 s and
    the other starts at 10.5 s.
    """
    held = _holdings(schedule, np.flatnonzero(usable))
    start_s = schedule.start_s[held.segment]
    end_s = schedule.end_s[held.segment]
    # An overlap shorter than the tolerance disappears if every segment ends that much earlier.
    shortened_s = np.maximum(start_s, end_s - tolerance_s)
    server = np.concatenate([held.server, held.server])
    times_s = np.concatenate([start_s, shortened_s])
    change = np.concatenate([held.gpus, -held.gpus])
    order = np.lexsort((times_s, server))
    server, times_s, in_use = server[order], times_s[order], np.cumsum(change[order])
    # Only the state after all events of one instant counts.
    is_last = np.ones(len(order), dtype=bool)
    is_last[:-1] = (server[1:] != server[:-1]) | (times_s[1:] != times_s[:-1])
    kept = np.flatnonzero(is_last)
    server, times_s, in_use = server[kept], times_s[kept], in_use[kept]
    is_over = in_use > instance.cluster.servers.gpus[server]
    first, after = _runs(is_over)
    if not len(first):
        return
    true_s = np.concatenate([start_s, end_s])[order][kept]
    peak = np.maximum.reduceat(in_use, np.stack([first, after], axis=1).ravel())[::2]

    def describe(run: int) -> Violation:
        at = server.item(first[run])
        begin_s, stop_s = times_s.item(first[run]), true_s.item(after[run])
        has, takes = instance.cluster.servers.gpus.item(at), peak.item(run)
        holds = (held.server == at) & (start_s < stop_s) & (end_s - tolerance_s > begin_s)
        rows = held.segment[holds]
        latest = rows[schedule.start_s[rows] <= begin_s]
        names = [job_name(instance, job) for job in dict.fromkeys(schedule.job[rows].tolist())]
        name = instance.cluster.servers.ids[at]
        more = f" and {len(names) - 8} more" if len(names) > 8 else ""
        text = (
            f"server {name!r}: expected at most {has} GPUs held, got up to {takes} "
            f"({takes - has} too many) from {seconds(begin_s)} to {seconds(stop_s)} by jobs "
            f"{', '.join(map(repr, names[:8]))}{more}"
        )
        job = job_name(instance, schedule.job.item(latest[-1]))
        return Violation("capacity", text, job, name, begin_s)

    log.add_where("capacity", np.ones(len(first), dtype=bool), describe)


def _runs(is_true: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each run of True begins, and the position after it."""
    edges = np.diff(np.concatenate([[False], is_true, [False]]).astype(np.int8))
    return np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)


def _holdings(schedule: Schedule, rows: NDArray[np.int64]) -> _Holdings:
    placements = schedule.placements
    is_used = np.zeros(len(placements), dtype=bool)
    is_used[schedule.placement[rows]] = True
    used = [place for place, needed in zip(placements, is_used.tolist(), strict=True) if needed]
    servers = np.array([server for place in used for server in place.servers], dtype=np.int64)
    counts = np.array([count for place in used for count in place.counts], dtype=np.int64)
    sizes = np.zeros(len(placements), dtype=np.int64)
    sizes[is_used] = [len(place.servers) for place in used]
    first = np.cumsum(sizes) - sizes
    place = schedule.placement[rows]
    size = sizes[place]
    segment = np.repeat(rows, size)
    # Row k of a segment's holdings is entry k of its placement.
    within = np.arange(len(segment)) - np.repeat(np.cumsum(size) - size, size)
    entry = np.repeat(first[place], size) + within
    return _Holdings(segment, servers[entry], counts[entry])
