"""Which of a server's GPUs each job is drawn on; the model itself only counts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from optsched.core.errors import ScheduleError
from optsched.core.instance import Instance
from optsched.core.schedule import Schedule
from optsched.plot.event_times import snapped_times

__all__ = ["RowRun", "gpu_rows"]


@dataclass(frozen=True, slots=True)
class RowRun:
    """Neighbouring GPUs of one server that a segment holds.

    Parameters
    ----------
    segment
        Position of the segment in the schedule.
    server
        Position of the server.
    first_gpu
        The first of the GPUs, counted from 0 on this server.
    count
        How many there are.
    """

    segment: int
    server: int
    first_gpu: int
    count: int


def gpu_rows(instance: Instance, schedule: Schedule) -> list[RowRun]:
    """Give every segment GPUs of its own, neighbours where the free ones allow it.

    Segments are served in order of start. A job that comes back to a server gets the GPUs it had
    there if they are free; otherwise the smallest gap that holds the job is taken, and if none
    does, the largest gaps.

    Parameters
    ----------
    instance
        The instance, for the size of its servers.
    schedule
        A schedule for it. Segments that take no time hold no GPU.

    Returns
    -------
    list of RowRun
        By segment, then by server, then by GPU.

    Raises
    ------
    ScheduleError
        If a server does not exist or has not as many GPUs as the segments on it hold at a time.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> from optsched.core.placement import Placement
    >>> from optsched.core.schedule import Segment
    >>> instance = Instance("two", Cluster.uniform(1, 3), [Job("a", 1, 1), Job("b", 2, 1)])
    >>> rows = [Segment(0, Placement.of({0: 1}), 0, 5), Segment(1, Placement.of({0: 2}), 1, 5)]
    >>> [(run.first_gpu, run.count) for run in gpu_rows(instance, Schedule.of(rows))]
    [(0, 1), (1, 2)]
    """
    servers = instance.cluster.servers
    starts, ends = snapped_times(schedule)
    free_from = [[float("-inf")] * gpus for gpus in servers.gpus.tolist()]
    held: dict[tuple[int, int], list[int]] = {}
    runs: list[RowRun] = []
    jobs = schedule.job.tolist()
    placements = [schedule.placements[position] for position in schedule.placement.tolist()]
    # Rounding may have put a start behind one that it now equals; an end still comes first,
    # because GPUs are compared by time and not by order.
    order = sorted(range(len(jobs)), key=lambda segment: (starts.item(segment), segment))
    for segment in order:
        job, start, end = jobs[segment], starts.item(segment), ends.item(segment)
        if end <= start:
            continue
        for server, count in placements[segment].pairs:
            if not 0 <= server < len(servers):
                raise ScheduleError(
                    f"job {instance.jobs.ids[job]!r} is on server number {server}; "
                    f"the cluster has {len(servers)}"
                )
            times = free_from[server]
            free = [gpu for gpu, time in enumerate(times) if time <= start]
            if len(free) < count:
                raise ScheduleError(
                    f"at {start:g} s, job {instance.jobs.ids[job]!r} needs {count} GPUs of server "
                    f"{servers.ids[server]!r}, where {len(free)} of {len(times)} are free"
                )
            before = held.get((job, server), [])
            if len(before) == count and all(times[gpu] <= start for gpu in before):
                chosen = before
            else:
                chosen = _chosen_gpus(free, count)
            held[job, server] = chosen
            for gpu in chosen:
                times[gpu] = end
            runs += [RowRun(segment, server, gap[0], len(gap)) for gap in _gaps(chosen)]
    return sorted(runs, key=lambda run: (run.segment, run.server, run.first_gpu))


def _chosen_gpus(free: Sequence[int], count: int) -> list[int]:
    gaps = list(_gaps(free))
    fitting = [gap for gap in gaps if len(gap) >= count]
    if fitting:
        return min(fitting, key=len)[:count]
    chosen: list[int] = []
    for gap in sorted(gaps, key=len, reverse=True):
        chosen += gap[: count - len(chosen)]
    return sorted(chosen)


def _gaps(gpus: Sequence[int]) -> Iterator[list[int]]:
    """Split increasing numbers into runs of neighbours."""
    run: list[int] = []
    for gpu in gpus:
        if run and gpu != run[-1] + 1:
            yield run
            run = []
        run.append(gpu)
    if run:
        yield run
