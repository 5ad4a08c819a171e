"""The least makespan is the chromatic number: every step of the proof on small graphs."""

from itertools import combinations, product

import pytest

from optsched.contention import rate_functions
from optsched.core.document import instance_sha256
from optsched.core.errors import InstanceError
from optsched.core.placement import Placement
from optsched.core.schedule import Decision
from optsched.exact import brute_force, solve
from optsched.files import load
from optsched.generate import colouring
from optsched.judge import replay, verify

EDGES = [(0, 1), (0, 2), (1, 2), (1, 4), (2, 4)]


def edges_of(instance):
    names = [name.split("-") for name in instance.cluster.servers.ids]
    return [(int(name[1]), int(name[2])) for name in names if name[0] == "edge"]


def cycle_of(instance, vertex):
    """Return the servers of a vertex's edges and its own, with all their GPUs."""
    servers = instance.cluster.servers
    own = {}
    for position, name in enumerate(servers.ids):
        parts = name.split("-")
        if parts[0] == f"v{vertex}" or (parts[0] == "edge" and str(vertex) in parts[1:]):
            own[position] = servers.gpus.item(position)
    return own


def best_colouring(instance):
    """Return a colouring with the fewest colours, by trying all."""
    count, edges = len(instance.jobs), edges_of(instance)
    for colours in range(1, count + 1):
        for colour in product(range(colours), repeat=count):
            if all(colour[first] != colour[second] for first, second in edges):
                return colour
    raise AssertionError("n colours are always enough")


SMALL = (
    {"vertices": 1},
    {"vertices": 2, "edges": 0},
    {"vertices": 2, "edges": 1},
    {"vertices": 3, "edges": 1},
    {"vertices": 3, "edges": 2},
    {"graph": "complete", "vertices": 3},
    {"graph": "path", "vertices": 4},
    {"graph": "cycle", "vertices": 4},
    *({"vertices": 4, "edges": edges, "seed": seed} for edges in (2, 3, 4) for seed in range(2)),
    pytest.param({"graph": "cycle", "vertices": 5, "seed": 3}, marks=pytest.mark.slow),
    pytest.param({"graph": "complete", "vertices": 4}, marks=pytest.mark.slow),
)


@pytest.mark.parametrize("settings", SMALL)
def test_a_job_is_fast_on_its_cycle_only(settings):
    instance = colouring(**settings)
    capacity = instance.cluster.servers.gpus.tolist()
    rates, count = rate_functions(instance), len(instance.jobs)
    fast = {job: [] for job in range(count)}
    for size in range(1, len(capacity) + 1):
        for servers in combinations(range(len(capacity)), size):
            room = sum(capacity[server] for server in servers)
            for job, gpus in enumerate(instance.jobs.gpus.tolist()):
                if not size <= gpus <= room:
                    continue
                # How many GPUs are taken of each server does not matter to a ring.
                taken, left = {}, gpus - size
                for server in servers:
                    more = min(left, capacity[server] - 1)
                    taken[server], left = 1 + more, left - more
                placement = Placement.of(taken)
                load = [1] * len(rates.shared_resources(placement))
                time_s = rates.iteration_time_s(job, placement, load)
                if time_s <= count:
                    fast[job].append(taken)
                    assert time_s == pytest.approx(1.0, rel=1e-12)
    assert fast == {job: [cycle_of(instance, job)] for job in range(count)}


@pytest.mark.parametrize(
    ("settings", "chromatic"),
    [
        ({"vertices": 5, "edges": 0}, 1),
        ({"graph": "path", "vertices": 6}, 2),
        ({"graph": "cycle", "vertices": 5}, 3),
        ({"graph": "cycle", "vertices": 6}, 2),
        ({"graph": "complete", "vertices": 5}, 5),
        ({"graph": "wheel", "vertices": 6}, 4),
        ({"graph": "wheel", "vertices": 7}, 3),
        ({"graph": "petersen"}, 3),
        ({"graph": "grotzsch"}, 4),
        ({"vertices": 7, "edges": 12, "seed": 4}, None),
    ],
)
def test_colour_by_colour_ends_at_the_chromatic_number(settings, chromatic):
    instance = colouring(**settings)
    colour = best_colouring(instance)
    used = max(colour) + 1
    assert chromatic in (None, used)
    decisions = [
        # Rounding may make the jobs of a colour end a little after a whole second.
        Decision(job, Placement.of(cycle_of(instance, job)), colour[job] * (1 + 1e-9))
        for job in range(len(colour))
    ]
    judgement = verify(instance, replay(instance, decisions))
    assert judgement.is_valid
    assert judgement.objectives["makespan"] == pytest.approx(used, rel=1e-8)


@pytest.mark.parametrize("vertices", [2, 3])
def test_adjacent_jobs_need_the_same_gpu(vertices):
    instance = colouring(graph="path", vertices=vertices)
    cycles = [cycle_of(instance, job) for job in range(vertices)]
    for first, second in combinations(range(vertices), 2):
        common = cycles[first].keys() & cycles[second].keys()
        assert bool(common) == ((first, second) in edges_of(instance))
        for server in common:
            assert instance.cluster.servers.gpus[server] == 1


@pytest.mark.parametrize(
    ("settings", "chromatic"),
    [
        ({"vertices": 2, "edges": 1}, 2),
        ({"vertices": 2, "edges": 0}, 1),
        ({"vertices": 3, "edges": 1}, 2),
        ({"vertices": 3, "edges": 2}, 2),
    ],
)
def test_the_smallest_are_solved(settings, chromatic):
    assert solve(colouring(**settings)).value == pytest.approx(chromatic)


@pytest.mark.slow
def test_a_triangle_needs_three():
    triangle = colouring(graph="complete", vertices=3)
    # Whatever ends later than all jobs in turn need not be looked at.
    outcome = brute_force(triangle, below=3.001)
    assert outcome.is_complete
    assert outcome.value == pytest.approx(3.0)


def test_sizes_are_those_stated():
    instance = colouring(graph="petersen", seed=2)
    # (1 + 2i) E + degree, and all in all E n² + E.
    assert instance.jobs.gpus.tolist() == [(1 + 2 * i) * 15 + 3 for i in range(10)]
    assert instance.cluster.total_gpus == 15 * 100 + 15
    assert len(instance.cluster.servers) == 15 * 3


def test_draws():
    assert instance_sha256(colouring(seed=3)) == instance_sha256(colouring(seed=3))
    assert edges_of(colouring(vertices=8, seed=0)) != edges_of(colouring(vertices=8, seed=1))
    # Fixed when the generator was written.
    assert edges_of(colouring()) == EDGES
    assert colouring(vertices=64, edges=100).jobs.gradient_bytes.max() < 1e300


def test_names_that_load():
    for name in ("colouring-6x7-3", "colouring-wheel-6x10-2", "colouring-petersen-10x15-1"):
        assert load(name).name == name
        assert instance_sha256(load(load(name).metadata["generator"])) == instance_sha256(
            load(name)
        )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"vertices": 65}, "colouring.vertices: expected a number from 1 to 64"),
        ({"vertices": 4, "edges": 7}, "colouring.edges: expected a whole number from 0 to 6"),
        ({"graph": "cycle", "vertices": 2}, "colouring.vertices: expected at least 3"),
        ({"graph": "petersen", "vertices": 9}, "colouring.vertices: expected 10"),
        ({"graph": "cycle", "edges": 4}, "colouring.edges: expected 5"),
    ],
)
def test_graphs_that_do_not_exist_are_refused(settings, message):
    with pytest.raises(InstanceError) as error:
        colouring(**settings)
    assert message in str(error.value)
