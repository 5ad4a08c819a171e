"""Fitted workloads: back and forth through samples, files and the catalogue."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from optsched.core.cluster import Cluster
from optsched.core.document import instance_sha256
from optsched.core.errors import InstanceError, UnknownNameError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.files import load, load_instance, save_instance
from optsched.files.names import FAMILIES
from optsched.generate import (
    draw_workload,
    fit_workload,
    fitted,
    load_workload,
    poisson,
    workload_names,
    workload_text,
)
from optsched.generate.fit_workload import demand_classes
from optsched.generate.misfit import misfit
from optsched.traces import load_trace


def outside(found, truth):
    """Parameters of ``truth`` that the intervals of ``found`` do not hold."""
    true = truth.parameters()
    return {
        name: (estimate.low, true[name].value, estimate.high)
        for name, estimate in found.parameters().items()
        if not estimate.low <= true[name].value <= estimate.high
    }


def jointly(workload, level=0.95):
    """The level of each interval at which all hold with about ``level`` (Bonferroni)."""
    return 1.0 - (1.0 - level) / len(workload.parameters())


@pytest.mark.parametrize(
    ("name", "jobs"), [("sensetime", 3000), ("tiresias", 2000), ("pollux", 2000)]
)
def test_a_sample_of_a_shipped_workload_returns_its_parameters(name, jobs):
    workload = load_workload(name)
    again = draw_workload(workload, jobs=jobs, load=None, servers=100, seed=5)
    refitted = fit_workload(again, like=workload, confidence=jointly(workload), resamples=10)
    # Demands of a job or two in the trace may not be drawn at all.
    assert set(refitted.demands) <= set(workload.demands)
    assert outside(refitted, workload) == {}


def test_philly_and_its_own_sample(traces_directory):
    """Fit the whole trace, draw as many jobs, fit these, and find the parameters again."""
    trace = load_trace(traces_directory / "philly" / "philly.csv.gz").instance
    workload = fit_workload(trace, resamples=10)
    assert workload.jobs == 82_247
    # 2017-09-04 10:30:41 was a Monday.
    assert workload.arrivals.start_s == 10 * 3600 + 30 * 60 + 41
    again = draw_workload(workload, jobs=82_247, load=None, seed=1)
    refitted = fit_workload(again, like=workload, confidence=jointly(workload), resamples=10)
    assert outside(refitted, workload) == {}
    # A sample of the law is as near to it as chance has it; the trace is not, and says so.
    assert all(one.misfit.distance.value < 2 * one.misfit.chance for one in refitted.classes)
    assert refitted.arrival_misfit.is_chance
    assert refitted.dispersion == pytest.approx(1.0, abs=0.15)
    assert not workload.arrival_misfit.is_chance
    assert workload.dispersion > 100
    # The shipped file is this fit, to its six digits.
    shipped = load_workload("philly")
    for name, estimate in shipped.parameters().items():
        assert estimate.value == pytest.approx(workload.parameters()[name].value, rel=2e-3), name


def test_the_kinds_of_law_are_found_again_without_help():
    workload = load_workload("philly")
    again = draw_workload(workload, jobs=40_000, load=None, seed=2)
    refitted = fit_workload(again, resamples=10)
    one = refitted.class_of(1)
    assert one.law.name == workload.class_of(1).law.name
    true = workload.class_of(1).law
    grid = np.geomspace(10.0, 1e6, 200)
    apart = np.abs(one.law.distribution(grid) - true.distribution(grid)).max()
    assert apart < 2.0 / math.sqrt(one.jobs)


@pytest.mark.parametrize("load", [0.3, 0.8, 1.5])
@pytest.mark.parametrize("servers", [40, 352])
def test_load_is_what_was_asked_for(load, servers):
    instance = fitted(name="philly", jobs=20_000, load=load, servers=servers, seed=1)
    jobs = instance.jobs
    work = float((jobs.gpus * jobs.compute_s).sum())
    found = work / (instance.cluster.total_gpus * jobs.arrival_s[-1])
    # The last arrival varies by 1/√jobs; where the rate is low, more.
    assert found == pytest.approx(load, rel=0.05)


def test_hours_of_the_day_stay_whatever_the_load():
    workload = load_workload("philly")
    instance = draw_workload(workload, jobs=50_000, load=0.2, seed=3)
    start_s = float(instance.metadata["clock_start_s"])
    hours = ((instance.jobs.arrival_s + start_s) // 3600 % 24).astype(int)
    counts = np.bincount(hours, minlength=24)
    factors = np.array([one.value for one in workload.arrivals.hours])
    assert counts / counts.mean() == pytest.approx(factors, rel=0.12)


def test_draws_by_seed_and_name(tmp_path):
    first = load("fitted:name=philly,jobs=500,load=0.8,servers=352", seed=4)
    assert first.name == "fitted-philly-500x352-4"
    assert instance_sha256(first) == instance_sha256(load("fitted:jobs=500,seed=4"))
    assert instance_sha256(first) != instance_sha256(load("fitted:jobs=500,seed=5"))
    again = load(first.metadata["generator"])
    assert instance_sha256(first) == instance_sha256(again)
    save_instance(first, tmp_path / "first.json")
    assert instance_sha256(load_instance(tmp_path / "first.json")) == instance_sha256(first)
    own = load("fitted:jobs=500,load=none")
    assert "the trace's own rate" in own.description


def test_demands_too_large_for_the_cluster_are_not_drawn():
    instance = fitted(name="philly", jobs=2000, servers=2, gpus_per_server=4)
    assert instance.jobs.gpus.max() <= 8
    assert "left out" in instance.description
    assert "left out" not in fitted(name="philly", jobs=2000).description


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"jobs": 0}, "fitted.jobs: expected a whole number from 1"),
        ({"load": 0.0}, "fitted.load: expected a number from"),
        ({"load": math.nan}, "fitted.load"),
        ({"servers": 0}, "fitted.servers"),
        ({"gpus_per_server": -1}, "fitted.gpus_per_server"),
    ],
)
def test_parameters_out_of_range(parameters, message):
    with pytest.raises(InstanceError, match=message):
        fitted(**parameters)


def test_every_shipped_workload_has_a_family_of_names():
    assert {f"fitted-{name}" for name in workload_names()} <= set(FAMILIES)
    instance = load("fitted-pollux-70x16-3")
    assert instance_sha256(instance) == instance_sha256(fitted(name="pollux", jobs=70, seed=3))
    assert fitted(jobs=30, load=None).name == "fitted-philly-30x352-0-load-None"


def test_unknown_workloads():
    with pytest.raises(UnknownNameError, match=r"no workload is called 'phily'.*'philly'"):
        fitted(name="phily")


@pytest.mark.parametrize("name", workload_names())
def test_shipped_files_hold_no_rows_and_read_back(tmp_path, name):
    workload = load_workload(name)
    text = workload_text(workload)
    # A few hundred numbers at most, however many jobs there were.
    assert len(text) < 8000
    (tmp_path / f"{name}.toml").write_text(text)
    again = load_workload(tmp_path / f"{name}.toml")
    assert workload_text(again) == text
    assert again.parameters() == workload.parameters()
    assert workload.source["all"].startswith("fitted by optsched fit to ")
    instance = fitted(name=str(tmp_path / f"{name}.toml"), jobs=50)
    assert instance_sha256(instance) == instance_sha256(fitted(name=name, jobs=50))


def test_a_poisson_draw_of_the_library():
    workload = fit_workload(poisson(jobs=5000, seed=2), resamples=50)
    assert outside(fit_workload(poisson(jobs=5000, seed=2), resamples=10), workload) == {}
    shares = dict(zip((1, 2, 4, 8, 16, 32), (0.5, 0.15, 0.12, 0.15, 0.05, 0.03), strict=True))
    assert {gpus: share.value for gpus, share in workload.demands.items()} == {
        gpus: pytest.approx(share, abs=0.03) for gpus, share in shares.items()
    }
    for one in workload.classes:
        # Half of the jobs take less than 1500 s.
        assert one.law.distribution(np.array([1500.0]))[0] == pytest.approx(0.5, abs=0.1)


def test_jobs_that_come_at_once_need_a_load(tmp_path):
    jobs = [Job(f"j{i}", 1 + i % 2, 10, compute_s=1.0 + i) for i in range(60)]
    instance = Instance("batch", poisson(jobs=2).cluster, jobs)
    workload = fit_workload(instance, resamples=10)
    assert (workload.arrivals, workload.arrival_misfit, workload.dispersion) == (None, None, None)
    (tmp_path / "batch.toml").write_text(workload_text(workload))
    again = load_workload(tmp_path / "batch.toml")
    assert again.arrivals is None
    assert draw_workload(again, jobs=30, load=0.5).has_arrivals
    with pytest.raises(InstanceError, match="load: expected a load, since the sample came all"):
        draw_workload(again, jobs=30, load=None)


def test_too_few_jobs():
    with pytest.raises(InstanceError, match="expected at least 20 jobs to fit a workload to"):
        fit_workload(poisson(jobs=19))


DURATIONS = {
    "tiny": lambda draw: 10 ** draw.uniform(-17, -10),
    "huge": lambda draw: 10 ** draw.uniform(8, 15),
    "ties": lambda draw: draw.choice([1.0, 60.0, 3600.0]),
    "mixed": lambda draw: 10 ** draw.uniform(-3, 7),
    "equal": lambda draw: 60.0,
}
ARRIVALS = {
    "at once": lambda draw: 0.0,
    "ties": lambda draw: draw.choice([0.0, 86_400.0, 864_000.0]),
    "long": lambda draw: draw.uniform(0, 1e8),
    "short": lambda draw: draw.uniform(0, 1e-3),
}


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    gpus=st.lists(st.sampled_from([1, 1, 1, 2, 3, 8, 16]), min_size=20, max_size=120),
    draw=st.randoms(use_true_random=False),
    durations=st.sampled_from(sorted(DURATIONS)),
    arrivals=st.sampled_from(sorted(ARRIVALS)),
)
def test_any_jobs_can_be_fitted_written_and_drawn(tmp_path, gpus, draw, durations, arrivals):
    jobs = [
        Job(
            f"j{position}",
            demand,
            1,
            compute_s=DURATIONS[durations](draw),
            arrival_s=ARRIVALS[arrivals](draw),
        )
        for position, demand in enumerate(gpus)
    ]
    workload = fit_workload(Instance("any", Cluster.uniform(2, 8), jobs), resamples=5)
    for name, one in workload.parameters().items():
        assert one.low <= one.value <= one.high, name
    (tmp_path / "any.toml").write_text(workload_text(workload))
    drawn = draw_workload(load_workload(tmp_path / "any.toml"), jobs=30, load=0.7)
    assert set(drawn.jobs.gpus.tolist()) <= set(gpus)
    assert np.isfinite(drawn.jobs.compute_s).all()
    assert np.isfinite(drawn.jobs.arrival_s).all()


@pytest.mark.parametrize(
    ("counts", "classes"),
    [
        ({1: 60, 8: 60}, [(1,), (8,)]),
        ({1: 60, 2: 5, 8: 60}, [(1, 2), (8,)]),
        ({1: 60, 2: 15, 4: 15, 8: 60}, [(1,), (2, 4), (8,)]),
        ({1: 5, 3: 4}, [(1, 3)]),
    ],
)
def test_rare_demands_share_a_law(counts, classes):
    gpus = np.repeat(list(counts), list(counts.values()))
    assert demand_classes(gpus) == classes


def test_misfit_by_hand():
    # Levels 0.1, 0.3, 0.5, 0.7, 0.9 of five: 0.1 from each step. Shifted by 0.4 it is 0.5.
    assert misfit(np.array([0.1, 0.3, 0.5, 0.7, 0.9])).distance.value == pytest.approx(0.1)
    assert misfit(np.array([0.5, 0.5, 0.5, 0.5])).distance.value == pytest.approx(0.5)
    uniform = np.random.default_rng(0).random(2000)
    found = misfit(uniform)
    assert found.is_chance
    assert found.distance.low <= found.distance.value <= found.distance.high
    assert not misfit(uniform**1.5).is_chance
