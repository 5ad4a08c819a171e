"""Tiered: the nearest GPUs there are, one machine before one rack before the whole network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from operator import itemgetter
from typing import Literal

from optsched.core.cluster import Cluster
from optsched.core.placement import Placement
from optsched.placement.local import on_one_server
from optsched.sim import FreePool, LiveJob, Simulation

__all__ = ["Tier", "Tiered", "best_tier", "tier_of"]


class Tier(IntEnum):
    """How far a placement is spread; a greater tier is a slower network.

    Examples
    --------
    >>> Tier.MACHINE < Tier.RACK < Tier.NETWORK
    True
    """

    MACHINE = 0
    RACK = 1
    NETWORK = 2


#: The tiers as names of this module: an attribute of an enumeration is found slowly.
MACHINE, RACK, NETWORK = Tier


def tier_of(placement: Placement, cluster: Cluster) -> Tier:
    """Return the tier that a placement uses.

    Examples
    --------
    >>> cluster = Cluster.uniform(4, 2, racks=2)
    >>> [tier_of(Placement.of(one), cluster).name for one in ({0: 2}, {0: 1, 1: 1}, {1: 1, 2: 1})]
    ['MACHINE', 'RACK', 'NETWORK']
    """
    if len(placement.servers) == 1:
        return MACHINE
    racks = cluster.servers.rack
    first = racks[placement.servers[0]]
    is_one_rack = all(racks[server] == first for server in placement.servers)
    return RACK if is_one_rack else NETWORK


def best_tier(gpus: int, cluster: Cluster) -> Tier:
    """Return the best tier that ``gpus`` GPUs can have on the empty cluster.

    Examples
    --------
    >>> [best_tier(gpus, Cluster.uniform(4, 2, racks=2)).name for gpus in (2, 3, 5)]
    ['MACHINE', 'RACK', 'NETWORK']
    """
    if gpus <= cluster.max_gpus_per_server:
        return MACHINE
    held = [0] * len(cluster.servers.rack_names)
    for rack, size in zip(
        cluster.servers.rack.tolist(), cluster.servers.gpus.tolist(), strict=True
    ):
        held[rack] += size
    return RACK if gpus <= max(held) else NETWORK


class _Rack:
    """The servers of a rack, and what reads their free GPUs at once."""

    __slots__ = ("free_of", "servers")

    def __init__(self, servers: list[int]) -> None:
        self.servers = servers
        read = itemgetter(*servers)
        self.free_of: Callable[[list[int]], tuple[int, ...]] = (
            read if len(servers) > 1 else lambda free: (read(free),)
        )


class Tiered:
    """Take GPUs of one machine if there are enough, else of one rack, else of several.

    Parameters
    ----------
    fit
        ``best``: the machine with the fewest free GPUs that suffice; in a rack the fewest machines,
        and the rack that needs the fewest; over the network the fewest racks. ``first``: the first
        machine, the first rack, and GPUs in the order of the cluster (what the public simulator of
        Sharma et al., arXiv 2401.16492, does).
    limit
        ``network``: take any GPUs in the end. ``best``: never go beyond the best tier that the
        demand can have on the empty cluster; the job waits for it.

    Examples
    --------
    >>> cluster, pool = Cluster.uniform(4, 2, racks=2), FreePool([1, 1, 1, 2])
    >>> Tiered().place(pool, 2, cluster), Tiered().place(pool, 3, cluster)
    (Placement(servers=(3,), counts=(2,)), Placement(servers=(2, 3), counts=(1, 2)))
    >>> Tiered(limit="best").place(FreePool([1, 1, 1, 1]), 2, cluster) is None
    True
    """

    depends_on_demand_only = True

    def __init__(
        self,
        *,
        fit: Literal["best", "first"] = "best",
        limit: Literal["network", "best"] = "network",
    ) -> None:
        if fit not in ("best", "first"):
            raise ValueError(f"fit is 'best' or 'first', got {fit!r}")
        if limit not in ("network", "best"):
            raise ValueError(f"limit is 'network' or 'best', got {limit!r}")
        self.fit = fit
        self.limit = limit
        self._cluster: Cluster | None = None
        self._racks: list[_Rack] = []
        self._best: dict[int, Tier] = {}

    def offer(self, job: LiveJob, free: FreePool, state: Simulation) -> Placement | None:
        """Return a placement of the best tier that has room now, within the limit."""
        return self.place(free, job.gpus, state.instance.cluster)

    def place(
        self, free: FreePool, gpus: int, cluster: Cluster, *, worst: Tier | None = None
    ) -> Placement | None:
        """Return a placement that goes no further than ``worst`` (None: the rule's own limit)."""
        if gpus > free.total:
            return None
        best = self.best_tier(gpus, cluster)
        if worst is None:
            worst = best if self.limit == "best" else NETWORK
        if best == MACHINE:
            near = self.on_one_machine(free, gpus)
            if near is not None:
                return near
        if worst == MACHINE:
            return None
        if best <= RACK:
            found = self._in_one_rack(free, gpus, self._racks)
            if found is not None:
                return _placement(found)
        if worst == RACK:
            return None
        return _placement(self._over_racks(free, gpus))

    def on_one_machine(self, free: FreePool, gpus: int) -> Placement | None:
        """Return a placement on one machine, if one has room."""
        server = free.best_fit(gpus) if self.fit == "best" else free.first_fit(gpus)
        return None if server is None else on_one_server(server, gpus)

    def best_tier(self, gpus: int, cluster: Cluster) -> Tier:
        """Return :func:`best_tier`, remembered as long as the cluster stays the same."""
        if self._cluster is not cluster:
            self._cluster = cluster
            self._best = {}
            racks: list[list[int]] = [[] for _ in cluster.servers.rack_names]
            for server, rack in enumerate(cluster.servers.rack.tolist()):
                racks[rack].append(server)
            self._racks = [_Rack(servers) for servers in racks if servers]
        found = self._best.get(gpus)
        if found is None:
            found = self._best[gpus] = best_tier(gpus, cluster)
        return found

    def _in_one_rack(
        self, free: FreePool, gpus: int, racks: Sequence[_Rack]
    ) -> dict[int, int] | None:
        chosen: tuple[tuple[int, int], dict[int, int]] | None = None
        for rack in racks:
            room = sum(rack.free_of(free.free))
            if room < gpus:
                continue
            if self.fit == "first":
                return _in_order(free, gpus, rack.servers)
            taken = _on_fewest(free, gpus, rack.servers)
            rank = (len(taken), room)
            if chosen is None or rank < chosen[0]:
                chosen = (rank, taken)
        return None if chosen is None else chosen[1]

    def _over_racks(self, free: FreePool, gpus: int) -> dict[int, int]:
        """Take GPUs anywhere; there are enough, but in no single rack."""
        if self.fit == "first":
            return _in_order(free, gpus, range(len(free.free)))
        taken: dict[int, int] = {}
        left = sorted(self._racks, key=lambda rack: _room(free, rack))
        last = None
        while last is None:
            for server in left.pop(0).servers:
                if free.free[server]:
                    taken[server] = free.free[server]
                    gpus -= free.free[server]
            last = self._in_one_rack(free, gpus, left)
        return taken | last


def _room(free: FreePool, rack: _Rack) -> tuple[int, int]:
    """Return the key of a rack: the most free GPUs come first, then the fewest machines."""
    counts = rack.free_of(free.free)
    return -sum(counts), len(counts) - counts.count(0)


def _in_order(free: FreePool, gpus: int, servers: Sequence[int]) -> dict[int, int]:
    taken: dict[int, int] = {}
    for server in servers:
        if free.free[server]:
            taken[server] = min(gpus, free.free[server])
            gpus -= taken[server]
            if gpus == 0:
                break
    return taken


def _on_fewest(free: FreePool, gpus: int, servers: Sequence[int]) -> dict[int, int]:
    """Take the fullest offers first, and for the rest the smallest that suffices."""
    # Of equals the first: sorting is stable, also in reverse.
    ranked = sorted(servers, key=free.free.__getitem__, reverse=True)
    taken: dict[int, int] = {}
    for position, server in enumerate(ranked):
        if free.free[server] >= gpus:
            last = server
            for other in ranked[position + 1 :]:
                if free.free[other] < gpus:
                    break
                if free.free[other] < free.free[last]:
                    last = other
            taken[last] = gpus
            return taken
        taken[server] = free.free[server]
        gpus -= free.free[server]
    return taken


def _placement(taken: dict[int, int]) -> Placement:
    servers = tuple(sorted(taken))
    return Placement(servers, tuple(map(taken.__getitem__, servers)))
