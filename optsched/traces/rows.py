"""Text of a trace, line by line, and the table in it; a file of any size, one line in memory."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from optsched.core.errors import TraceError
from optsched.traces.fields import text_fault

__all__ = [
    "MAX_LINE_CHARACTERS",
    "Drop",
    "Table",
    "TraceText",
    "open_trace",
    "split_line",
]

#: A longer line is no table of jobs, and must not be read into memory.
MAX_LINE_CHARACTERS = 1 << 20
#: What is read at once of a file that is no lines.
PIECE_CHARACTERS = 1 << 18

#: ``drop(line, reason, got)`` puts a row that cannot be used into the report.
Drop = Callable[[int, str, str], None]

GZIP = b"\x1f\x8b"
OTHER_FILES = {
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"\x28\xb5\x2f\xfd": "a zstandard file",
    b"PAR1": "a Parquet file",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}
OTHER_DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}


class TraceText:
    """The open text of a trace; made by :func:`open_trace`, read once from front to back.

    Attributes
    ----------
    path
        The file, as the user wrote it.
    first_line
        The first line that is not blank, empty if there is none. Of JSON on one line only its
        beginning.
    first_line_number
        Where it stands, counted from 1.
    """

    def __init__(self, path: Path, handle: TextIO) -> None:
        self.path = path
        self._handle = handle
        self._line = 0
        self._is_cut = False
        self.first_line = next(self._filled_lines(), (0, ""))[1]
        self.first_line_number = max(self._line, 1)

    def error(self, line: int | None, expected: str, got: str, remedy: str) -> TraceError:
        """Return an error about a line of this file, in the words all of them use."""
        place = self.path if line is None else f"{self.path}:{line}"
        return TraceError(f"{place}: expected {expected}, got {got}; {remedy}")

    def rest(self) -> Iterator[tuple[int, str]]:
        """Yield number and text of each later line that is not blank, without its end.

        Raises
        ------
        TraceError
            If the file cannot be read to its end: broken gzip data, a line without end.
        """
        if self._is_cut:
            raise self._line_without_end()
        return self._filled_lines()

    def pieces(self) -> Iterator[str]:
        """Yield the text from the first line that is not blank to the end, piece by piece.

        For formats that are no lines; the pieces are cut anywhere.

        Raises
        ------
        TraceError
            If the file cannot be read to its end.
        """
        yield self.first_line if self._is_cut else self.first_line + "\n"
        line = self.first_line_number + (not self._is_cut)
        with self._reading(lambda: line):
            while piece := self._handle.read(PIECE_CHARACTERS):
                line += piece.count("\n")
                yield piece

    def _filled_lines(self) -> Iterator[tuple[int, str]]:
        readline = self._handle.readline
        with self._reading(lambda: self._line + 1):
            while text := readline(MAX_LINE_CHARACTERS + 1):
                self._line += 1
                if len(text) > MAX_LINE_CHARACTERS:
                    # JSON may well be one line; its reader takes the file in pieces.
                    self._is_cut = text.lstrip().startswith("[")
                    if not self._is_cut:
                        raise self._line_without_end()
                if not text.isspace():
                    yield self._line, text if self._is_cut else text.rstrip("\n")

    def _line_without_end(self) -> TraceError:
        expected = f"lines of at most {MAX_LINE_CHARACTERS:,} characters"
        remedy = "is this a table of jobs, with a line for each?"
        return self.error(self._line, expected, "a longer one", remedy)

    @contextmanager
    def _reading(self, line: Callable[[], int]) -> Iterator[None]:
        """Turn what can go wrong with a file into an error that names the ``line`` it is about."""
        try:
            yield
        except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
            got = f"data that breaks off or is damaged after line {line() - 1:,} ({problem})"
            remedy = "fetch or compress the file again"
            raise self.error(line(), "a complete gzip file", got, remedy) from problem
        except OSError as problem:
            got = str(problem.strerror or problem)
            raise self.error(line(), "a file that can be read", got, "try again") from None


@contextmanager
def open_trace(
    path: str | Path, *, kind: str = "a trace", content: str = "a table of jobs"
) -> Iterator[TraceText]:
    r"""Open a trace, plain or gzip (told by its content, not its name), as UTF-8 text.

    A byte-order mark is skipped. Bytes that are no UTF-8 become lone surrogates, which
    :class:`Table` finds, so that one bad row does not spoil a file.

    Parameters
    ----------
    path
        The file.
    kind, content
        What errors say was expected: a file of this kind, with this in it.

    Raises
    ------
    TraceError
        If there is no such file, or it is a folder, empty, or no text.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("gpus,duration_s\n\n4,60\n")
    ...     file.flush()
    ...     with open_trace(file.name) as text:
    ...         print(text.first_line, list(text.rest()))
    gpus,duration_s [(3, '4,60')]
    """
    path = Path(path)
    try:
        raw = path.open("rb")
    except FileNotFoundError:
        raise TraceError(
            f"{path}: expected {kind}, got no such file; check the path and the current folder"
        ) from None
    except IsADirectoryError:
        raise TraceError(f"{path}: expected {kind}, got a folder; name a file inside it") from None
    except (OSError, ValueError) as problem:
        got = getattr(problem, "strerror", None) or problem
        raise TraceError(
            f"{path}: expected a file that can be read, got {got}; check path and permissions"
        ) from None
    with raw:
        try:
            head = raw.peek(16)
        except OSError as problem:
            raise TraceError(f"{path}: expected a file that can be read, got {problem}") from None
        for magic, kind in OTHER_FILES.items():
            if head.startswith(magic):
                raise TraceError(
                    f"{path}: expected CSV text in UTF-8, plain or gzip, got {kind}; convert it"
                )
        binary = gzip.GzipFile(fileobj=raw) if head.startswith(GZIP) else raw
        with io.TextIOWrapper(
            binary,
            encoding="utf-8-sig",
            errors="surrogateescape",
        ) as handle:
            text = TraceText(path, handle)
            if not text.first_line:
                raise text.error(None, content, "an empty file", "check how it was made")
            if fault := text_fault(text.first_line):
                remedy = "convert it to CSV with a header"
                raise text.error(text.first_line_number, "CSV text in UTF-8", fault, remedy)
            yield text


def split_line(line: str) -> list[str]:
    """Return the fields of one line of CSV, blanks around them taken off.

    A quoted field may hold commas, never a line break: one line is one row, so that one quote too
    many cannot swallow the rest of a file.

    Raises
    ------
    csv.Error
        If quotes do not match.

    Examples
    --------
    >>> split_line('7, "resnet, large" ,4')
    ['7', 'resnet, large', '4']
    """
    if '"' not in line:
        return [field.strip() for field in line.split(",")]
    fields = next(csv.reader([line], skipinitialspace=True))
    if line.count('"') % 2:
        raise csv.Error("a quote is not closed")
    return [field.strip() for field in fields]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a comma-separated file whose first line names the columns."""

    text: TraceText
    columns: tuple[str, ...]

    @classmethod
    def of(cls, text: TraceText) -> Table:
        """Read the header.

        Raises
        ------
        TraceError
            If the columns are not separated by commas.
        """
        line, number = text.first_line, text.first_line_number
        try:
            columns = tuple(split_line(line))
        except csv.Error as problem:
            expected = "a header that names the columns"
            raise text.error(number, expected, f"{line[:80]!r}", f"{problem}") from None
        delimiter, name = max(OTHER_DELIMITERS.items(), key=lambda item: line.count(item[0]))
        if line.count(delimiter) >= len(columns):
            remedy = "save the table with commas"
            raise text.error(number, "columns separated by commas", name, remedy)
        return cls(text, columns)

    def check_names(self) -> None:
        """Raise a TraceError if two columns have one name, so that it would not say which."""
        for position, column in enumerate(self.columns):
            if column and column in self.columns[:position]:
                got = f"{column!r} in columns {self.columns.index(column) + 1} and {position + 1}"
                raise self.text.error(
                    self.text.first_line_number,
                    "columns of different names",
                    got,
                    "rename one of them",
                )

    def rows(self, drop: Drop) -> Iterator[tuple[int, list[str]]]:
        """Yield the line number and the fields of each row; rows that are none go to ``drop``."""
        width = len(self.columns)
        for number, line in self.text.rest():
            if fault := text_fault(line):
                drop(number, f"the row is {fault}", "")
                continue
            try:
                fields = split_line(line)
            except csv.Error:
                drop(number, "the row's quotes do not match", line)
                continue
            if len(fields) != width:
                drop(number, f"the row has not the {width} fields of the header", line)
                continue
            yield number, fields
