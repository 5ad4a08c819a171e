"""Finished runs in a file of JSON lines, one a line, so that a killed study loses nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from optsched.core.errors import FileFormatError

__all__ = ["Append", "appending", "read_lines"]


class Append(Protocol):
    """Writes a line and sees to it that it is on the disk."""

    def __call__(self, document: Mapping[str, Any]) -> None:
        """Write ``document`` as one line."""


def read_lines(path: Path) -> list[dict[str, Any]]:
    r"""Return the documents of a file; none if there is no such file.

    A last line without an end is what a killed process leaves: it is passed over.

    Raises
    ------
    FileFormatError
        If another line is not a JSON object.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "runs.jsonl"
    ...     _ = file.write_text('{"a": 1}\n{"a": 2')
    ...     read_lines(file)
    [{'a': 1}]
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path}: expected UTF-8 text, got other bytes") from error
    whole = text[: text.rfind("\n") + 1]
    documents = []
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            document = json.loads(line)
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise FileFormatError(
                f"{path}:{number}: expected a JSON object, a finished run, got {line[:60]!r}; "
                "take the line out, or name another directory"
            )
        documents.append(document)
    return documents


@contextmanager
def appending(path: Path) -> Iterator[Append]:
    r"""Open a file of JSON lines to append to; a half-written last line is cut off first.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "runs.jsonl"
    ...     _ = file.write_text('{"a": 1}\n{"a": 2')
    ...     with appending(file) as append:
    ...         append({"a": 3})
    ...     read_lines(file)
    [{'a': 1}, {'a': 3}]
    """
    with path.open("ab+") as file:
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)

        def append(document: Mapping[str, Any]) -> None:
            line = json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())

        yield append
