"""Keep what compiled solvers print away from standard output, which is for data."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["silenced_output"]

STANDARD_OUTPUT = 1


@contextmanager
def silenced_output() -> Iterator[None]:
    """Send standard output to nowhere, also what is written below Python.

    HiGHS prints its version when it is constructed, before any option can be set.

    Examples
    --------
    >>> import os
    >>> with silenced_output():
    ...     _ = os.write(1, b"not shown")
    """
    with suppress(AttributeError, ValueError, OSError):
        sys.stdout.flush()
    try:
        kept = os.dup(STANDARD_OUTPUT)
    except OSError:
        # There is no standard output to protect.
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, STANDARD_OUTPUT)
        yield
    finally:
        _flush_below_python()
        os.dup2(kept, STANDARD_OUTPUT)
        os.close(kept)
        os.close(nowhere)


def _flush_below_python() -> None:
    """Write out what the C library has buffered while it still goes nowhere."""
    with suppress(OSError, TypeError, AttributeError):
        ctypes.CDLL(None).fflush(None)
