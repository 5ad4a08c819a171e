"""Networks as graphs: shared links worked out by hand, and a star that is like interfaces."""

import networkx as nx
import pytest

from optsched.contention import rate_functions
from optsched.contention.graph import GraphResources
from optsched.core.cluster import Cluster, Fabric, Link, Server
from optsched.core.errors import InstanceError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.schedule import Decision
from optsched.generate.clusters import fat_tree, from_graph, racks, single_switch, to_graph
from optsched.judge import replay
from optsched.planners import ListScheduling, RandomGpus
from optsched.policies import Fifo, Sjf
from optsched.sim import simulate


def names(resources, placement):
    return {resources.name(resource) for resource in resources.crossed(placement)}


def four_switches():
    """Return switches a - b - c - d in a row, one server of 2 GPUs at each, the middle slow."""
    links = [Link((f"s{i}", name), 4e9) for i, name in enumerate("abcd")]
    links += [Link(("a", "b"), 2e9), Link(("b", "c"), 1e9), Link(("c", "d"), 2e9)]
    fabric = Fabric(degradation=0.5, links=tuple(links))
    return Cluster([Server(f"s{i}", 2) for i in range(4)], fabric)


def test_a_ring_crosses_the_links_between_its_servers():
    resources = GraphResources(four_switches())
    assert names(resources, Placement.of({0: 1, 1: 1})) == {"s0", "s1", "link a - b"}
    assert names(resources, Placement.of({0: 1, 3: 1})) == {
        "s0",
        "s3",
        "link a - b",
        "link b - c",
        "link c - d",
    }
    assert resources.crossed(Placement.of({2: 2})) == ()


def test_the_slowest_link_decides_and_each_link_is_shared_on_its_own():
    # m = 1e9, w = 2: the ring carries 2m(w-1)/w = 1e9 bytes; Δ = 0.
    jobs = [Job(name, 2, 10, gradient_bytes=1e9) for name in "xyz"]
    instance = Instance("row", four_switches(), jobs)
    rates = rate_functions(instance)
    near, far = Placement.of({0: 1, 1: 1}), Placement.of({0: 1, 3: 1})
    assert not rates.is_level_model
    # s0 and s1 at 4e9, a - b at 2e9: 1e9/2e9.
    assert rates.iteration_time_s(0, near, [1, 1, 1]) == 0.5
    # Across b - c at 1e9.
    assert rates.iteration_time_s(0, far, [1, 1, 1, 1, 1]) == 1.0
    # Two jobs on a - b, f(2) = 2.5: 2e9/2.5 = 0.8e9, slower than b - c alone at 1e9.
    load = {"s0": 2, "s3": 1, "link a - b": 2, "link b - c": 1, "link c - d": 1}
    counts = [load[rates.resource_name(r)] for r in rates.shared_resources(far)]
    assert rates.iteration_time_s(0, far, counts) == 1.25
    # Both from time 0: near sees s0 at 4e9/2.5 and a - b at 0.8e9, so 1.25 as well. near and far
    # both do 10 iterations in 12.5 s.
    together = replay(instance, [Decision(0, near, 0.0), Decision(1, far, 0.0)])
    assert together.end_s.tolist() == [12.5, 12.5]
    # x on s0, s1 and z on s2, s3 share nothing.
    apart = replay(instance, [Decision(0, near, 0.0), Decision(2, Placement.of({2: 1, 3: 1}), 0.0)])
    assert apart.end_s.tolist() == [5.0, 5.0]


def test_racks_as_a_graph_equal_interfaces_and_uplinks():
    graph = racks(2, 2, 2, bytes_per_s=1e9, oversubscription=4.0, fabric=Fabric(degradation=0.2))
    plain = Cluster.uniform(
        4,
        2,
        racks=2,
        fabric=Fabric(inter_bytes_per_s=1e9, uplink_bytes_per_s=5e8, degradation=0.2),
    )
    jobs = [Job(str(i), 3, 7, gradient_bytes=3e8, compute_s=0.1) for i in range(4)]
    for policy in (Fifo, Sjf):
        for placement in ("consolidated", "first_fit"):
            ends = [
                simulate(
                    Instance("x", cluster, jobs), policy(placement=placement), debug=True
                ).schedule.end_s.tolist()
                for cluster in (graph, plain)
            ]
            assert ends[0] == ends[1]


