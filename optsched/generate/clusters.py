"""Clusters whose network is a graph: presets, and conversion from and to networkx."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from optsched.core.cluster import Cluster, Fabric, Link, Server
from optsched.core.errors import InstanceError, Problem

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["fat_tree", "from_graph", "racks", "single_switch", "to_graph"]


def single_switch(
    servers: int, gpus_per_server: int, *, bytes_per_s: float, fabric: Fabric | None = None
) -> Cluster:
    """Join all servers by one switch; the same as network interfaces of that rate.

    Parameters
    ----------
    servers, gpus_per_server
        Size of the cluster.
    bytes_per_s
        Rate of each server's link.
    fabric
        Everything about the fabric but its links.

    Examples
    --------
    >>> [link.between for link in single_switch(2, 8, bytes_per_s=1e9).fabric.links]
    [('s0', 'switch'), ('s1', 'switch')]
    """
    nodes = [Server(f"s{position}", gpus_per_server) for position in range(servers)]
    links = [Link((node.id, "switch"), bytes_per_s) for node in nodes]
    return Cluster(nodes, _with_links(fabric, links))


def racks(
    count: int,
    servers_per_rack: int,
    gpus_per_server: int,
    *,
    bytes_per_s: float,
    oversubscription: float = 1.0,
    fabric: Fabric | None = None,
) -> Cluster:
    """Join servers by a switch in each rack, and the racks' switches by one more.

    Parameters
    ----------
    count, servers_per_rack, gpus_per_server
        Size of the cluster.
    bytes_per_s
        Rate of each server's link.
    oversubscription
        How many times the rates of a rack's servers together exceed the rate of its uplink.
    fabric
        Everything about the fabric but its links.

    Examples
    --------
    >>> cluster = racks(2, 4, 8, bytes_per_s=1e9, oversubscription=4.0)
    >>> [link.bytes_per_s for link in cluster.fabric.links if "core" in link.between]
    [1000000000.0, 1000000000.0]
    """
    uplink = servers_per_rack * bytes_per_s / oversubscription
    nodes, links = [], []
    for rack in range(count):
        for place in range(servers_per_rack):
            node = Server(f"s{rack * servers_per_rack + place}", gpus_per_server, f"r{rack}")
            nodes.append(node)
            links.append(Link((node.id, f"rack-{rack}"), bytes_per_s))
        links.append(Link((f"rack-{rack}", "core"), uplink))
    return Cluster(nodes, _with_links(fabric, links))


def fat_tree(
    ports: int,
    gpus_per_server: int,
    *,
    bytes_per_s: float,
    oversubscription: float = 1.0,
    fabric: Fabric | None = None,
) -> Cluster:
    """Build a fat tree of switches with ``ports`` ports (Al-Fares, Loukissas, Vahdat 2008).

    There are ``ports`` pods, each with ``ports/2`` edge switches of ``ports/2`` servers and
    ``ports/2`` aggregation switches, and ``(ports/2)²`` core switches: ``ports³/4`` servers.

    Parameters
    ----------
    ports
        Ports of a switch, even.
    gpus_per_server
        GPUs of each server.
    bytes_per_s
        Rate of each server's link.
    oversubscription
        How many times slower each link above the edge switches is.
    fabric
        Everything about the fabric but its links.

    Examples
    --------
    >>> cluster = fat_tree(4, 8, bytes_per_s=1e9)
    >>> len(cluster.servers), len(cluster.fabric.links)
    (16, 48)
    """
    if ports < 2 or ports % 2:
        raise ValueError(f"a fat tree has switches of an even number of ports, got {ports}")
    half, above = ports // 2, bytes_per_s / oversubscription
    nodes, links = [], []
    for pod in range(ports):
        for edge in range(half):
            for place in range(half):
                position = (pod * half + edge) * half + place
                nodes.append(Server(f"s{position}", gpus_per_server, f"r{pod * half + edge}"))
                links.append(Link((f"s{position}", f"edge-{pod}-{edge}"), bytes_per_s))
            links += [
                Link((f"edge-{pod}-{edge}", f"aggregation-{pod}-{up}"), above) for up in range(half)
            ]
        for up in range(half):
            links += [
                Link((f"aggregation-{pod}-{up}", f"core-{up}-{core}"), above)
                for core in range(half)
            ]
    return Cluster(nodes, _with_links(fabric, links))


def from_graph(graph: nx.Graph, *, fabric: Fabric | None = None) -> Cluster:
    """Return the cluster of a networkx graph.

    Parameters
    ----------
    graph
        Nodes with an attribute ``gpus`` are servers (``rack`` is optional), all others switches.
        Every edge has ``bytes_per_s``. Names become texts.
    fabric
        Everything about the fabric but its links.

    Raises
    ------
    InstanceError
        If no node has GPUs or an edge has no rate.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.Graph()
    >>> graph.add_nodes_from(["a", "b"], gpus=4)
    >>> graph.add_edge("a", "b", bytes_per_s=1e9)
    >>> from_graph(graph).total_gpus
    8
    """
    nodes = [
        Server(str(name), int(data["gpus"]), str(data.get("rack", "r0")))
        for name, data in graph.nodes(data=True)
        if "gpus" in data
    ]
    problems = []
    if not nodes:
        expected = "a node with the attribute gpus"
        problems.append(Problem(("graph", "nodes"), expected, "none"))
    problems += [
        Problem(("graph", "edges", f"{a} - {b}"), "the attribute bytes_per_s", "none")
        for a, b, data in graph.edges(data=True)
        if "bytes_per_s" not in data
    ]
    if problems:
        raise InstanceError(problems)
    links = [
        Link((str(a), str(b)), float(data["bytes_per_s"])) for a, b, data in graph.edges(data=True)
    ]
    return Cluster(nodes, _with_links(fabric, links))


def to_graph(cluster: Cluster) -> nx.Graph:
    """Return the network of a cluster with links as a networkx graph, as :func:`from_graph` takes.

    Examples
    --------
    >>> to_graph(single_switch(2, 8, bytes_per_s=1e9)).nodes["s1"]
    {'gpus': 8, 'rack': 'r0'}
    """
    import networkx as nx

    graph = nx.Graph()
    for server in cluster.servers:
        graph.add_node(server.id, gpus=server.gpus, rack=server.rack)
    for link in cluster.fabric.links:
        graph.add_edge(*link.between, bytes_per_s=link.bytes_per_s)
    return graph


def _with_links(fabric: Fabric | None, links: list[Link]) -> Fabric:
    base = Fabric() if fabric is None else fabric
    return replace(base, links=tuple(links))
