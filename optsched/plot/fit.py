"""A fitted workload beside the jobs it was fitted to: durations by demand, arrivals by hour."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from optsched.contention import rate_functions
from optsched.core.instance import Instance
from optsched.generate.workload import DurationClass, Workload
from optsched.plot.style import FONT_SIZE, INK, PAGE_WIDTH_IN, add_legend, assigned_colours
from optsched.plot.time_axis import set_duration_axis

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

__all__ = ["plot_fit"]

#: Classes that are drawn; of more, those with the most jobs.
MAX_CLASSES = 6
POINTS = 400
DASHES = (0, (4, 2))
DAY_LETTERS = "MTWTFSS"


def plot_fit(
    instance: Instance,
    workload: Workload,
    *,
    title: str | None = None,
    axes: tuple[Axes, Axes] | None = None,
) -> tuple[Axes, Axes]:
    """Draw the durations of each class with their law at the left, the cycle of arrivals right.

    Steps are the jobs, dashes the fitted law. At the right, bars are arrivals in the hours of a
    day over their mean, a bracket the interval of each; the weekdays follow, from Monday.

    Parameters
    ----------
    instance
        The jobs.
    workload
        What was fitted to them.
    title
        Title of the left axes; the misfit if absent.
    axes
        Left and right axes to draw on; those of a new figure of page width if absent.

    Returns
    -------
    tuple
        The axes drawn on.

    Examples
    --------
    >>> from optsched.generate import fit_workload, poisson
    >>> instance = poisson(jobs=500, seed=1)
    >>> left, right = plot_fit(instance, fit_workload(instance, resamples=20))
    >>> left.get_xlabel()
    'duration'
    """
    owns_figure = axes is None
    if axes is None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(PAGE_WIDTH_IN, 3.2), layout="constrained")
        axes = tuple(figure.subplots(1, 2))
    left, right = axes
    key = _draw_durations(left, instance, workload)
    _draw_arrivals(right, workload)
    for ax in axes:
        ax.tick_params(labelsize=FONT_SIZE - 1)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    worst = max(workload.classes, key=lambda one: one.misfit.distance.value)
    left.set_title(
        title or f"durations: furthest {worst.misfit.distance.value:.3f} (KS, {_demands(worst)})",
        fontsize=FONT_SIZE,
        loc="left",
        parse_math=False,
    )
    right.set_title(_arrival_title(workload), fontsize=FONT_SIZE, loc="left")
    add_legend(left, key, owns_figure=owns_figure)
    return left, right


def _draw_durations(ax: Axes, instance: Instance, workload: Workload) -> list[Artist]:
    from matplotlib.lines import Line2D

    jobs = instance.jobs
    duration_s = jobs.iterations * rate_functions(instance).best_iteration_times_s()
    most = sorted(workload.classes, key=lambda one: -one.jobs)[:MAX_CLASSES]
    chosen = [one for one in workload.classes if one in most]
    colours = assigned_colours([_demands(one) for one in chosen])
    for one in chosen:
        colour = colours[_demands(one)]
        sample = np.sort(duration_s[np.isin(jobs.gpus, one.gpus) & (duration_s > 0)])
        levels = np.arange(1, len(sample) + 1) / len(sample)
        ax.step(sample, levels, where="post", color=colour, linewidth=1.6, alpha=0.45, zorder=2)
        grid = np.geomspace(one.law.low_s, one.law.high_s, POINTS)
        law = one.law.distribution(grid)
        ax.plot(grid, law, color=colour, linewidth=1.1, linestyle=DASHES, zorder=3)
    set_duration_axis(ax)
    ax.set_ylim(0.0, 1.02)
    ax.set_xlabel("duration", fontsize=FONT_SIZE)
    ax.set_ylabel("share of jobs that take at most this", fontsize=FONT_SIZE)
    key: list[Artist] = [
        Line2D([], [], color=colour, linewidth=1.6, label=label)
        for label, colour in colours.items()
    ]
    key.append(Line2D([], [], color=INK, linewidth=1.1, linestyle=DASHES, label="fitted"))
    return key


def _draw_arrivals(ax: Axes, workload: Workload) -> None:
    cycle = workload.arrivals
    if cycle is None:
        ax.set_axis_off()
        return
    factors = [*cycle.hours, *cycle.weekdays]
    places = np.concatenate([np.arange(24.0), 26.0 + 1.6 * np.arange(7)])
    values = np.array([one.value for one in factors])
    below = values - [one.low for one in factors]
    above = [one.high for one in factors] - values
    colour = assigned_colours(["arrivals"])["arrivals"]
    ax.bar(places, values, width=0.8, color=colour, alpha=0.6, zorder=2)
    ax.errorbar(
        places, values, yerr=np.array([below, above]), fmt="none", ecolor=INK, elinewidth=0.8,
        capsize=1.5, zorder=3,
    )  # fmt: skip
    ax.axhline(1.0, color=INK, linewidth=0.8, zorder=1)
    # A factor of a few arrivals has an interval that would make the others invisible.
    highest = max(1.0, *np.minimum(values + above, 2.5 * values.max()).tolist())
    ax.set_ylim(0.0, 1.05 * highest)
    ax.set_xticks([0, 6, 12, 18, *places[24:].tolist()])
    names = ["0:00", "6:00", "12:00", "18:00", *DAY_LETTERS]
    ax.set_xticklabels(names, fontsize=FONT_SIZE - 1)
    ax.set_xlabel("hour of the day, and day of the week", fontsize=FONT_SIZE)
    ax.set_ylabel("arrivals over their mean", fontsize=FONT_SIZE)


def _arrival_title(workload: Workload) -> str:
    if workload.arrivals is None:
        return "all jobs arrive at once"
    rate = 3600.0 * workload.arrivals.rate_per_s.value
    text = f"arrivals: {rate:.3g} an hour"
    if all(one.value == 1.0 for one in workload.arrivals.hours):
        return f"{text}, too short for a cycle"
    if workload.dispersion is not None:
        text += f", {workload.dispersion:.3g} × Poisson's variance"
    return text


def _demands(one: DurationClass) -> str:
    ends = f"{one.gpus[0]}" if len(one.gpus) == 1 else f"{one.gpus[0]}…{one.gpus[-1]}"
    return f"{ends} GPU{'s' * (one.gpus != (1,))}"
