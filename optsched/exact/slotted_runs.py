"""Schedules as slots and patterns, and back."""

from __future__ import annotations

from collections.abc import Sequence

from optsched.core.placement import Placement
from optsched.core.schedule import Decision, Schedule
from optsched.formulations.slot_levels import SlotLevels
from optsched.formulations.slot_patterns import Pattern
from optsched.formulations.slotted_program import SlottedRun
from optsched.judge import replay

__all__ = ["runs_of", "schedule_of"]


def runs_of(levels: SlotLevels, schedule: Schedule) -> list[SlottedRun]:
    """Return the runs of the jobs of a schedule, in slots of the model."""
    runs: dict[int, SlottedRun] = {}
    for segment in schedule:
        counts = [0] * len(levels.capacity)
        for server, count in segment.placement.pairs:
            counts[server] = count
        first = round(segment.start_s / levels.slot_s) - levels.first_slot
        after = round(segment.end_s / levels.slot_s) - levels.first_slot
        runs[segment.job] = SlottedRun(first, after, tuple(counts))
    return [runs[job] for job in range(len(levels.jobs))]


def schedule_of(levels: SlotLevels, starts: Sequence[tuple[int, Pattern]]) -> Schedule:
    """Return the schedule of starts, as the judge replays it."""
    placed = _from_pool(levels, starts) if levels.is_pool else None
    decisions = []
    for job, (slot, pattern) in enumerate(starts):
        counts = pattern.counts if placed is None else placed[job]
        placement = Placement.of({s: count for s, count in enumerate(counts) if count})
        start_s = (slot + levels.first_slot) * levels.slot_s
        decisions.append(Decision(job, placement, start_s))
    return replay(levels.instance, decisions)


def _from_pool(levels: SlotLevels, starts: Sequence[tuple[int, Pattern]]) -> list[tuple[int, ...]]:
    """Return GPUs by server for jobs to which all GPUs are alike: the first that are free."""
    free = list(levels.capacity)
    placed: list[tuple[int, ...]] = [()] * len(starts)
    running: list[tuple[int, int]] = []
    for job in sorted(range(len(starts)), key=lambda job: starts[job][0]):
        slot, pattern = starts[job]
        for end, other in [one for one in running if one[0] <= slot]:
            free = [f + c for f, c in zip(free, placed[other], strict=True)]
            running.remove((end, other))
        needed = levels.jobs[job].gpus
        counts = []
        for room in free:
            counts.append(min(room, needed))
            needed -= counts[-1]
        free = [f - c for f, c in zip(free, counts, strict=True)]
        placed[job] = tuple(counts)
        running.append((slot + pattern.slots, job))
    return placed
