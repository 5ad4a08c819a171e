"""The picture of a fit: what is drawn is what was fitted."""

import numpy as np
import pytest

from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.generate import draw_workload, fit_workload, load_workload, poisson
from optsched.plot import plot_fit, save_figure


@pytest.fixture(scope="module")
def drawn():
    instance = draw_workload(load_workload("philly"), jobs=3000, load=0.05, servers=352, seed=1)
    return instance, fit_workload(instance, resamples=10)


def test_steps_are_the_jobs_and_dashes_the_law(drawn):
    instance, workload = drawn
    left, _ = plot_fit(instance, workload)
    one = workload.class_of(1)
    jobs, law = left.lines[0], left.lines[1]
    durations = np.sort(instance.jobs.compute_s[instance.jobs.gpus == 1])
    assert np.array_equal(np.asarray(jobs.get_xdata()), durations)
    assert np.asarray(jobs.get_ydata())[-1] == 1.0
    x, y = (np.asarray(values) for values in law.get_data())
    assert (x[0], x[-1]) == pytest.approx((one.law.low_s, one.law.high_s))
    assert y.tolist() == one.law.distribution(x).tolist()
    assert len(left.lines) == 2 * min(len(workload.classes), 6)
    assert left.get_xscale() == "log"


def test_bars_are_the_factors_with_their_intervals(drawn):
    _, workload = drawn
    _, right = plot_fit(*drawn)
    heights = [bar.get_height() for bar in right.patches]
    cycle = workload.arrivals
    assert heights == [one.value for one in (*cycle.hours, *cycle.weekdays)]
    labels = [label.get_text() for label in right.get_xticklabels()]
    assert labels == ["0:00", "6:00", "12:00", "18:00", "M", "T", "W", "T", "F", "S", "S"]
    assert "an hour" in right.get_title(loc="left")


def test_short_and_simultaneous_arrivals_say_so(drawn):
    short = poisson(jobs=200, load=5.0)
    assert short.jobs.arrival_s[-1] < 2 * 86_400
    _, right = plot_fit(short, fit_workload(short, resamples=10))
    assert "too short for a cycle" in right.get_title(loc="left")
    jobs = [Job(f"j{i}", 1, 10, compute_s=1.0 + i) for i in range(30)]
    batch = Instance("batch", short.cluster, jobs)
    _, right = plot_fit(batch, fit_workload(batch, resamples=10))
    assert right.get_title(loc="left") == "all jobs arrive at once"


def test_on_axes_of_ones_own_and_to_a_file(drawn, tmp_path):
    from matplotlib.figure import Figure

    axes = Figure().subplots(1, 2)
    left, right = plot_fit(*drawn, title="mine", axes=tuple(axes))
    assert (left, right) == tuple(axes)
    assert left.get_title(loc="left") == "mine"
    save_figure(plot_fit(*drawn)[0], tmp_path / "fit.svg")
    assert (tmp_path / "fit.svg").stat().st_size > 10_000
