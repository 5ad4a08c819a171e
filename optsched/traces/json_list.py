"""The elements of a JSON list, one after the other, so that a list of any size can be read."""

from __future__ import annotations

import json
from collections.abc import Iterator

from optsched.traces.fields import text_fault
from optsched.traces.rows import Drop, TraceText

__all__ = ["MAX_ELEMENT_CHARACTERS", "json_elements"]

#: A longer element is no job, and must not be read into memory.
MAX_ELEMENT_CHARACTERS = 1 << 24

BLANKS = " \t\r\n"


class UnusableElementError(Exception):
    """An element is JSON and cannot be used."""

    def __init__(self, reason: str, got: str) -> None:
        super().__init__(reason, got)
        self.reason, self.got = reason, got


def json_elements(text: TraceText, drop: Drop) -> Iterator[tuple[int, object]]:
    r"""Yield each element of the list in ``text``, and the line on which it begins.

    Elements that are JSON and cannot be used (a key twice, text in another encoding) go to
    ``drop``.

    Raises
    ------
    TraceError
        If the text is no list, is no JSON, or breaks off.

    Examples
    --------
    >>> import tempfile
    >>> from optsched.traces.rows import open_trace
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write('[1,\n {"a": 2}]')
    ...     file.flush()
    ...     with open_trace(file.name) as text:
    ...         print(list(json_elements(text, print)))
    [(1, 1), (2, {'a': 2})]
    """
    return _Elements(text, drop).read()


class _Elements:
    def __init__(self, text: TraceText, drop: Drop) -> None:
        self._text, self._drop = text, drop
        self._pieces = text.pieces()
        self._decoder = json.JSONDecoder(object_pairs_hook=self._object)
        self._doubled: str | None = None
        self._buffer, self._place, self._line = "", 0, text.first_line_number

    def read(self) -> Iterator[tuple[int, object]]:
        if self._next_character() != "[":
            raise self._error("a list of jobs, which begins with [", "check the file")
        self._take(1)
        if self._next_character() == "]":
            self._take(1)
        else:
            while True:
                self._next_character()
                line = self._line
                try:
                    value = self._element()
                except UnusableElementError as problem:
                    self._drop(line, problem.reason, problem.got)
                else:
                    yield line, value
                if (end := self._next_character()) == "]":
                    self._take(1)
                    break
                if end != ",":
                    raise self._error("a comma or ] after an element", "correct the JSON")
                self._take(1)
        if self._next_character():
            raise self._error("nothing after the list", "is it several files in one?")

    def _element(self) -> object:
        """Return the element that begins here, reading on until it is complete."""
        wanted = 1
        while True:
            self._doubled = None
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._place)
                # A number may go on in the next piece; nothing else may.
                if end < len(self._buffer) or not self._more():
                    break
            except (ValueError, RecursionError) as problem:
                # Read twice as much each time, so that long elements are not tried too often.
                if not self._more(wanted):
                    raise self._broken(problem) from None
                wanted = len(self._buffer) - self._place
        fault = text_fault(self._buffer[self._place : end])
        self._take(end - self._place)
        if fault:
            raise UnusableElementError(f"the job is {fault}", "")
        if self._doubled is not None:
            raise UnusableElementError("a key is there twice", self._doubled)
        return value

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        document = dict(pairs)
        if len(document) < len(pairs):
            names = [name for name, _ in pairs]
            self._doubled = next(name for name in document if names.count(name) > 1)
        return document

    def _broken(self, problem: Exception) -> Exception:
        if isinstance(problem, json.JSONDecodeError):
            self._take(problem.pos - self._place)
            return self._error("JSON", f"correct or fetch the file again ({problem.msg})")
        return self._error("JSON that can be read", f"correct the file ({problem})")

    def _more(self, characters: int = 1) -> bool:
        """Read at least so much more, if there is as much and an element may be so long."""
        had = len(self._buffer)
        if had - self._place > MAX_ELEMENT_CHARACTERS:
            return False
        parts = [self._buffer]
        while characters > 0 and (piece := next(self._pieces, "")):
            parts.append(piece)
            characters -= len(piece)
        self._buffer = "".join(parts)
        return len(self._buffer) > had

    def _take(self, count: int) -> None:
        self._line += self._buffer.count("\n", self._place, self._place + count)
        self._place += count
        if self._place > MAX_ELEMENT_CHARACTERS // 64:
            self._buffer, self._place = self._buffer[self._place :], 0

    def _next_character(self) -> str:
        """Move to the next character that is not blank and return it; nothing at the end."""
        while True:
            start = self._place
            while start < len(self._buffer) and self._buffer[start] in BLANKS:
                start += 1
            self._take(start - self._place)
            if self._place < len(self._buffer):
                return self._buffer[self._place]
            if not self._more():
                return ""

    def _error(self, expected: str, remedy: str) -> Exception:
        found = self._buffer[self._place : self._place + 20]
        got = repr(found) if found else "the end of the file"
        return self._text.error(self._line, expected, got, remedy)
