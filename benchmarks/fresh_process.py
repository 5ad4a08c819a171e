"""Measure an action in a process of its own: CPU seconds, and memory above what imports take."""

from __future__ import annotations

import importlib
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

__all__ = ["Stopwatch", "in_fresh_process", "peak_mb"]

Value = TypeVar("Value")
#: What a run loads; all of it is in memory before the first measurement.
MODULES = (
    "optsched.bounds",
    "optsched.contention.fixed",
    "optsched.contention.ring",
    "optsched.judge",
    "optsched.policies",
    "optsched.sim",
    "optsched.traces",
)


def in_fresh_process(action: Callable[..., Value], *arguments: object) -> Value:
    """Return what an action of a module returns in a new process."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as pool:
        return pool.submit(_after_imports, action, arguments).result()


def _after_imports(action: Callable[..., Value], arguments: tuple[object, ...]) -> Value:
    for module in MODULES:
        importlib.import_module(module)
    return action(*arguments)


def peak_mb() -> float:
    """Return the most memory that this process has held so far, in units of 10^6 bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


class Stopwatch:
    """CPU seconds of one step after another."""

    def __init__(self) -> None:
        self._began = time.process_time()

    def lap(self) -> float:
        """Return the CPU seconds since the last lap."""
        began, self._began = self._began, time.process_time()
        return self._began - began
