"""Graph colouring as a scheduling problem: why a schedule near the optimum is hard to find."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

from optsched.core.cluster import Cluster, Fabric, Link, Server
from optsched.core.errors import InstanceError, Problem
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.generate.draws import checked_count, checked_range, named_draws

__all__ = ["GraphName", "colouring"]

GraphName = Literal["random", "path", "cycle", "complete", "wheel", "petersen", "grotzsch"]
Edge = tuple[int, int]

#: With more, the rates of the links leave the range of floating point.
MOST_VERTICES = 64
#: Share of an iteration that a job sends where it should run.
SENDING_S = 1 / 16
SLOW_BYTES_PER_S = 1.0


def colouring(
    *,
    graph: GraphName = "random",
    vertices: int | None = None,
    edges: int | None = None,
    seed: int = 0,
) -> Instance:
    """Return jobs whose least makespan is the chromatic number χ of a graph, in seconds.

    Theorem 1 of Yu et al. 2022 makes a job of each vertex and lets two jobs share a GPU where
    there is an edge; each job's GPUs are given. Here a scheduler chooses them, so the network has
    to leave a job only one choice that is any good. In return no slot and no given placement is
    needed, and the optimum is χ itself.

    **Construction.** Vertices are i = 0 … n − 1, edges are k = 0 … E − 1. Job i has one iteration.
    An edge is a server of 1 GPU. For each vertex i of each edge k there is a server with
    (1 + 2i) · L GPUs, where L is the number of edges from k on, round and round, to the next one at
    i (E if there is one only). Servers are in the order of k, an edge's own one before those of its
    ends. The *cycle* of i is made of the servers of its edges and of its own between them; job i
    asks for all GPUs of its cycle, Dᵢ = (1 + 2i) E + degree. Neighbours on a cycle are joined by a
    path of three links with bytes per second bᵢ = Rⁿ⁻ⁱ, and each server by two links to a switch
    for all, with 1 byte per second, as also within servers; R ≥ 32 n. Gradients are such that job
    i takes 15/16 + 1/16 = 1 s on its cycle. (A vertex without edges has two servers of its own.)

    **Every other placement takes more than n seconds.** If a ring crosses a link of rate bᵢ/R or
    less, or stays within one server, job i takes at least 15/16 + R/16 > n. The route between two
    servers is three links if they are neighbours on a cycle, else four by the slow switch. So a
    better ring only has steps from neighbour to neighbour on cycles of vertices j ≤ i, and as rings
    go through servers in their order, it goes round the edges once, always on the cycle of some
    vertex, changing from one to another at an edge that they share; or it is two neighbours. From
    edge to edge on the cycle of j it finds (1 + 2j) L GPUs, and 1 at the edge. Where j < i, that is
    at most (2i − 1) L + L = 2i L, less than the (1 + 2i) L of the cycle of i alone. Two
    neighbours have (1 + 2j) E + 1 GPUs at most, and if they are not all of the cycle of i, fewer
    than Dᵢ. So only the whole cycle of i has Dᵢ GPUs.

    **The least makespan is χ.** Where jobs on their cycles run at the same time, they share no edge
    and no link: each takes 1 s. Colour by colour, the makespan is χ ≤ n. Conversely, in a
    non-preemptive schedule that ends by n, each job runs for 1 s on its cycle. Adjacent ones need
    the same GPU, so their starts are 1 s apart or more, and rounding all starts down to whole
    numbers yields a colouring: χ is at most the makespan. (The seconds are exact up to
    rounding in the last digits.)

    So all that is known of the hardness of colouring holds for the least makespan with free
    placement on a network with links of its own: χ cannot be approximated within n^(1 − ε) for any
    ε > 0 unless P = NP (Zuckerman 2007). It is not Theorem 1 itself: its factor is in terms of the
    largest demand, which bounds the degrees there, and here grows with E and n.

    Parameters
    ----------
    graph
        ``random``: ``edges`` of all pairs of ``vertices``, each set of that size as likely. Others
        are those of networkx: path, cycle, complete and wheel of ``vertices``; Petersen's (χ = 3)
        and Grötzsch's (no triangle, χ = 4).
    vertices
        How many, at most 64; None: 5, or as many as the graph of that name has.
    edges
        How many; None: half of all pairs, or as many as the graph of that name has.
    seed
        Draws the edges; for a graph by name, the order of its vertices.

    Raises
    ------
    InstanceError
        If there is no such graph.

    Examples
    --------
    >>> instance = colouring(graph="cycle", vertices=5)
    >>> instance.name, len(instance.jobs), len(instance.cluster.servers)
    ('colouring-cycle-5x5-0', 5, 15)
    """
    count, pairs = _graph(graph, vertices, edges, seed)
    rounds = max(len(pairs), 1)
    ratio = 2.0 ** (32 * count - 1).bit_length()
    servers, cycles = _servers(count, pairs, rounds)
    links, jobs = [], []
    for vertex, cycle in enumerate(cycles):
        bytes_per_s = SLOW_BYTES_PER_S * ratio ** (count - vertex)
        # Two servers are neighbours once, not once each way round.
        steps = zip(cycle, cycle[1:] + cycle[:1], strict=True) if len(cycle) > 2 else [cycle]
        for first, second in steps:
            way = [first, f"{first}/{second}", f"{second}/{first}", second]
            links += [Link(ends, bytes_per_s) for ends in pairwise(way)]
        gpus = sum(servers[name] for name in cycle)
        gradient_bytes = SENDING_S * bytes_per_s * gpus / (2 * (gpus - 1))
        jobs.append(Job(f"v{vertex}", gpus, 1, gradient_bytes, compute_s=1.0 - SENDING_S))
    for name in servers:
        links.append(Link((name, f"{name}/slow"), SLOW_BYTES_PER_S))
        links.append(Link((f"{name}/slow", "slow"), SLOW_BYTES_PER_S))
    fabric = Fabric(intra_bytes_per_s=SLOW_BYTES_PER_S, links=tuple(links))
    family = "colouring" if graph == "random" else f"colouring-{graph}"
    sizes = f"vertices={count},edges={len(pairs)}"
    return Instance(
        f"{family}-{count}x{len(pairs)}-{seed}",
        Cluster([Server(name, gpus) for name, gpus in servers.items()], fabric),
        jobs,
        RateModel.of("ring", contention_weight=1.0, server_overhead_s=0.0),
        description="The least makespan in seconds is the chromatic number of a graph.",
        metadata={"generator": f"colouring:graph={graph},{sizes},seed={seed}"},
    )


def _servers(
    vertices: int, pairs: list[Edge], rounds: int
) -> tuple[dict[str, int], list[list[str]]]:
    """Return the GPUs of the servers in their order, and the servers on each vertex's cycle."""
    at_vertex: list[list[int]] = [[] for _ in range(vertices)]
    for number, pair in enumerate(pairs):
        for vertex in pair:
            at_vertex[vertex].append(number)
    servers: dict[str, int] = {}
    cycles: list[list[str]] = [[] for _ in range(vertices)]
    for number, pair in enumerate(pairs):
        edge = "edge-{}-{}".format(*pair)
        servers[edge] = 1
        for vertex in pair:
            own = at_vertex[vertex]
            after = own[(own.index(number) + 1) % len(own)]
            steps = (after - number - 1) % rounds + 1
            name = f"v{vertex}-{own.index(number)}"
            servers[name] = (1 + 2 * vertex) * steps
            cycles[vertex] += [edge, name]
    for vertex in range(vertices):
        if not at_vertex[vertex]:
            cycles[vertex] = [f"v{vertex}-0", f"v{vertex}-1"]
            servers |= {cycles[vertex][0]: (1 + 2 * vertex) * rounds, cycles[vertex][1]: 1}
    return servers, cycles


