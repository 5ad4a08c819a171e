"""``optsched certify``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from optsched.cli.options import EffortOption, JsonOption, OptionalPath, SeedOption, TimeLimitOption

if TYPE_CHECKING:
    from optsched.files import KnownResult
    from optsched.study.certify import Certification
    from optsched.study.certify_library import Task

__all__ = ["certify"]

INTERRUPTED, LIMIT_REACHED = 130, 4


def certify(
    instances: Annotated[
        list[str],
        typer.Argument(
            metavar="INSTANCE",
            help="Shipped instances, patterns of their names, or groups ([bold]optsched list "
            "groups[/]); library is all of them.",
        ),
    ],
    objective: Annotated[
        str | None,
        typer.Option(
            "--objective",
            metavar="NAME",
            help="makespan, mean_jct or weighted_jct. Default: the first two, and weighted_jct "
            "where weights differ.",
        ),
    ] = None,
    time_limit_s: TimeLimitOption = 60.0,
    effort: EffortOption = None,
    schedulers: Annotated[
        str | None,
        typer.Option("--schedulers", "-s", metavar="NAMES", help="Try these too, as in compare."),
    ] = None,
    schedule: Annotated[
        OptionalPath,
        typer.Option(
            "--schedule", metavar="FILE", help="A schedule from elsewhere that competes (JSON)."
        ),
    ] = None,
    update: Annotated[
        bool, typer.Option("--update", help="Write what is better to known.toml.")
    ] = False,
    only_open: Annotated[
        bool, typer.Option("--open", help="Leave out what is proved already.")
    ] = False,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Leave out what is proved, or was searched for as long already."
        ),
    ] = False,
    directory: Annotated[
        OptionalPath,
        typer.Option(
            "--directory",
            metavar="DIR",
            help="Folder of known.toml and its schedules. Default: that of the package.",
        ),
    ] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Solve shipped instances, and keep schedules and bounds better than what is known of them.

    What is known is checked again: the stored schedule is judged, every schedule is held against
    every bound of its class, old and new, and a contradiction stops it with exit code 1, both sides
    saved for inspection. Nothing is replaced by anything worse. With --update each outcome is
    written as soon as it is there, so that it may be interrupted (Ctrl-C) and go on with --resume.

    Examples
    --------
      optsched certify forced-8x3-0
      optsched certify forced-slotted "tight-9x*" --time-limit 300 --update
      optsched certify tight-9x3-0 --objective makespan --schedule mine.json --update
      optsched certify library --time-limit 60 --update --resume
    """
    from optsched.cli.output import note, print_json, print_table
    from optsched.cli.violations import save_violation
    from optsched.core.errors import FileFormatError, LimitReachedError
    from optsched.files.library_summary import write_summary
    from optsched.report import rows_table
    from optsched.study import make_scheduler, split_schedulers
    from optsched.study.certify_library import certify_tasks, library_tasks
    from optsched.study.compare import ViolatedBoundError

    if directory is not None and not directory.is_dir():
        raise FileFormatError(f"{directory}: expected a directory; create it first")
    made = [make_scheduler(name) for name in split_schedulers(schedulers or "") if name]
    tasks = library_tasks(
        instances,
        objective=objective,
        only_open=only_open,
        searched_s=time_limit_s if resume else None,
        directory=directory,
    )
    if not tasks:
        note("nothing is left to certify")
    rows: list[dict[str, object]] = []
    failures = 0
    interrupted = False
    outcomes = certify_tasks(
        tasks,
        time_limit_s=time_limit_s,
        effort=effort,
        schedulers=made,
        schedule=schedule,
        seed=seed,
        directory=directory,
        update=update,
    )
    try:
        for position, (task, done) in enumerate(outcomes, start=1):
            where = f"{position}/{len(tasks)} {task.instance} {task.objective}"
            if isinstance(done, LimitReachedError):
                failures += 1
                note(f"{where}: {done}")
                continue
            note(f"{where}: {_outcome(done)}")
            rows.append(_row(task, done))
            interrupted = bool(done.stopped_by)
    except KeyboardInterrupt:
        interrupted = True
    except ViolatedBoundError as error:
        note(f"both sides are in {save_violation(error)}")
        raise
    if update and rows:
        note(f"summary: {write_summary(directory)}")
    if as_json:
        print_json(rows)
    elif rows:
        columns = list(rows[0])
        print_table(rows_table(columns, [[_cell(row[key]) for key in columns] for row in rows]))
    if any(row["better"] for row in rows) and not update:
        note("nothing was written; --update keeps what is better")
    if interrupted:
        note("interrupted; what was done is kept" if update else "interrupted")
        raise typer.Exit(INTERRUPTED)
    if failures:
        raise typer.Exit(LIMIT_REACHED)


def _outcome(done: Certification) -> str:
    """Say in a line what is known now, and what of it is new."""
    from optsched.core.quantities import number_text

    result = done.result
    news = f"better {', '.join(done.changes)}" if done.changes else "as before"
    if done.previous is None:
        news = "new"
    return (
        f"{number_text(result.value)} s, bound {number_text(result.bound.value)} s"
        f"{_gap_text(result)}, {result.status_text} ({news})"
    )


def _gap_text(result: KnownResult) -> str:
    return "" if result.gap is None else f", gap {100 * max(result.gap, 0.0):.2f}%"


def _row(task: Task, done: Certification) -> dict[str, object]:
    result = done.result
    return {
        "instance": task.instance,
        "objective": task.objective,
        "best_s": result.value,
        "bound_s": result.bound.value,
        "gap": result.gap,
        "status": result.status_text,
        "schedule_by": result.value_method,
        "bound_by": result.bound.method,
        "better": list(done.changes),
    }


def _cell(value: object) -> object:
    from optsched.core.quantities import number_text

    return number_text(value) if isinstance(value, float) else value
