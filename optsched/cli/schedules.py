"""A schedule file and the instance that it is for."""

from __future__ import annotations

from pathlib import Path

from optsched.core.errors import FileFormatError, UnknownNameError
from optsched.core.instance import Instance
from optsched.core.schedule import Schedule

__all__ = ["load_both"]


def load_both(path: Path, instance: str | None) -> tuple[Instance, Schedule]:
    """Return an instance and a schedule of it.

    Parameters
    ----------
    path
        The schedule file.
    instance
        Name or path of the instance; None: what the schedule file calls it.

    Raises
    ------
    FileFormatError
        If a file cannot be used, or the instance is no longer found under its name.
    UnknownNameError
        If no instance has the name given.
    """
    from optsched.files import load, load_schedule, load_schedule_document

    if instance is not None:
        loaded = load(instance)
        return loaded, load_schedule(path, loaded)
    name = load_schedule_document(path).instance.name
    remedy = f"give its file: optsched verify {path} INSTANCE.json"
    try:
        loaded = load(name)
    except UnknownNameError:
        raise FileFormatError(
            f"{path}: is for the instance {name!r}, which is not one of the shipped or drawn ones; "
            f"{remedy}"
        ) from None
    return loaded, load_schedule(path, loaded)
