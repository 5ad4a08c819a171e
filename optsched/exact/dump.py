"""The formulations of an instance as files that other solvers read."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass, field
from pathlib import Path

from optsched.core.errors import OptschedError
from optsched.core.instance import Instance
from optsched.core.metrics import checked_objective

__all__ = ["WRITERS", "Dump", "write_formulations"]

#: What writes each formulation.
WRITERS = {
    "cp-sat": "optsched.exact.cp_sat:write_cp_sat",
    "milp-slotted": "optsched.exact.milp:write_milp",
    "sjf-bco-ilp": "optsched.exact.gpu_load:write_gpu_load",
}


@dataclass(frozen=True, slots=True)
class Dump:
    """What was written.

    Parameters
    ----------
    files
        The files of each formulation.
    left_out
        Why a formulation was not written, by its name.
    """

    files: dict[str, list[Path]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


def write_formulations(instance: Instance, directory: Path, *, objective: str = "makespan") -> Dump:
    """Write each formulation that applies: ``.mps`` and ``.lp``, or CP-SAT's text and binary.

    Parameters
    ----------
    instance
        The instance; all formulations that there are so far are slotted.
    directory
        Where to; made if it does not exist.
    objective
        What they minimise, where it is not fixed by the formulation.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dump = write_formulations(waiting_pays().changed(slot_s=1.5), Path(folder))
    >>> "milp-slotted.lp" in [path.name for path in dump.files["milp-slotted"]]
    True
    """
    wanted = checked_objective(objective)
    directory.mkdir(parents=True, exist_ok=True)
    dump = Dump()
    for name, place in WRITERS.items():
        module, function = place.split(":")
        try:
            write = getattr(importlib.import_module(module), function)
            options = {"objective": wanted, "directory": directory}
            taken = inspect.signature(write).parameters
            dump.files[name] = write(
                instance, **{option: options[option] for option in options if option in taken}
            )
        except OptschedError as error:
            dump.left_out[name] = str(error)
    return dump
