"""``optsched solve``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from optsched.cli.options import (
    InstanceArgument,
    JsonOption,
    ObjectiveOption,
    OptionalPath,
    SeedOption,
    SlotOption,
    TimeLimitOption,
)

if TYPE_CHECKING:
    from optsched.core.instance import Instance
    from optsched.core.result import Result
    from optsched.core.schedule import Schedule

__all__ = ["solve"]

#: Exit codes.
INFEASIBLE = 1
INTERRUPTED = 130
#: Stands for the best known schedule where a file of one is asked for.
KNOWN = "known"


def solve(
    instance: InstanceArgument,
    objective: ObjectiveOption = None,
    method: Annotated[
        str,
        typer.Option("--method", metavar="NAME", help="See [bold]optsched list methods[/]."),
    ] = "auto",
    time_limit_s: TimeLimitOption = 60.0,
    deterministic_limit: Annotated[
        float | None,
        typer.Option(
            "--deterministic-limit",
            min=0.0,
            metavar="UNITS",
            help="Stop after so much work in place of the time limit: about a second of a core "
            "each, counted in nodes and CP-SAT's deterministic time. With --workers 1 two runs do "
            "the same.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            min=1,
            metavar="N",
            help="Processes and threads together. Default: the cores there are. With 1 one search "
            "follows the other.",
        ),
    ] = None,
    seed: SeedOption = 0,
    hint: Annotated[
        OptionalPath,
        typer.Option(
            "--hint",
            metavar="SCHEDULE",
            help="A schedule file to start from; [bold]known[/]: the best known of a shipped "
            "instance.",
        ),
    ] = None,
    slot_s: SlotOption = None,
    output: Annotated[
        OptionalPath, typer.Option("--output", "-o", help="Write the schedule here (JSON).")
    ] = None,
    plot: Annotated[
        OptionalPath, typer.Option("--plot", help="Draw a Gantt chart here (svg, png, pdf).")
    ] = None,
    dump: Annotated[
        OptionalPath,
        typer.Option(
            "--dump",
            metavar="DIR",
            help="Write the formulations that apply here (.mps, .lp, CP-SAT's .txt and .pb).",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find an optimal schedule of a small instance, or the best within the time limit.

    The status is optimal only with a proof, and says among which schedules: all of them, or
    those that start jobs only when something arrives or completes (event-aligned). At the time
    limit it is feasible, with the gap to the strongest lower bound. Methods that need slotted
    time take a continuous instance only with --slot-s, and the result then says so. Ctrl-C keeps
    the best so far. Exit code 1 if no schedule exists, 3 if a solver is missing, 4 if none was
    found in time or the instance is too large for the method.

    Examples
    --------
      optsched solve waiting-pays
      optsched solve small-6x3 --objective mean_jct --time-limit 30
      optsched solve forced-12x4-0 --slot-s 1 --dump models -o best.json
      optsched solve small-6x3 --workers 1 --deterministic-limit 5 --json
    """
    from optsched.cli.destinations import check_destination, check_picture
    from optsched.cli.output import note, print_json
    from optsched.cli.schedules import load_in_slots
    from optsched.cli.solve_progress import progress_shown
    from optsched.core.result import Status
    from optsched.exact import solve as solve_instance
    from optsched.files import load, load_schedule
    from optsched.study.run import default_objective

    check_destination(output)
    check_picture(plot)
    for option, value in (
        ("--time-limit", time_limit_s),
        ("--deterministic-limit", deterministic_limit),
    ):
        if value is not None and math.isnan(value):
            raise typer.BadParameter("expected a number, got nan", param_hint=option)
    given, solved = load(instance, seed=seed), load_in_slots(instance, slot_s, seed=seed)
    wanted = objective or default_objective(given)
    start = None
    if hint is not None:
        is_known = str(hint) == KNOWN
        start = _known_schedule(solved, wanted) if is_known else load_schedule(hint, solved)
    if dump is not None:
        _write_formulations(solved, dump, wanted)
    with progress_shown(given.name) as report:
        result = solve_instance(
            given,
            objective=wanted,
            method=method,
            time_limit_s=time_limit_s,
            deterministic_limit=deterministic_limit,
            workers=workers,
            seed=seed,
            hint=start,
            slot_s=slot_s,
            on_progress=report,
        )
    if as_json:
        print_json(result)
    else:
        _print(result)
    _keep(result, solved, output, plot)
    if result.details.get("stopped_by") == "interrupt":
        note("interrupted; this is the best schedule so far")
        raise typer.Exit(INTERRUPTED)
    if result.status is Status.INFEASIBLE:
        note(f"to see which demands cannot be met: optsched explain {instance}")
        raise typer.Exit(INFEASIBLE)


def _print(result: Result) -> None:
    from optsched.cli.output import note

    print(result.summary())
    labels = {
        "proof": "proof",
        "schedule_from": "found by",
        "search": "search",
        "stopped_by": "stopped by",
    }
    for key, label in labels.items():
        if key in result.details:
            print(f"{label:<10} {result.details[key]}")
    searches = result.details.get("searches")
    for name, about in searches.items() if isinstance(searches, dict) else ():
        if "failed" in about:
            note(f"search {name} failed: {about['failed']}")


def _keep(result: Result, solved: Instance, output: Path | None, plot: Path | None) -> None:
    """Write the schedule and the picture that were asked for."""
    from optsched.cli.output import note
    from optsched.files import save_schedule

    if result.schedule is None:
        return
    if output is not None:
        save_schedule(solved, result.schedule, output, result=result)
        note(f"schedule: {output}")
    if plot is not None:
        from optsched.plot import plot_gantt, save_figure

        title = f"{result.status} schedule of {solved.name}"
        save_figure(plot_gantt(solved, result.schedule, title=title), plot)
        note(f"picture: {plot}")


def _known_schedule(instance: Instance, objective: str) -> Schedule:
    """Return the best schedule that ships, or say that there is none."""
    from optsched.core.errors import UnsupportedError
    from optsched.files import known, known_schedule

    result = known(instance, objective)
    schedule = None if result is None else known_schedule(result, instance)
    if schedule is None:
        raise UnsupportedError(
            f"no {objective} of {instance.name!r} is known (optsched list instances); leave "
            "--hint out, or give the file of a schedule"
        )
    return schedule


def _write_formulations(solved: Instance, directory: Path, objective: str) -> None:
    from optsched.cli.output import note
    from optsched.exact.dump import write_formulations

    dump = write_formulations(solved, directory, objective=objective)
    for name, files in dump.files.items():
        for path in files:
            note(f"formulation {name}: {path}")
    for name, why in dump.left_out.items():
        note(f"formulation {name} left out: {why}")
