"""The command ``optsched``: one file a verb, errors turned into a message and an exit code."""

from __future__ import annotations

import sys
import warnings
from typing import TextIO

import typer

from optsched.cli import (
    bound,
    compare,
    convert,
    generate,
    listing,
    plot,
    run,
    solve,
    validate,
    verify,
)
from optsched.core.errors import OptschedError

__all__ = ["app", "main"]

app = typer.Typer(
    name="optsched",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "How far from optimal is your GPU-cluster scheduler?\n\n"
        "Start with [bold]optsched compare paper-160 --seeds 3[/]: four schedulers on a published "
        "workload, each held against a proven lower bound, with a picture. "
        "[bold]optsched list[/] shows what there is.\n\n"
        "Data goes to stdout (plain JSON with --json), progress and messages to stderr. Exit code: "
        "0 fine, 1 the answer is no, 2 wrong usage or unusable input, 3 solver missing, 4 limit "
        "reached without a solution, 130 interrupted."
    ),
)

STUDY, SCHEDULE, INPUT = "Compare", "Schedule and bound", "Instances and files"

app.command("compare", rich_help_panel=STUDY)(compare.compare)
app.add_typer(plot.app, name="plot", rich_help_panel=STUDY)
app.command("run", rich_help_panel=SCHEDULE)(run.run)
app.command("solve", rich_help_panel=SCHEDULE)(solve.solve)
app.command("bound", rich_help_panel=SCHEDULE)(bound.bound)
app.command("verify", rich_help_panel=SCHEDULE)(verify.verify)
app.command("list", rich_help_panel=INPUT)(listing.list_what)
app.command("generate", rich_help_panel=INPUT)(generate.generate)
app.command("convert", rich_help_panel=INPUT)(convert.convert)
app.command("validate", rich_help_panel=INPUT)(validate.validate)


def main() -> None:
    """Run the command line."""
    warnings.showwarning = _show_warning
    try:
        app()
    except OptschedError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(f"warning: {message}", file=sys.stderr)


if __name__ == "__main__":
    main()
