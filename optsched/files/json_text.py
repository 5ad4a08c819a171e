"""JSON text that reads and compares well: long lists have one entry a line."""

from __future__ import annotations

import json
import os
from collections.abc import Container, Mapping
from pathlib import Path

from optsched.files.problems import text_problem

__all__ = ["json_text", "write_text"]

#: Objects that are written key by key, one a line.
_OPEN_OBJECTS = {(), ("cluster",)}


def json_text(document: Mapping[str, object], row_lists: Container[tuple[str, ...]]) -> str:
    r"""Return a document as JSON, the lists at the paths ``row_lists`` with one entry a line.

    Floats keep every digit that tells them apart. Raises ValueError for one that is not finite.

    Examples
    --------
    >>> print(json_text({"a": {"x": 1, "y": 2}, "rows": [{"i": 0}, {"i": 1}]}, {("rows",)}))
    {
      "a": {"x": 1, "y": 2},
      "rows": [
        {"i": 0},
        {"i": 1}
      ]
    }
    <BLANKLINE>
    """
    return _text(document, (), row_lists) + "\n"


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file in UTF-8 with plain line ends on every platform.

    Raises
    ------
    FileFormatError
        If it cannot be written.
    """
    try:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        reason = error.strerror or str(error)
        raise text_problem(os.fspath(path), "a file that can be written", f"'{reason}'") from None


def _text(value: object, path: tuple[str, ...], row_lists: Container[tuple[str, ...]]) -> str:
    indent = "  " * len(path)
    if isinstance(value, Mapping) and value and _is_open(value, path, row_lists):
        entries = [
            f"{indent}  {_plain(key)}: {_text(entry, (*path, key), row_lists)}"
            for key, entry in value.items()
        ]
        return "{\n" + ",\n".join(entries) + f"\n{indent}}}"
    if path in row_lists and isinstance(value, list) and value:
        rows = [f"{indent}  {_plain(row)}" for row in value]
        return "[\n" + ",\n".join(rows) + f"\n{indent}]"
    return _plain(value)


def _is_open(
    value: Mapping[str, object], path: tuple[str, ...], row_lists: Container[tuple[str, ...]]
) -> bool:
    """Return True for objects that are written over several lines."""
    return path in _OPEN_OBJECTS or any((*path, key) in row_lists for key in value)


def _plain(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
