"""Pictures of schedules and of how good they are; matplotlib is loaded by the first one drawn."""

from optsched.plot.calibration import plot_calibration
from optsched.plot.contention_intervals import ContentionInterval, contention_intervals
from optsched.plot.fit import plot_fit
from optsched.plot.gantt import plot_gantt
from optsched.plot.gpu_rows import RowRun, gpu_rows
from optsched.plot.intervals import plot_intervals
from optsched.plot.job_times import plot_jct_distribution, plot_tier_shares
from optsched.plot.overview import plot_timelines
from optsched.plot.ratios import plot_ratios
from optsched.plot.search import plot_makespan_over_caps, plot_makespan_over_parameter
from optsched.plot.stacked_shares import plot_stacked_shares
from optsched.plot.style import new_axes, save_figure
from optsched.plot.timelines import plot_queue, plot_timers, plot_utilisation

__all__ = [
    "ContentionInterval",
    "RowRun",
    "contention_intervals",
    "gpu_rows",
    "new_axes",
    "plot_calibration",
    "plot_fit",
    "plot_gantt",
    "plot_intervals",
    "plot_jct_distribution",
    "plot_makespan_over_caps",
    "plot_makespan_over_parameter",
    "plot_queue",
    "plot_ratios",
    "plot_stacked_shares",
    "plot_tier_shares",
    "plot_timelines",
    "plot_timers",
    "plot_utilisation",
    "save_figure",
]
