"""The pool of free GPUs against a plain list."""

from hypothesis import given, settings
from hypothesis import strategies as st

from optsched.core.placement import Placement
from optsched.sim import FreePool, servers_of

capacities = st.lists(st.integers(1, 6), min_size=1, max_size=8) | st.integers(1, 8).map(
    lambda count: [4] * count
)


@st.composite
def used_pools(draw):
    """Return a pool after some takes and gives, and the plain list of what is free."""
    capacity = draw(capacities)
    pool, free, held = FreePool(capacity), list(capacity), []
    for _ in range(draw(st.integers(0, 12))):
        if held and draw(st.booleans()):
            placement = held.pop(draw(st.integers(0, len(held) - 1)))
            pool.give(placement)
            for server, count in placement.pairs:
                free[server] += count
            continue
        some = [server for server in range(len(free)) if free[server]]
        if not some:
            continue
        chosen = draw(st.lists(st.sampled_from(some), min_size=1, unique=True))
        placement = Placement.of({server: draw(st.integers(1, free[server])) for server in chosen})
        held.append(placement)
        pool.take(placement)
        for server, count in placement.pairs:
            free[server] -= count
    return pool, free


@given(
    used=used_pools(),
    gpus=st.integers(1, 8),
    some=st.none() | st.sets(st.integers(0, 7)),
)
@settings(max_examples=300)
def test_every_query_agrees_with_a_plain_list(used, gpus, some):
    pool, free = used
    everything = range(len(free))
    among = -1 if some is None else sum(1 << server for server in some)
    allowed = [server for server in everything if some is None or server in some]

    assert pool.free == free
    assert pool.total == sum(free)
    with_room = [server for server in allowed if free[server] >= gpus]
    assert pool.first_fit(gpus, among) == (with_room[0] if with_room else None)
    tightest = min(with_room, key=lambda server: (free[server], server), default=None)
    assert pool.best_fit(gpus, among) == tightest
    assert list(pool.with_free(gpus)) == [s for s in everything if free[s] >= gpus]
    idle = [server for server in allowed if free[server] == pool.capacity[server]]
    assert list(servers_of(pool.idle(among))) == idle
    exact = [server for server in idle if pool.capacity[server] == gpus]
    assert list(servers_of(pool.idle_with(gpus, among))) == exact


def test_with_free_means_any_free_gpu():
    pool = FreePool([2, 3, 1])
    pool.take(Placement.of({0: 2, 1: 1}))
    assert list(pool.with_free()) == [1, 2]


def test_sets_of_servers_are_bits():
    assert list(servers_of(0)) == []
    assert list(servers_of(1 << 200 | 1)) == [0, 200]


@given(used=used_pools())
def test_a_copy_is_equal_and_apart(used):
    pool, free = used
    twin = pool.copy()
    some = [server for server in range(len(free)) if free[server]]
    if some:
        placement = Placement.of({some[0]: 1})
        assert twin.has(placement)
        twin.take(placement)
        assert twin.free[some[0]] == free[some[0]] - 1
        assert (twin.total, list(twin.with_free())) == (
            sum(free) - 1,
            [server for server in some if twin.free[server]],
        )
    assert not twin.has(Placement.of({0: free[0] + 1}))
    assert (pool.free, pool.total, list(pool.with_free())) == (free, sum(free), some)
    full = [s for s in range(len(free)) if free[s] == pool.capacity[s]]
    assert list(servers_of(pool.idle())) == full


@given(used=used_pools(), gpus=st.integers(1, 8))
def test_a_saved_pool_is_restored(used, gpus):
    pool, free = used
    held = pool.free
    saved = pool.saved()
    if pool.total:
        servers, counts = pool.first_free(min(gpus, pool.total))
        pool.take(Placement(tuple(servers), tuple(counts)))
    for server, capacity in enumerate(pool.capacity):
        pool.change(server, capacity - pool.free[server])
    pool.restore(saved)
    assert pool.free is held, "whoever has the list sees it restored"
    assert pool.free == free
    assert pool.total == sum(free)
    for count in range(1, 7):
        with_room = [server for server in range(len(free)) if free[server] >= count]
        assert list(pool.with_free(count)) == with_room
