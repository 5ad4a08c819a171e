"""Shapes and their pricing against hand values, matchings and assignments."""

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching
from state_enumeration import slot_multisets

from optsched.bounds.components import connected_shapes, relaxed_shapes
from optsched.bounds.packings import LocalPackings, WorkLimit
from optsched.bounds.pricing import ShapePricing
from optsched.bounds.shapes import ShapeSet, enumerate_shapes
from optsched.bounds.slot_types import ShapeTable, SlotType


def listed(shapes):
    """Return shapes as sorted lists of slots."""
    return sorted(
        sorted(
            tuple(one) for one, count in zip(shapes.types, row, strict=True) for _ in range(count)
        )
        for row in shapes.rows.tolist()
    )


def test_two_servers_by_hand():
    # Servers of 3 and 2; jobs of 1, 2 and 4. The job of 4 spans both and leaves one GPU; without it
    # two jobs of 2 and one of 1 fit.
    shapes = enumerate_shapes([3, 2], {1: 3, 2: 2, 4: 1}, exact_servers=2)
    assert listed(shapes) == [
        [(1, 1, 0)] * 3 + [(2, 1, 0)],
        [(1, 1, 0), (2, 1, 0), (2, 1, 0)],
        [(1, 1, 0), (4, 2, 1)],
    ]


def test_contention_and_alternatives_by_hand():
    # Three servers of 2, jobs of 3: one alone, or two that meet on the middle server.
    assert listed(enumerate_shapes([2, 2, 2], {3: 2}, exact_servers=3)) == [
        [(3, 2, 1)],
        [(3, 2, 2), (3, 2, 2)],
    ]
    # With jobs of 2 beside: one more fits either way, or three of these.
    assert listed(enumerate_shapes([2, 2, 2], {2: 3, 3: 2}, exact_servers=3)) == [
        [(2, 1, 0), (2, 1, 0), (2, 1, 0)],
        [(2, 1, 0), (3, 2, 1)],
        [(3, 2, 2), (3, 2, 2)],
    ]


def test_a_job_of_two_that_has_to_spread_by_hand():
    # Servers of 3 and 3, jobs of 2: one on each, and one that takes the last GPU of both.
    assert listed(enumerate_shapes([3, 3], {2: 3}, exact_servers=2)) == [
        [(2, 1, 0), (2, 1, 0), (2, 2, 1)]
    ]


def test_a_pool_takes_the_place_of_small_demands():
    shapes = enumerate_shapes([3, 2], {1: 1, 2: 2, 4: 1}, exact_servers=2, pooled=2)
    assert listed(shapes) == [[(1, 1, 0)] * 5, [(1, 1, 0), (4, 2, 1)]]
    assert SlotType(2, 1, 0) in shapes.types


@pytest.mark.parametrize("seed", range(30))
def test_vectors_compare_like_matchings(seed):
    draws = np.random.default_rng(seed)
    types = [SlotType(4, 1, 0)] + [SlotType(4, u, p) for u in (2, 3, 4) for p in (1, 2, 3)]
    types = [one for one in types if draws.random() < 0.7] or types[:1]
    table = ShapeTable(types, {4: 100})
    rows = draws.integers(0, 3, size=(12, len(types))).astype(np.uint16)
    vectors = table.vectors(rows)
    for a, b in itertools.product(range(len(rows)), repeat=2):
        left = [one for one, n in zip(table.types, rows[a], strict=True) for _ in range(n)]
        right = [one for one, n in zip(table.types, rows[b], strict=True) for _ in range(n)]
        fits = np.array(
            [[y.servers <= x.servers and y.degree <= x.degree for y in right] for x in left]
        ).reshape(len(left), len(right))
        matched = maximum_bipartite_matching(csr_matrix(fits), perm_type="column")
        assert bool(np.all(vectors[a] <= vectors[b])) == bool(np.all(matched >= 0))


@pytest.mark.parametrize("seed", range(12))
def test_relaxed_components_cover_exact_ones(seed):
    draws = np.random.default_rng(seed)
    capacities = sorted(draws.integers(1, 5, size=int(draws.integers(2, 4))).tolist(), reverse=True)
    most = {int(g): int(draws.integers(1, 4)) for g in draws.integers(1, 6, size=3)}
    most = dict(sorted(most.items()))
    limit = WorkLimit(10**7)
    packings = LocalPackings(most, limit)
    exact = list(connected_shapes(capacities, most, packings, limit))
    relaxed = list(relaxed_shapes(capacities, most, packings, limit))
    types = {one for shape in exact + relaxed for one in shape}
    if not types:
        return
    table = ShapeTable(types, most)
    above = table.vectors(table.rows(relaxed))
    for vector in table.vectors(table.rows(exact)):
        assert np.all(vector <= above, axis=1).any()