@pytest.mark.parametrize("seed", range(20))
def test_a_single_switch_is_bit_for_bit_the_ring_model(seed):
    fabric = Fabric(intra_bytes_per_s=1e11, degradation=0.3, latency_s=1e-3)
    star = single_switch(5, 3, bytes_per_s=1.3e9, fabric=fabric)
    plain = Cluster.uniform(
        5,
        3,
        fabric=Fabric(
            intra_bytes_per_s=1e11, inter_bytes_per_s=1.3e9, degradation=0.3, latency_s=1e-3
        ),
    )
    jobs = [
        Job(str(i), 1 + (i * 7 + seed) % 6, 5 + i, gradient_bytes=1e8 * (i + 1), compute_s=0.07)
        for i in range(12)
    ]
    one, other = Instance("star", star, jobs), Instance("plain", plain, jobs)
    assert rate_functions(one).is_level_model
    for planner in (RandomGpus(), ListScheduling()):
        first, second = planner.plan(one, seed=seed), planner.plan(other, seed=seed)
        assert first.schedule.start_s.tolist() == second.schedule.start_s.tolist()
        assert first.schedule.end_s.tolist() == second.schedule.end_s.tolist()


def test_a_fat_tree_uses_its_equal_paths_in_turn():
    cluster = fat_tree(4, 2, bytes_per_s=1e9, oversubscription=2.0)
    resources = GraphResources(cluster)
    # s0 and s1 are at one edge switch; s2 is at the other of the pod, s4 in another pod.
    assert len(resources.crossed(Placement.of({0: 1, 1: 1}))) == 2
    assert len(resources.crossed(Placement.of({0: 1, 2: 1}))) == 4
    assert len(resources.crossed(Placement.of({0: 1, 4: 1}))) == 6
    cores = {
        node
        for server in range(4, 8)
        for name in names(resources, Placement.of({0: 1, server: 1}))
        for node in name.split()
        if node.startswith("core")
    }
    assert len(cores) > 1
    assert sorted(set(resources.bytes_per_s)) == [5e8, 1e9]


def test_graphs_of_networkx_come_and_go():
    cluster = fat_tree(4, 2, bytes_per_s=1e9, oversubscription=4.0)
    again = from_graph(to_graph(cluster))
    assert list(again.servers) == list(cluster.servers)

    def edges(of):
        return {(frozenset(link.between), link.bytes_per_s) for link in of.fabric.links}

    assert edges(again) == edges(cluster)


@pytest.mark.parametrize(
    ("links", "text"),
    [
        ([Link(("s0", "x"), 1e9)], "a path between all servers, got none from 's0' to 's1'"),
        (
            [Link(("s0", "s1"), 0.0)],
            "links[0].bytes_per_s: expected a finite rate above 0, got 0.0",
        ),
        ([Link(("s0", "s0"), 1.0)], "links[0].between: expected the names of two different nodes"),
        (
            [Link(("s0", "s1"), 1.0), Link(("s1", "s0"), 1.0)],
            "links[1].between: expected one link between two nodes (also links[0])",
        ),
    ],
)
def test_broken_graphs_are_refused(links, text):
    cluster = Cluster([Server("s0", 1), Server("s1", 1)], Fabric(links=tuple(links)))
    with pytest.raises(InstanceError) as raised:
        Instance("broken", cluster, [Job("a", 1, 1, compute_s=1.0)])
    assert text in str(raised.value)


def test_links_and_rates_of_interfaces_exclude_each_other():
    links = (Link(("s0", "s1"), 1e9),)
    servers = [Server("s0", 1), Server("s1", 1, inter_bytes_per_s=5.0)]
    with pytest.raises(InstanceError) as raised:
        Instance(
            "both",
            Cluster(servers, Fabric(inter_bytes_per_s=1e9, links=links)),
            [Job("a", 1, 1, compute_s=1.0)],
        )
    assert "cluster.fabric.inter_bytes_per_s: expected nothing" in str(raised.value)
    assert "cluster.servers[1].inter_bytes_per_s: expected nothing" in str(raised.value)


def test_a_graph_without_gpus_or_rates_is_refused():
    graph = nx.path_graph(3)
    with pytest.raises(InstanceError, match="a node with the attribute gpus"):
        from_graph(graph)
