"""Pictures of ratios: the texts, the marks, and what is claimed of the bound."""

import copy
import itertools

import pytest

from optsched.core.errors import UnknownNameError
from optsched.plot import new_axes, plot_ratios

TWO = {"forced": {"sjf-bco": [1.0, 1.1], "random": [1.4, 1.6]}}


def labels(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def legend_texts(ax):
    legend = ax.get_legend() or ax.figure.legends[0]
    return [text.get_text() for text in legend.get_texts()]


def points(ax):
    """Return the x values of all runs drawn."""
    lines = [line for line in ax.lines if line.get_marker() == "o"]
    return [value for line in lines for value in line.get_xdata()]


def test_draws_on_the_axes_given_and_returns_them():
    mine = new_axes(5, 3)
    assert plot_ratios(TWO, objective="makespan", ax=mine, title="Mine") is mine
    assert mine.get_title(loc="left") == "Mine"


@pytest.mark.parametrize(
    ("objective", "name"),
    [("makespan", "makespan"), ("mean_jct", "mean JCT"), ("weighted_jct", "weighted JCT")],
)
def test_names_the_objective_as_people_do(objective, name):
    assert plot_ratios(TWO, objective=objective).get_xlabel() == f"{name} / lower bound"


def test_texts_of_one_family():
    ax = plot_ratios(TWO, objective="makespan")
    assert ax.get_title(loc="left") == "forced"
    assert labels(ax) == ["sjf-bco", "random"]
    assert legend_texts(ax) == [
        "lower bound (no schedule can be below)",
        "run (2 in each row)",
        "mean",
    ]
    assert [text.get_text() for text in ax.texts] == ["1.050", "1.500", "mean"]
    assert points(ax) == [1.0, 1.1, 1.4, 1.6]


def test_several_families_have_headings_and_unequal_numbers_of_runs_are_told():
    ax = plot_ratios({**TWO, "tight": {"random": [1.5] * 6}}, objective="makespan")
    assert labels(ax) == [
        "forced",
        "sjf-bco (n = 2)",
        "random (n = 2)",
        "tight",
        "random (n = 6)",
    ]
    assert ax.get_title(loc="left") == ""


def test_one_run_is_a_point_without_box_or_mean_mark():
    ax = plot_ratios({"f": {"a": [1.2], "b": [1.3]}}, objective="makespan")
    assert points(ax) == [1.2, 1.3]
    assert not ax.collections
    assert not [line for line in ax.lines if line.get_marker() == "D"]


def test_box_from_five_runs_on():
    assert not plot_ratios({"f": {"a": [1, 2, 3, 4]}}, objective="makespan").collections
    ax = plot_ratios({"f": {"a": [1.0, 1.1, 1.2, 1.3, 1.4]}}, objective="makespan")
    whisker, box, median = ax.collections
    # Of 1.0, 1.1 … 1.4 the quartiles are 1.1 and 1.3; nothing is far out.
    assert whisker.get_segments()[0][:, 0].tolist() == [1.0, 1.4]
    vertices = box.get_paths()[0].vertices[:, 0]
    assert (vertices.min(), vertices.max()) == pytest.approx((1.1, 1.3))
    assert median.get_segments()[0][:, 0] == pytest.approx([1.2, 1.2])


@pytest.mark.parametrize(("worst", "scale"), [(3.9, "linear"), (5.0, "log")])
def test_logarithmic_axis_for_wide_ranges_with_plain_numbers(worst, scale):
    ax = plot_ratios({"f": {"a": [1.0], "random": [worst]}}, objective="makespan")
    ax.figure.draw_without_rendering()
    assert ax.get_xscale() == scale
    if scale == "log":
        shown = [text.get_text() for text in ax.get_xticklabels()]
        assert shown == ["1", "1.5", "2", "3", "4", "5"]


def test_a_bound_of_another_class_is_not_called_a_limit():
    ax = plot_ratios(
        {"f": {"srtf": [0.9]}}, objective="mean_jct", bound_label="non-preemptive optimum"
    )
    assert ax.get_xlabel() == "mean JCT / non-preemptive optimum"
    assert legend_texts(ax)[0] == "non-preemptive optimum"
    assert ax.get_xlim()[0] < 0.9


def test_no_limit_is_claimed_when_a_ratio_is_below():
    assert legend_texts(plot_ratios({"f": {"a": [0.9]}}, objective="makespan"))[0] == "lower bound"


def test_rounding_below_1_is_no_breach():
    ax = plot_ratios({"f": {"a": [1.0 - 1e-13]}}, objective="makespan")
    assert legend_texts(ax)[0] == "lower bound (no schedule can be below)"


def test_colours_of_a_scheduler_are_the_same_in_all_families():
    ax = plot_ratios({"f": {"a": [1], "b": [2]}, "g": {"b": [2], "a": [1]}}, objective="makespan")
    runs = [line for line in ax.lines if line.get_marker() == "o"]
    first, second, third, fourth = [line.get_markerfacecolor() for line in runs]
    assert (first, second) == (fourth, third)
    assert first != second


def test_twelve_schedulers_by_four_families_do_not_overlap():
    names = [f"scheduler-{i}:placement=consolidated:fit=best" for i in range(12)]
    ratios = {f"family {f}": {name: [1.1, 1.2, 1.3] for name in names} for f in range(4)}
    ax = plot_ratios(ratios, objective="makespan")
    figure = ax.figure
    figure.draw_without_rendering()
    boxes = sorted((text.get_window_extent() for text in ax.get_yticklabels()), key=lambda b: b.y0)
    assert len(boxes) == 52
    assert all(low.y1 <= high.y0 + 1.0 for low, high in itertools.pairwise(boxes))
    assert min(box.x0 for box in boxes) >= 0
    assert max(text.get_window_extent().x1 for text in ax.texts) <= figure.bbox.x1
    assert figure.get_size_inches().tolist()[0] == 7.0
    assert figure.get_size_inches().tolist()[1] < 11.0


def test_a_scheduler_without_runs_keeps_its_row():
    ax = plot_ratios({"f": {"a": [1.5], "b": []}}, objective="makespan")
    assert labels(ax) == ["a (n = 1)", "b (n = 0)"]
    assert "–" in [text.get_text() for text in ax.texts]


def test_names_with_dollars_are_not_mathematics():
    ax = plot_ratios({"$f^": {"$a_$": [1.5]}}, objective="makespan", bound_label="$b^")
    ax.figure.draw_without_rendering()
    assert labels(ax) == ["$a_$"]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 0.0, -1.0])
def test_refuses_what_is_no_ratio(bad):
    with pytest.raises(ValueError, match=r"finite number above 0, got .* 'a' on family 'f'"):
        plot_ratios({"f": {"a": [1.0, bad]}}, objective="makespan")


def test_refuses_nothing_and_unknown_objectives():
    with pytest.raises(ValueError, match="at least one scheduler"):
        plot_ratios({"f": {}}, objective="makespan")
    with pytest.raises(UnknownNameError, match="did you mean 'makespan'"):
        plot_ratios(TWO, objective="makspan")


def test_changes_nothing():
    given = copy.deepcopy(TWO)
    plot_ratios(given, objective="makespan")
    assert given == TWO
