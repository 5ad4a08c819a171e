"""Tiered placement by hand and against every placement there is."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import clusters

from optsched.core.cluster import Cluster, Server
from optsched.core.placement import Placement
from optsched.placement import Tier, Tiered, best_tier, tier_of
from optsched.sim import FreePool

#: Two racks of two servers of four GPUs.
FOUR_BY_FOUR = Cluster.uniform(4, 4, racks=2)


def placed(free, gpus, cluster=FOUR_BY_FOUR, **settings):
    pool = FreePool(cluster.servers.gpus.tolist())
    for server, count in enumerate(free):
        if count < pool.capacity[server]:
            pool.take(Placement.of({server: pool.capacity[server] - count}))
    worst = settings.pop("worst", None)
    found = Tiered(**settings).place(pool, gpus, cluster, worst=worst)
    return None if found is None else dict(found.pairs)


def test_the_smallest_machine_that_suffices_or_the_first():
    assert placed([4, 2, 3, 2], 2) == {1: 2}
    assert placed([4, 2, 3, 2], 2, fit="first") == {0: 2}


def test_the_rack_that_needs_the_fewest_machines_or_the_first():
    # 6 GPUs: the first rack has 3 + 3, the second 4 + 2; both need two machines. Both have six
    # free, so the first. 3 + 4 against 4 + 2: the second is the fuller one.
    assert placed([3, 3, 4, 2], 6) == {0: 3, 1: 3}
    assert placed([3, 4, 4, 2], 6) == {2: 4, 3: 2}
    assert placed([3, 4, 4, 2], 6, fit="first") == {0: 3, 1: 3}


def test_the_last_machine_of_a_rack_is_the_smallest_that_suffices():
    cluster = Cluster.uniform(4, 4)
    assert placed([2, 4, 3, 1], 5, cluster) == {1: 4, 3: 1}


def test_the_fewest_racks_or_the_order_of_the_cluster():
    # 9 GPUs over racks with 2 + 2, 4 + 4 and 1 + 0: the second rack whole, one from the third,
    # where it takes the fewest machines and leaves the fewest GPUs.
    cluster = Cluster.uniform(6, 4, racks=3)
    assert placed([2, 2, 4, 4, 1, 0], 9, cluster) == {2: 4, 3: 4, 4: 1}
    in_order = {0: 2, 1: 2, 2: 4, 3: 1}
    assert placed([2, 2, 4, 4, 1, 0], 9, cluster, fit="first") == in_order


def test_of_racks_with_equal_room_the_one_with_the_fewest_machines():
    cluster = Cluster.uniform(4, 2, racks=2)
    assert placed([1, 1, 2, 0], 3, cluster) == {0: 1, 2: 2}


def test_the_limit_is_the_best_tier_of_the_demand():
    assert placed([3, 3, 3, 3], 4, limit="best") is None
    assert placed([3, 3, 3, 3], 4) == {0: 3, 1: 1}
    assert placed([3, 2, 3, 2], 6, limit="best") is None
    assert placed([3, 2, 3, 2], 6, worst=Tier.RACK) is None
    assert placed([3, 3, 3, 3], 9, limit="best") == {0: 3, 1: 3, 2: 3}


def test_a_demand_that_no_machine_holds_may_use_a_rack_at_once():
    assert best_tier(5, FOUR_BY_FOUR) == Tier.RACK
    assert placed([4, 4, 4, 4], 5, worst=Tier.RACK) == {0: 4, 1: 1}


def test_settings_are_checked():
    with pytest.raises(ValueError, match="fit is"):
        Tiered(fit="worst")
    with pytest.raises(ValueError, match="limit is"):
        Tiered(limit="rack")


def tiers_there_are(free, gpus, cluster):
    """Return the tiers of all placements of a demand on the free GPUs, by trying them all."""
    found = set()
    for counts in itertools.product(*(range(count + 1) for count in free)):
        if sum(counts) == gpus:
            pairs = {server: count for server, count in enumerate(counts) if count}
            found.add(tier_of(Placement.of(pairs), cluster))
    return found


@st.composite
def part_used(draw):
    cluster = draw(clusters())
    free = [draw(st.integers(0, size)) for size in cluster.servers.gpus.tolist()]
    return cluster, free


@given(
    used=part_used(), gpus=st.integers(1, 8), fit=st.sampled_from(["best", "first"]), data=st.data()
)
def test_it_takes_the_best_tier_there_is_and_none_beyond_the_limit(used, gpus, fit, data):
    cluster, free = used
    gpus = min(gpus, cluster.total_gpus)
    tiers = tiers_there_are(free, gpus, cluster)
    whole = cluster.servers.gpus.tolist()
    best = min(tiers_there_are(whole, gpus, cluster))
    assert best_tier(gpus, cluster) == best
    found = placed(free, gpus, cluster, fit=fit)
    assert (found is None) == (not tiers)
    if found is not None:
        assert sum(found.values()) == gpus
        assert all(found[server] <= free[server] for server in found)
        assert tier_of(Placement.of(found), cluster) == min(tiers)
    worst = data.draw(st.sampled_from(list(Tier)))
    limited = placed(free, gpus, cluster, fit=fit, worst=worst)
    if limited is not None:
        assert tier_of(Placement.of(limited), cluster) <= worst
    if tiers and min(tiers) <= worst:
        assert limited is not None
    strict = placed(free, gpus, cluster, fit=fit, limit="best")
    assert (strict is None) == (best not in tiers)


def test_unequal_servers():
    cluster = Cluster([Server("a", 2, "r0"), Server("b", 8, "r1"), Server("c", 4, "r0")])
    assert best_tier(8, cluster) == Tier.MACHINE
    assert placed([2, 3, 4], 5, cluster) == {0: 1, 2: 4}
