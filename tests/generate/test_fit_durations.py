"""Laws of durations: against closed forms, numerical integrals, and samples of known laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from optsched.core.errors import UnknownNameError
from optsched.generate.fit_durations import fit_law
from optsched.generate.laws import DurationLaw

LAWS = [
    DurationLaw("lognormal", (1.0,), (1000.0,), (2.0,), 5.0, 1e6),
    DurationLaw("lognormal", (0.3, 0.7), (60.0, 5000.0), (0.2, 1.5), 1.0, 1e7),
    DurationLaw("weibull", (1.0,), (2000.0,), (0.5,), 1.0, 1e6),
    DurationLaw("exponential", (0.8, 0.2), (100.0, 20_000.0), (1.0, 1.0), 1.0, 1e6),
]


def drawn(law, count, seed):
    generator = np.random.default_rng(seed)
    return law.quantiles_s(generator.random(count), generator.random(count))


def test_distribution_of_a_lognormal_cut_to_a_range():
    law = LAWS[0]
    whole = stats.lognorm(s=2.0, scale=1000.0)
    low, high = whole.cdf(5.0), whole.cdf(1e6)
    for duration in (5.0, 80.0, 1000.0, 3e5, 1e6):
        expected = (whole.cdf(duration) - low) / (high - low)
        assert law.distribution(np.array([duration]))[0] == pytest.approx(expected, abs=1e-12)
    assert law.distribution(np.array([1.0, 1e7])).tolist() == [0.0, 1.0]


def test_distribution_of_the_others_is_scipys():
    weibull = stats.weibull_min(0.5, scale=2000.0)
    expected = (weibull.cdf(300.0) - weibull.cdf(1.0)) / (weibull.cdf(1e6) - weibull.cdf(1.0))
    assert LAWS[2].distribution(np.array([300.0]))[0] == pytest.approx(expected, rel=1e-12)

    def hyper(x):
        return 0.8 * stats.expon(scale=100.0).cdf(x) + 0.2 * stats.expon(scale=20_000.0).cdf(x)

    expected = (hyper(300.0) - hyper(1.0)) / (hyper(1e6) - hyper(1.0))
    assert LAWS[3].distribution(np.array([300.0]))[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_density_is_the_slope_of_the_distribution(law):
    log_s = np.linspace(math.log(law.low_s) + 0.01, math.log(law.high_s) - 0.01, 50)
    step = 1e-5
    slope = (law.distribution(np.exp(log_s + step)) - law.distribution(np.exp(log_s - step))) / (
        2 * step
    )
    np.testing.assert_allclose(np.exp(law.log_density(log_s)), slope, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_draws_have_the_law_and_stay_in_its_range(law):
    sample = drawn(law, 20_000, seed=3)
    assert law.low_s <= sample.min()
    assert sample.max() <= law.high_s
    # The chance of a greater distance is below 1e-6.
    assert stats.kstest(sample, law.distribution).statistic < 2.7 / math.sqrt(20_000)
    # A long tail: the mean of a sample is off by a few standard errors.
    error = sample.std() / math.sqrt(len(sample))
    assert law.mean_s() == pytest.approx(sample.mean(), abs=5 * error)


@given(st.floats(0.0, 1.0, exclude_max=True), st.floats(0.0, 1.0, exclude_max=True))
def test_ends_of_the_uniform_numbers_are_durations(which, place):
    for law in LAWS:
        (duration,) = law.quantiles_s(np.array([which]), np.array([place]))
        assert law.low_s <= duration <= law.high_s


def test_unknown_kinds_are_refused():
    with pytest.raises(UnknownNameError, match="lognormal"):
        DurationLaw("lognormals", (1.0,), (1.0,), (1.0,), 1.0, 2.0)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_the_kind_of_a_sample_is_found_and_its_parameters(law):
    fitted = fit_law(drawn(law, 20_000, seed=5), confidence=0.9999)
    assert fitted.law.name == law.name
    for found, true in (
        (fitted.weights, law.weights),
        (fitted.scales_s, law.scales_s),
        (fitted.shapes, law.shapes),
    ):
        for estimate, value in zip(found, true, strict=True):
            assert estimate.low <= value <= estimate.high


def test_intervals_hold_the_truth_as_often_as_they_say():
    law = DurationLaw("lognormal", (0.4, 0.6), (60.0, 5000.0), (0.5, 1.2), 1.0, 1e7)
    hits = trials = 0
    for seed in range(60):
        fitted = fit_law(drawn(law, 1500, seed), candidates=[("lognormal", 2)], confidence=0.9)
        for found, true in (
            (fitted.weights[:1], law.weights),
            (fitted.scales_s, law.scales_s),
            (fitted.shapes, law.shapes),
        ):
            for estimate, value in zip(found, true, strict=False):
                hits += estimate.low <= value <= estimate.high
                trials += 1
    # 300 intervals, of which 270 are expected; 5 standard deviations are 26.
    assert trials == 300
    assert 244 <= hits <= 296


@pytest.mark.parametrize(
    "sample", [[60.0], [60.0] * 50, [1.0, 1e6], [5.0] * 30 + [50.0] * 30 + [1e-3]]
)
def test_small_and_constant_samples_have_a_law(sample):
    fitted = fit_law(np.array(sample))
    again = drawn(fitted.law, 100, seed=0)
    assert np.isfinite(again).all()
    assert min(sample) * 0.99 <= again.min()
    assert again.max() <= max(sample) * 1.01
    assert fitted.law.name == "lognormal-1" or len(sample) > 2


def test_parts_come_in_the_order_of_the_law_they_are_compared_with():
    # Two parts with nearly one median, told apart by their width.
    law = DurationLaw("lognormal", (0.5, 0.5), (1000.0, 1001.0), (2.0, 0.2), 1.0, 1e7)
    fitted = fit_law(drawn(law, 5000, seed=1), candidates=[("lognormal", 2)], start=law)
    assert fitted.law.shapes == (pytest.approx(2.0, rel=0.1), pytest.approx(0.2, rel=0.1))
