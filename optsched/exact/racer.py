"""A search in a process of its own, which tells what it finds as it goes."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from optsched.core.errors import OptschedError, UnsupportedError
from optsched.core.schedule import Schedule
from optsched.exact.outcome import SearchOutcome
from optsched.exact.searches import Task, run_search

__all__ = ["Failed", "Finished", "Found", "Message", "Proved", "serve"]

#: What a process that is asked to end has for it, in seconds.
GRACE_S = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A better schedule, and its objective in seconds."""

    schedule: Schedule
    value: float


@dataclass(frozen=True, slots=True)
class Proved:
    """A better lower bound in seconds."""

    value_s: float


@dataclass(frozen=True, slots=True, eq=False)
class Finished:
    """The search is over."""

    outcome: SearchOutcome


@dataclass(frozen=True, slots=True)
class Failed:
    """The search has broken down: why, and whether it only does not apply."""

    reason: str
    is_unsupported: bool = False


Message = Found | Proved | Finished | Failed


class _Connection(Protocol):
    def send(self, message: object) -> None: ...
    def recv(self) -> object: ...


def serve(connection: _Connection, task: Task, deadline: float | None) -> None:
    """Make a search, and send every :data:`Message` to the process that asked for it.

    Parameters
    ----------
    connection
        Takes the messages; what comes in is the objective that others have reached. If it breaks
        off, that process is gone, and this one ends too.
    task
        The search; its time limit is set here.
    deadline
        When to stop, in seconds since the epoch: the clock that processes share.
    """
    _leave_the_terminal()
    news = _News(connection, task.below)
    sending = threading.Lock()

    def send(message: Message) -> None:
        # Solvers report from threads of their own.
        with sending, suppress(OSError):
            connection.send(message)

    if deadline is not None:
        task = replace(task, time_limit_s=max(0.0, deadline - time.time()))
    try:
        outcome = run_search(
            task,
            known=news.value,
            on_incumbent=lambda schedule, value: send(Found(schedule, value)),
            on_bound=lambda value_s: send(Proved(value_s)),
        )
    except UnsupportedError as error:
        send(Failed(str(error), is_unsupported=True))
    except OptschedError as error:
        send(Failed(str(error)))
    except Exception as error:
        send(Failed(f"{type(error).__name__}: {error}"))
    else:
        send(Finished(outcome))


def _leave_the_terminal() -> None:
    """Let Ctrl-C reach the first process only, and keep whatever solvers print off its data."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setpgrp"):
        os.setpgrp()
    if hasattr(signal, "pthread_sigmask"):
        # It was started with this held back.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    sys.stdout.flush()
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())


class _News:
    """Listens for what others have reached, and ends this process with the one that asked."""

    def __init__(self, connection: _Connection, best: float) -> None:
        self.best = best
        self.connection = connection
        threading.Thread(target=self._listen, daemon=True).start()

    def value(self) -> float:
        return self.best

    def _listen(self) -> None:
        while True:
            try:
                heard = self.connection.recv()
            except (EOFError, OSError):
                break
            assert isinstance(heard, float)
            self.best = min(self.best, heard)
        # Gently first, since a solver may have processes of its own to end.
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(GRACE_S)
        os._exit(1)
