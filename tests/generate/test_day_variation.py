"""Days that are busy and idle: found again in what is drawn, at the load that was asked for."""

import numpy as np
import pytest

from optsched.contention.calibration import Estimate
from optsched.core.document import instance_sha256
from optsched.core.errors import InstanceError
from optsched.generate import draw_workload, fit_workload, fitted, load_workload
from optsched.generate.arrival_cycle import ArrivalCycle, fit_arrivals
from optsched.generate.day_variation import DayVariation, fit_days, varying_times_s

FLAT = ArrivalCycle(Estimate(0.005, 0.005, 0.005), start_s=40_000.0)


def drawn(variation, days, seed):
    generator = np.random.default_rng(seed)
    gaps = generator.exponential(size=int(days * 86_400 * FLAT.rate_per_s.value))
    gaps[0] = 0.0
    uniform = generator.random(100_000)
    return varying_times_s(FLAT, variation, np.cumsum(gaps), None, lambda count: uniform[:count])


def test_factors_by_hand():
    # Median, then median again: the level falls back to 0, and the factor is exp(−σ²/2).
    factors = DayVariation(1.0, 0.6).factors(np.array([0.5, 0.5]))
    assert factors == pytest.approx([np.exp(-0.5)] * 2)
    # One standard deviation up, then nothing new: 0.6 of it stays.
    up = 0.8413447460685429
    factors = DayVariation(1.0, 0.6).factors(np.array([up, 0.5]))
    assert factors == pytest.approx(np.exp([1.0 - 0.5, 0.6 - 0.5]))


def test_factors_have_mean_one_and_their_spread_and_memory():
    uniform = np.random.default_rng(0).random(200_000)
    logs = np.log(DayVariation(0.8, 0.7).factors(uniform))
    assert np.exp(logs).mean() == pytest.approx(1.0, abs=0.02)
    assert logs.std() == pytest.approx(0.8, abs=0.02)
    assert np.corrcoef(logs[1:], logs[:-1])[0, 1] == pytest.approx(0.7, abs=0.02)


def test_the_variation_is_found_in_its_own_sample():
    times = drawn(DayVariation(0.6, 0.5), 2500, seed=1)
    found = fit_days(times, fit_arrivals(times, start_s=FLAT.start_s))
    assert found.spread == pytest.approx(0.6, abs=0.08)
    assert found.memory == pytest.approx(0.5, abs=0.12)


def test_a_steady_sample_has_next_to_none():
    times = drawn(DayVariation(0.0, 0.0), 400, seed=2)
    assert fit_days(times, fit_arrivals(times, start_s=FLAT.start_s)).spread < 0.05
    short = times[times < 13 * 86_400]
    assert fit_days(short, fit_arrivals(short, start_s=FLAT.start_s)) is None


@pytest.mark.parametrize("load", [0.5, 1.2])
def test_load_and_hours_stay(load):
    workload = load_workload("philly")
    instance = draw_workload(workload, jobs=60_000, load=load, servers=59, days="varying", seed=3)
    jobs = instance.jobs
    work = float((jobs.gpus * jobs.compute_s).sum())
    found = work / (instance.cluster.total_gpus * jobs.arrival_s[-1])
    assert found == pytest.approx(load, rel=0.05)
    assert (np.diff(jobs.arrival_s) >= 0).all()
    hours = ((jobs.arrival_s + workload.arrivals.start_s) // 3600 % 24).astype(int)
    counts = np.bincount(hours, minlength=24)
    factors = np.array([one.value for one in workload.arrivals.hours])
    # Half an hour of the shift by the start is within this.
    assert np.corrcoef(counts, factors)[0, 1] > 0.9
    assert fit_workload(instance, resamples=5).dispersion > 10


def test_only_arrivals_change():
    steady, varying = (fitted(jobs=300, days=days, seed=2) for days in ("steady", "varying"))
    assert instance_sha256(steady) == instance_sha256(fitted(jobs=300, seed=2))
    for column in ("gpus", "compute_s"):
        assert (getattr(steady.jobs, column) == getattr(varying.jobs, column)).all()
    assert (steady.jobs.arrival_s != varying.jobs.arrival_s).any()
    assert varying.name == "fitted-philly-300x352-2-days-varying"


def test_refusals():
    with pytest.raises(InstanceError, match="days: expected steady, since the sample was too"):
        fitted(name="tiresias", days="varying")
    with pytest.raises(InstanceError, match="expected arrivals within 200,000 days"):
        fitted(jobs=100_000, load=0.001, servers=1, days="varying")
