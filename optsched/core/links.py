"""The rules a network graph has to keep."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from optsched.core.cluster import Cluster, Link
from optsched.core.errors import Path, Problem

__all__ = ["link_problems"]

PLACE: Path = ("cluster", "fabric", "links")


def link_problems(cluster: Cluster) -> Iterator[Problem]:
    """Yield what is wrong with the links of a cluster's fabric.

    Examples
    --------
    >>> from optsched.core.cluster import Fabric, Server
    >>> fabric = Fabric(links=(Link(("s0", "switch"), 1e9),))
    >>> for problem in link_problems(Cluster([Server("s0", 1), Server("s1", 1)], fabric)):
    ...     print(problem.text())
    cluster.fabric.links: expected a path between all servers, got none from 's0' to 's1'
    """
    links = cluster.fabric.links
    if not links:
        return
    yield from _rate_problems(cluster)
    seen: dict[frozenset[str], int] = {}
    for position, link in enumerate(links):
        place = (*PLACE, position)
        if not (math.isfinite(link.bytes_per_s) and link.bytes_per_s > 0):
            expected = "a finite rate above 0"
            yield Problem((*place, "bytes_per_s"), expected, repr(link.bytes_per_s))
        ends = frozenset(link.between)
        if len(ends) < 2 or "" in ends:
            expected = "the names of two different nodes"
            yield Problem((*place, "between"), expected, repr(list(link.between)))
        elif seen.setdefault(ends, position) != position:
            expected = f"one link between two nodes (also links[{seen[ends]}])"
            yield Problem((*place, "between"), expected, repr(list(link.between)))
    ids = cluster.servers.ids
    reached = _reached(ids[0], links) if ids else set()
    cut_off = next((name for name in ids if name not in reached), None)
    if cut_off is not None:
        got = f"none from {ids[0]!r} to {cut_off!r}"
        yield Problem(PLACE, "a path between all servers", got)


def _rate_problems(cluster: Cluster) -> Iterator[Problem]:
    for name in ("inter_bytes_per_s", "uplink_bytes_per_s"):
        rate = getattr(cluster.fabric, name)
        if math.isfinite(rate):
            expected = "nothing, since links are given"
            yield Problem(("cluster", "fabric", name), expected, repr(rate), "leave one out")
    for position in np.flatnonzero(~np.isnan(cluster.servers.inter_bytes_per_s)).tolist():
        rate = cluster.servers.inter_bytes_per_s.item(position)
        place = ("cluster", "servers", position, "inter_bytes_per_s")
        yield Problem(place, "nothing, since links are given", repr(rate), "leave one out")


def _reached(start: str, links: Iterable[Link]) -> set[str]:
    """Return the nodes that can be reached from one."""
    neighbours: dict[str, list[str]] = {}
    for link in links:
        first, second = link.between
        neighbours.setdefault(first, []).append(second)
        neighbours.setdefault(second, []).append(first)
    reached, frontier = {start}, [start]
    while frontier:
        for node in neighbours.get(frontier.pop(), ()):
            if node not in reached:
                reached.add(node)
                frontier.append(node)
    return reached
