"""Where things stand in a JSON text: a second pass, run only when something is wrong with it.

The standard parser says nothing of places, takes the last of two equal keys, and accepts NaN. This
scanner finds the line and column of chosen values, every doubled key, every number that is not
finite, and the first syntax error, in words a person can act on. It does not recurse, so that no
nesting is too deep for it.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from optsched.core.errors import Path
from optsched.files.json_tokens import (
    MAX_DIGITS,
    SPACE,
    TOKEN,
    FatalError,
    Fault,
    fatal_error,
    lexical_error,
    shortened,
)

__all__ = [
    "MAX_DEPTH",
    "JsonScan",
    "Lines",
    "Place",
    "line_and_column",
    "scan_json",
]

#: No file of ours nests deeper than five levels; the standard parser gives up at about a thousand.
MAX_DEPTH = 100

_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Place(NamedTuple):
    """Offsets in the text of a value, or of its opening bracket, and of its key if it has one."""

    key: int | None
    start: int
    end: int


@dataclass(slots=True)
class JsonScan:
    """What a scan found: the places that were asked for, and the faults in order."""

    places: dict[Path, Place] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    r"""Return the line and the column of an offset, both counted from 1, in characters.

    Examples
    --------
    >>> line_and_column('{\n  "a": 1}', 4)
    (2, 3)
    """
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - start + 1


class Lines:
    """Lines and columns of many offsets in one text."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset, as :func:`line_and_column` does."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def scan_json(
    text: str, wanted: Collection[Path] = frozenset(), *, is_partial: bool = False
) -> JsonScan:
    """Scan a JSON text for faults and for the places of the ``wanted`` paths.

    After a fatal fault, which is the last, places further on are missing. A scan that is partial
    stops as soon as all places are found.

    Examples
    --------
    >>> scan = scan_json('{"a": [1, 2], "a": NaN}', {("a",)})
    >>> [fault.expected for fault in scan.faults]
    ['each key once in an object', 'a finite number']
    >>> scan.places["a",].start
    19
    """
    scanner = _Scanner(text, wanted)
    try:
        scanner.run(is_partial=is_partial)
    except FatalError as error:
        scanner.scan.faults.append(error.fault)
    return scanner.scan


class _Frame:
    """An open container: the keys seen so far in an object, the position in a list."""

    __slots__ = ("keys", "position")

    def __init__(self, is_object: bool) -> None:
        self.keys: dict[str, int] | None = {} if is_object else None
        self.position = 0


