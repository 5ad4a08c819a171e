"""How far a solver is: a live line on a terminal, else a line for each step."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from optsched.cli.output import live_line, note
from optsched.core.quantities import number_text

if TYPE_CHECKING:
    from optsched.exact import Progress

__all__ = ["progress_shown"]


@contextmanager
def progress_shown(name: str) -> Iterator[Callable[[Progress], None]]:
    """Show what a solver reports: time, best value, bound, gap, and what found them.

    Parameters
    ----------
    name
        Of the instance.
    """
    began_s = time.monotonic()
    last: list[Progress] = []
    is_terminal = sys.stderr.isatty()

    def report(progress: Progress) -> None:
        before = last[-1] if last else None
        last[:] = [progress]
        if is_terminal:
            return
        is_better = before is None or before.value != progress.value
        what = _found(progress) if is_better else _bound(progress)
        note(f"{progress.seconds:8.2f} s  {what}{_gap(progress)}")

    def line() -> str:
        seconds = time.monotonic() - began_s
        if not last:
            return f"{seconds:8.1f} s  solving {name}"
        progress = last[-1]
        found = "nothing found yet" if progress.value is None else _found(progress)
        return f"{seconds:8.1f} s  {found}, {_bound(progress)}{_gap(progress)}"

    with live_line(line):
        yield report


def _found(progress: Progress) -> str:
    if progress.value is None:
        return _bound(progress)
    return f"found {number_text(progress.value)} s ({progress.schedule_from})"


def _bound(progress: Progress) -> str:
    return f"bound {number_text(progress.bound_s)} s ({progress.bound_from})"


def _gap(progress: Progress) -> str:
    return "" if progress.gap is None else f", {100 * progress.gap:.2f}% above the bound"
