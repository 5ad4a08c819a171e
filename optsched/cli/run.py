"""``optsched run``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

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
        OptionalPath, typer.Option("--plot", help="Draw a Gantt chart here (svg, png, pdf).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Run one scheduler on one instance and say what came out.

    The judge checks the schedule and measures it. For how far it is from optimal, see compare.

    Examples
    --------
      optsched run paper-160:servers=14 -s sjf-bco --plot gantt.svg
      optsched run waiting-pays -s fifo -o schedule.json
      optsched run philly.json -s sjf:placement=first_fit --json
    """
    from optsched.cli.destinations import check_destination, check_picture
    from optsched.cli.output import note, print_json, progress_bar
    from optsched.files import load, save_schedule
    from optsched.report import figures_text
    from optsched.study import run as run_scheduler

    check_destination(output)
    check_picture(plot)
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
    if plot is not None:
        from optsched.plot import plot_gantt, save_figure

        title = f"{scheduler} on {loaded.name}"
        save_figure(plot_gantt(loaded, result.schedule, title=title), plot)
        note(f"picture: {plot}")


def _finished_jobs(advance: Advance, total: int) -> Observer:
    from optsched.sim import Observer

    class FinishedJobs(Observer):
        """Moves the progress bar on."""

        done = 0

        def on_stop(self, job: LiveJob, time_s: float) -> None:
            if job.remaining == 0:
                self.done += 1
                if self.done % 256 == 0:
                    advance(self.done, total)

    return FinishedJobs()