class _Scanner:
    def __init__(self, text: str, wanted: Collection[Path]) -> None:
        self.text = text
        self.wanted = wanted
        self.scan = JsonScan()
        self.frames: list[_Frame] = []
        self.path: list[str | int] = []
        self.key_offset: int | None = None
        self.lines = Lines(text)

    def run(self, *, is_partial: bool) -> None:
        position = 0
        while True:
            position, is_open = self._value(position)
            # After an opening bracket comes a first entry or the closing one; else a separator.
            while not (is_open and self._has_entry(position)):
                if not is_open and not self.frames:
                    kind, token, start, _ = self._token(position)
                    if kind != "end":
                        raise fatal_error(start, "the end of the file", token)
                    return
                position, is_open = self._separator(position, is_first=is_open)
            if is_partial and len(self.scan.places) == len(self.wanted):
                return
            position = self._entry(position)

    def _has_entry(self, position: int) -> bool:
        """Return True unless the container that was just opened is closed at once."""
        closing = "]" if self.frames[-1].keys is None else "}"
        return not self.text.startswith(closing, self._skip(position))

    def _separator(self, position: int, *, is_first: bool) -> tuple[int, bool]:
        """Read a comma, after which an entry follows, or the end of the container."""
        frame = self.frames[-1]
        closing = "]" if frame.keys is None else "}"
        _, token, start, end = self._token(position)
        if not is_first and token == ",":
            follower = self._skip(end)
            if self.text.startswith(("]", "}"), follower):
                got = repr(self.text[follower])
                raise fatal_error(
                    follower, "another entry after the comma", got, "remove the last comma"
                )
            return end, True
        if token == closing:
            self._close()
            return end, False
        remedy = ""
        if token == "":
            remedy = "the file is cut short, or a bracket is not closed"
        elif self.text[start] in '"{[' or token[:1].isalnum():
            remedy = "a comma is missing"
        raise fatal_error(start, f"',' or '{closing}'", token, remedy)

    def _entry(self, position: int) -> int:
        """Read up to the next value: nothing in a list, a key and a colon in an object."""
        frame = self.frames[-1]
        if frame.keys is None:
            self.path.append(frame.position)
            frame.position += 1
            self.key_offset = None
            return position
        kind, token, start, end = self._token(position)
        if kind != "string":
            remedy = "write keys in double quotes" if token else "the file is cut short"
            raise fatal_error(start, "a key in double quotes", token, remedy)
        key = self._decoded(start, token)
        self.path.append(key)
        first = frame.keys.setdefault(key, start)
        if first != start:
            line, column = self.lines.place(first)
            self.scan.faults.append(
                Fault(
                    start,
                    tuple(self.path),
                    "each key once in an object",
                    f"the key {shortened(token)} again, first on line {line}, column {column}",
                    "remove one of the two",
                )
            )
        self.key_offset = start
        kind, token, start, end = self._token(end)
        if token != ":":
            raise fatal_error(start, "':' after the key", token)
        return end

    def _value(self, position: int) -> tuple[int, bool]:
        """Read a scalar, or the opening bracket of a container."""
        kind, token, start, end = self._token(position)
        if token in ("{", "["):
            if len(self.frames) >= MAX_DEPTH:
                raise fatal_error(start, f"at most {MAX_DEPTH} levels of nesting", "one more")
            self._note(self.key_offset, start, end)
            self.frames.append(_Frame(token == "{"))
            return end, True
        if kind in ("mark", "end"):
            remedy = "the file is cut short" if kind == "end" and start > 0 else ""
            raise fatal_error(start, "a value", token, remedy)
        self._note(self.key_offset, start, end)
        if kind == "string":
            self._decoded(start, token)
        elif kind == "constant" or (kind == "number" and not _is_finite(token)):
            self._value_fault(start, "a finite number", shortened(token))
        elif kind == "number" and len(token) > MAX_DIGITS and token.lstrip("-").isdigit():
            expected = f"a number of at most {MAX_DIGITS} digits"
            self._value_fault(start, expected, f"one of {len(token):,}")
        if self.path:
            self.path.pop()
        return end, False

    def _close(self) -> None:
        self.frames.pop()
        if self.path:
            self.path.pop()

    def _note(self, key_offset: int | None, start: int, end: int) -> None:
        path = tuple(self.path)
        if path in self.wanted:
            self.scan.places[path] = Place(key_offset, start, end)

    def _value_fault(self, offset: int, expected: str, got: str) -> None:
        fault = Fault(offset, tuple(self.path), expected, got, is_value=True)
        self.scan.faults.append(fault)

    def _decoded(self, start: int, token: str) -> str:
        if "\\" not in token:
            return token[1:-1]
        decoded: str = json.loads(token)
        if _ESCAPED_SURROGATE.search(token) and _SURROGATE.search(decoded):
            raise fatal_error(start, "whole characters", "half of a surrogate pair (\\ud800…)")
        return decoded

    def _skip(self, position: int) -> int:
        match = SPACE.match(self.text, position)
        assert match is not None
        return match.end()

    def _token(self, position: int) -> tuple[str, str, int, int]:
        """Return kind, text, start and end of the token at or after ``position``."""
        match = TOKEN.match(self.text, position)
        if match is None or match.lastgroup is None:
            raise lexical_error(self.text, self._skip(position))
        start, end = match.span(match.lastgroup)
        return match.lastgroup, self.text[start:end], start, end


def _is_finite(token: str) -> bool:
    """Return True if a number is not beyond the doubles; whole ones are not converted."""
    return token.lstrip("-").isdigit() or math.isfinite(float(token))
