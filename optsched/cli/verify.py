"""``optsched verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from optsched.cli.options import JsonOption

__all__ = ["verify"]


def verify(
    schedule: Annotated[
        Path, typer.Argument(metavar="SCHEDULE", help="A schedule file (optsched.schedule/1).")
    ],
    instance: Annotated[
        str | None,
        typer.Argument(
            metavar="[INSTANCE]",
            help="Its instance, a name or a path. Default: the name in the schedule file.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Judge a schedule: valid or not, every violation, and what it is worth.

    Exit code 1 if it is not valid.

    Examples
    --------
      optsched verify schedule.json
      optsched verify schedule.json my-cluster.json --json
    """
    from optsched.cli.output import print_json
    from optsched.files import load, load_schedule, load_schedule_document
    from optsched.judge import verify as judge

    name = load_schedule_document(schedule).instance.name if instance is None else instance
    loaded = load(name)
    judgement = judge(loaded, load_schedule(schedule, loaded))
    if as_json:
        print_json(judgement)
    elif judgement.is_valid:
        print(f"valid: {judgement.schedule_class}")
        values = judgement.figures
        width = max(len(name) for name in values)
        for name, value in values.items():
            print(f"{name:<{width}}  {value:.10g}")
    else:
        count = len(judgement.violations)
        print(f"not valid: {count} violation{'s' * (count != 1)}")
        for violation in judgement.violations:
            print(f"  {violation}")
    if not judgement.is_valid:
        raise typer.Exit(1)
