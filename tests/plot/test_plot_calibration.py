"""The picture of a calibration: what is filled, what is grey, and the texts."""

import numpy as np
import pytest

from optsched.contention import LatencyMeasurements, calibrate
from optsched.plot import new_axes, plot_calibration, save_figure
from optsched.plot.calibration import size_text, time_text

MIB = 1024.0**2


def fitted(jobs=(1, 2, 4, 8, 16), sizes=(10 * MIB, 20 * MIB), factor=2.0):
    """Fit to exact data of α = 0.2 in which more than 8 jobs are ``factor`` times as slow."""
    rows = [
        (k, m, (1e-3 + (1.2 * k - 0.2) * 1e-9 * m) * (factor if k > 8 else 1.0))
        for k in jobs
        for m in sizes
    ]
    return calibrate(LatencyMeasurements.of(rows), resamples=100)


def points(ax, *, hollow):
    """Return x and y of the points drawn hollow or filled."""
    lines = [line for line in ax.lines if line.get_marker() == "o"]
    chosen = [line for line in lines if (line.get_markerfacecolor() == "white") == hollow]
    return [point for line in chosen for point in zip(*line.get_data(), strict=True)]


def legend_texts(ax):
    legend = ax.get_legend() or ax.figure.legends[0]
    return [text.get_text() for text in legend.get_texts()]


def test_measurements_are_filled_where_fitted_and_hollow_beyond():
    left, right = plot_calibration(fitted())
    assert len(points(left, hollow=False)) == len(points(right, hollow=False)) == 8
    assert sorted({x for x, _ in points(left, hollow=True)}) == [16]
    assert [y for _, y in points(right, hollow=False)] == pytest.approx([0.0] * 8, abs=1e-9)
    # Twice the time the law says is 100% more.
    assert [y for _, y in points(right, hollow=True)] == pytest.approx([1.0, 1.0])


def test_lines_are_the_law_and_dashed_beyond_it():
    left, _ = plot_calibration(fitted())
    solid, dashed = [line for line in left.lines if line.get_linestyle() != "None"][:2]
    for line, ends in ((solid, [1, 8]), (dashed, [8, 16])):
        x, y = line.get_data()
        assert [x[0], x[-1]] == ends
        assert y == pytest.approx(1e-3 + (1.2 * np.array(x) - 0.2) * 1e-9 * 10 * MIB)
    assert solid.get_linestyle() == "-"
    assert dashed.get_linestyle() == "--"


def test_texts():
    left, right = plot_calibration(fitted())
    left.figure.draw_without_rendering()
    assert left.get_title(loc="left") == "α = 0.200, 95% interval 0.200 to 0.200"
    assert right.get_title(loc="left") == "misfit: 0% on average where fitted"
    assert legend_texts(left) == ["10 MiB", "20 MiB", "k > 8: not fitted, outside the law"]
    assert left.get_yscale() == "log"
    assert {"50 ms", "100 ms", "200 ms"} <= {text.get_text() for text in left.get_yticklabels()}
    assert [int(tick) for tick in right.get_xticks()] == [1, 2, 4, 6, 8, 10, 12, 14, 16]


def test_nothing_is_grey_when_all_is_fitted():
    left, right = plot_calibration(fitted(jobs=(1, 2, 3)))
    assert not left.patches and not right.patches
    assert legend_texts(left) == ["10 MiB", "20 MiB"]


def test_many_sizes_keep_colours_apart_and_the_legend_short():
    sizes = [2.0**power for power in range(10, 26)]
    left, _ = plot_calibration(fitted(jobs=(1, 2, 4), sizes=sizes))
    colours = {line.get_color() for line in left.lines if line.get_linestyle() == "-"}
    assert len(colours) == len(sizes)
    assert len(legend_texts(left)) == 6
    assert (legend_texts(left)[0], legend_texts(left)[-1]) == ("1 KiB", "32 MiB")


def test_draws_on_the_axes_given():
    one, two = new_axes(), new_axes()
    assert plot_calibration(fitted(), title="Mine", axes=(one, two)) == (one, two)
    assert one.get_title(loc="left") == "Mine"
    assert legend_texts(one)[0] == "10 MiB"


def test_same_picture_same_bytes(tmp_path):
    files = [save_figure(plot_calibration(fitted())[0], tmp_path / f"{i}.svg") for i in (1, 2)]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_sizes_and_times_in_units_that_suit():
    assert [size_text(size) for size in (1024, 1000, 1.5e9, 2**30)] == [
        "1 KiB",
        "1 kB",
        "1.5 GB",
        "1 GiB",
    ]
    assert [time_text(t) for t in (1.0, 0.001, 0.0005, 2e-8)] == ["1 s", "1 ms", "500 µs", "20 ns"]
