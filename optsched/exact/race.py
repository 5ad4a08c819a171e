"""Searches side by side, each in a process of its own."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from optsched.exact.racer import GRACE_S, Failed, Finished, Message, serve
from optsched.exact.searches import Task

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

__all__ = ["Race", "available_cores"]

#: The streams as every process numbers them.
STDOUT, STDERR = 1, 2


def available_cores() -> int:
    """Return how many processes can compute at a time: by affinity, container and machine."""
    from joblib import cpu_count

    return int(cpu_count())


@dataclass(slots=True, eq=False)
class _Runner:
    search: str
    process: Any
    connection: Connection


class Race:
    """Processes that search, and what they report; none of them outlives the ``with`` block.

    They are started afresh, never forked, and do not import the user's main module, so a script
    needs no guard against being run again.

    Examples
    --------
    >>> from optsched.exact.searches import SEARCHES
    >>> from optsched.generate.hand import waiting_pays
    >>> with Race() as race:
    ...     race.start(Task(SEARCHES["branch-and-bound"], waiting_pays(), "makespan"))
    ...     while race.searches:
    ...         for search, message in race.messages(timeout_s=60.0):
    ...             if isinstance(message, Finished):
    ...                 print(search, message.outcome.value)
    branch-and-bound 21.0
    """

    def __init__(self) -> None:
        self._runners: list[_Runner] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def searches(self) -> Sequence[str]:
        """The names of the searches that are still running."""
        return [runner.search for runner in self._runners]

    def start(self, task: Task, *, deadline: float | None = None) -> None:
        """Start a search in a process of its own; ``deadline`` is in seconds since the epoch."""
        # Only here, since it takes a while to load.
        from joblib.externals.loky.backend import get_context

        context = get_context("loky")
        connection, far_end = context.Pipe(duplex=True)
        process = context.Process(target=serve, args=(far_end, task, deadline), daemon=True)
        with _interrupts_held_back(), _output_turned_over():
            process.start()
            # Known before an interrupt can come, so that it is ended then.
            self._runners.append(_Runner(task.search.name, process, connection))
        far_end.close()

    def tell(self, value: float) -> None:
        """Let all searches know of an objective that has been reached, in seconds."""
        for runner in self._runners:
            # One that has just ended says so by itself.
            with suppress(OSError):
                runner.connection.send(value)

    def messages(self, *, timeout_s: float | None) -> list[tuple[str, Message]]:
        """Return what searches report, each with its name; nothing if they are silent so long."""
        from multiprocessing.connection import wait

        heard: list[tuple[str, Message]] = []
        ready = wait([runner.connection for runner in self._runners], timeout_s)
        for runner in [one for one in self._runners if one.connection in ready]:
            try:
                message: Message = runner.connection.recv()
            except (EOFError, OSError):
                message = Failed(_end_of(runner.process))
            heard.append((runner.search, message))
            if isinstance(message, Finished | Failed):
                self._runners.remove(runner)
                _end([runner])
        return heard

    def stop(self, searches: Sequence[str] | None = None) -> None:
        """End the processes of some searches, by default of all, and wait until they are gone."""
        ending = [one for one in self._runners if searches is None or one.search in searches]
        self._runners = [one for one in self._runners if one not in ending]
        _end(ending)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Hold back Ctrl-C, and let a process that is started meanwhile begin without it.

    Cut short, a start leaves a process that breaks down with a traceback, and so would one that is
    interrupted before it can say that it does not care. The mask is what the process inherits;
    other threads of this one may still get the signal, and then it is raised at the end.
    """
    noted: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    is_handled = is_main and before is not None
    if is_handled:
        signal.signal(signal.SIGINT, lambda number, frame: noted.append(number))
    mask = None
    if hasattr(signal, "pthread_sigmask"):
        # This one would let interrupts through again once it is started.
        resource_tracker.ensure_running()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if is_handled:
            signal.signal(signal.SIGINT, before)
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if noted:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def _output_turned_over() -> Iterator[None]:
    """Let a process that is started meanwhile print where messages go, and not among data.

    It can see to that itself only once it runs; if it does not get so far, it says so.
    """
    with suppress(AttributeError, ValueError, OSError):
        sys.stdout.flush()
    try:
        kept = os.dup(STDOUT)
    except OSError:
        # There is no output.
        yield
        return
    os.dup2(STDERR, STDOUT)
    try:
        yield
    finally:
        os.dup2(kept, STDOUT)
        os.close(kept)


def _end(runners: Sequence[_Runner]) -> None:
    """Ask processes to end, and make those that do not."""
    for runner in runners:
        runner.connection.close()
        runner.process.terminate()
    until = time.monotonic() + GRACE_S
    for runner in runners:
        runner.process.join(max(0.0, until - time.monotonic()))
        if runner.process.is_alive():
            runner.process.kill()
            runner.process.join()


def _end_of(process: Any) -> str:
    """Say how a process ended that did not say so itself."""
    process.join(GRACE_S)
    code = process.exitcode
    if code is None:
        return "its process broke off the connection"
    if code < 0:
        return f"its process was ended by signal {signal.Signals(-code).name}"
    return f"its process ended with exit code {code}"
