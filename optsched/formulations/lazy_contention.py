"""Where a schedule that ignores some contention goes wrong, and how it is put right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from optsched.core.errors import StalledJobError
from optsched.core.placement import Placement
from optsched.core.schedule import Decision, Schedule
from optsched.formulations.slot_levels import SlotLevels
from optsched.formulations.slotted_program import SlottedRun
from optsched.judge import replay

__all__ = ["contended_jobs", "repaired_schedule"]


def contended_jobs(levels: SlotLevels, runs: Sequence[SlottedRun]) -> frozenset[int]:
    """Return the jobs that would not end as planned, and all that share a server with them.

    A job falls short if its slots, at the contention that the plan causes in truth, hold fewer than
    its iterations. Whoever is spread over one of its servers at the same time has a part in it.

    Parameters
    ----------
    levels
        The instance.
    runs
        First slot, slot after the last, and GPUs by server of every job.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> levels = SlotLevels.of(waiting_pays().changed(slot_s=5.1))
    >>> left, right = (2, 1, 0), (0, 1, 2)
    >>> sorted(contended_jobs(levels, [SlottedRun(0, 3, left), SlottedRun(0, 3, right)]))
    [0, 1]
    >>> sorted(contended_jobs(levels, [SlottedRun(0, 3, left), SlottedRun(3, 6, right)]))
    []
    """
    if levels.is_pool:
        return frozenset()
    found: set[int] = set()
    for job, run in enumerate(runs):
        if _servers(run) < 2:
            continue
        meeting = [other for other, one in enumerate(runs) if other != job and _is_shared(run, one)]
        if meeting and _falls_short(levels, job, run, [runs[other] for other in meeting]):
            found.update([job, *meeting])
    return frozenset(found)


def repaired_schedule(levels: SlotLevels, runs: Sequence[SlottedRun]) -> Schedule | None:
    """Return the schedule in which each job starts as planned or once its GPUs are free again.

    Jobs keep their placements, and go first in the order of their planned starts.

    Parameters
    ----------
    levels, runs
        As for :func:`contended_jobs`.

    Returns
    -------
    Schedule or None
        None if some job stalls.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> levels = SlotLevels.of(waiting_pays().changed(slot_s=5.1))
    >>> left, right = (2, 1, 0), (0, 2, 1)
    >>> runs = [SlottedRun(0, 3, left), SlottedRun(1, 4, right)]
    >>> (repaired_schedule(levels, runs).start_s / 5.1).round(9).tolist()
    [0.0, 3.0]
    """
    slot_s = levels.slot_s
    placements = list(_placements(levels, runs))
    waiting = sorted(range(len(runs)), key=lambda job: (runs[job].first, job))
    planned = [run.first + levels.first_slot for run in runs]
    decisions: list[Decision] = []
    schedule = Schedule.of(())
    now = planned[waiting[0]]
    while True:
        free = list(levels.capacity)
        for segment in schedule:
            if round(segment.end_s / slot_s) > now:
                for server, count in segment.placement.pairs:
                    free[server] -= count
        for job in list(waiting):
            pairs = placements[job].pairs
            if planned[job] <= now and all(free[server] >= count for server, count in pairs):
                decisions.append(Decision(job, placements[job], now * slot_s))
                waiting.remove(job)
                for server, count in pairs:
                    free[server] -= count
        try:
            schedule = replay(levels.instance, decisions)
        except StalledJobError:
            return None
        if not waiting:
            return schedule
        ends = {round(end_s / slot_s) for end_s in schedule.end_s.tolist()}
        later = ends | {planned[job] for job in waiting}
        now = min(slot for slot in later if slot > now)


def _falls_short(
    levels: SlotLevels, job: int, run: SlottedRun, meeting: Sequence[SlottedRun]
) -> bool:
    """Return True if the slots of a run hold too few iterations, or one of them none."""
    used, one = _servers(run), levels.jobs[job]
    done = 0
    for slot in range(run.first, run.after):
        present = [other for other in meeting if other.first <= slot < other.after]
        degree = 1 + max(
            sum(other.counts[server] > 0 for other in present)
            for server, count in enumerate(run.counts)
            if count
        )
        rate = one.rate(used, degree)
        if rate == 0:
            return True
        done += rate
    return done < one.iterations


def _is_shared(run: SlottedRun, other: SlottedRun) -> bool:
    """Return True if two spread runs overlap on a server."""
    overlap = run.first < other.after and other.first < run.after
    return (
        overlap
        and _servers(other) > 1
        and any(a and b for a, b in zip(run.counts, other.counts, strict=True))
    )


def _servers(run: SlottedRun) -> int:
    return sum(count > 0 for count in run.counts)


def _placements(levels: SlotLevels, runs: Sequence[SlottedRun]) -> Iterator[Placement]:
    for run in runs:
        yield Placement.of({server: count for server, count in enumerate(run.counts) if count})
