"""Contention intervals against worked-out ones."""

from hypothesis import given
from hypothesis import strategies as st

from optsched.core.cluster import Cluster, Fabric
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel
from optsched.core.schedule import Schedule, Segment
from optsched.plot import ContentionInterval, contention_intervals


def four_servers(model="ring", **cluster):
    jobs = [Job(name, 2, 1, gradient_bytes=1e6, compute_s=1.0) for name in "abcde"]
    return Instance("four", Cluster.uniform(4, 8, **cluster), jobs, RateModel.of(model))


def on(job, servers, start_s, end_s):
    return Segment(job, Placement.of(dict.fromkeys(servers, 1)), start_s, end_s)


def found(instance, *rows):
    return [
        (part.resource, part.start_s, part.end_s, part.degree)
        for part in contention_intervals(instance, Schedule.of(rows))
    ]


def test_waiting_pays(together, one_after_the_other):
    assert contention_intervals(*together) == [ContentionInterval(1, 0.0, 25.5, 2)]
    assert contention_intervals(*one_after_the_other) == []


def test_the_degree_follows_who_comes_and_goes():
    # Server 0 carries a from 0 to 10, b from 2 to 8, c from 4 to 6; server 1 only a and c.
    parts = found(four_servers(), on(0, [0, 1], 0, 10), on(1, [0, 2], 2, 8), on(2, [0, 1], 4, 6))
    assert parts == [(0, 2, 4, 2), (0, 4, 6, 3), (0, 6, 8, 2), (1, 4, 6, 2)]


def test_local_jobs_do_not_count():
    assert found(four_servers(), on(0, [0, 1], 0, 10), on(1, [0], 0, 10), on(2, [1], 0, 9)) == []


def test_one_that_replaces_another_does_not_cut_the_interval():
    parts = found(four_servers(), on(0, [0, 1], 0, 9), on(1, [0, 2], 0, 4), on(2, [0, 3], 4, 9))
    assert parts == [(0, 0, 9, 2)]


def test_rounding_makes_no_sliver():
    rows = [on(0, [0, 1], 0.0, 10.0), on(1, [0, 1], 10.0 - 1e-12, 20.0)]
    assert found(four_servers(), *rows) == []


def test_uplinks_are_resources_behind_the_servers():
    # Racks hold servers 0-1 and 2-3; both jobs span the racks without a server in common.
    instance = four_servers(racks=2, fabric=Fabric(uplink_bytes_per_s=1e9))
    parts = found(instance, on(0, [0, 2], 0, 5), on(1, [1, 3], 1, 9))
    assert parts == [(4, 1, 5, 2), (5, 1, 5, 2)]


def test_a_model_without_a_network_has_no_contention():
    assert found(four_servers("fixed"), on(0, [0, 1], 0, 9), on(1, [0, 1], 0, 9)) == []


@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, 3), min_size=1), st.integers(0, 9), st.integers(0, 5)),
        max_size=5,
    )
)
def test_agrees_with_counting_at_every_instant(drawn):
    rows = [
        on(job, servers, start, start + length)
        for job, (servers, start, length) in enumerate(drawn)
    ]
    parts = found(four_servers(), *rows)
    for server in range(4):
        for time in (second + 0.5 for second in range(15)):
            count = sum(
                len(row.placement.servers) > 1
                and server in row.placement.servers
                and row.start_s < time < row.end_s
                for row in rows
            )
            covering = [part[3] for part in parts if part[0] == server and part[1] < time < part[2]]
            assert covering == ([count] if count > 1 else [])