def _graph(
    name: GraphName, vertices: int | None, edges: int | None, seed: int
) -> tuple[int, list[Edge]]:
    """Return the number of vertices, and the edges in order, the smaller end of each first."""
    if vertices is not None:
        checked_count("colouring", "vertices", vertices)
        checked_range("colouring", "vertices", vertices, 1, MOST_VERTICES)
    if name == "random":
        count = 5 if vertices is None else vertices
        every = [(first, second) for second in range(count) for first in range(second)]
        wanted = -(-len(every) // 2) if edges is None else edges
        if not 0 <= wanted <= len(every):
            raise _wrong("edges", f"a whole number from 0 to {len(every)}", edges)
        draws = named_draws("colouring", name, f"{count}x{wanted}", seed)
        return count, sorted(draws.sample(every, wanted))
    count, found = _named_graph(name, vertices)
    if edges not in (None, len(found)):
        raise _wrong("edges", f"{len(found)}, as the graph has", edges)
    order = list(range(count))
    named_draws("colouring", name, count, seed).shuffle(order)
    ends = ((order[first], order[second]) for first, second in found)
    return count, sorted((min(pair), max(pair)) for pair in ends)


def _named_graph(name: GraphName, vertices: int | None) -> tuple[int, list[Edge]]:
    """Return a graph of networkx, its vertices numbered from 0."""
    import networkx as nx

    count = 5 if vertices is None else vertices
    if name in ("petersen", "grotzsch"):
        made = nx.petersen_graph() if name == "petersen" else nx.mycielski_graph(4)
        if vertices not in (None, len(made)):
            raise _wrong("vertices", f"{len(made)}, as the graph has", vertices)
    else:
        least = {"path": 1, "cycle": 3, "complete": 1, "wheel": 4}[name]
        if count < least:
            raise _wrong("vertices", f"at least {least}", vertices)
        made = getattr(nx, f"{name}_graph")(count)
    return len(made), [(int(first), int(second)) for first, second in made.edges]


def _wrong(parameter: str, expected: str, got: int | None) -> InstanceError:
    return InstanceError([Problem(("colouring", parameter), expected, f"{got}")])
