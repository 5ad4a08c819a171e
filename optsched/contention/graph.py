"""A network graph as what jobs share: the links on the shortest paths of their rings."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx

from optsched.core.cluster import Cluster
from optsched.core.placement import Placement

__all__ = ["GraphResources"]


class GraphResources:
    """The links of a fabric, and which of them the ring of a set of servers crosses.

    A ring joins the servers in the order of the cluster and the last to the first. Between two
    neighbours it takes a shortest path by number of links; of several, the one that the positions
    of the two servers pick in turn, so that equal paths are used alike and always the same way.

    Resource s is the link of server s where the server has one link, as for network interfaces;
    the other links follow from S on. The number of a server with several links, or whose one link
    is another server's too, is not used.

    Parameters
    ----------
    cluster
        A cluster whose fabric has links.

    Examples
    --------
    >>> from optsched.core.cluster import Fabric, Link, Server
    >>> links = [Link(("s0", "a"), 1e9), Link(("s1", "b"), 1e9), Link(("a", "b"), 5e8)]
    >>> cluster = Cluster([Server("s0", 4), Server("s1", 4)], Fabric(links=tuple(links)))
    >>> resources = GraphResources(cluster)
    >>> resources.crossed(Placement.of({0: 1, 1: 1})), resources.name(2)
    ((0, 1, 2), 'link a - b')
    """

    def __init__(self, cluster: Cluster) -> None:
        self._ids = cluster.servers.ids
        self._links = cluster.fabric.links
        self._graph = nx.Graph()
        for link in self._links:
            self._graph.add_edge(*link.between)
        self._number_resources()
        position = {name: server for server, name in enumerate(self._ids)}
        #: A star: every server has one link, and all of them go to one switch.
        hubs = {node for link in self._links for node in link.between if node not in position}
        self.are_interfaces = len(hubs) == 1 and len(self._links) == len(self._ids)
        self._pairs: dict[tuple[int, int], frozenset[int]] = {}
        self._rings: dict[tuple[int, ...], tuple[int, ...]] = {}

    def _number_resources(self) -> None:
        links_of: dict[str, list[int]] = {name: [] for name in self._ids}
        for number, link in enumerate(self._links):
            for node in link.between:
                if node in links_of:
                    links_of[node].append(number)
        count = len(self._ids)
        fastest = max(link.bytes_per_s for link in self._links)
        #: A number that is not used has a rate that changes no minimum and no comparison.
        self.bytes_per_s: list[float] = [fastest] * count
        self._resource_of: dict[frozenset[str], int] = {}
        self._link_at: dict[int, int] = {}
        for server, name in enumerate(self._ids):
            ends = frozenset(self._links[links_of[name][0]].between)
            if len(links_of[name]) == 1 and ends not in self._resource_of:
                self._assign(server, links_of[name][0])
        for number, link in enumerate(self._links):
            if frozenset(link.between) not in self._resource_of:
                self.bytes_per_s.append(0.0)
                self._assign(len(self.bytes_per_s) - 1, number)
        self._fastest_by_server = sorted(
            max(self._links[number].bytes_per_s for number in numbers)
            for numbers in links_of.values()
        )

    def _assign(self, resource: int, number: int) -> None:
        link = self._links[number]
        self._resource_of[frozenset(link.between)] = resource
        self._link_at[resource] = number
        self.bytes_per_s[resource] = link.bytes_per_s

    def name(self, resource: int) -> str:
        """Return the id of the server, or ``link A - B``."""
        if resource < len(self._ids):
            return self._ids[resource]
        first, second = self._links[self._link_at[resource]].between
        return f"link {first} - {second}"

    def crossed(self, placement: Placement) -> tuple[int, ...]:
        """Return the links that the ring crosses in either direction; none when local."""
        servers = placement.servers
        if len(servers) < 2:
            return ()
        found = self._rings.get(servers)
        if found is None:
            crossed: set[int] = set()
            for pair in pairwise((*servers, servers[0])):
                crossed |= self._path(*pair)
            found = self._rings[servers] = tuple(sorted(crossed))
        return found

    def fastest_of_two_servers(self) -> float:
        """Return the second fastest of the servers' fastest links: a ring uses two."""
        return self._fastest_by_server[-2]

    def _path(self, first: int, second: int) -> frozenset[int]:
        """Return the links of the path between two servers, in whichever order they are given."""
        pair = (first, second) if first < second else (second, first)
        found = self._pairs.get(pair)
        if found is None:
            ends = self._ids[pair[0]], self._ids[pair[1]]
            paths = sorted(nx.all_shortest_paths(self._graph, *ends))
            path = paths[sum(pair) % len(paths)]
            links = (self._resource_of[frozenset(step)] for step in pairwise(path))
            found = self._pairs[pair] = frozenset(links)
        return found
