"""The command ``optsched``: one file a verb, errors turned into a message and an exit code."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from typing import TextIO

import typer

from optsched.cli import (
    bound,
    calibrate,
    certify,
    compare,
    convert,
    explain,
    fit,
    generate,
    listing,
    plot,
    plot_search,
    reproduce,
    run,
    solve,
    validate,
    verify,
)
from optsched.cli.help import help_text
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

INTERRUPTED = 130
STUDY, SCHEDULE, INPUT = "Compare", "Schedule and bound", "Instances and files"


def _add(name: str, command: Callable[..., None], panel: str, *, to: typer.Typer = app) -> None:
    to.command(name, help=help_text(command), rich_help_panel=panel)(command)


plot_app = typer.Typer(
    no_args_is_help=True, help="Draw a schedule, the ratios of a comparison, or a search."
)
_add("gantt", plot.gantt, "Pictures", to=plot_app)
_add("ratios", plot.ratios, "Pictures", to=plot_app)
_add("search", plot_search.search, "Pictures", to=plot_app)

reproduce_app = typer.Typer(
    no_args_is_help=True, help="Do a published study again: tables, a report, pictures."
)
_add("dally", reproduce.dally, "Studies", to=reproduce_app)
_add("sjf-bco", reproduce.sjf_bco, "Studies", to=reproduce_app)

_add("compare", compare.compare, STUDY)
app.add_typer(reproduce_app, name="reproduce", rich_help_panel=STUDY)
_add("certify", certify.certify, STUDY)
app.add_typer(plot_app, name="plot", rich_help_panel=STUDY)
_add("run", run.run, SCHEDULE)
_add("solve", solve.solve, SCHEDULE)
_add("bound", bound.bound, SCHEDULE)
_add("explain", explain.explain, SCHEDULE)
_add("verify", verify.verify, SCHEDULE)
_add("list", listing.list_what, INPUT)
_add("generate", generate.generate, INPUT)
_add("convert", convert.convert, INPUT)
_add("fit", fit.fit, INPUT)
_add("calibrate", calibrate.calibrate, INPUT)
_add("validate", validate.validate, INPUT)


def main() -> None:
    """Run the command line and exit with its code.

    Errors that a user can do something about become one message on stderr. Any other is a fault
    of the program, and its traceback is what a report of it needs.
    """
    warnings.showwarning = _show_warning
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            # A terminal that cannot show ≥ shows an escape, which JSON texts may hold too.
            reconfigure(errors="backslashreplace")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except OptschedError as error:
        _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # The reader has seen enough (`| head`). What is still to be written goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _fail(f"{place}{error.strerror or error}", 2)


def _fail(message: str, exit_code: int) -> None:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(exit_code)


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
