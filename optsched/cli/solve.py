"""``optsched solve``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from optsched.cli.options import (
    InstanceArgument,
    JsonOption,
    ObjectiveOption,
    OptionalPath,
    SeedOption,
    TimeLimitOption,
)

if TYPE_CHECKING:
    from optsched.core.schedule import Schedule

__all__ = ["solve"]


def solve(
    instance: InstanceArgument,
    objective: ObjectiveOption = None,
    method: Annotated[
        str,
        typer.Option("--method", metavar="NAME", help="See [bold]optsched list methods[/]."),
    ] = "auto",
    time_limit_s: TimeLimitOption = 60.0,
    seed: SeedOption = 0,
    output: Annotated[
        OptionalPath, typer.Option("--output", "-o", help="Write the schedule here (JSON).")
    ] = None,
    plot: Annotated[
        OptionalPath, typer.Option("--plot", help="Draw a Gantt chart here (svg, png, pdf).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find an optimal schedule of a small instance, or the best within the time limit.

    The status is optimal only with a proof, and says among which schedules: all of them, or
    those that start jobs only when something arrives or completes (event-aligned). At the time
    limit it is feasible, with the gap to the strongest lower bound, which holds for all schedules.
    Exit code 1 if no schedule exists, 4 if none was found in time.

    Examples
    --------
      optsched solve waiting-pays
      optsched solve small-6x3 --objective mean_jct --time-limit 30
    """
    from optsched.cli.destinations import check_destination, check_picture
    from optsched.cli.output import note, print_json, progress_bar
    from optsched.core.quantities import number_text
    from optsched.core.result import Status
    from optsched.exact import solve as solve_instance
    from optsched.files import load, save_schedule
    from optsched.study.run import default_objective

    check_destination(output)
    check_picture(plot)
    if math.isnan(time_limit_s):
        raise typer.BadParameter("expected a number of seconds, got nan", param_hint="--time-limit")
    loaded = load(instance, seed=seed)

    def on_incumbent(schedule: Schedule, value: float, bound: float, seconds: float) -> None:
        gap = f", {100 * (value / bound - 1):.2f}% above the bound" if bound > 0 else ""
        note(f"{seconds:8.2f} s  found {number_text(value)} s{gap}")

    with progress_bar(f"solving {loaded.name}"):
        result = solve_instance(
            loaded,
            objective=objective or default_objective(loaded),
            method=method,
            time_limit_s=time_limit_s,
            seed=seed,
            on_incumbent=on_incumbent,
        )
    if as_json:
        print_json(result)
    else:
        print(result.summary())
        for key, label in (("proof", "proof"), ("search", "search"), ("stopped_by", "stopped by")):
            if key in result.details:
                print(f"{label:<10} {result.details[key]}")
    if result.schedule is not None and output is not None:
        save_schedule(loaded, result.schedule, output, result=result)
        note(f"schedule: {output}")
    if result.schedule is not None and plot is not None:
        from optsched.plot import plot_gantt, save_figure

        title = f"{result.status} schedule of {loaded.name}"
        save_figure(plot_gantt(loaded, result.schedule, title=title), plot)
        note(f"picture: {plot}")
    if result.details.get("stopped_by") == "interrupt":
        note("interrupted; this is the best schedule so far")
        raise typer.Exit(INTERRUPTED)
    if result.status is Status.INFEASIBLE:
        raise typer.Exit(INFEASIBLE)


#: Exit codes.
INFEASIBLE = 1
INTERRUPTED = 130
