"""Gantt charts: what is drawn, where, and what the texts say."""

import itertools
import time

import numpy as np
import pytest

from optsched.core.cluster import Cluster, Fabric
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.schedule import Schedule, Segment
from optsched.plot import new_axes, plot_gantt, save_figure


def shaded_rectangles(ax, label):
    """Return (start, end, top, bottom) of every area shaded for a contention degree."""
    layers = [layer for layer in ax.collections if layer.get_label() == label]
    return [
        (corners[:, 0].min(), corners[:, 0].max(), corners[:, 1].min(), corners[:, 1].max())
        for layer in layers
        for corners in (path.vertices for path in layer.get_paths())
    ]


def legend_texts(ax):
    legend = ax.get_legend() or ax.figure.legends[0]
    return [text.get_text() for text in legend.get_texts()]


def test_draws_on_the_axes_given_and_returns_them(together):
    mine = new_axes(5, 3)
    assert plot_gantt(*together, ax=mine, title="Mine") is mine
    assert mine.get_title(loc="left") == "Mine"


def test_texts(together):
    ax = plot_gantt(*together)
    assert ax.get_title(loc="left") == "waiting-pays: 2 jobs, 3 servers, 6 GPUs"
    assert ax.get_xlabel() == "time (s)"
    assert [text.get_text() for text in ax.get_yticklabels()] == ["s0 (2)", "s1 (2)", "s2 (2)"]
    assert sorted(text.get_text() for text in ax.texts) == ["a", "a", "b", "b"]
    expected = ["spread over servers", "p = 2 spread jobs share the network"]
    assert legend_texts(ax) == expected


def test_shades_the_shared_server_while_it_is_shared(together, one_after_the_other):
    # Servers of 2 GPUs stand 0.25 apart, so the middle one reaches from 2.25 to 4.25.
    ax = plot_gantt(*together)
    assert shaded_rectangles(ax, "p = 2") == [(0.0, 25.5, 2.25, 4.25)]
    assert shaded_rectangles(plot_gantt(*one_after_the_other), "p = 2") == []


def test_shared_uplinks_have_bands_of_their_own():
    fabric = Fabric(uplink_bytes_per_s=1e9)
    jobs = [Job(name, 2, 1, gradient_bytes=1e6, compute_s=1.0) for name in "ab"]
    instance = Instance("racks", Cluster.uniform(4, 2, racks=2, fabric=fabric), jobs)
    rows = [
        Segment(0, Placement.of({0: 1, 2: 1}), 0, 5),
        Segment(1, Placement.of({1: 1, 3: 1}), 1, 9),
    ]
    ax = plot_gantt(instance, Schedule.of(rows))
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert labels[4:] == ["uplink of r0", "uplink of r1"]
    assert [area[:2] for area in shaded_rectangles(ax, "p = 2")] == [(1, 5), (1, 5)]
    assert all(area[2] >= 4 * 2.25 for area in shaded_rectangles(ax, "p = 2"))


def test_many_degrees_end_in_an_open_class():
    jobs = [Job(f"j{i}", 2, 1, gradient_bytes=1e6, compute_s=1.0) for i in range(6)]
    instance = Instance("busy", Cluster.uniform(2, 8), jobs)
    rows = [Segment(i, Placement.of({0: 1, 1: 1}), i, 10.0) for i in range(6)]
    ax = plot_gantt(instance, Schedule.of(rows))
    assert legend_texts(ax)[-3:] == ["p = 3", "p = 4", "p ≥ 5"]
    assert [area[:2] for area in shaded_rectangles(ax, "p ≥ 5")] == [(4, 5), (5, 10)] * 2


def preempted_case(gap_s=3.0, second=None):
    instance = Instance("stop", Cluster.uniform(2, 2), [Job("a", 2, 1, compute_s=1.0)])
    here = Placement.of({0: 2})
    rows = [Segment(0, here, 0, 5), Segment(0, second or here, 5 + gap_s, 9 + gap_s)]
    return instance, Schedule.of(rows)


@pytest.mark.parametrize(
    ("case", "is_hatched"),
    [
        (preempted_case(), True),
        (preempted_case(0.0, Placement.of({1: 2})), True),
        (preempted_case(0.0), False),
    ],
    ids=["stopped", "moved", "goes on"],
)
def test_later_segments_are_hatched_if_the_job_was_stopped_or_moved(case, is_hatched):
    ax = plot_gantt(*case)
    hatched = [layer for layer in ax.collections if layer.get_hatch()]
    assert [len(layer.get_paths()) for layer in hatched] == [1] * is_hatched
    if is_hatched:
        assert legend_texts(ax) == ["resumed or moved"]


