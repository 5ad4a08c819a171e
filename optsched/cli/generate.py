"""``optsched generate``."""

from __future__ import annotations

from typing import Annotated

import typer

from optsched.cli.options import JsonOption, OptionalPath, SeedOption

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
    as_json: JsonOption = False,
) -> None:
    """Draw an instance and write it as a file, or copy a shipped one.

    Without -o the file goes to stdout. With -o, --json says what was written.

    Examples
    --------
      optsched generate paper-160:servers=14 --seed 3 -o paper.json
      optsched generate forced:jobs=8,servers=3
    """
    from optsched.cli.destinations import check_destination
    from optsched.cli.output import note, print_json
    from optsched.core.document import instance_sha256
    from optsched.files import instance_text, load, save_instance

    check_destination(output)
    drawn = load(name, seed=seed)
    if output is None:
        print(instance_text(drawn), end="")
        return
    save_instance(drawn, output)
    note(f"instance: {output}")
    if as_json:
        sha256 = instance_sha256(drawn)
        print_json({"instance": drawn.name, "file": str(output), "sha256": sha256})
