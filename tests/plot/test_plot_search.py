"""The pictures of a search show every value at its place."""

from optsched.plot import new_axes, plot_makespan_over_caps, plot_makespan_over_parameter


def test_a_line_an_instance_and_their_mean():
    ax = plot_makespan_over_parameter(
        {1: [10.0, 30.0], 4: [8.0, 20.0]}, parameter="κ, packed", title="t", ax=new_axes()
    )
    lines = [line.get_ydata().tolist() if hasattr(line.get_ydata(), "tolist") else
             list(line.get_ydata()) for line in ax.lines]  # fmt: skip
    assert lines == [[10.0, 8.0], [30.0, 20.0], [20.0, 14.0]]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "4"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("κ, packed", "makespan (s)")
    assert ax.get_title(loc="left") == "t"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "one instance (2 in all)",
        "mean",
    ]


def test_a_line_a_kappa_and_a_cross_for_caps_that_are_too_tight():
    trials = [(1, 8.0, 7.0), (1, 4.0, 6.0), (1, 2.0, None), (2, 8.0, 9.0), (2, 2.0, None)]
    ax = plot_makespan_over_caps(trials, ax=new_axes())
    drawn = {
        line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines
    }
    assert drawn == {"κ = 1": ([4.0, 8.0], [6.0, 7.0]), "κ = 2": ([8.0], [9.0])}
    (crosses,) = ax.collections
    assert crosses.get_offsets()[:, 0].tolist() == [2.0]
    assert ax.get_xscale() == "log"
