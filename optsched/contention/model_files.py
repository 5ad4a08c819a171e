"""Files of the folder ``models``: TOML tables, checked, with errors that name file and key."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path

from optsched.core.data_files import data_directory
from optsched.core.errors import FileFormatError, UnknownNameError, suggest

__all__ = ["ModelTable", "model_names", "read_model"]


class ModelTable:
    """The table of a model file, or one of those inside it; every error names its place.

    Parameters
    ----------
    path
        The file.
    values
        Its keys and values.
    place
        Where the table stands in the file, with a dot at the end; empty for the whole file.
    """

    def __init__(self, path: Path, values: Mapping[str, object], place: str = "") -> None:
        self.path, self.values, self._place = path, values, place

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def check_keys(self, known: Collection[str]) -> None:
        """Raise a FileFormatError if there is another key than these."""
        for key in self.values:
            if key not in known:
                near = suggest(key, known)
                remedy = f"; did you mean {near!r}?" if near else ""
                raise self.error(key, f"one of the keys {', '.join(known)}", f"{key!r}{remedy}")

    def amount(self, key: str, *, default: float | None = None, least: float = 0.0) -> float:
        """Return a finite number of at least ``least``; ``default`` if it is not there."""
        value = self.values.get(key, default)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not least <= value < math.inf:  # type: ignore[operator]
            raise self.error(key, f"a number of at least {least:g}", _shown(value))
        return float(value)  # type: ignore[arg-type]

    def count(self, key: str) -> int:
        """Return a whole number of at least 0."""
        value = self.values.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.error(key, "a whole number of at least 0", _shown(value))
        return value

    def text(self, key: str) -> str:
        """Return a text that is not empty."""
        value = self.values.get(key)
        if not isinstance(value, str) or not value:
            raise self.error(key, "a text", _shown(value))
        return value

    def table(self, key: str) -> ModelTable:
        """Return a table inside this one."""
        value = self.values.get(key)
        if not isinstance(value, dict):
            raise self.error(key, f"a table [{key}]", _shown(value))
        return ModelTable(self.path, value, f"{self._place}{key}.")

    def tables(self, key: str) -> list[ModelTable]:
        """Return the tables of an array, none if it is not there."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
            raise self.error(key, f"tables [[{key}]]", _shown(value))
        return [
            ModelTable(self.path, row, f"{self._place}{key}[{position}].")
            for position, row in enumerate(value)
        ]

    def error(self, key: str, expected: str, got: str) -> FileFormatError:
        """Return an error about a key of this table."""
        return FileFormatError(f"{self.path}: {self._place}{key}: expected {expected}, got {got}")


def model_names(folder: str) -> list[str]:
    """Return the names of the models in a folder of ``models``, sorted."""
    return sorted(path.stem for path in (data_directory("models") / folder).glob("*.toml"))


def read_model(folder: str, kind: str, name: str | Path) -> ModelTable:
    """Return the table of a model that ships with the package, or of a ``.toml`` file.

    Raises
    ------
    UnknownNameError
        If no such model ships with the package, and the name does not end in ``.toml``.
    FileFormatError
        If the file cannot be read, or is no TOML.
    """
    path = Path(name)
    if path.suffix != ".toml":
        known = model_names(folder)
        if str(name) not in known:
            hint = f"(or the path of a .toml file with a {kind})"
            raise UnknownNameError(kind, str(name), known, hint)
        path = data_directory("models") / folder / f"{name}.toml"
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileFormatError(f"{path}: expected a {kind}, got {error.strerror}") from None
    except UnicodeDecodeError:
        raise FileFormatError(f"{path}: expected text in UTF-8, got other bytes") from None
    except tomllib.TOMLDecodeError as error:
        raise FileFormatError(f"{path}: expected TOML, got something else ({error})") from None
    return ModelTable(path, values)


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    return repr(value)
