"""Ctrl-C that is not lost on the way."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs
    from types import FrameType

__all__ = ["Interrupts", "noted_interrupts"]


@dataclass(slots=True)
class Interrupts:
    """Whether there has been a Ctrl-C since somebody listens."""

    are_there: bool = False


@contextmanager
def noted_interrupts() -> Iterator[Interrupts]:
    """Note every Ctrl-C, besides raising ``KeyboardInterrupt`` as always.

    Compiled code that calls back into Python drops the exception, and what makes the best of an
    interrupt need not pass it on. Where somebody else handles the signal, or in other than the
    main thread, nothing is noted.

    Examples
    --------
    >>> with noted_interrupts() as interrupts:
    ...     try:
    ...         signal.raise_signal(signal.SIGINT)
    ...     except KeyboardInterrupt:
    ...         pass
    ...     interrupts.are_there
    True
    """
    interrupts = Interrupts()
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or before is not signal.default_int_handler:
        yield interrupts
        return
    hook = sys.unraisablehook

    def note(number: int, frame: FrameType | None) -> None:
        interrupts.are_there = True
        raise KeyboardInterrupt

    def tell(dropped: UnraisableHookArgs) -> None:
        # It has been noted; a traceback would look like a fault.
        if not issubclass(dropped.exc_type, KeyboardInterrupt):
            hook(dropped)

    signal.signal(signal.SIGINT, note)
    sys.unraisablehook = tell
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = hook
