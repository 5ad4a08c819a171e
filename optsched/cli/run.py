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
            help="A name with parameters, or FILE.py:NAME; see [bold]optsched list schedulers[/].",
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

    Examples
    --------
      optsched run paper-160:servers=14 -s sjf-bco --plot gantt.svg
      optsched run waiting-pays -s fifo:placement=first_fit -o schedule.json
    """
    from optsched.cli.output import note, print_json, progress_bar
    from optsched.files import load, save_schedule
    from optsched.study import run as run_scheduler

    loaded = load(instance, seed=seed)
    with progress_bar(f"running {scheduler}") as advance:
        watcher = _finished_jobs(advance, len(loaded.jobs))
        result = run_scheduler(
            loaded, scheduler, objective=objective, seed=seed, observers=[watcher]
        )
    assert result.schedule is not None
    if as_json:
        print_json(result)
    else:
        print(result_text(result))
    if output is not None:
        save_schedule(loaded, result.schedule, output, result=result)
        note(f"schedule: {output}")
    if plot is not None:
        from optsched.plot import plot_gantt, save_figure

        title = f"{scheduler} on {loaded.name}"
        save_figure(plot_gantt(loaded, result.schedule, title=title), plot)
        note(f"picture: {plot}")


def result_text(result: Result) -> str:
    """Return a result and its metrics for people."""
    lines = [result.summary()]
    if result.judgement is not None:
        values = result.judgement.figures
        lines.append("")
        width = max(len(name) for name in values)
        lines += [f"{name:<{width}}  {value:.6g}" for name, value in values.items()]
    return "\n".join(lines)


def _finished_jobs(advance: object, total: int) -> Observer:
    from optsched.sim import Observer

    class FinishedJobs(Observer):
        """Moves the progress bar on."""

        done = 0

        def on_stop(self, job: LiveJob, time_s: float) -> None:
            if job.remaining == 0:
                self.done += 1
                if self.done % 256 == 0:
                    advance(self.done, total)  # type: ignore[operator]

    return FinishedJobs()
