"""The tokens of JSON, and what to say of a text that has others."""

from __future__ import annotations

import re
from dataclasses import dataclass

from optsched.core.errors import Path

__all__ = [
    "MAX_DIGITS",
    "SPACE",
    "TOKEN",
    "FatalError",
    "Fault",
    "fatal_error",
    "lexical_error",
    "printable",
    "shortened",
]

#: Longer whole numbers are not read: Python refuses to convert beyond 4300 digits.
MAX_DIGITS = 400

TOKEN = re.compile(
    r"""[ \t\n\r]*(?:
    (?P<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")
    |(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9.eE+\w-]))
    |(?P<constant>-?(?:NaN|Infinity)\b)
    |(?P<word>(?:true|false|null)\b)
    |(?P<mark>[][{}:,])
    |(?P<end>\Z)
    )""",
    re.VERBOSE,
)
SPACE = re.compile(r"[ \t\n\r]*")
_ODD_WORD = re.compile(r"[^\s,:\]\[{}\"]{1,30}")
_PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with the text as JSON.

    Parameters
    ----------
    offset
        Where, as an offset in the text.
    path
        The value concerned, if any.
    expected, got, remedy
        As in :class:`optsched.core.errors.Problem`.
    is_fatal
        True if the text has no meaning beyond this place.
    is_value
        True if the value at ``path`` is at fault, so that nothing more need be said of it.
    """

    offset: int
    path: Path
    expected: str
    got: str
    remedy: str = ""
    is_fatal: bool = False
    is_value: bool = False


class FatalError(Exception):
    """The scan cannot go on."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault


def lexical_error(text: str, start: int) -> FatalError:
    """Say what is wrong with something that is no token of JSON."""
    character = text[start]
    if character == '"':
        return _string_error(text, start)
    if character in "/#":
        return fatal_error(start, "a value or a key", "a comment", "JSON has no comments")
    if character == "'":
        return fatal_error(start, "double quotes", "a single quote", 'write "text"')
    match = _ODD_WORD.match(text, start)
    word = match.group() if match else character
    remedy = ""
    if word in _PYTHON_WORDS:
        remedy = f"write {_PYTHON_WORDS[word]}"
    elif character in "+.0123456789-":
        remedy = "numbers are written as 0.5, 12 or 1e9"
    elif word[0].isalpha():
        remedy = "text stands in double quotes"
    return fatal_error(start, "a value", word, remedy)


def _string_error(text: str, start: int) -> FatalError:
    """Say where a string goes wrong: a raw line break, a bad escape, or no end."""
    good = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
    match = good.match(text, start)
    assert match is not None
    stop = match.end()
    if stop == len(text):
        return fatal_error(start, "a closing quote", "", "the file is cut short")
    if text[stop] == "\\":
        got = shortened(text[stop : stop + 2])
        return fatal_error(stop, "an escape such as \\n or \\u00e9", got, "write \\\\ for a \\")
    got = "a line break" if text[stop] in "\r\n" else "a control character"
    remedy = "close the text on its line, or write \\n"
    return fatal_error(stop, "a closing quote", got, remedy)


def fatal_error(offset: int, expected: str, got: str, remedy: str = "") -> FatalError:
    """Return the error for a text that has no meaning from this offset on."""
    shown = shortened(got) if got else "the end of the file"
    return FatalError(Fault(offset, (), expected, shown, remedy, is_fatal=True))


def shortened(token: str) -> str:
    """Return a token in a form that fits into a message."""
    return token if len(token) <= 40 else f"{token[:37]}..."


def printable(text: str) -> str:
    r"""Return a text with escapes for what a terminal might act on.

    Examples
    --------
    >>> printable("ξ\n")
    'ξ\\n'
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )
