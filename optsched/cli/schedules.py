"""A schedule file and the instance that it is for."""

from __future__ import annotations

from pathlib import Path

from optsched.core.errors import FileFormatError, UnknownNameError
from optsched.core.instance import Instance
from optsched.core.schedule import Schedule

__all__ = ["load_both", "load_in_slots"]


def load_in_slots(instance: str, slot_s: float | None, *, seed: int = 0) -> Instance:
    """Load an instance, and put it into slots of a given length if there is one."""
    from optsched.files import load

    loaded = load(instance, seed=seed)
    if slot_s is None:
        return loaded
    from optsched.contention import slotted_instance

    return slotted_instance(loaded, slot_s)


def load_both(
    path: Path, instance: str | None, *, slot_s: float | None = None
) -> tuple[Instance, Schedule]:
    """Return an instance and a schedule of it.

    Parameters
    ----------
    path
        The schedule file.
    instance
        Name or path of the instance; None: what the schedule file calls it.
    slot_s
        Length of the slots that the instance is put into; None: as it is.

    Raises
    ------
    FileFormatError
        If a file cannot be used, or the instance is no longer found under its name.
    UnknownNameError
        If no instance has the name given.
    """
    from optsched.files import load_schedule, load_schedule_document

    if instance is not None:
        loaded = load_in_slots(instance, slot_s)
        return loaded, load_schedule(path, loaded)
    name = load_schedule_document(path).instance.name
    remedy = f"give its file: optsched verify {path} INSTANCE.json"
    try:
        loaded = load_in_slots(name, slot_s)
    except UnknownNameError:
        raise FileFormatError(
            f"{path}: is for the instance {name!r}, which is not one of the shipped or drawn ones; "
            f"{remedy}"
        ) from None
    return loaded, load_schedule(path, loaded)