@pytest.mark.parametrize("seed", range(20))
def test_pricing_is_the_best_assignment(seed):
    draws = np.random.default_rng(seed)
    types = tuple(SlotType(g, u, min(u - 1, 1)) for g in (1, 2, 3) for u in range(1, min(g, 2) + 1))
    gpus = np.sort(draws.integers(1, 4, size=8))
    rows = draws.integers(0, 3, size=(6, len(types))).astype(np.uint16)
    pricing = ShapePricing(ShapeSet(types, rows, 2, 0), gpus)
    values = np.array(
        [[draws.uniform(-0.2, 1) * (one.gpus == g) for one in types] for g in gpus.tolist()]
    )
    expected = []
    for row in rows:
        slots = [i for i, n in enumerate(row) for _ in range(n)]
        gains = np.maximum(values[:, slots], 0.0)
        expected.append(gains[linear_sum_assignment(gains, maximize=True)].sum())
    assert pricing.worths(values) == pytest.approx(expected)
    worth, assignments = pricing.best(values, 3, above=0.0)
    assert worth == pytest.approx(max(expected))
    first = assignments[0]
    assert values[np.flatnonzero(first >= 0), first[first >= 0]].sum() == pytest.approx(worth)


def test_pooled_jobs_are_a_knapsack():
    types = (SlotType(1, 1, 0), SlotType(2, 1, 0), SlotType(4, 2, 1))
    rows = np.array([[5, 0, 0], [1, 0, 1]], dtype=np.uint16)
    pricing = ShapePricing(ShapeSet(types, rows, 1, 2), np.array([1, 2, 2, 2, 4]))
    values = np.zeros((5, 3))
    values[0, 0], values[1:4, 1], values[4, 2] = 1.0, (2.0, 3.0, 4.0), 7.5
    # Five GPUs: the jobs worth 1, 3 and 4. Or the job of 4 beside that of 1.
    assert pricing.worths(values).tolist() == [8.0, 8.5]
    assert pricing.best(values, 1, above=0.0)[1][0].tolist() == [0, -1, -1, -1, 2]


def test_the_same_shapes_in_every_process():
    first, second = (enumerate_shapes([4, 3, 2], {1: 3, 2: 2, 5: 2}, exact_servers=3) for _ in "ab")
    assert first.types == second.types
    assert np.array_equal(first.rows, second.rows)


def check_cover(seed, servers, capacities, demands):
    """Compare with all layouts: covered by relaxed shapes, and exactly those if nothing is."""
    draws = random.Random(seed)
    gpus = [draws.choice(capacities) for _ in range(servers)]
    jobs = sorted((draws.choice(demands) for _ in range(draws.randint(3, 5))), reverse=True)
    most = dict(sorted(Counter(jobs).items()))
    layouts = [
        {SlotType(*one): n for one, n in Counter(slots).items()}
        for slots in slot_multisets(gpus, jobs)
    ]
    for exact in (1, 2, servers):
        shapes = enumerate_shapes(gpus, most, exact_servers=exact)
        table = ShapeTable({*shapes.types, *(one for shape in layouts for one in shape)}, most)
        listed_shapes = [
            {one: n for one, n in zip(shapes.types, row, strict=True) if n}
            for row in shapes.rows.tolist()
        ]
        offered = table.vectors(table.rows(listed_shapes))
        true = table.vectors(table.rows(layouts))
        assert all(np.all(vector <= offered, axis=1).any() for vector in true)
    assert all(np.all(vector <= true, axis=1).any() for vector in offered)


@pytest.mark.parametrize("seed", range(25))
def test_shapes_cover_all_layouts_and_nothing_else(seed):
    check_cover(seed, 2 + seed % 2, (1, 2, 3, 4), (1, 2, 3, 3, 4, 5))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_shapes_cover_all_layouts_of_more_servers(seed):
    check_cover(seed, 4 + seed % 2, (2, 2, 3), (1, 2, 3, 4, 5, 5))
