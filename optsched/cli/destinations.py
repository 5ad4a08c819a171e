"""Files that a command is to write, checked before the work is done and not after it."""

from __future__ import annotations

import os
from pathlib import Path

from optsched.core.errors import FileFormatError, UnknownNameError

__all__ = ["check_destination", "check_picture"]


def check_destination(path: Path | None) -> None:
    """Raise FileFormatError if a file of this name cannot be written; None is no file."""
    if path is None:
        return
    if path.is_dir():
        raise FileFormatError(f"{path}: expected a file to write, got a directory; name a file")
    folder = path.parent
    if not folder.is_dir():
        raise FileFormatError(
            f"{path}: expected a file in an existing directory, got no directory {str(folder)!r}; "
            "create it first"
        )
    target = path if path.exists() else folder
    if not os.access(target, os.W_OK):
        raise FileFormatError(
            f"{path}: expected a file that can be written, got no permission; choose another place"
        )


def check_picture(path: Path | None) -> None:
    """Raise an error if a picture of this name cannot be written, or not in this format."""
    from optsched.plot.style import DATED_METADATA

    if path is None:
        return
    suffix = path.suffix.removeprefix(".").lower()
    if suffix not in DATED_METADATA:
        hint = f"(the suffix of {path})"
        raise UnknownNameError("picture format", suffix, DATED_METADATA, hint)
    check_destination(path)
