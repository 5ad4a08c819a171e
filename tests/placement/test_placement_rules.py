"""Placement rules on cases worked out by hand, and what always holds of them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import clusters

from optsched.core.cluster import Cluster, Server
from optsched.core.placement import Placement
from optsched.placement import Consolidated, FirstFit
from optsched.sim import FreePool


def pool_of(capacity, free):
    """Return a pool with these GPUs free."""
    pool = FreePool(capacity)
    used = {
        server: c - f for server, (c, f) in enumerate(zip(capacity, free, strict=True)) if c > f
    }
    if used:
        pool.take(Placement.of(used))
    return pool


def place(rule, cluster, free, gpus):
    """Return what a rule offers, as {server: GPUs} or None."""
    pool = pool_of(cluster.servers.gpus.tolist(), free)
    offer = (
        rule.place(pool, gpus) if isinstance(rule, FirstFit) else rule.place(pool, gpus, cluster)
    )
    return None if offer is None else dict(offer.pairs)


FOUR_BY_FOUR = Cluster.uniform(4, 4)
UNEVEN = Cluster([Server("a", 4), Server("b", 8), Server("c", 4), Server("d", 8), Server("e", 2)])
BEST, FIRST = Consolidated(fit="best"), Consolidated(fit="first")


@pytest.mark.parametrize(
    ("free", "gpus", "best", "first"),
    [
        # One server: the tightest, or the first with room.
        ([4, 3, 2, 4], 2, {2: 2}, {0: 2}),
        ([4, 3, 2, 4], 3, {1: 3}, {0: 3}),
        ([4, 3, 2, 4], 4, {0: 4}, {0: 4}),
        ([1, 2, 2, 1], 2, {1: 2}, {1: 2}),
        # 6 GPUs are free, but no server has 3.
        ([2, 2, 1, 1], 3, None, None),
        # More than a server: whole idle ones in order, the remainder where it fits.
        ([4, 4, 2, 4], 8, {0: 4, 1: 4}, {0: 4, 1: 4}),
        ([4, 4, 2, 4], 6, {0: 4, 2: 2}, {0: 4, 1: 2}),
        ([3, 4, 2, 4], 6, {1: 4, 2: 2}, {1: 4, 0: 2}),
        ([3, 4, 2, 4], 7, {1: 4, 0: 3}, {1: 4, 0: 3}),
        ([3, 4, 2, 4], 9, {1: 4, 3: 4, 2: 1}, {1: 4, 3: 4, 0: 1}),
        # 9 GPUs are free, none of the servers idle.
        ([3, 3, 2, 1], 6, None, None),
        # One idle server for 4 of 8: two idle ones are needed.
        ([4, 3, 3, 3], 8, None, None),
        ([4, 4, 4, 4], 16, {0: 4, 1: 4, 2: 4, 3: 4}, {0: 4, 1: 4, 2: 4, 3: 4}),
        ([0, 0, 0, 0], 1, None, None),
    ],
)
def test_consolidated_on_equal_servers(free, gpus, best, first):
    assert place(BEST, FOUR_BY_FOUR, free, gpus) == best
    assert place(FIRST, FOUR_BY_FOUR, free, gpus) == first


@pytest.mark.parametrize(
    ("free", "gpus", "best", "first"),
    [
        ([4, 8, 4, 8, 2], 2, {4: 2}, {0: 2}),
        ([4, 8, 4, 8, 2], 5, {1: 5}, {1: 5}),
        # 10 = 8 + 2: the largest idle server, then the tightest or the first for the rest.
        ([4, 8, 4, 8, 2], 10, {1: 8, 4: 2}, {1: 8, 0: 2}),
        ([4, 8, 4, 8, 2], 11, {1: 8, 0: 3}, {1: 8, 0: 3}),
        ([4, 7, 4, 8, 2], 10, {3: 8, 4: 2}, {3: 8, 0: 2}),
        # Neither large server is idle: 4 on an idle small one and 6 on a large one make two.
        ([4, 7, 4, 6, 2], 10, {0: 4, 3: 6}, {0: 4, 1: 6}),
        # 4 + 4 + 2 would be three servers, where the cluster allows two: wait.
        ([4, 5, 4, 5, 2], 10, None, None),
        # A job that fits on a server never takes two, even while both small ones are idle.
        ([4, 0, 4, 0, 2], 5, None, None),
        # 26 GPUs are all there are.
        ([4, 8, 4, 8, 2], 26, {0: 4, 1: 8, 2: 4, 3: 8, 4: 2}, {0: 4, 1: 8, 2: 4, 3: 8, 4: 2}),
        # 20 = 8 + 8 + 4.
        ([4, 8, 4, 8, 2], 20, {1: 8, 3: 8, 0: 4}, {1: 8, 3: 8, 0: 4}),
    ],
)
def test_consolidated_on_unequal_servers(free, gpus, best, first):
    assert place(BEST, UNEVEN, free, gpus) == best
    assert place(FIRST, UNEVEN, free, gpus) == first


def test_one_rack_is_preferred_to_a_mix():
    racks = Cluster(Server(f"s{i}", 4, rack) for i, rack in enumerate("xyxyyx"))
    assert place(BEST, racks, [4, 4, 4, 4, 4, 4], 8) == {0: 4, 2: 4}
    assert place(BEST, racks, [4, 4, 3, 4, 4, 4], 8) == {0: 4, 5: 4}
    assert place(BEST, racks, [4, 4, 3, 4, 4, 3], 8) == {1: 4, 3: 4}, "x has one idle server left"
    assert place(BEST, racks, [4, 4, 3, 3, 3, 3], 8) == {0: 4, 1: 4}, "no rack has two: mix"
    assert place(BEST, racks, [4, 4, 3, 3, 3, 3], 16) is None


def test_racks_count_only_where_a_job_needs_several_servers():
    racks = Cluster(Server(f"s{i}", 4, rack) for i, rack in enumerate("xyx"))
    assert place(BEST, racks, [4, 2, 3], 2) == {1: 2}


def test_one_rule_serves_one_cluster_after_another():
    rule = Consolidated()
    first = Cluster(Server(f"s{i}", 2, rack) for i, rack in enumerate("xyxy"))
    second = Cluster(Server(f"s{i}", 2, rack) for i, rack in enumerate("xyyx"))
    assert place(rule, first, [2, 2, 2, 2], 4) == {0: 2, 2: 2}
    assert place(rule, second, [2, 2, 2, 2], 4) == {0: 2, 3: 2}


def test_a_fit_that_does_not_exist():
    with pytest.raises(ValueError, match="'best' or 'first', got 'worst'"):
        Consolidated(fit="worst")


@st.composite
def partly_used(draw):
    cluster = draw(clusters(max_servers=6, max_gpus=5))
    free = [draw(st.integers(0, size)) for size in cluster.servers.gpus.tolist()]
    return cluster, free, draw(st.integers(1, cluster.total_gpus))


@given(drawn=partly_used(), fit=st.sampled_from(["best", "first"]))
@settings(max_examples=400)
def test_consolidated_never_uses_more_servers_than_the_cluster_needs(drawn, fit):
    cluster, free, gpus = drawn
    taken = place(Consolidated(fit=fit), cluster, free, gpus)
    if taken is not None:
        assert len(taken) == cluster.fewest_servers(gpus)
        assert sum(taken.values()) == gpus
        assert all(1 <= count <= free[server] for server, count in taken.items())
    elif gpus <= cluster.max_gpus_per_server:
        assert max(free) < gpus, "a job that fits on a server waits only while none has room"
    else:
        assert free != cluster.servers.gpus.tolist(), "nothing waits for an empty cluster"


@given(drawn=partly_used())
@settings(max_examples=200)
def test_first_fit_declines_only_for_want_of_gpus(drawn):
    cluster, free, gpus = drawn
    taken = place(FirstFit(), cluster, free, gpus)
    one_by_one = [server for server, count in enumerate(free) for _ in range(count)][:gpus]
    expected = {server: one_by_one.count(server) for server in one_by_one}
    assert taken == (expected if sum(free) >= gpus else None)
