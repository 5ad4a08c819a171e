"""Reading a JSON file, with a clear answer to whatever else one may be given."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from optsched.core.errors import Problem, suggest
from optsched.files.json_places import line_and_column, scan_json
from optsched.files.json_tokens import MAX_DIGITS
from optsched.files.problems import (
    ABSENT,
    FROM_TEXT,
    FileProblemsError,
    PlacedProblem,
    placed_problems,
    text_problem,
)

__all__ = ["JsonFile", "read_json", "read_text", "taken_format"]

#: First bytes of files that people mistake for text.
_MAGIC = {
    b"\x1f\x8b": ("a gzip archive", "unpack it first"),
    b"PK\x03\x04": ("a zip archive", "unpack it first"),
    b"\xff\xfe": ("text in UTF-16", "save it as UTF-8"),
    b"\xfe\xff": ("text in UTF-16", "save it as UTF-8"),
}
_SEPARATED = re.compile(r"[^\n{}\[\]]*[A-Za-z0-9_\"' ]([,;\t])[^\n{}\[\]]*\1[^\n{}\[\]]*")
_SWF_COMMENT = re.compile(r";[ \t]*[A-Z]")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(slots=True)
class JsonFile:
    """A JSON file as it was parsed.

    Parameters
    ----------
    name
        The path as it was given, for messages.
    text
        The text without a byte order mark.
    value
        What it says.
    has_faults
        True if it has doubled keys or numbers that are not finite.
    """

    name: str
    text: str
    value: dict[str, object]
    has_faults: bool

    def error(self, problems: list[Problem]) -> FileProblemsError:
        """Return the error that lists these problems and the faults of the text."""
        return FileProblemsError(
            placed_problems(self.name, self.text, problems, has_faults=self.has_faults)
        )


def read_text(path: str | os.PathLike[str], what: str) -> str:
    """Return the text of a UTF-8 file, with or without a byte order mark.

    Raises
    ------
    FileFormatError
        If there is no such file, it cannot be read, or it holds something else.
    """
    name = os.fspath(path)
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise text_problem(name, f"{what}", "no file of this name", _near(Path(path))) from None
    except IsADirectoryError:
        remedy = "name a file in it"
        raise text_problem(name, f"{what}", "a directory", remedy) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise text_problem(name, f"{what} that can be read", f"'{reason}'") from None
    for magic, (kind, remedy) in _MAGIC.items():
        if content.startswith(magic):
            raise text_problem(name, f"{what} in UTF-8", kind, remedy, place=(1, 1))
    if b"\0" in content:
        place = _byte_place(content, content.index(b"\0"))
        raise text_problem(name, f"{what} in UTF-8", "a binary file", place=place)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # With a byte order mark the codec counts from behind it.
        start = error.start + len(content) - len(error.object)
        got = f"the byte 0x{content[start]:02x}"
        remedy = "save the file as UTF-8"
        place = _byte_place(content, start)
        raise text_problem(name, f"{what} in UTF-8", got, remedy, place=place) from None


def read_json(path: str | os.PathLike[str], what: str) -> JsonFile:
    """Return a JSON file whose top level is an object.

    Parameters
    ----------
    path
        The file.
    what
        What it should be, for messages: ``an instance file``.

    Raises
    ------
    FileFormatError
        If it is not.
    """
    name = os.fspath(path)
    text = read_text(path, what)
    if not text.strip():
        raise text_problem(name, what, "an empty file", place=(1, 1))
    parser = _Parser(text)
    if parser.is_fatal:
        raise _syntax_error(name, text, what)
    if not isinstance(parser.value, dict):
        remedy = "a trace is turned into an instance by `optsched convert`"
        problem = Problem((), f"{what}, an object {{...}}", FROM_TEXT, remedy)
        raise FileProblemsError(placed_problems(name, text, [problem]))
    return JsonFile(name, text, parser.value, parser.has_faults)


def taken_format(
    value: dict[str, object], expected: str, remedies: dict[str, str]
) -> Problem | None:
    """Take ``format`` out of a document and return what is wrong with it.

    Parameters
    ----------
    value
        The document; ``format`` is removed from it.
    expected
        The format that can be read, such as ``optsched.instance/1``.
    remedies
        What to do about other formats that are known.
    """
    quoted = json.dumps(expected)
    if "format" not in value:
        return Problem(("format",), quoted, ABSENT, f'add "format": {quoted}')
    found = value.pop("format")
    if found == expected:
        return None
    remedy = f"write {quoted}"
    if isinstance(found, str):
        kind, _, version = found.partition("/")
        if found in remedies:
            remedy = remedies[found]
        elif kind == expected.partition("/")[0] and version.isdigit():
            remedy = "this version of optsched cannot read it; use a newer one"
    return Problem(("format",), quoted, FROM_TEXT, remedy)


class _Parser:
    """One run of the standard parser that notes what it would let pass."""

    def __init__(self, text: str) -> None:
        self.value: object = None
        self.has_faults = False
        self.is_fatal = bool(_SURROGATE_ESCAPE.search(text)) and _is_fatal(text)
        if self.is_fatal:
            return
        try:
            self.value = self._tolerantly_parsed(text)
        except (json.JSONDecodeError, RecursionError):
            self.is_fatal = True

    def _tolerantly_parsed(self, text: str) -> object:
        try:
            return self._parsed(text)
        except json.JSONDecodeError:
            raise
        except ValueError:
            # Python does not convert whole numbers beyond some thousand digits.
            self.has_faults = True
            return self._parsed(text, parse_int=_whole_number)

    def _parsed(self, text: str, **hooks: object) -> object:
        return json.loads(
            text,
            object_pairs_hook=self._object,
            parse_constant=self._constant,
            **hooks,  # type: ignore[arg-type]
        )

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        entries = dict(pairs)
        if len(entries) != len(pairs):
            self.has_faults = True
        return entries

    def _constant(self, name: str) -> float:
        self.has_faults = True
        return float(name.replace("Infinity", "inf"))


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= MAX_DIGITS else float(digits)


def _is_fatal(text: str) -> bool:
    return any(fault.is_fatal for fault in scan_json(text).faults)


def _syntax_error(name: str, text: str, what: str) -> FileProblemsError:
    """Return what is wrong with a text that is no JSON; tables are known by their first line."""
    start = len(text) - len(text.lstrip())
    first_line = text[start:].split("\n", 1)[0]
    is_table = _SEPARATED.match(first_line) or _SWF_COMMENT.match(first_line)
    if text[start] not in "{[" and is_table:
        got = "a table with columns, which looks like a trace"
        remedy = f"turn it into an instance with `optsched convert {name} -o instance.json`"
        return text_problem(name, what, got, remedy, place=line_and_column(text, start))
    placed = placed_problems(name, text, [])
    if placed:
        return FileProblemsError(placed)
    # The scanner is as strict as the parser, so this is for what neither of us thought of.
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        problem = Problem((), f"JSON ({error.msg})", "something else")
        return FileProblemsError([PlacedProblem(name, error.lineno, error.colno, problem)])
    except (RecursionError, ValueError):
        pass
    return text_problem(name, f"{what} that can be parsed", "one that cannot", place=(1, 1))


def _byte_place(content: bytes, offset: int) -> tuple[int, int]:
    before = content[:offset].removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")
    return line_and_column(before, len(before))


def _near(path: Path) -> str:
    """Return a remedy that names a file beside a missing one, if one has nearly its name."""
    try:
        names = [entry.name for entry in os.scandir(path.parent)]
    except (OSError, ValueError):
        return "check the path"
    near = suggest(path.name, names[:10_000])
    return f"did you mean {str(path.with_name(near))!r}?" if near else "check the path"
