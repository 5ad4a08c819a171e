"""The fit finds constants that are known, and says when it cannot."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsched.contention import LatencyMeasurements, calibrate
from optsched.core.errors import CalibrationError, UnknownNameError
from optsched.traces import read_latencies

#: The constants of Wang et al. for 10 GbE: α = 0.235/0.856.
A, B, ETA = 6.69e-4, 8.56e-10, 2.35e-10
JOBS = range(1, 9)
SIZES = (1e6, 4e6, 16e6, 64e6)


def law_s(jobs, size, a=A, b=B, eta=ETA):
    return a + jobs * b * size + (jobs - 1) * eta * size


def table(noise=0.0, *, seed=0, jobs=JOBS, sizes=SIZES, a=A, b=B, eta=ETA):
    chance = np.random.default_rng(seed)
    return LatencyMeasurements.of(
        (k, size, law_s(k, size, a, b, eta) * math.exp(chance.normal(0.0, noise)))
        for k in jobs
        for size in sizes
    )


@pytest.mark.parametrize("weighting", ["absolute", "square-root", "relative"])
def test_exact_data_give_the_constants_back(weighting):
    fit = calibrate(table(), weighting=weighting, resamples=100)
    assert fit.latency_s.value == pytest.approx(A, rel=1e-6)
    assert fit.inverse_bandwidth_s_per_byte.value == pytest.approx(B, rel=1e-9)
    assert fit.contention_s_per_byte.value == pytest.approx(ETA, rel=1e-9)
    assert fit.degradation.value == pytest.approx(0.235 / 0.856, rel=1e-9)
    assert fit.mean_relative_error < 1e-9
    assert {round(row.degradation, 6) for row in fit.alternatives} == {round(0.235 / 0.856, 6)}
    assert fit.warnings() == ()


@given(
    st.floats(1e-6, 1e-2), st.floats(1e-11, 1e-8), st.floats(0.0, 3.0), st.sampled_from([1e3, 1e6])
)
def test_any_law_is_found(a, b, alpha, unit):
    data = table(a=a, b=b, eta=alpha * b, sizes=(unit, 10 * unit, 100 * unit))
    fit = calibrate(data, weighting="relative", resamples=100)
    for row in fit.residuals:
        assert row.predicted_s == pytest.approx(row.measured_s, rel=1e-6)


def test_the_fabric_has_the_fitted_constants_and_nothing_else():
    fabric = calibrate(table(), resamples=100).fabric()
    assert fabric.inter_bytes_per_s == pytest.approx(1 / B)
    assert fabric.degradation == pytest.approx(ETA / B)
    assert fabric.latency_s == pytest.approx(A)
    assert fabric.intra_bytes_per_s == fabric.reduce_bytes_per_s == math.inf


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    hits = 0
    for seed in range(60):
        fit = calibrate(table(0.15, seed=seed), weighting="relative", resamples=200, seed=seed)
        hits += fit.degradation.low <= ETA / B <= fit.degradation.high
    # 95% of 60 is 57; fewer than 51 would happen once in a thousand times.
    assert hits >= 51


def test_intervals_hold_the_estimate_and_narrow_with_less_noise():
    wide, narrow = (
        calibrate(table(noise), weighting="relative", resamples=300).degradation
        for noise in (0.2, 0.02)
    )
    assert wide.low <= wide.value <= wide.high
    assert (narrow.high - narrow.low) * 3 < wide.high - wide.low


def test_the_same_seed_gives_the_same_intervals():
    first, again, other = (
        calibrate(table(0.1), resamples=100, seed=seed).degradation for seed in (1, 1, 2)
    )
    assert first == again
    assert first.value == other.value
    assert first != other


def test_jobs_that_speed_each_other_up_leave_alpha_at_zero_and_say_so():
    rows = [(k, m, 1e-3 + 1e-9 * m * k**0.8) for k in JOBS for m in SIZES]
    fit = calibrate(LatencyMeasurements.of(rows), resamples=100)
    assert fit.contention_s_per_byte.value == fit.degradation.value == 0.0
    assert "η (and so α) would be negative and is held at 0" in fit.warnings()


def test_a_latency_that_would_be_negative_is_held_at_zero():
    rows = [(k, m, max(law_s(k, m) - 2e-3, 1e-5)) for k in JOBS for m in (16e6, 64e6)]
    fit = calibrate(LatencyMeasurements.of(rows), resamples=100)
    assert fit.latency_s.value == 0.0
    assert fit.warnings()[0] == "a would be negative and is held at 0"


def test_more_jobs_than_the_law_holds_for_are_compared_but_not_fitted():
    rows = [(k, m, law_s(k, m) * (3.0 if k > 8 else 1.0)) for k in (1, 2, 4, 8, 16) for m in SIZES]
    fit = calibrate(LatencyMeasurements.of(rows), resamples=100)
    assert fit.degradation.value == pytest.approx(ETA / B)
    last = fit.misfit()[-1]
    assert (last.jobs, last.is_fitted, last.measurements) == (16, False, 4)
    assert last.mean_relative == pytest.approx(2.0)
    assert fit.misfit()[0].worst_relative == pytest.approx(0.0, abs=1e-9)
    assert fit.warnings()[-1] == (
        "outside the law: with more than 8 jobs the measured times are 3.00 times what it says on "
        "average (4 measurements)"
    )
    with pytest.raises(CalibrationError, match="b = 0"):
        calibrate(LatencyMeasurements.of(rows), max_jobs=16, resamples=100)


def test_more_ranks_move_more_bytes_and_leave_alpha_alone():
    two, eight = (calibrate(table(), ranks=ranks, resamples=100) for ranks in (2, 8))
    assert eight.degradation.value == pytest.approx(two.degradation.value)
    # 8 ranks move 2·7/8 of the message where 2 ranks move it once.
    assert eight.fabric().inter_bytes_per_s == pytest.approx(1.75 * two.fabric().inter_bytes_per_s)
    assert eight.predicted_s(3, 5e6) == pytest.approx(law_s(3, 5e6))


def test_plain_data_has_everything():
    data = calibrate(table(), resamples=100).as_dict()
    assert data["degradation"]["value"] == pytest.approx(ETA / B)
    assert len(data["residuals"]) == len(JOBS) * len(SIZES)
    assert len(data["misfit"]) == len(JOBS)
    assert [row["weighting"] for row in data["alternatives"]] == [
        "absolute",
        "square-root",
        "relative",
    ]


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([], "at least 6 measurements with at most 8 jobs, got 0"),
        ([(9, 1e6 * i, 1.0) for i in range(1, 9)], "got 0"),
        ([(1, 1e6 * i, 1e-3 * i) for i in range(1, 9)], r"numbers of jobs up to 8, got \[1\] only"),
        ([(k, 1e6, 1e-3 * k) for k in JOBS], "two message sizes, got 1000000 bytes only"),
        ([(1, 1e6, 1.0)] * 5 + [(2, 2e6, 3.0)], "tell a, b and η apart"),
        ([(k, m, 1.0) for k in (1, 2) for m in (1e6, 2e6, 3e6)], "best fit has b = 0"),
    ],
)
def test_data_that_do_not_determine_the_law(rows, complaint):
    with pytest.raises(CalibrationError, match=complaint):
        calibrate(LatencyMeasurements.of(rows), resamples=100)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ((1, 1e6, 1e306), "latency_s: .* got 1e"),
        ((0, 1e6, 1.0), "jobs: expected a whole number from 1 to 1,000,000, got 0"),
        ((1, 0.0, 1.0), "message_bytes: expected a number of bytes from 1 to 1e18, got 0.0"),
        ((1, 1e6, math.nan), "latency_s: expected a time from 1e-12 to 1e9 s, got nan"),
    ],
)
def test_what_is_no_measurement(row, complaint):
    with pytest.raises(CalibrationError, match=complaint):
        LatencyMeasurements.of([(1, 1e6, 1.0), row])


def test_settings_out_of_range():
    with pytest.raises(UnknownNameError, match="did you mean 'relative'"):
        calibrate(table(), weighting="relativ")
    for setting in ({"max_jobs": 1}, {"ranks": 1}, {"resamples": 5}, {"confidence": 1.0}):
        with pytest.raises(CalibrationError, match=next(iter(setting))):
            calibrate(table(), **setting)


def test_the_published_measurements(traces_directory):
    path = traces_directory / "contention" / "allreduce_latency_vs_concurrent_jobs.csv"
    fit = calibrate(read_latencies(path))
    # The published constants for 1 GbE are 0.7/7.8125 = 0.0896; the interval says how little
    # 24 scattered measurements tell.
    assert fit.degradation.value == pytest.approx(0.09, abs=0.005)
    assert fit.degradation.low <= 0.0896 <= fit.degradation.high
    assert len([row for row in fit.residuals if row.is_fitted]) == 24
    by_weighting = {row.weighting: row for row in fit.alternatives}
    assert by_weighting["relative"].degradation == pytest.approx(0.38, abs=0.01)
    assert (
        by_weighting["relative"].mean_relative_error < by_weighting["absolute"].mean_relative_error
    )
    beyond = [row for row in fit.misfit() if not row.is_fitted]
    assert [row.jobs for row in beyond] == list(range(9, 17))
    assert min(row.mean_relative for row in beyond) > 0.2
    assert any("α depends on the weighting" in warning for warning in fit.warnings())
