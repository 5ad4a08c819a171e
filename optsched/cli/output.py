"""How commands print: data on stdout, everything else on stderr."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from optsched.report import plain

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["Advance", "live_line", "note", "print_json", "print_table", "progress_bar"]

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


def print_table(table: RenderableType) -> None:
    """Print a table on stdout, at full width where stdout is not a terminal."""
    from rich.console import Console

    is_terminal = sys.stdout.isatty()
    width = None if is_terminal else PIPED_WIDTH
    console = Console(file=sys.stdout, width=width, highlight=False)
    if is_terminal:
        console.print(table)
        return
    # A file needs no spaces at line ends.
    with console.capture() as captured:
        console.print(table)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def note(text: str) -> None:
    """Print a message on stderr."""
    print(text, file=sys.stderr)


@contextmanager
def progress_bar(what: str) -> Iterator[Advance]:
    """Show a bar on stderr, if that is a terminal and the work takes over a second.

    Until something is reported the bar only tells that time passes.
    """
    if not sys.stderr.isatty():
        yield lambda done, total, text="": None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[count]}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[text]}"),
        console=Console(file=sys.stderr),
        transient=True,
        redirect_stdout=False,
    )
    task = bar.add_task(what, total=None, count="", text="")

    def advance(done: int, total: int, text: str = "") -> None:
        bar.update(task, completed=done, total=total, count=f"{done:,}/{total:,}", text=text)

    with _shown_later(bar):
        yield advance


@contextmanager
def live_line(text: Callable[[], str]) -> Iterator[None]:
    """Show one line on stderr that is written anew all the time, if that is a terminal.

    Parameters
    ----------
    text
        Says what the line is now.
    """
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    line = Live(
        get_renderable=lambda: Text(text(), no_wrap=True, overflow="ellipsis"),
        console=Console(file=sys.stderr),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with _shown_later(line):
        yield


class _Display(Protocol):
    def start(self) -> None: ...
    def stop(self) -> None: ...


@contextmanager
def _shown_later(display: _Display) -> Iterator[None]:
    """Show something only if the work takes longer than a moment."""
    patience = threading.Timer(PATIENCE_S, display.start)
    patience.daemon = True
    patience.start()
    try:
        yield
    finally:
        patience.cancel()
        # A timer that has just fired is still starting the display.
        patience.join()
        display.stop()
