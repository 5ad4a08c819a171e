"""No placement at any load beats the best iteration time, or is worse than the worst."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from optsched.contention import contention_degree, rate_functions
from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel

speeds = st.sampled_from([math.inf, 0.5e9, 1e9, 20e9])
small = st.sampled_from([0.0, 0.01, 0.3])


@st.composite
def cases(draw):
    """Draw an instance of one job, a placement of it, and loads on what it shares."""
    own = st.sampled_from([None, 0.7e9, 5e9])
    racks = draw(st.integers(1, 3))
    servers = [
        Server(f"s{i}", draw(st.integers(1, 4)), f"r{draw(st.integers(1, racks))}", draw(own))
        for i in range(draw(st.integers(1, 5)))
    ]
    fabric = Fabric(
        draw(speeds), draw(speeds), draw(speeds), draw(speeds), draw(small), draw(small)
    )
    capacity = [server.gpus for server in servers]
    taken = [draw(st.integers(0, gpus)) for gpus in capacity]
    if not any(taken):
        taken[0] = 1
    placement = Placement.of({i: count for i, count in enumerate(taken) if count})
    job = Job("a", placement.gpus, 10, draw(st.sampled_from([0.0, 1e9])), draw(small))
    model = RateModel.of(
        "ring",
        contention_weight=draw(st.sampled_from([0.2, 0.6, 1.0])),
        server_overhead_s=draw(small),
    )
    rates = rate_functions(Instance("one", Cluster(servers, fabric), [job], model))
    load = [draw(st.integers(1, 4)) for _ in rates.shared_resources(placement)]
    return rates, placement, load, len(servers)


@given(cases())
@settings(max_examples=500, deadline=None)
def test_every_placement_is_between_best_and_worst(case):
    rates, placement, load, servers = case
    time_s = rates.iteration_time_s(0, placement, load)
    worst_s = rates.worst_iteration_time_s(0, servers, contention_degree(load) or 1)
    assert rates.best_iteration_time_s(0) <= time_s <= worst_s


@given(cases(), st.data())
@settings(max_examples=300, deadline=None)
def test_more_load_is_never_faster(case, data):
    rates, placement, load, _ = case
    more = [jobs + data.draw(st.integers(0, 2)) for jobs in load]
    assert rates.iteration_time_s(0, placement, more) >= rates.iteration_time_s(0, placement, load)


@given(cases(), st.data())
@settings(max_examples=300, deadline=None)
def test_if_only_the_maximum_load_counts_the_others_do_not(case, data):
    rates, placement, load, _ = case
    if load and rates.depends_on_maximum_load:
        lower = [data.draw(st.integers(1, max(load))) for _ in load]
        lower[0] = max(load)
        expected_s = rates.iteration_time_s(0, placement, load)
        assert rates.iteration_time_s(0, placement, lower) == expected_s
