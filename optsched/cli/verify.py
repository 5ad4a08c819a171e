"""``optsched verify``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from optsched.cli.options import JsonOption, SlotOption

__all__ = ["verify"]


def verify(
    schedule: Annotated[
        Path, typer.Argument(metavar="SCHEDULE", help="A schedule file (optsched.schedule/1).")
    ],
    instance: Annotated[
        str | None,
        typer.Argument(
            metavar="INSTANCE",
            help="Its instance, a name or a path. Default: the name in the schedule file.",
        ),
    ] = None,
    slot_s: SlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Judge a schedule: valid or not, every violation, and what it is worth.

    Exit code 1 if it is not valid, or if the file is no schedule of the instance.

    Examples
    --------
      optsched verify schedule.json
      optsched verify schedule.json my-cluster.json --json
    """
    from optsched.cli.output import print_json
    from optsched.cli.schedules import load_both
    from optsched.core.errors import FileFormatError
    from optsched.judge import verify as judge
    from optsched.report import figures_text

    try:
        loaded, segments = load_both(schedule, instance, slot_s=slot_s)
    except FileFormatError as error:
        if as_json:
            print_json({"valid": False, "problems": getattr(error, "problems", ())})
        print(f"error: {error}", file=sys.stderr)
        raise typer.Exit(1) from None
    judgement = judge(loaded, segments)
    if as_json:
        print_json(judgement)
    elif judgement.is_valid:
        print(f"valid: {judgement.schedule_class}")
        print(figures_text(judgement))
    else:
        count = len(judgement.violations)
        print(f"not valid: {count} violation{'s' * (count != 1)}")
        for violation in judgement.violations:
            print(f"  {violation}")
    if not judgement.is_valid:
        raise typer.Exit(1)