def test_labels_can_be_chosen(together):
    ax = plot_gantt(*together, label=lambda segment: f"<{segment.job}>" if segment.job else "")
    assert [text.get_text() for text in ax.texts] == ["<1>", "<1>"]


def test_text_that_looks_like_mathematics_stays_as_it_is(together):
    instance, schedule = together
    odd = instance.changed(name="$x", jobs=[Job("$a^", 3, 10), Job("$b_$", 3, 10)])
    ax = plot_gantt(odd, schedule)
    ax.figure.draw_without_rendering()
    assert {text.get_text() for text in ax.texts} == {"$a^", "$b_$"}


@pytest.mark.parametrize(
    ("end_s", "label", "ticks"),
    [
        (25.5, "time (s)", ["0", "5", "10", "15", "20", "25"]),
        (1800.0, "time (min)", ["0", "5", "10", "15", "20", "25", "30"]),
        (36000.0, "time (h)", ["0", "2", "4", "6", "8", "10"]),
    ],
)
def test_unit_of_time(end_s, label, ticks):
    instance = Instance("one", Cluster.uniform(1, 1), [Job("a", 1, 1, compute_s=1.0)])
    ax = plot_gantt(instance, Schedule.of([Segment(0, Placement.of({0: 1}), 0.0, end_s)]))
    ax.figure.draw_without_rendering()
    assert ax.get_xlabel() == label
    left, right = ax.get_xlim()
    shown = [
        text.get_text()
        for place, text in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True)
        if left <= place <= right
    ]
    assert shown == ticks


def test_late_schedules_start_where_they_start():
    instance = Instance("late", Cluster.uniform(1, 1), [Job("a", 1, 1, compute_s=1.0)])
    late = Schedule.of([Segment(0, Placement.of({0: 1}), 1000.0, 1010.0)])
    assert plot_gantt(instance, late).get_xlim()[0] == 1000.0


def test_an_empty_schedule_is_an_empty_chart(together):
    ax = plot_gantt(together[0], Schedule.of([]))
    assert len(ax.get_yticklabels()) == 3
    assert list(ax.texts) == []


def test_more_than_20_jobs_are_coloured_by_demand(packed):
    texts = legend_texts(plot_gantt(*packed(4, 8, 30)))
    assert texts[:3] == ["1 GPU", "2 GPUs", "4 GPUs"]


def test_labels_of_many_servers_do_not_touch(packed):
    ax = plot_gantt(*packed(120, 4, 60))
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.get_yticklabels()]
    assert 10 < len(boxes) < 120
    ordered = sorted(boxes, key=lambda box: box.y0)
    assert all(low.y1 <= high.y0 for low, high in itertools.pairwise(ordered))


def test_texts_stay_inside_their_bars(packed):
    """Bars of the labelled segments are at least as wide as the text."""
    instance, schedule = packed(20, 32, 160)
    ax = plot_gantt(instance, schedule)
    ax.figure.draw_without_rendering()
    inverse = ax.transData.inverted()
    spans = {}
    for segment in schedule:
        spans[instance.jobs.ids[segment.job]] = (segment.start_s, segment.end_s)
    assert ax.texts
    for text in ax.texts:
        box = text.get_window_extent().transformed(inverse)
        start_s, end_s = spans[text.get_text()]
        assert start_s <= box.x0 <= box.x1 <= end_s


def test_the_legend_stays_within_the_page(packed):
    ax = plot_gantt(*packed(20, 32, 160))
    ax.figure.draw_without_rendering()
    box = ax.figure.legends[0].get_window_extent()
    assert 0 <= box.x0 <= box.x1 <= ax.figure.bbox.x1


def test_changes_nothing(packed):
    instance, schedule = packed(4, 8, 12, pieces=2)
    columns = ("job", "placement", "start_s", "end_s")
    before = [getattr(schedule, name).copy() for name in columns]
    plot_gantt(instance, schedule)
    for name, column in zip(columns, before, strict=True):
        assert np.array_equal(getattr(schedule, name), column)


@pytest.mark.slow
def test_5000_segments_in_15_seconds(packed, tmp_path):
    case = packed(20, 32, 1000, pieces=5)
    begin = time.perf_counter()
    save_figure(plot_gantt(*case), tmp_path / "big.png")
    assert time.perf_counter() - begin < 15.0
