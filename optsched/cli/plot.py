"""``optsched plot``: pictures of files written earlier."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Draw a schedule or the ratios of a comparison.")

OutputOption = Annotated[
    Path, typer.Option("--output", "-o", help="Picture to write (svg, png, pdf).")
]


@app.command()
def gantt(
    schedule: Annotated[Path, typer.Argument(metavar="SCHEDULE", help="A schedule file.")],
    instance: Annotated[
        str | None,
        typer.Argument(metavar="[INSTANCE]", help="Default: the name in the schedule file."),
    ] = None,
    output: OutputOption = Path("gantt.svg"),
    title: Annotated[str | None, typer.Option("--title", help="Title of the picture.")] = None,
) -> None:
    """Draw a schedule server by server, with the time in which jobs contend shaded.

    Examples
    --------
      optsched run waiting-pays -o schedule.json; optsched plot gantt schedule.json
    """
    from optsched.cli.output import note
    from optsched.files import load, load_schedule, load_schedule_document
    from optsched.plot import plot_gantt, save_figure

    name = load_schedule_document(schedule).instance.name if instance is None else instance
    loaded = load(name)
    save_figure(plot_gantt(loaded, load_schedule(schedule, loaded), title=title), output)
    note(f"picture: {output}")


@app.command()
def ratios(
    comparison: Annotated[
        Path, typer.Argument(metavar="FILE", help="What compare --json printed.")
    ],
    output: OutputOption = Path("ratios.svg"),
    title: Annotated[str | None, typer.Option("--title", help="Title of the picture.")] = None,
) -> None:
    """Draw the ratios of a comparison, box and points.

    Examples
    --------
      optsched compare paper-160 --seeds 10 --json > c.json; optsched plot ratios c.json
    """
    from optsched.cli.output import note
    from optsched.plot import save_figure
    from optsched.study import Comparison, RunRow

    rows = tuple(RunRow(**row) for row in _runs(comparison))
    save_figure(Comparison(rows).plot_ratios(title=title), output)
    note(f"picture: {output}")


def _runs(path: Path) -> list[dict[str, Any]]:
    """Return the runs in a file, which must have just the fields of a run."""
    from dataclasses import fields

    from optsched.core.errors import FileFormatError
    from optsched.study import RunRow

    expected = f"{path}: expected the output of `optsched compare --json`"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileFormatError(f"{path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{expected}, got what is no JSON: {error}") from error
    runs = document.get("runs") if isinstance(document, dict) else None
    names = {field.name for field in fields(RunRow)}
    if not isinstance(runs, list) or not runs:
        raise FileFormatError(f"{expected}, got no list 'runs'")
    for position, row in enumerate(runs):
        if not isinstance(row, dict) or set(row) != names:
            raise FileFormatError(f"{expected}, but runs[{position}] has other fields")
        numbers = [row["value"], row["bound"], row["ratio"]]
        if not all(isinstance(number, int | float) for number in numbers):
            raise FileFormatError(f"{expected}, but runs[{position}] has no numbers in it")
    return runs
