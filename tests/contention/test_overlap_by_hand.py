"""The overlap of backward pass and all-reduces, and rings in rings, followed by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsched.contention.collectives import AllReduceCost, RingDimension, allreduce_cost
from optsched.contention.overlap import LayerTimes
from optsched.contention.profiles import Layer


def layer(name, forward_s, input_s, weight_s, size):
    return Layer(name, forward_s, input_s, weight_s, allreduce_bytes=size)


TWO = [layer("a", 1.0, 3.0, 2.0, 10.0), layer("b", 3.0, 4.0, 5.0, 20.0)]


@pytest.mark.parametrize(
    ("cost", "iteration_s"),
    [
        # Forward to 4; b has its gradient at 9, a at 15; all is computed at 18.
        (AllReduceCost(0.0, 0.0), 18.0),
        # b exchanges from 9 to 11, a from 15 to 16: behind the last 3 s of computing.
        (AllReduceCost(0.1, 0.0), 18.0),
        # b from 9 to 14, a from 15 to 19: one second shows.
        (AllReduceCost(0.1, 3.0), 19.0),
        # b from 9 to 20 (1 + 20/2); a waits for the network and exchanges from 20 to 26.
        (AllReduceCost(0.5, 1.0), 26.0),
    ],
)
def test_two_layers(cost, iteration_s):
    times = LayerTimes.of(TWO)
    assert times.compute_s == 18.0
    assert times.iteration_time_s(cost) == pytest.approx(iteration_s, rel=1e-15)
    assert times.efficiency(cost) == pytest.approx(18.0 / iteration_s, rel=1e-15)


def test_a_layer_without_parameters_exchanges_nothing_not_even_a_latency():
    pooled = [layer("a", 1.0, 0.0, 1.0, 1.0), layer("pool", 1.0, 1.0, 0.0, 0.0)]
    # The forward pass ends at 2, the pool's at 3, the gradient of a at 4; 10 s later all is over.
    assert LayerTimes.of(pooled).iteration_time_s(AllReduceCost(0.0, 10.0)) == 14.0


def test_the_scale_is_that_of_computing_alone():
    # Twice as slow, all of the first case's exchange is behind it: 9 + 9 + 18 in all.
    slow = LayerTimes.of(TWO, scale=2.0)
    assert slow.compute_s == 36.0
    # b from 18 to 29, a from 30 to 36.
    assert slow.iteration_time_s(AllReduceCost(0.5, 1.0)) == 36.0


def test_rings_in_rings():
    # Ring of 4 at 100 B/s: 6 steps of 100 B, 6 s. Each of its units hands on 100 of the 400 bytes:
    # a ring of 2 at 10 B/s takes 2 steps of (50 B in 5 s, and 0.5 s): 11 s.
    inner = RingDimension(4, 100.0, 0.0, "machine")
    outer = RingDimension(2, 10.0, 0.5, "rack")
    assert allreduce_cost([inner]).time_s(400.0) == pytest.approx(6.0)
    assert allreduce_cost([inner, outer]).time_s(400.0) == pytest.approx(17.0)
    # The other way round the slow ring has all 400 bytes: 2 (200/10 + 0.5) + 6 (50/100).
    assert allreduce_cost([outer, inner]).time_s(400.0) == pytest.approx(44.0)
    assert allreduce_cost([]).time_s(400.0) == 0.0


SECONDS = st.floats(0.0, 10.0)
LAYERS = st.lists(
    st.builds(layer, st.just("a"), SECONDS, SECONDS, SECONDS, st.floats(0.0, 1e3)), min_size=1
)
COSTS = st.builds(AllReduceCost, st.floats(0.0, 1.0), st.floats(0.0, 1.0))


@given(LAYERS, COSTS, COSTS)
def test_a_dearer_all_reduce_never_makes_an_iteration_faster(layers, one, other):
    """Also under rounding: no tolerance, since bounds rest on it."""
    dear = AllReduceCost(
        max(one.seconds_per_byte, other.seconds_per_byte), max(one.latency_s, other.latency_s)
    )
    times = LayerTimes.of(layers)
    assert 0 <= times.efficiency(dear) <= times.efficiency(one) <= 1.0
    assert times.iteration_time_s(dear) >= times.iteration_time_s(one) >= times.compute_s
    # Never longer than one after the other.
    last = sum(one.time_s(row.allreduce_bytes) for row in layers if row.allreduce_bytes > 0)
    assert times.iteration_time_s(one) <= (times.compute_s + last) * (1 + 1e-12)
