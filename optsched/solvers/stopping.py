"""Signals that arrive while a compiled solver works, kept until it has stopped in good order."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

__all__ = ["Stop", "kept_signals"]

#: What ends a program politely; others cannot be handled or mean something else.
SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(slots=True)
class Stop:
    """Whether a solver has been asked to stop.

    Parameters
    ----------
    interrupts
        Interrupts (Ctrl-C) so far.
    is_terminated
        True if the process was told to end.
    """

    interrupts: int = 0
    is_terminated: bool = False

    @property
    def is_asked(self) -> bool:
        """True if anything asked for it."""
        return self.interrupts > 0 or self.is_terminated

    def note(self, number: int, _: FrameType | None) -> None:
        """Note a signal."""
        if number == signal.SIGINT:
            self.interrupts += 1
        else:
            self.is_terminated = True


@contextmanager
def kept_signals() -> Iterator[Stop]:
    """Note interrupts and requests to end in place of acting on them at once.

    An exception in the middle of a solver's callback would pass through compiled code that does not
    expect one, and a child process would be left behind. An interrupt is up to the caller
    afterwards; a request to end the process is carried out on leaving. Only the main thread gets
    signals, so in others nothing is noted. What is ignored stays ignored.

    Examples
    --------
    >>> import signal
    >>> with kept_signals() as stop:
    ...     signal.raise_signal(signal.SIGINT)
    ...     stop.is_asked
    True
    """
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {one: signal.getsignal(one) for one in SIGNALS}
    # None: set by other than Python, so it cannot be put back.
    before = {
        one: handler for one, handler in before.items() if handler not in (signal.SIG_IGN, None)
    }
    for one in before:
        signal.signal(one, stop.note)
    try:
        yield stop
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        if stop.is_terminated:
            os.kill(os.getpid(), signal.SIGTERM)
