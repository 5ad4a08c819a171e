"""Rows that keep one of the solutions which only rename servers or jobs, or reverse time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from optsched.formulations.slot_levels import SlotLevels
from optsched.formulations.slotted_program import SlottedRun

if TYPE_CHECKING:
    from optsched.formulations.cpsat_slotted import JobVariables

__all__ = [
    "canonical_runs",
    "halve_by_time_reversal",
    "order_servers",
    "order_twins",
    "twin_groups",
]

#: Numbers in the rows that compare servers stay below this.
LARGEST_NUMBER = 10**9


def twin_groups(
    levels: SlotLevels,
    ends: Sequence[int],
    weights: Sequence[int] | None,
    counted: frozenset[int],
) -> list[list[int]]:
    """Return the jobs in groups of those that the model cannot tell apart, in file order."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for number, job in enumerate(levels.jobs):
        weight = None if weights is None else weights[number]
        rates = tuple(sorted(job.per_slot.items()))
        key = (job.gpus, job.iterations, job.release, rates, ends[number], weight)
        groups.setdefault((*key, number in counted), []).append(number)
    return list(groups.values())


def order_twins(model: Any, jobs: Sequence[JobVariables], groups: Sequence[Sequence[int]]) -> None:
    """s_a ≤ s_b for identical jobs a < b."""
    for group in groups:
        for first, second in pairwise(group):
            model.add(jobs[first].start <= jobs[second].start)


def order_servers(model: Any, levels: SlotLevels, jobs: Sequence[JobVariables]) -> None:
    """y_·a ≥ y_·b in lexicographic order for servers a < b of equal capacity.

    Only the first jobs of largest demand are compared, as digits of a number.
    """
    base = max(levels.capacity) + 1
    order = _compared(levels)
    last: dict[int, int] = {}
    for server, capacity in enumerate(levels.capacity):
        if capacity in last:
            value = [
                base ** (len(order) - 1 - place)
                * (_gpus_on(jobs[job], last[capacity]) - _gpus_on(jobs[job], server))
                for place, job in enumerate(order)
            ]
            model.add(sum(value) >= 0)
        last[capacity] = server


def canonical_runs(
    levels: SlotLevels, runs: Sequence[SlottedRun], groups: Sequence[Sequence[int]]
) -> list[SlottedRun]:
    """Return runs with servers and twins renamed so that they keep the rows made here.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> levels = SlotLevels.of(waiting_pays().changed(slot_s=5.1))
    >>> runs = [SlottedRun(3, 6, (0, 1, 2)), SlottedRun(0, 3, (0, 2, 1))]
    >>> [run.counts for run in canonical_runs(levels, runs, [[0, 1]])]
    [(2, 1, 0), (1, 2, 0)]
    """
    renamed = list(runs)
    for group in groups:
        ordered = sorted((runs[job] for job in group), key=lambda run: run.first)
        for job, run in zip(group, ordered, strict=True):
            renamed[job] = run
    if levels.is_pool:
        return renamed
    order = _compared(levels)
    servers = range(len(levels.capacity))
    source = list(servers)
    for capacity in set(levels.capacity):
        alike = [server for server in servers if levels.capacity[server] == capacity]
        largest_first = sorted(
            alike, key=lambda server: [renamed[job].counts[server] for job in order], reverse=True
        )
        for server, other in zip(alike, largest_first, strict=True):
            source[server] = other
    return [
        SlottedRun(run.first, run.after, tuple(run.counts[server] for server in source))
        for run in renamed
    ]


def halve_by_time_reversal(
    model: Any,
    levels: SlotLevels,
    jobs: Sequence[JobVariables],
    groups: Sequence[Sequence[int]],
    makespan: Any,
) -> None:
    """Σ (s + e) ≤ makespan · (their number) for the largest job and its twins.

    A schedule run backwards is one as well, with the same contention, if nobody arrives: a job then
    does in its slots what it did before, in another order. It turns the sum into twice the makespan
    less the sum, for each job.
    """

    def size(group: Sequence[int]) -> int:
        one = levels.jobs[group[0]]
        return one.gpus * one.shortest

    largest = max(groups, key=size)
    middle = sum(jobs[job].start + jobs[job].end for job in largest)
    model.add(middle <= len(largest) * makespan)


def _compared(levels: SlotLevels) -> list[int]:
    """Return the jobs by which servers are compared: as many as make a number that is safe."""
    base = max(levels.capacity) + 1
    digits = 1
    while base ** (digits + 1) < LARGEST_NUMBER:
        digits += 1
    return sorted(range(len(levels.jobs)), key=lambda job: -levels.jobs[job].gpus)[:digits]


def _gpus_on(job: JobVariables, server: int) -> Any:
    """Return the GPUs of a job on a server as an expression."""
    if server not in job.on:
        return 0
    count = job.gpus[server]
    return count * job.on[server] if isinstance(count, int) else count
