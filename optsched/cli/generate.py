"""``optsched generate``."""

from __future__ import annotations

from typing import Annotated

import typer

from optsched.cli.options import OptionalPath, SeedOption

__all__ = ["generate"]


def generate(
    name: Annotated[
        str,
        typer.Argument(
            metavar="GENERATOR",
            help="Name with parameters: paper-160:servers=14,mode=physical. See "
            "[bold]optsched list generators[/].",
        ),
    ],
    seed: SeedOption = 0,
    output: Annotated[
        OptionalPath, typer.Option("--output", "-o", help="File to write. Default: stdout.")
    ] = None,
) -> None:
    """Draw an instance and write it as a file (also a copy of a shipped one).

    Examples
    --------
      optsched generate paper-160:servers=14 --seed 3 -o paper.json
      optsched generate forced:jobs=8,servers=3
    """
    from optsched.cli.output import note
    from optsched.files import instance_text, load, save_instance

    drawn = load(name, seed=seed)
    if output is None:
        print(instance_text(drawn), end="")
    else:
        save_instance(drawn, output)
        note(f"instance: {output}")
