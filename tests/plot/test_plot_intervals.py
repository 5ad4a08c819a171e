"""Intervals and shares as pictures: what is drawn is what was given."""

import math

import pytest

from optsched.plot.intervals import plot_intervals
from optsched.plot.stacked_shares import plot_stacked_shares
from optsched.plot.style import new_axes

NAN = math.nan


def drawn(ax):
    """Return (series, mean, row) of each mark."""
    marks = []
    for container in ax.containers:
        line = container.lines[0]
        marks += [
            (line.get_color(), float(x), float(y))
            for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
        ]
    return marks


def test_each_mean_is_a_mark_in_its_row():
    rows = {"dally": {"a": (1.5, 0.1), "b": (2.0, NAN)}, "srtf": {"b": (3.0, 0.5)}}
    ax = plot_intervals(rows, label="makespan / lower bound", is_ratio=True)
    marks = drawn(ax)
    assert [(x, round(y)) for _, x, y in marks] == [(1.5, 0), (2.0, 0), (3.0, 1)]
    # A series has one colour.
    assert marks[1][0] == marks[2][0] != marks[0][0]
    low, high = ax.get_xlim()
    assert low <= 1.0 < 3.0 <= high


def test_an_interval_is_drawn_unless_it_is_unknown():
    ax = plot_intervals({"a": {"x": (10.0, 4.0)}, "b": {"x": (10.0, NAN)}}, label="less [%]")
    with_bar, without = ax.containers
    ((ends,),) = (bars.get_segments() for bars in with_bar.lines[2])
    assert ends[:, 0].tolist() == [6.0, 14.0]
    assert not without.lines[2]


def test_the_reference_is_a_line_with_a_name():
    ax = plot_intervals({"a": {"x": (10.0, 4.0)}}, label="less [%]", reference=(69.0, "published"))
    assert any(line.get_xdata()[0] == 69.0 for line in ax.lines)
    (legend,) = ax.figure.legends
    assert "published" in [text.get_text() for text in legend.get_texts()]


def test_nothing_to_draw_is_an_error():
    with pytest.raises(ValueError, match="at least one value"):
        plot_intervals({"a": {}}, label="x")
    with pytest.raises(ValueError, match="at least one row"):
        plot_stacked_shares({}, label="x")


def test_shares_stand_one_after_the_other():
    rows = {
        "dally": {"machine": 0.5, "rack": 0.3, "network": 0.2},
        "srtf": {"machine": 1.0, "rack": 0.0, "network": 0.0},
    }
    ax = plot_stacked_shares(rows, label="running time", ax=new_axes())
    bars = [(float(bar.get_x()), float(bar.get_width())) for bar in ax.patches]
    expected = [(0.0, 0.5), (0.0, 1.0), (0.5, 0.3), (1.0, 0.0), (0.8, 0.2), (1.0, 0.0)]
    assert bars == [pytest.approx(one) for one in expected]
    assert [text.get_text() for text in ax.texts] == ["50", "100", "30", "20"]
    assert ax.get_xlabel() == "running time [%]"
