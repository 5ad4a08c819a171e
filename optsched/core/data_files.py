"""Where the data that ships with the package is found."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

__all__ = ["data_directory"]

_PACKAGE = Path(__file__).resolve().parent.parent


def data_directory(kind: Literal["models", "instances"]) -> Path:
    """
    Find a folder of data that ships with the package.

    In a checkout, and so in an editable install, this is the folder beside the package: what one
    edits there counts at once. An installed package carries its own copy.

    Parameters
    ----------
    kind
        The folder: ``"models"`` holds network profiles, fabrics and formulations, ``"instances"``
        the benchmark instances.

    Returns
    -------
    Path
        The folder, which exists.

    Raises
    ------
    FileNotFoundError
        If the folder is not there. The text names the place where it should be.

    Examples
    --------
    >>> data_directory("instances").name
    'instances'
    """
    in_checkout = _is_checkout(_PACKAGE.parent)
    directory = (_PACKAGE.parent if in_checkout else _PACKAGE / "_data") / kind
    if not directory.is_dir():
        next_step = "restore it from version control" if in_checkout else "install optsched again"
        raise FileNotFoundError(
            f"The {kind} that ship with optsched were looked for in {directory}, "
            f"which is not a directory; {next_step}."
        )
    return directory


@cache
def _is_checkout(root: Path) -> bool:
    """Tell whether this folder is optsched's own source tree, not one that it was copied into."""
    try:
        metadata = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return False
    project = metadata.get("project")
    return isinstance(project, dict) and project.get("name") == "optsched"
