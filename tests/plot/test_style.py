"""Figures and files: no global state, the same bytes again, clear errors."""

import itertools
import subprocess
import sys

import matplotlib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsched.core.errors import UnknownNameError
from optsched.plot import new_axes, plot_gantt, plot_ratios, save_figure
from optsched.plot.style import PALETTE, assigned_colours, shortened_names

NO_STATE = """
import sys
import optsched.plot
assert "matplotlib" not in sys.modules, "importing optsched.plot loads matplotlib"
ax = optsched.plot.plot_ratios({"f": {"a": [1.0, 1.5]}}, objective="makespan")
import matplotlib
# Reading the backend's entry through the mapping itself would load pyplot.
before = matplotlib.rcParams.copy()
for suffix in ("svg", "png", "pdf"):
    optsched.plot.save_figure(ax, f"{sys.argv[1]}/picture.{suffix}")
assert dict.__eq__(matplotlib.rcParams, before)
assert "matplotlib.pyplot" not in sys.modules, "pyplot is loaded"
"""


def test_neither_importing_nor_drawing_loads_pyplot(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", NO_STATE, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    for suffix, start in starts.items():
        assert (tmp_path / f"picture.{suffix}").read_bytes().startswith(start)


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_the_same_picture_gives_the_same_bytes(suffix, packed, tmp_path):
    files = []
    for attempt in range(2):
        ax = plot_gantt(*packed(3, 4, 25, pieces=2))
        files.append(save_figure(ax, tmp_path / f"{attempt}.{suffix}"))
    first, second = (file.read_bytes() for file in files)
    assert first == second
    if suffix == "svg":
        assert b"<dc:date>" not in first


def test_other_processes_give_the_same_bytes(tmp_path):
    ratios = {"f": {"a": [1.0, 1.5], "b": [2.0]}}
    here = save_figure(plot_ratios(ratios, objective="makespan"), tmp_path / "here.svg")
    there = tmp_path / "there.svg"
    code = (
        "from optsched.plot import plot_ratios, save_figure;"
        f"save_figure(plot_ratios({ratios!r}, objective='makespan'), {str(there)!r})"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert here.read_bytes() == there.read_bytes()


def test_saves_figures_as_well_as_axes_and_ignores_the_case_of_the_suffix(tmp_path):
    ax = new_axes(2, 2)
    assert save_figure(ax.figure, tmp_path / "figure.SVG").exists()
    subfigure = new_axes(2, 2).figure.subfigures(1, 2)[0]
    inner = subfigure.add_subplot()
    assert save_figure(inner, tmp_path / "inner.svg").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("picture.gif", r"no picture format is called 'gif'.*\(the suffix of .*picture\.gif\)"),
        ("picture.sgv", "did you mean 'svg'"),
        ("picture", r"no picture format is called ''; known: pdf, png, svg"),
    ],
)
def test_unknown_suffix(name, message, tmp_path):
    with pytest.raises(UnknownNameError, match=message):
        save_figure(new_axes(2, 2), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_the_size_is_what_was_asked_for():
    assert new_axes(4, 3).figure.get_size_inches().tolist() == [4.0, 3.0]


@given(st.lists(st.text(), max_size=30))
def test_colours_depend_on_position_only_and_do_not_change_when_names_are_added(names):
    colours = assigned_colours(names)
    more = assigned_colours([*names, "one more"])
    assert all(more[name] == colours[name] for name in names)
    distinct = list(dict.fromkeys(names))
    assert len({colours[name] for name in distinct[:21]}) == len(distinct[:21])
    assert [colours[name] for name in distinct[:7]] == [
        colour.lower() for colour in PALETTE[: len(distinct)]
    ]


def test_neighbours_in_the_palette_differ_in_lightness():
    """Neighbours in the palette can be told apart in a grey print."""

    def lightness(colour):
        red, green, blue = matplotlib.colors.to_rgb(colour)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    values = [lightness(colour) for colour in PALETTE]
    assert all(abs(a - b) > 0.1 for a, b in itertools.pairwise(values))


@given(st.lists(st.text(max_size=60), unique=True, max_size=8))
def test_shortened_names_stay_distinct(names):
    short = shortened_names(names, longest=12)
    assert len(set(short)) == len(names)
    assert short == names or all(len(text) <= 12 for text in short)
