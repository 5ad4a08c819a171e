"""``optsched run``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from optsched.cli.options import (
    InstanceArgument,
    JsonOption,
    ObjectiveOption,
    OptionalPath,
    SeedOption,
)

if TYPE_CHECKING:
    from optsched.cli.output import Advance
    from optsched.core.instance import Instance
    from optsched.core.result import Result
    from optsched.sim import LiveJob, Observer

__all__ = ["run"]


def run(
    instance: InstanceArgument,
    scheduler: Annotated[
        str,
        typer.Option(
            "--scheduler",
            "-s",
            metavar="NAME",
            help="A name, with parameters after a colon, or FILE.py:NAME; see "
            "[bold]optsched list schedulers[/].",
        ),
    ] = "sjf-bco",
    objective: ObjectiveOption = None,
    seed: SeedOption = 0,
    output: Annotated[
        OptionalPath, typer.Option("--output", "-o", help="Write the schedule here (JSON).")
    ] = None,
    plot: Annotated[
        OptionalPath,
        typer.Option(
            "--plot",
            help="Draw utilisation and queue, JCT, tiers and timers here (svg, png, pdf).",
        ),
    ] = None,
    gantt: Annotated[
        OptionalPath, typer.Option("--gantt", help="Draw a Gantt chart here (svg, png, pdf).")
    ] = None,
    jobs: Annotated[
        OptionalPath,
        typer.Option("--jobs", help="Write what became of each job here (CSV, a line a job)."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Run one scheduler on one instance and say what came out.

    The judge checks the schedule and measures it. For how far it is from optimal, see compare.

    Examples
    --------
      optsched run paper-160:servers=14 -s sjf-bco --gantt gantt.svg
      optsched run dally-500 -s dally --plot dally.svg --jobs dally.csv
      optsched run waiting-pays -s fifo -o schedule.json
      optsched run philly.json -s sjf:placement=first_fit --json
    """
    from optsched.cli.destinations import check_destination, check_picture
    from optsched.cli.output import note, print_json, progress_bar
    from optsched.files import load, save_schedule
    from optsched.report import figures_text, write_job_table
    from optsched.study import run as run_scheduler

    for path in (output, jobs):
        check_destination(path)
    for picture in (plot, gantt):
        check_picture(picture)
    loaded = load(instance, seed=seed)
    with progress_bar(f"running {scheduler}") as advance:
        watcher = _finished_jobs(advance, len(loaded.jobs))
        result = run_scheduler(
            loaded, scheduler, objective=objective, seed=seed, observers=[watcher]
        )
    assert result.schedule is not None and result.judgement is not None
    if as_json:
        print_json(result)
    else:
        kind = result.judgement.schedule_class
        print(f"{scheduler} on {loaded.name} in {result.runtime_s:.2f} s: valid, {kind}\n")
        print(figures_text(result.judgement))
    if output is not None:
        save_schedule(loaded, result.schedule, output, result=result)
        note(f"schedule: {output}")
    if jobs is not None:
        write_job_table(loaded, result.judgement, jobs)
        note(f"jobs: {jobs}")
    title = f"{scheduler} on {loaded.name}"
    if plot is not None:
        _draw_timelines(loaded, result, title, plot)
        note(f"picture: {plot}")
    if gantt is not None:
        from optsched.plot import plot_gantt, save_figure

        save_figure(plot_gantt(loaded, result.schedule, title=title), gantt)
        note(f"picture: {gantt}")


def _draw_timelines(instance: Instance, result: Result, title: str, path: Path) -> None:
    from optsched.plot import plot_timelines, save_figure

    assert result.schedule is not None
    timers: Any = result.details.get("timers", ())
    axes = plot_timelines(instance, result.schedule, timers=timers, title=title)
    save_figure(axes["jct"], path)


def _finished_jobs(advance: Advance, total: int) -> Observer:
    """Return an observer that moves the bar on, two hundred times in all."""
    from optsched.sim import Observer

    step = max(1, total // 200)

    class FinishedJobs(Observer):
        """Moves the progress bar on."""

        done = 0

        def on_stop(self, job: LiveJob, time_s: float) -> None:
            if job.remaining == 0:
                self.done += 1
                if self.done % step == 0:
                    advance(self.done, total)

    return FinishedJobs()
