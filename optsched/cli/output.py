"""How commands print: data on stdout, everything else on stderr."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from optsched.report import plain

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["Advance", "note", "print_json", "print_table", "progress_bar"]

#: A bar appears only for what takes longer than this.
PATIENCE_S = 1.0
PIPED_WIDTH = 160


class Advance(Protocol):
    """Tells a progress bar how much is done."""

    def __call__(self, done: int, total: int, text: str = "") -> None:
        """Show ``done`` of ``total``."""


def print_json(value: object) -> None:
    """Print a value as JSON on stdout."""
    print(json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False))


def print_table(table: Table) -> None:
    """Print a table on stdout, at full width where stdout is not a terminal."""
    from rich.console import Console

    is_terminal = sys.stdout.isatty()
    Console(file=sys.stdout, width=None if is_terminal else PIPED_WIDTH).print(table)


def note(text: str) -> None:
    """Print a message on stderr."""
    print(text, file=sys.stderr)


@contextmanager
def progress_bar(what: str) -> Iterator[Advance]:
    """Show a bar on stderr, if that is a terminal and the work takes over a second."""
    if not sys.stderr.isatty():
        yield lambda done, total, text="": None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[text]}"),
        console=Console(file=sys.stderr),
        transient=True,
    )
    task = bar.add_task(what, total=None, text="")
    began = time.monotonic()
    is_shown = False

    def advance(done: int, total: int, text: str = "") -> None:
        nonlocal is_shown
        if not is_shown and time.monotonic() - began > PATIENCE_S:
            bar.start()
            is_shown = True
        bar.update(task, completed=done, total=total, text=text)

    try:
        yield advance
    finally:
        if is_shown:
            bar.stop()
