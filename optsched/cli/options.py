"""Options that several commands share, so that they read alike everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "EffortOption",
    "InstanceArgument",
    "JsonOption",
    "ObjectiveOption",
    "OptionalPath",
    "SeedOption",
    "SlotOption",
    "TimeLimitOption",
]

InstanceArgument = Annotated[
    str,
    typer.Argument(
        metavar="INSTANCE",
        help="Name of an instance ([bold]optsched list instances[/]), generator with parameters "
        "(paper-160:servers=14), or path of an instance file.",
    ),
]
ObjectiveOption = Annotated[
    str | None,
    typer.Option(
        "--objective",
        metavar="NAME",
        help="makespan, mean_jct or weighted_jct. Default: makespan, or mean_jct if a job arrives "
        "after time 0.",
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", min=0, help="Seed of the generator and of the scheduler.")
]
EffortOption = Annotated[
    str | None,
    typer.Option(
        "--effort",
        metavar="NAME",
        help="The most that the bounds may cost: instant, seconds or minutes. Default: what pays "
        "for the size and the objective.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
SlotOption = Annotated[
    float | None,
    typer.Option(
        "--slot-s",
        metavar="SECONDS",
        help="Take the instance in slots of this length in place of continuous time.",
    ),
]
OptionalPath = Path | None
TimeLimitOption = Annotated[
    float,
    typer.Option(
        "--time-limit",
        min=0.0,
        metavar="SECONDS",
        help="Stop after this long with the best so far.",
    ),
]
