"""What a policy may start; the engine takes no decision on trust."""

from __future__ import annotations

from operator import le, lt
from typing import TYPE_CHECKING

from optsched.core.placement import Placement
from optsched.sim.live_job import LiveJob

if TYPE_CHECKING:
    from optsched.sim.engine import Simulation

__all__ = ["broken_rule"]

#: What is wrong, and the id of the server it is about, if it is about one.
Verdict = tuple[str, str | None]


def broken_rule(state: Simulation, job: LiveJob, placement: Placement) -> Verdict | None:
    """Return the rule that a start would break; None for a start that is possible."""
    if not state.is_waiting(job):
        how = "runs already" if job.placement is not None else "is not waiting"
        return f"only a waiting job can start; this one {how}", None
    servers, counts = placement.servers, placement.counts
    free = state.free.free
    if (
        sum(counts) == job.gpus
        and len(counts) == len(servers)
        and servers[0] >= 0
        and servers[-1] < len(free)
        and min(counts) > 0
        and all(map(lt, servers, servers[1:]))
        and all(map(le, counts, map(free.__getitem__, servers)))
    ):
        # Most decisions are right.
        return None
    if sum(counts) != job.gpus:
        rule = f"all {job.gpus} GPUs start together, got a placement of {placement.gpus}"
        return rule, None
    before = -1
    for server, count in zip(servers, counts, strict=False):
        if not 0 <= server < len(free):
            return f"there is no server at position {server}", None
        if server <= before or count < 1 or len(servers) != len(counts):
            rule = "a placement names each server once, in order, with at least 1 GPU"
            return f"{rule}, got {servers} and {counts}", None
        if count > free[server]:
            name = state.instance.cluster.servers.ids[server]
            return f"needs {count} free GPUs, got {free[server]}", name
        before = server
    return None
