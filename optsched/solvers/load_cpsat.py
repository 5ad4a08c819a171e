"""Load OR-Tools, or say what is in the way."""

from __future__ import annotations

import re
from importlib import metadata
from typing import Any

from optsched.core.errors import SolverMissingError

__all__ = ["load_cp_model"]

#: Versions that work, and work together: older HiGHS libraries clash with the one in ortools.
LEAST_VERSIONS = {"ortools": (9, 15), "highspy": (1, 16)}


def load_cp_model() -> Any:
    """Return the module ``ortools.sat.python.cp_model``.

    Raises
    ------
    SolverMissingError
        If ortools is not installed, is too old, or another package keeps it from being loaded.

    Examples
    --------
    >>> load_cp_model().CpModel().proto.name
    ''
    """
    for package, least in LEAST_VERSIONS.items():
        installed = _version(package)
        wanted = ".".join(map(str, least))
        if installed is None:
            if package == "ortools":
                raise SolverMissingError(
                    "CP-SAT needs the package ortools, which is not installed; install it with "
                    f"pip install 'ortools>={wanted}'"
                )
        elif installed < least:
            has = metadata.version(package)
            why = "" if package == "ortools" else ", which clashes with ortools"
            raise SolverMissingError(
                f"CP-SAT needs {package} {wanted} or newer and found {has}{why}; upgrade it with "
                f"pip install '{package}>={wanted}'"
            )
    try:
        from ortools.sat.python import cp_model
    except ImportError as error:
        raise SolverMissingError(
            f"ortools is installed but cannot be loaded ({error}); install it anew with "
            "pip install --force-reinstall ortools"
        ) from error
    return cp_model


def _version(package: str) -> tuple[int, ...] | None:
    """Return the first two numbers of a package's version, None if it is not installed."""
    try:
        text = metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
    return tuple(int(part) for part in re.findall(r"\d+", text)[:2])
