"""What jobs, servers and segments are called in messages, also those that do not exist."""

from __future__ import annotations

from optsched.core.instance import Instance
from optsched.core.placement import Placement
from optsched.core.result import Violation
from optsched.core.schedule import Schedule
from optsched.judge.clock import seconds

__all__ = ["job_name", "placement_text", "segment_text", "segment_violation", "server_name"]


def job_name(instance: Instance, job: int) -> str:
    """Return a job's id, or its number if there is no such job."""
    ids = instance.jobs.ids
    return ids[job] if 0 <= job < len(ids) else f"#{job}"


def server_name(instance: Instance, server: int) -> str:
    """Return a server's id, or its number if there is no such server."""
    ids = instance.cluster.servers.ids
    return ids[server] if 0 <= server < len(ids) else f"#{server}"


def placement_text(instance: Instance, placement: Placement) -> str:
    """Return a placement as ``2 on 's0', 1 on 's1'``."""
    pairs = zip(placement.servers, placement.counts, strict=False)
    parts = [f"{count} on {server_name(instance, server)!r}" for server, count in pairs]
    more = "" if len(parts) <= 8 else f" and {len(parts) - 8} more servers"
    return ", ".join(parts[:8]) + more if parts else "no server"


def segment_text(instance: Instance, schedule: Schedule, row: int) -> str:
    """Return when and where a segment is."""
    start, end = seconds(schedule.start_s.item(row)), seconds(schedule.end_s.item(row))
    placement = _placement(schedule, row)
    where = "no placement" if placement is None else placement_text(instance, placement)
    return f"{where} from {start} to {end}"


def segment_violation(
    instance: Instance,
    schedule: Schedule,
    row: int,
    rule: str,
    text: str,
    *,
    time_s: float | None = None,
) -> Violation:
    """Return a violation by one segment: of its job, on its first server, from its start on."""
    job = job_name(instance, schedule.job.item(row))
    placement = _placement(schedule, row)
    first = placement.servers[0] if placement is not None and placement.servers else None
    return Violation(
        rule=rule,
        message=f"job {job!r}: {text}",
        job=job,
        server=None if first is None else server_name(instance, first),
        time_s=schedule.start_s.item(row) if time_s is None else time_s,
    )


def _placement(schedule: Schedule, row: int) -> Placement | None:
    position = schedule.placement.item(row)
    return schedule.placements[position] if 0 <= position < len(schedule.placements) else None
