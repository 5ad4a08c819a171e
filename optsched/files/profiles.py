"""Network profiles: the gradients and the compute time of known networks, by name."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from typing import TypeGuard

from optsched.core.data_files import data_directory
from optsched.core.errors import UnknownNameError
from optsched.files.problems import text_problem
from optsched.files.reading import read_text

__all__ = ["NetworkProfile", "load_profile", "profile_names"]


@dataclass(frozen=True, slots=True)
class NetworkProfile:
    """What one iteration of a network exchanges and takes."""

    name: str
    gradient_bytes: float
    compute_s: float


def _is_amount(value: object) -> TypeGuard[float]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value < math.inf


def profile_names() -> list[str]:
    """Return the names of the profiles that ship with the package.

    Examples
    --------
    >>> all(isinstance(name, str) for name in profile_names())
    True
    """
    return sorted(path.stem for path in (data_directory("models") / "dnn").glob("*.toml"))


def load_profile(name: str) -> NetworkProfile:
    """Return a profile of ``models/dnn``.

    Raises
    ------
    UnknownNameError
        If there is none of this name.
    FileFormatError
        If its file is wrong.
    """
    known = profile_names()
    if name not in known:
        raise UnknownNameError("network profile", name, known)
    path = data_directory("models") / "dnn" / f"{name}.toml"
    try:
        table = tomllib.loads(read_text(path, "a network profile"))
    except tomllib.TOMLDecodeError as error:
        raise text_problem(str(path), "TOML", f"something else ({error})") from None
    values: dict[str, float] = {}
    for key in ("gradient_bytes", "compute_s"):
        value = table.get(key)
        if not _is_amount(value):
            raise text_problem(str(path), f"{key}, a number of at least 0", f"{value!r}")
        values[key] = float(value)
    return NetworkProfile(name, **values)
