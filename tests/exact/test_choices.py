"""What can be started at one instant, counted by hand."""

from math import comb

import pytest

from optsched.contention import rate_functions
from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.errors import UnsupportedError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.exact.choices import Choices


def choices(servers, jobs, *, symmetry, fabric=None):
    instance = Instance("hand", Cluster(servers, fabric), jobs)
    return Choices(instance, rate_functions(instance), symmetry=symmetry)


def equal_servers(count, gpus):
    return [Server(f"s{i}", gpus) for i in range(count)]


def different_jobs(*gpus):
    return [Job(f"j{i}", g, i + 1, compute_s=1.0) for i, g in enumerate(gpus)]


def test_without_symmetry_every_split_counts():
    # 3 GPUs from four servers with 3 each: multisets of size 3 from 4.
    plain = choices(equal_servers(4, 3), different_jobs(3), symmetry=False)
    assert len(plain.placements(3, [3] * 4)) == comb(6, 3)
    assert len(list(plain.of([0], []))) == comb(6, 3) + 1


def test_with_symmetry_partitions_count():
    # 3 = 3, 2 + 1, 1 + 1 + 1, or not at all.
    reduced = choices(equal_servers(4, 3), different_jobs(3), symmetry=True)
    found = [dict(choice).get(0) for choice in reduced.of([0], [])]
    assert [None if p is None else p.counts for p in found] == [(3,), (2, 1), (1, 1, 1), None]
    assert all(p is None or p.servers == tuple(range(len(p.servers))) for p in found)


def test_the_last_choice_is_none_and_the_first_starts_most():
    plain = choices(equal_servers(2, 2), different_jobs(2, 2), symmetry=False)
    found = list(plain.of([0, 1], []))
    assert len(found[0]) == 2 and found[-1] == ()
    assert len(set(found)) == len(found)


def test_what_runs_is_taken_and_tells_servers_apart():
    # Server 0 has one GPU left. Servers 1 and 2 are alike.
    reduced = choices(equal_servers(3, 2), different_jobs(1, 2), symmetry=True)
    running = [(0, Placement.of({0: 1}))]
    found = {dict(c)[1].pairs for c in reduced.of([1], running) if c}
    assert found == {((1, 2),), ((0, 1), (1, 1)), ((1, 1), (2, 1))}


def test_two_jobs_are_placed_under_the_exchanges_that_are_left():
    # After job 0 took a GPU of one server: job 1 beside it, or on the other one.
    reduced = choices(equal_servers(2, 2), different_jobs(1, 1), symmetry=True)
    both = [c for c in reduced.of([0, 1], []) if len(c) == 2]
    assert [[p.servers for _, p in c] for c in both] == [[(0,), (0,)], [(0,), (1,)]]


def test_identical_jobs_start_in_file_order():
    jobs = [Job(name, 1, 5, compute_s=1.0) for name in "abc"]
    reduced = choices(equal_servers(1, 3), jobs, symmetry=True)
    assert [[job for job, _ in c] for c in reduced.of([0, 1, 2], [])] == [
        [0, 1, 2],
        [0, 1],
        [0],
        [],
    ]
    assert len(list(choices(equal_servers(1, 3), jobs, symmetry=False).of([0, 1, 2], []))) == 8


def test_an_arrival_or_a_weight_tells_jobs_apart():
    for change in ({"arrival_s": 1.0}, {"weight": 2.0}, {"server_overhead_s": 0.1}):
        jobs = [Job("a", 1, 5, compute_s=1.0), Job("b", 1, 5, compute_s=1.0, **change)]
        reduced = choices(equal_servers(1, 2), jobs, symmetry=True)
        assert [job for c in reduced.of([0, 1], []) for job, _ in c if len(c) == 1] == [0, 1]


def test_rates_and_racks_tell_servers_apart_unless_the_model_is_level():
    def singles(servers, **fabric):
        found = choices(servers, different_jobs(1), symmetry=True, fabric=Fabric(**fabric))
        return [c[0][1].servers[0] for c in found.of([0], []) if c]

    racks = [Server("s0", 1, "r0"), Server("s1", 1, "r1"), Server("s2", 1, "r1")]
    assert singles(racks, inter_bytes_per_s=1e9) == [0]
    assert singles(racks, inter_bytes_per_s=1e9, uplink_bytes_per_s=1e9) == [0, 1]
    rates = [Server("s0", 1), Server("s1", 1, inter_bytes_per_s=2e9), Server("s2", 1)]
    assert singles(rates, inter_bytes_per_s=1e9) == [0, 1]


def test_what_is_not_admitted_is_not_extended():
    asked = []

    def admits(choice):
        asked.append(tuple(job for job, _ in choice))
        return choice[-1][0] != 0

    plain = choices(equal_servers(1, 3), different_jobs(1, 1, 1), symmetry=False)
    found = [tuple(job for job, _ in c) for c in plain.of([0, 1, 2], [], admits=admits)]
    assert found == [(1, 2), (1,), (2,), ()]
    assert asked == [(0,), (1,), (1, 2), (2,)]


def test_too_many_placements_are_refused_before_they_fill_the_memory():
    # Fifteen servers that are all unlike: 20 GPUs are on them in far more than 100,000 ways.
    servers = [Server(f"s{i}", 4 + i) for i in range(15)]
    many = Instance("many", Cluster(servers), [Job("a", 20, 1, compute_s=1.0)])
    choices = Choices(many, rate_functions(many), symmetry=True)
    with pytest.raises(UnsupportedError, match="more than 100,000 placements"):
        choices.placements(20, [server.gpus for server in servers])
