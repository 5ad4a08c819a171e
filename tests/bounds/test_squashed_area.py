"""The squashed area by hand, against all orders of one machine, and below mean busy time."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import instances

from optsched.bounds.mean_busy_time import mean_busy_time_bound
from optsched.bounds.squashed_area import squashed_area_bound
from optsched.bounds.workload import Workload
from optsched.core.cluster import Cluster, Server
from optsched.core.errors import UnsupportedError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel


def fixed(*rows, gpus=2, weights=None):
    jobs = [
        Job(str(i), wide, 1, compute_s=time_s, arrival_s=arrival_s, weight=weight)
        for i, ((wide, time_s, arrival_s), weight) in enumerate(
            zip(rows, weights or [1.0] * len(rows), strict=True)
        )
    ]
    return Instance("fixed", Cluster([Server("s0", gpus)]), jobs, RateModel("fixed"))


def value(instance, objective="mean_jct"):
    return squashed_area_bound(Workload.of(instance), objective).value


def test_shortest_first_without_releases():
    # a = 3, 1, 2 on two GPUs: ends at 1, 3, 6.
    # Rounded down, so that the double next to 10/3 will do.
    found = value(fixed((2, 3.0, 0.0), (1, 2.0, 0.0), (2, 2.0, 0.0)))
    assert found == pytest.approx((1 + 3 + 6) / 3, rel=1e-15)


def test_smiths_rule_with_weights():
    # a = 2 and 1, w = 6 and 1: 2/6 goes before 1/1. Σ wC = 6 · 2 + 3 = 15.
    instance = fixed((2, 2.0, 0.0), (2, 1.0, 0.0), weights=[6.0, 1.0])
    assert value(instance, "weighted_jct") == pytest.approx(15 / 7, rel=1e-15)


def test_the_least_remaining_first_with_releases():
    # a = 4 from 0, 1 from 1: the second runs 1..2, the first 0..1 and 2..5. JCTs 5 and 1.
    assert value(fixed((2, 4.0, 0.0), (2, 1.0, 1.0))) == 3.0
    # Idle until 10.
    assert value(fixed((2, 1.0, 0.0), (2, 1.0, 10.0))) == 1.0


def test_weights_and_releases_together_are_refused():
    instance = fixed((2, 1.0, 0.0), (2, 1.0, 1.0), weights=[1.0, 2.0])
    with pytest.raises(UnsupportedError, match="mean-busy-time holds"):
        value(instance, "weighted_jct")


@given(
    st.lists(
        st.tuples(st.integers(1, 2), st.integers(1, 9), st.integers(0, 4)), min_size=1, max_size=5
    )
)
def test_it_is_the_best_order_of_one_machine(rows):
    instance = fixed(
        *((wide, float(time_s), 0.0) for wide, time_s, _ in rows),
        weights=[float(weight) for *_, weight in rows[:-1]] + [1.0],
    )
    areas = [wide * time_s / 2 for wide, time_s, _ in rows]
    weights = instance.jobs.weight.tolist()

    def cost(order):
        now = total = 0.0
        for job in order:
            now += areas[job]
            total += weights[job] * now
        return total / sum(weights)

    best = min(cost(order) for order in permutations(range(len(rows))))
    assert value(instance, "weighted_jct") == pytest.approx(best, rel=1e-12)


@given(instances(max_jobs=6))
def test_mean_busy_time_is_never_below(instance):
    workload = Workload.of(instance)
    busy = mean_busy_time_bound(workload, "mean_jct").value
    assert squashed_area_bound(workload, "mean_jct").value <= busy * (1 + 1e-12) + 1e-12
