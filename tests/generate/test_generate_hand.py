import pytest

from optsched.contention import rate_functions
from optsched.core.placement import Placement
from optsched.generate import interior_start, waiting_pays


def test_waiting_pays_takes_the_times_of_the_text():
    instance = waiting_pays()
    rates = rate_functions(instance)
    spread = Placement.of({0: 2, 1: 1})
    # Alone 0.05 + 1.0 = 1.05 s for each of 10 iterations; together 0.05 + 2.5 = 2.55 s.
    assert 10 * rates.iteration_time_s(0, spread, [1, 1]) == pytest.approx(10.5)
    assert 10 * rates.iteration_time_s(0, spread, [1, 2]) == pytest.approx(25.5)
    assert instance.cluster.servers.gpus.tolist() == [2, 2, 2]


def test_interior_start_takes_the_times_of_the_text():
    instance = interior_start()
    rates = rate_functions(instance)
    spread = Placement.of({0: 2, 1: 1})
    for job in (0, 1):
        assert rates.iteration_time_s(job, spread, [1, 1]) == pytest.approx(1.0, rel=1e-15)
        assert 1 / rates.iteration_time_s(job, spread, [2, 1]) == pytest.approx(0.6, rel=1e-15)
    whole = Placement.of({0: 2, 1: 2, 2: 2})
    assert rates.iteration_time_s(2, spread, [2, 1]) == 1.0
    assert rates.iteration_time_s(3, whole, [1, 1, 1]) == 1.0
    assert instance.jobs.gpus.tolist() == [3, 3, 3, 6]
    assert instance.jobs.iterations.tolist() == [6, 15, 20, 100]
    assert instance.jobs.weight.tolist() == [1, 1, 1, 6]


def test_interior_start_is_832_with_a_start_at_3():
    # a alone 0..3 does 3; beside b at rate .6 it needs 5 s more: 8. b has done 3 by then, and c,
    # which sends nothing but counts, slows it to .6 as well: 12 more in 20 s, so 28; c 8..28.
    a_end = 3 + (6 - 3) / 0.6
    b_end = a_end + (15 - 0.6 * (a_end - 3)) / 0.6
    c_end = a_end + 20
    assert (a_end, b_end, c_end) == pytest.approx((8.0, 28.0, 28.0))
    assert a_end + b_end + c_end + 6 * (28 + 100) == pytest.approx(832.0)
