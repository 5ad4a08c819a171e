"""Pictures of a run: what is drawn is what the schedule says."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from optsched.core.cluster import Cluster
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel
from optsched.core.schedule import Schedule, Segment
from optsched.plot import (
    plot_jct_distribution,
    plot_queue,
    plot_tier_shares,
    plot_timelines,
    plot_timers,
    plot_utilisation,
    save_figure,
)
from optsched.plot.step_curve import StepCurve, gpus_in_use, jobs_waiting
from optsched.plot.tier_times import tier_times_s


def value_at(curve, time_s):
    return curve.values[np.searchsorted(curve.times_s, time_s, side="right") - 1]


@pytest.mark.parametrize("pieces", [1, 3])
def test_curves_count_segments_at_any_time(packed, pieces):
    instance, schedule = packed(4, 4, 40, seed=pieces, pieces=pieces)
    busy, queue = gpus_in_use(instance, schedule), jobs_waiting(instance, schedule)
    rows = schedule.segments
    done = {row.job: max(r.end_s for r in rows if r.job == row.job) for row in rows}
    for time_s in np.random.default_rng(pieces).uniform(0, schedule.end_time_s, 200):
        running = [row for row in rows if row.start_s <= time_s < row.end_s]
        assert value_at(busy, time_s) == sum(row.placement.gpus for row in running)
        left = [job for job, end_s in done.items() if end_s > time_s]
        assert value_at(queue, time_s) == len(left) - len(running)
    held = sum(row.placement.gpus * (row.end_s - row.start_s) for row in rows)
    assert busy.mean * schedule.end_time_s == pytest.approx(held)


def test_a_job_waits_before_and_between_its_segments():
    jobs = [Job("a", 1, 9, compute_s=1.0, arrival_s=1.0), Job("b", 1, 2, compute_s=1.0)]
    here = Placement.of({0: 1})
    rows = [
        Segment(1, here, 0.0, 2.0),
        Segment(0, here, 2.0, 5.0),
        # It goes on at once and does not wait.
        Segment(0, here, 5.0, 7.0),
        Segment(0, here, 9.0, 13.0),
    ]
    curve = jobs_waiting(Instance("two", Cluster.uniform(1, 1), jobs), Schedule.of(rows))
    assert curve.times_s.tolist() == [0, 1, 2, 5, 7, 9, 13]
    assert curve.values.tolist() == [0, 1, 0, 0, 1, 0]


def test_rounding_makes_no_sliver():
    jobs = [Job("a", 1, 9, compute_s=1.0), Job("b", 1, 2, compute_s=1.0)]
    here = Placement.of({0: 1})
    rows = [Segment(0, here, 0.0, 9.0), Segment(1, here, 9.0 - 1e-12, 11.0)]
    curve = gpus_in_use(Instance("two", Cluster.uniform(1, 1), jobs), Schedule.of(rows))
    assert curve.values.max() == 1


def test_unix_times_are_not_counted_from_1970():
    begin = 1.6e9
    jobs = [Job("a", 1, 9, compute_s=1.0, arrival_s=begin)]
    instance = Instance("unix", Cluster.uniform(1, 2), jobs)
    schedule = Schedule.of([Segment(0, Placement.of({0: 1}), begin + 1, begin + 10)])
    ax = plot_utilisation(instance, schedule)
    assert ax.get_xlim() == (begin, begin + 10)
    assert ax.get_title(loc="left") == "GPUs in use: 45.0% of 2"


def test_intervals_have_the_mean_the_least_and_the_most():
    chance = np.random.default_rng(1)
    times = np.cumsum(chance.uniform(0.1, 2.0, 60))
    curve = StepCurve(times, chance.integers(0, 9, 59).astype(float))
    edges = np.linspace(times[0], times[-1], 8)
    mean, least, most = curve.over(edges)
    for k in range(7):
        grid = np.linspace(edges[k], edges[k + 1], 20_001)[:-1]
        values = curve.values[np.searchsorted(times, grid, side="right") - 1]
        assert mean[k] == pytest.approx(values.mean(), abs=0.01)
        assert (least[k], most[k]) == (values.min(), values.max())
    inner = curve.over(edges[1:4])
    assert [part.tolist() for part in inner] == [part[1:3].tolist() for part in curve.over(edges)]


def on_racks():
    """Return a job on a machine, then on a rack, then on both racks; and one on a machine."""
    model = RateModel.of("tiered", **{"layers.net": "1 1 1 1"})
    jobs = [Job(name, 2, 10, compute_s=1.0, profile="net") for name in "ab"]
    instance = Instance("racks", Cluster.uniform(4, 2, racks=2), jobs, model)
    rows = [
        Segment(0, Placement.of({0: 2}), 0.0, 1.0),
        Segment(0, Placement.of({0: 1, 1: 1}), 1.0, 3.0),
        Segment(0, Placement.of({1: 1, 2: 1}), 4.0, 8.0),
        Segment(1, Placement.of({3: 2}), 0.0, 5.0),
    ]
    return instance, Schedule.of(rows)


def test_tiers_are_those_of_the_placements():
    instance, schedule = on_racks()
    names, times_s = tier_times_s(instance, schedule)
    assert names == ("one machine", "one rack", "several racks")
    assert times_s.tolist() == [[1, 2, 4], [5, 0, 0]]
    ax = plot_tier_shares(instance, schedule)
    widths = np.array([bar.get_width() for bar in ax.patches]).reshape(3, 3).T
    assert widths == pytest.approx(np.tile([50.0, 100 / 6, 100 / 3], (3, 1)))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(names)


def test_gpu_time_counts_wide_jobs_more():
    jobs = [Job("one", 1, 10, compute_s=1.0), Job("three", 3, 10, compute_s=1.0)]
    instance = Instance("two", Cluster.uniform(2, 2), jobs)
    rows = [
        Segment(0, Placement.of({0: 1}), 0.0, 10.0),
        Segment(1, Placement.of({0: 1, 1: 2}), 0.0, 10.0),
    ]
    ax = plot_tier_shares(instance, Schedule.of(rows))
    near = [bar.get_width() for bar in ax.patches[:4]]
    assert near == pytest.approx([25.0, 50.0, 100.0, 0.0])


def test_the_distribution_steps_at_every_job(packed):
    instance, schedule = packed(4, 4, 30)
    ax = plot_jct_distribution(instance, schedule)
    line = ax.lines[-1]
    done_s = np.sort([schedule.end_s[schedule.job == job].max() for job in range(30)])
    assert np.asarray(line.get_xdata())[1:].tolist() == done_s.tolist()
    assert np.asarray(line.get_ydata())[1:] == pytest.approx(100 * np.arange(1, 31) / 30)


def test_many_jobs_are_drawn_by_quantiles_with_both_ends(packed):
    instance, schedule = packed(16, 8, 3000)
    line = plot_jct_distribution(instance, schedule).lines[-1]
    x, y = (np.asarray(values) for values in line.get_data())
    assert len(x) == 1001
    jct_s = schedule.end_s
    assert (x[0], x[-1], y[-1]) == (jct_s.min(), jct_s.max(), 100.0)
    for at in (100, 500, 900):
        assert y[at] == pytest.approx(100 * (jct_s <= x[at]).mean())


def test_timers_hold_until_they_are_changed():
    instance, schedule = on_racks()
    rows = [
        (0.0, None, 6.0, 12.0),
        (2.0, 2, 9.0, 12.0),
        (2.0, 2, 8.0, 12.0),
        (3.0, 2, 8.0, 14.0),
        (4.0, 64, 99.0, 99.0),
    ]
    ax = plot_timers(instance, schedule, rows)
    solid, dashed = ax.lines
    assert solid.get_xdata().tolist() == [0.0, 2.0, 3.0, 8.0]
    assert solid.get_ydata().tolist() == [6.0, 8.0, 8.0, 8.0]
    assert dashed.get_ydata().tolist() == [12.0, 12.0, 14.0, 14.0]
    assert dashed.get_linestyle() == "--"
    ax = plot_timers(instance, schedule, [(0.0, None, 600.0, np.inf)])
    assert len(ax.lines) == 1, "what is infinite is not drawn"
    assert ax.get_ylabel() == "wait (min)"


def test_all_panels_and_some(packed, tmp_path):
    instance, schedule = packed(4, 4, 30, pieces=2)
    axes = plot_timelines(instance, schedule, timers=[(0.0, None, 6.0, 12.0)], title="mine")
    assert list(axes) == ["utilisation", "queue", "timers", "jct", "tiers"]
    assert [ax.get_xlabel()[:6] for ax in axes.values()][:3] == ["", "", "time ("]
    first = save_figure(axes["jct"], tmp_path / "a.svg").read_bytes()
    again = plot_timelines(instance, schedule, timers=[(0.0, None, 6.0, 12.0)], title="mine")
    assert first == save_figure(again["queue"], tmp_path / "b.svg").read_bytes()
    without = plot_timelines(instance, schedule, timers=[(0.0, None, np.inf, np.inf)])
    assert "timers" not in without
    mine = Figure().subplots(1, 2)
    own = dict(zip(("queue", "tiers"), mine, strict=True))
    assert plot_timelines(instance, schedule, axes=own) == own
    assert mine[0].get_ylabel() == "jobs waiting"
    with pytest.raises(ValueError, match="no panel is called 'gantt'"):
        plot_timelines(instance, schedule, axes={"gantt": mine[0]})


def test_nothing_and_no_time_can_be_drawn():
    instance = Instance("zero", Cluster.uniform(1, 1), [Job("a", 1, 1, compute_s=0.0)])
    rows = [Segment(0, Placement.of({0: 1}), 0.0, 0.0)]
    for schedule in (Schedule.of([]), Schedule.of(rows)):
        for plot in (plot_utilisation, plot_queue, plot_jct_distribution, plot_tier_shares):
            plot(instance, schedule).figure.canvas.draw()
        plot_timelines(instance, schedule)["jct"].figure.canvas.draw()


def test_a_hundred_thousand_segments_make_a_small_picture(packed, tmp_path):
    rows = np.arange(100_000)
    jobs = [Job(f"j{i}", 1 + i % 3, 1, compute_s=1.0) for i in range(1000)]
    instance = Instance("many", Cluster.uniform(2, 4), jobs)
    places = (Placement.of({0: 1}), Placement.of({0: 2}), Placement.of({0: 2, 1: 1}))
    schedule = Schedule.from_columns(
        job=rows % 1000,
        placement=rows % 1000 % 3,
        start_s=rows * 1.0,
        end_s=rows + 1.0,
        placements=places,
    )
    picture = save_figure(plot_timelines(instance, schedule)["jct"], tmp_path / "many.svg")
    assert picture.stat().st_size < 1_000_000
