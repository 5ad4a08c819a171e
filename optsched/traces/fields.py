"""What a field of a trace means, or why it means nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime

__all__ = [
    "MAX_SECONDS",
    "RowFault",
    "check_order",
    "is_missing",
    "parse_duration_s",
    "parse_gpus",
    "parse_number",
    "parse_seconds",
    "parse_timestamp_s",
    "run_time_s",
    "text_fault",
]

#: From here on a double no longer counts single seconds.
MAX_SECONDS = 2.0**53

MISSING = frozenset({"", "none", "null", "na", "n/a"})
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class RowFault(Exception):
    """A row cannot be used; reasons are few and fixed, so that a report can count them."""

    def __init__(self, reason: str, got: str) -> None:
        super().__init__(reason, got)
        self.reason, self.got = reason, got


def parse_gpus(text: str) -> int:
    """Return a demand in whole GPUs; ``2.0`` is 2, and 2.5 is a fault.

    Examples
    --------
    >>> parse_gpus("8"), parse_gpus("2.0")
    (8, 2)
    """
    value = parse_number(text, "GPU demand")
    if value <= 0:
        raise RowFault("GPU demand is not above 0", text)
    if not value.is_integer():
        raise RowFault("GPU demand is not a whole number", text)
    return int(value)


def parse_duration_s(text: str) -> float:
    """Return a run time in seconds, finite and above 0.

    Examples
    --------
    >>> parse_duration_s("66.0")
    66.0
    """
    value = parse_number(text, "duration")
    if value <= 0:
        raise RowFault("duration is not above 0", text)
    if value >= MAX_SECONDS:
        raise RowFault("duration is 2^53 s or more", text)
    return value


def parse_seconds(text: str) -> float:
    """Return a submission time given as a number of seconds from some origin.

    Negative ones are faults: -1 is what traces write when they do not know.

    Examples
    --------
    >>> parse_seconds("401845")
    401845.0
    """
    value = parse_number(text, "submission time")
    if value < 0:
        raise RowFault("submission time is negative", text)
    if value >= MAX_SECONDS:
        raise RowFault("submission time is 2^53 s or more", text)
    return value


def parse_timestamp_s(text: str) -> float:
    """Return a date and time as Unix seconds; without a zone in the text it is read as UTC.

    Examples
    --------
    >>> parse_timestamp_s("1970-01-02 00:00:01"), parse_timestamp_s("1970-01-01T01:00:00+01:00")
    (86401.0, 0.0)
    """
    _check_present(text, "submission time")
    try:
        # ISO 8601 also has dates without dashes; here they would be numbers of another meaning.
        moment = datetime.fromisoformat(text.removesuffix(" UTC")) if "-" in text else None
    except ValueError:
        moment = None
    if moment is None:
        raise RowFault("submission time is not a date and time", text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - EPOCH).total_seconds()


def _check_present(text: str, what: str) -> None:
    if is_missing(text):
        raise RowFault(f"{what} is missing", text)


def check_order(start: str, end: str, parse: Callable[[str], float]) -> None:
    """Check that a run does not end before it starts; a time that is not there says nothing.

    Examples
    --------
    >>> check_order("5", "4", parse_seconds)
    Traceback (most recent call last):
        ...
    optsched.traces.fields.RowFault: ('end is before start', '5 to 4')
    """
    if not (is_missing(start) or is_missing(end)) and parse(end) < parse(start):
        raise RowFault("end is before start", f"{start} to {end}")


def run_time_s(start: str, end: str, parse: Callable[[str], float]) -> float:
    """Return what passes from the start of a run to its end, above 0.

    Examples
    --------
    >>> run_time_s("5", "60", parse_seconds)
    55.0
    """
    if is_missing(start):
        raise RowFault("start is missing: the job never ran", start)
    if is_missing(end):
        raise RowFault("end is missing: the job has not ended", end)
    check_order(start, end, parse)
    return parse_duration_s(repr(parse(end) - parse(start)))


def is_missing(text: str) -> bool:
    """Tell whether a field is empty, or says in a word that it is.

    Examples
    --------
    >>> is_missing("None"), is_missing("0")
    (True, False)
    """
    return text.casefold() in MISSING


def parse_number(text: str, what: str) -> float:
    """Return a finite number; ``what`` it is goes into the reason if it is none.

    Examples
    --------
    >>> parse_number("2.5", "weight")
    2.5
    """
    try:
        value = float(text)
    except ValueError:
        _check_present(text, what)
        raise RowFault(f"{what} is not a number", text) from None
    # Python reads 1_000 and the digits of every script; a log that has them means something else.
    if "_" in text or not text.isascii():
        raise RowFault(f"{what} is not a number", text)
    if not math.isfinite(value):
        raise RowFault(f"{what} is not finite", text)
    return value


def text_fault(line: str) -> str:
    r"""Return what a text is instead of text, or nothing.

    Examples
    --------
    >>> text_fault("a\0b"), text_fault("é")
    ('binary data', '')
    """
    if "\0" in line:
        return "binary data"
    if not line.isascii():
        try:
            line.encode()
        except UnicodeEncodeError:
            return "text in another encoding than UTF-8"
    return ""
