"""Every error that optsched raises on purpose, and the exit code the command line gives it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = [
    "BoundViolatedError",
    "CalibrationError",
    "FileFormatError",
    "InstanceError",
    "LimitReachedError",
    "NothingUsableError",
    "OptschedError",
    "PolicyError",
    "Problem",
    "ScheduleError",
    "SolverMissingError",
    "StalledJobError",
    "TooLargeError",
    "TraceError",
    "UnknownNameError",
    "UnsupportedError",
    "suggest",
]

Path = tuple[str | int, ...]

#: Of more known names than this a message shows only a few.
MOST_LISTED, FEW_LISTED = 40, 8


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an input.

    Parameters
    ----------
    path
        Where in the document, as keys and positions: ``("jobs", 3, "gpus")``.
    expected
        What would have been right.
    got
        What was found.
    remedy
        What the user can do about it; empty when ``expected`` says it all.
    is_warning
        True for what is legal but probably not meant.

    Examples
    --------
    >>> Problem(("jobs", 3, "gpus"), "a whole number of at least 1", "-2").text()
    'jobs[3].gpus: expected a whole number of at least 1, got -2'
    """

    path: Path
    expected: str
    got: str
    remedy: str = ""
    is_warning: bool = False

    @property
    def place(self) -> str:
        """The path in the notation of the file: ``jobs[3].gpus``."""
        text = ""
        for part in self.path:
            if isinstance(part, int):
                text += f"[{part}]"
            else:
                text += f".{part}" if text else part
        return text

    def text(self) -> str:
        """Return the problem as one line, without a file position."""
        where = f"{self.place}: " if self.path else ""
        line = f"{where}expected {self.expected}, got {self.got}"
        return f"{line}; {self.remedy}" if self.remedy else line


class OptschedError(Exception):
    """Base of all errors of this package; ``exit_code`` is what the command line returns."""

    exit_code: int = 2


class InstanceError(OptschedError):
    """An instance breaks its rules; ``problems`` holds all of them, not only the first."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        lines = "\n".join(f"  {problem.text()}" for problem in self.problems)
        super().__init__(f"invalid instance, {count} problem{'s' * (count != 1)}:\n{lines}")


class ScheduleError(OptschedError):
    """A schedule or a list of decisions cannot be read as one for the instance at hand."""


class FileFormatError(OptschedError):
    """A file cannot be used; the message has a ``file:line:column`` for each problem."""


class TraceError(OptschedError):
    """A trace yields no usable job, or is ambiguous and the user has to choose."""


class NothingUsableError(TraceError):
    """A trace can be read, and not one of its rows is a job that can run; each has its reason."""

    exit_code = 1


class CalibrationError(OptschedError):
    """Measurements do not determine the law that was to be fitted to them."""


class PolicyError(OptschedError):
    """A scheduler decided something that is not possible.

    Parameters
    ----------
    rule
        The rule that was broken, as a sentence.
    job, server
        Ids of the job and the server concerned, where there are such.
    time_s
        Simulated time of the decision in seconds.

    Examples
    --------
    >>> print(PolicyError("needs 3 free GPUs, 1 is free", job="a", server="s0", time_s=4.5))
    at 4.5 s, job 'a', server 's0': needs 3 free GPUs, 1 is free
    """

    def __init__(
        self, rule: str, *, job: str | None = None, server: str | None = None, time_s: float
    ) -> None:
        self.rule, self.job, self.server, self.time_s = rule, job, server, time_s
        # With every digit: events a second apart look alike at Unix times otherwise.
        where = f"at {repr(float(time_s)).removesuffix('.0')} s"
        if job is not None:
            where += f", job {job!r}"
        if server is not None:
            where += f", server {server!r}"
        super().__init__(f"{where}: {rule}")


class StalledJobError(OptschedError):
    """A running job makes no progress: its iteration takes longer than a slot."""


class UnknownNameError(OptschedError):
    """A name is in no registry; the message offers the nearest one, or those that there are.

    Examples
    --------
    >>> print(UnknownNameError("job", "x", [f"j{i:03}" for i in range(100)]))
    no job is called 'x'; known: j000, j001, j002, j003, j004, j005, j006, j007 and 92 more
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        names = sorted(known)
        self.kind, self.name = kind, name
        near = suggest(name, names)
        remedy = f"did you mean {near!r}?" if near else f"known: {_listed(names)}"
        super().__init__(f"no {kind} is called {name!r}; {remedy} {hint}".rstrip())


def _listed(names: Sequence[str]) -> str:
    """Return the names, or the first of them if they would fill a screen."""
    if len(names) <= MOST_LISTED:
        return ", ".join(names)
    return f"{', '.join(names[:FEW_LISTED])} and {len(names) - FEW_LISTED} more"


class UnsupportedError(OptschedError):
    """A method does not apply to this instance; the message names one that does."""


class TooLargeError(UnsupportedError):
    """An instance is too large for a method; the message names one that takes it."""

    exit_code = 4


class SolverMissingError(OptschedError):
    """A solver that is needed is not installed."""

    exit_code = 3


class LimitReachedError(OptschedError):
    """A limit was reached before there was any solution."""

    exit_code = 4


class BoundViolatedError(OptschedError):
    """A schedule is better than a bound of its own class, so one of the two is wrong."""

    exit_code = 1


def suggest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like ``name``, or None if none is near.

    Examples
    --------
    >>> suggest("gpu", ["gpus", "iterations"])
    'gpus'
    """
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return near[0] if near else None
