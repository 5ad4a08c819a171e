"""The versions that a result depends on."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata
from platform import python_version

__all__ = ["versions"]


def versions(*packages: str) -> Mapping[str, str]:
    """Return the versions of Python, of this package, of NumPy, and of further packages.

    Examples
    --------
    >>> list(versions("ortools")), versions("no-such-package")["no-such-package"]
    (['python', 'optsched', 'numpy', 'ortools'], 'not installed')
    """
    found = {"python": python_version()}
    for package in ("optsched", "numpy", *packages):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found
