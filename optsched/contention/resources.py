"""What jobs share: the servers' network interfaces and the racks' uplinks."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from optsched.core.cluster import Cluster
from optsched.core.placement import Placement

__all__ = ["InterfaceResources", "SharedResources", "resources_of"]


class SharedResources(Protocol):
    """The resources of a network, numbered from 0, and which of them a ring crosses."""

    @property
    def bytes_per_s(self) -> list[float]:
        """Rate of each resource."""

    @property
    def are_interfaces(self) -> bool:
        """True if the resources are the servers' own interfaces and nothing else."""

    def name(self, resource: int) -> str:
        """Return what a resource is called in messages and plots."""

    def crossed(self, placement: Placement) -> tuple[int, ...]:
        """Return the resources that the ring of a placement crosses; none when local."""

    def fastest_of_two_servers(self) -> float:
        """Return a rate that no ring over two servers or more exceeds."""


class InterfaceResources:
    """Resource s is the interface of server s; S + r is the uplink of rack r.

    Uplinks are crossed by jobs that span two racks or more, and exist only if the fabric gives
    them a rate and there is more than one rack.

    Examples
    --------
    >>> from optsched.core.cluster import Fabric
    >>> fabric = Fabric(inter_bytes_per_s=1e9, uplink_bytes_per_s=5e8)
    >>> resources = InterfaceResources(Cluster.uniform(4, 2, racks=2, fabric=fabric))
    >>> resources.crossed(Placement.of({0: 2, 1: 1})), resources.crossed(Placement.of({0: 1, 2: 1}))
    ((0, 1), (0, 2, 4, 5))
    """

    def __init__(self, cluster: Cluster) -> None:
        servers, fabric = cluster.servers, cluster.fabric
        own = servers.inter_bytes_per_s
        interfaces = np.where(np.isnan(own), fabric.inter_bytes_per_s, own).tolist()
        racks = servers.rack_names
        has_uplinks = np.isfinite(fabric.uplink_bytes_per_s) and len(racks) > 1
        uplinks = [fabric.uplink_bytes_per_s] * len(racks) if has_uplinks else []
        self._cluster = cluster
        self._interfaces: list[float] = interfaces
        self._racks: list[int] = servers.rack.tolist()
        self.are_interfaces = not has_uplinks
        self.bytes_per_s: list[float] = [*interfaces, *uplinks]

    def name(self, resource: int) -> str:
        """Return the id of the server, or ``uplink of RACK``."""
        servers = self._cluster.servers
        if resource < len(servers):
            return servers.ids[resource]
        return f"uplink of {servers.rack_names[resource - len(servers)]}"

    def crossed(self, placement: Placement) -> tuple[int, ...]:
        """Return the interfaces of the placement's servers, then the uplinks of its racks."""
        servers = placement.servers
        if len(servers) < 2:
            return ()
        if self.are_interfaces:
            return servers
        racks = sorted({self._racks[server] for server in servers})
        if len(racks) == 1:
            return servers
        first = len(self._racks)
        return (*servers, *(first + rack for rack in racks))

    def fastest_of_two_servers(self) -> float:
        """Return the second fastest interface: a ring crosses two at least."""
        return sorted(self._interfaces)[-2]


def resources_of(cluster: Cluster) -> SharedResources:
    """Return what jobs share on a cluster: its links if the fabric is a graph, else interfaces."""
    if cluster.fabric.links:
        from optsched.contention.graph import GraphResources

        return GraphResources(cluster)
    return InterfaceResources(cluster)
