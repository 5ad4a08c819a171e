"""How jobs choose their GPUs, by hand."""

import numpy as np
import pytest

from optsched.core.cluster import Cluster, Server
from optsched.core.placement import Placement
from optsched.planners.gpu_loads import (
    GpuLoads,
    fewest_loaded,
    first_servers,
    least_busy_servers,
    packed,
)


def loads_of(capacity, load_s, in_use=()):
    """Return loads of a cluster, with the eligible GPUs: those not in use."""
    cluster = Cluster(Server(f"s{i}", gpus) for i, gpus in enumerate(capacity))
    loads = GpuLoads(cluster)
    loads.load_s[:] = load_s
    loads.is_free[list(in_use)] = False
    return loads, loads.is_free.copy()


def chosen(choose, loads, eligible, wanted):
    gpus = choose(loads, eligible, wanted)
    return None if gpus is None else gpus.tolist()


def test_the_least_loaded_gpus_wherever_they_are():
    loads, eligible = loads_of([2, 2], [5.0, 1.0, 3.0, 1.0])
    assert chosen(fewest_loaded, loads, eligible, 1) == [1]
    assert chosen(fewest_loaded, loads, eligible, 3) == [1, 3, 2]
    loads, eligible = loads_of([2, 2], [5.0, 1.0, 3.0, 1.0], in_use=[1])
    assert chosen(fewest_loaded, loads, eligible, 3) == [3, 2, 0]
    assert chosen(fewest_loaded, loads, eligible, 4) is None


def test_the_first_gpus_server_by_server():
    loads, eligible = loads_of([2, 1, 3], [9.0, 0.0, 9.0, 0.0, 0.0, 0.0], in_use=[1])
    assert chosen(first_servers, loads, eligible, 3) == [0, 2, 3]
    assert chosen(first_servers, loads, eligible, 6) is None


def test_packing_fills_servers_in_use_before_it_opens_others():
    loads, eligible = loads_of([2, 3, 3], [4.0, 2.0, 7.0, 1.0, 1.0, 0.0, 0.0, 0.0], in_use=[2])
    # Server 1 is in use: its free GPUs are 3 and 4. Then server 0, the less loaded GPU first.
    assert chosen(packed, loads, eligible, 2) == [3, 4]
    assert chosen(packed, loads, eligible, 3) == [3, 4, 1]
    assert chosen(packed, loads, eligible, 8) is None
    assert chosen(fewest_loaded, loads, eligible, 2) == [5, 6], "the literal rule does not pack"


def test_packing_goes_by_the_work_given_where_no_gpu_is_in_use():
    loads, eligible = loads_of([2, 2, 2], [0.0, 0.0, 0.0, 0.0, 3.0, 1.0])
    assert chosen(packed, loads, eligible, 3) == [5, 4, 0]


def test_the_least_busy_servers_are_counted_by_their_capacity():
    # Mean loads 1, 0.5 and 2: the order is 1, 0, 2, with 2, 4 and 2 GPUs.
    load_s = [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 2.0, 2.0]
    loads, eligible = loads_of([4, 2, 2], load_s)
    assert chosen(least_busy_servers(1.0), loads, eligible, 2) == [5, 4]
    # Server 1 alone has 2 GPUs, so the job waits for both of them while six others are free.
    loads, eligible = loads_of([4, 2, 2], load_s, in_use=[5])
    assert chosen(least_busy_servers(1.0), loads, eligible, 2) is None
    # λ = 2 asks for 4 GPUs: servers 1 and 0. Equal loads go to the less loaded server first.
    assert chosen(least_busy_servers(2.0), loads, eligible, 2) == [4, 0]
    assert chosen(least_busy_servers(1.5), loads, eligible, 2) == [4, 0]
    # 3 * 2 = 6 GPUs are exactly those of servers 1 and 0; 4 * 2 = 8 are all.
    loads, eligible = loads_of([4, 2, 2], load_s, in_use=[0, 1, 2, 3, 4])
    assert chosen(least_busy_servers(3.0), loads, eligible, 2) is None
    assert chosen(least_busy_servers(4.0), loads, eligible, 2) == [5, 6]
    # More than there is: all servers.
    assert chosen(least_busy_servers(99.0), loads, eligible, 2) == [5, 6]


def test_a_choice_keeps_to_the_cap():
    loads, _ = loads_of([2, 2], [5.0, 1.0, 3.0, 0.0])
    assert loads.under_cap(2.0, 5.0).tolist() == [False, True, True, True]
    assert loads.under_cap(2.0, 3.0).tolist() == [False, True, False, True]
    assert chosen(fewest_loaded, loads, loads.under_cap(2.0, 3.0), 3) is None


def test_loads_know_servers_and_make_placements():
    loads, _ = loads_of([2, 1, 3], [0.0, 4.0, 0.0, 3.0, 0.0, 0.0], in_use=[3])
    assert loads.server.tolist() == [0, 0, 1, 2, 2, 2]
    assert loads.busy_servers().tolist() == [False, False, True]
    assert loads.opened_servers().tolist() == [True, False, True]
    assert loads.mean_load_s().tolist() == [2.0, 0.0, 1.0]
    assert loads.placement(np.array([5, 0, 3])) == Placement.of({0: 1, 2: 2})


def test_sums_that_differ_by_rounding_do_not_exceed_the_cap():
    loads, _ = loads_of([1], [0.1 + 0.2])
    assert loads.under_cap(0.3, 0.6).tolist() == [True], "0.30000000000000004 + 0.3 > 0.6"
    assert loads.under_cap(0.301, 0.6).tolist() == [False]


@pytest.mark.parametrize("choose", [fewest_loaded, packed, first_servers, least_busy_servers(1.0)])
def test_nobody_takes_what_is_not_eligible(choose):
    generator = np.random.default_rng(3)
    for _ in range(50):
        capacity = generator.integers(1, 5, size=4)
        load_s = generator.integers(0, 4, size=capacity.sum()).astype(float)
        loads, _ = loads_of(capacity.tolist(), load_s)
        eligible = generator.random(capacity.sum()) < 0.7
        for wanted in range(1, int(capacity.sum()) + 1):
            gpus = choose(loads, eligible, wanted)
            if gpus is not None:
                assert len(set(gpus.tolist())) == wanted
                assert eligible[gpus].all()
