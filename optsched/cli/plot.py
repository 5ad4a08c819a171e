"""``optsched plot``: pictures of files written earlier."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from optsched.cli.options import JsonOption

if TYPE_CHECKING:
    from optsched.study import Comparison

__all__ = ["gantt", "ratios"]

OutputOption = Annotated[
    Path, typer.Option("--output", "-o", help="Picture to write (svg, png, pdf).")
]
TitleOption = Annotated[
    str | None, typer.Option("--title", metavar="TEXT", help="Title of the picture.")
]


def gantt(
    schedule: Annotated[Path, typer.Argument(metavar="SCHEDULE", help="A schedule file.")],
    instance: Annotated[
        str | None,
        typer.Argument(
            metavar="INSTANCE",
            help="Its instance, a name or a path. Default: the name in the schedule file.",
        ),
    ] = None,
    output: OutputOption = Path("gantt.svg"),
    title: TitleOption = None,
    as_json: JsonOption = False,
) -> None:
    """Draw a schedule server by server, with the time in which jobs contend shaded.

    Examples
    --------
      optsched run waiting-pays -o schedule.json
      optsched plot gantt schedule.json
    """
    from optsched.cli.destinations import check_picture
    from optsched.cli.output import progress_bar
    from optsched.cli.schedules import load_both
    from optsched.plot import plot_gantt, save_figure

    check_picture(output)
    loaded, segments = load_both(schedule, instance)
    with progress_bar("drawing"):
        save_figure(plot_gantt(loaded, segments, title=title), output)
    _tell(output, {"instance": loaded.name, "segments": len(segments)}, as_json)


def ratios(
    comparison: Annotated[
        Path, typer.Argument(metavar="FILE", help="What compare --json printed.")
    ],
    output: OutputOption = Path("ratios.svg"),
    title: TitleOption = None,
    as_json: JsonOption = False,
) -> None:
    """Draw the ratios of a comparison, box and points.

    Examples
    --------
      optsched compare paper-160 --seeds 10 --json > c.json
      optsched plot ratios c.json -o ratios.pdf
    """
    from optsched.cli.destinations import check_picture
    from optsched.plot import save_figure

    check_picture(output)
    loaded = load_comparison(comparison)
    save_figure(loaded.plot_ratios(title=title), output)
    _tell(output, {"runs": len(loaded.runs)}, as_json)


def load_comparison(path: Path) -> Comparison:
    """Return the comparison in a file, whose runs must have just the fields of a run.

    Raises
    ------
    FileFormatError
        If it is not what ``compare --json`` prints; with file, line and column.
    """
    from dataclasses import fields

    from optsched.core.errors import Problem
    from optsched.files.reading import read_json
    from optsched.study import Comparison, RunRow

    file = read_json(path, "a file that `optsched compare --json` printed")
    runs = file.value.get("runs")
    if not isinstance(runs, list) or not runs:
        got = "none" if runs is None else "another thing or an empty one"
        remedy = "make the file with `optsched compare ... --json`"
        raise file.error([Problem(("runs",), "a list of runs", got, remedy)])
    problems: list[Problem] = []
    kinds = {field.name: str(field.type) for field in fields(RunRow)}
    for position, run in enumerate(runs):
        where = ("runs", position)
        if not isinstance(run, dict) or set(run) != set(kinds):
            expected = f"an object with the keys {', '.join(kinds)}"
            got = f"the keys {', '.join(run)}" if isinstance(run, dict) else "something else"
            problems.append(Problem(where, expected, got))
            continue
        problems += [
            Problem((*where, key), _EXPECTED[kind], repr(run[key]))
            for key, kind in kinds.items()
            if not _is_of(kind, run[key])
        ]
    if len({run["objective"] for run in runs} if not problems else ()) > 1:
        problems.append(Problem(("runs",), "runs with one objective", "several"))
    if problems or file.has_faults:
        raise file.error(problems)
    return Comparison(tuple(RunRow(**run) for run in runs))


_EXPECTED = {
    "str": "text",
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number above 0",
}


def _is_of(kind: str, value: object) -> bool:
    if kind in ("str", "bool"):
        return type(value).__name__ == kind
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) if kind == "int" else 0 <= value < 1e300


def _tell(picture: Path, about: dict[str, object], as_json: bool) -> None:
    from optsched.cli.output import note, print_json

    if as_json:
        print_json({"picture": str(picture), **about})
    else:
        note(f"picture: {picture}")
