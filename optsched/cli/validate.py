"""``optsched validate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from optsched.cli.options import JsonOption

__all__ = ["validate"]


def validate(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Instance files to check.")],
    as_json: JsonOption = False,
) -> None:
    """Check instance files and list everything that is wrong, with file, line and column.

    Exit code 1 if a file has errors; warnings leave it at 0.

    Examples
    --------
      optsched validate my-cluster.json
      optsched validate instances/*.json --json
    """
    from optsched.cli.output import note, print_json, progress_bar
    from optsched.core.errors import FileFormatError
    from optsched.files import instance_warnings, load_instance

    verdicts: list[dict[str, object]] = []
    for path in files:
        with progress_bar(f"checking {path}"):
            try:
                loaded = load_instance(path)
            except FileFormatError as error:
                problems = getattr(error, "problems", ())
                verdicts.append({"file": str(path), "valid": False, "problems": problems})
                if not as_json:
                    print(error)
                continue
            warned = [problem.text() for problem in instance_warnings(loaded)]
        verdicts.append({"file": str(path), "valid": True, "warnings": warned})
        if not as_json:
            cluster = loaded.cluster
            print(
                f"{path}: valid, {len(loaded.jobs):,} jobs, {len(cluster.servers):,} servers, "
                f"{cluster.total_gpus:,} GPUs"
            )
        for text in warned:
            note(f"{path}: warning: {text}")
    if as_json:
        print_json(verdicts)
    if not all(verdict["valid"] for verdict in verdicts):
        raise typer.Exit(1)
