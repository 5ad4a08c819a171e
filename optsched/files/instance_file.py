"""Instances on disk: ``optsched.instance/1``."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import ValidationError

from optsched.contention import rate_problems
from optsched.core.document import INSTANCE_FORMAT, instance_document
from optsched.core.errors import InstanceError, Problem
from optsched.core.instance import Instance
from optsched.files.entries import without_misspelt
from optsched.files.instance_check import document_problems
from optsched.files.instance_models import InstanceEntry
from optsched.files.instance_parts import instance_of
from optsched.files.json_text import json_text, write_text
from optsched.files.problems import ABSENT
from optsched.files.reading import read_json, taken_format

__all__ = ["instance_text", "instance_warnings", "load_instance", "save_instance"]

_OTHER_FORMATS = {
    "optsched.schedule/1": (
        "this is a schedule; give the instance it was made for "
        "(`optsched verify SCHEDULE INSTANCE` checks one against the other)"
    )
}


def load_instance(path: str | os.PathLike[str]) -> Instance:
    """Load an instance file.

    Parameters
    ----------
    path
        A JSON file in the format ``optsched.instance/1``. Without a ``name`` in it the instance is
        called after the file.

    Returns
    -------
    Instance
        The instance, profiles resolved and counts of servers written out.

    Raises
    ------
    FileFormatError
        If the file cannot be used. The text has one line for every problem, in the order of the
        file: ``file:line:column: path: expected X, got Y; remedy``.

    Examples
    --------
    >>> from optsched.core.data_files import data_directory
    >>> load_instance(data_directory("instances") / "waiting-pays.json").jobs[0].gpus
    3
    """
    file = read_json(path, "an instance file")
    format_problem = taken_format(file.value, INSTANCE_FORMAT, _OTHER_FORMATS)
    if format_problem is not None and format_problem.got != ABSENT:
        # Of a file of another kind there is nothing else to say.
        raise file.error([format_problem])
    if format_problem is None and not file.has_faults:
        try:
            entry = InstanceEntry.model_validate(file.value)
            instance = instance_of(entry, default_name=Path(path).stem)
            if all(problem.is_warning for problem in rate_problems(instance)):
                return instance
        except (ValidationError, InstanceError):
            pass
    problems = [] if format_problem is None else [format_problem]
    problems += without_misspelt(document_problems(file.value), InstanceEntry)
    raise file.error(problems)


def instance_warnings(instance: Instance) -> list[Problem]:
    """Return what is legal about an instance but probably not meant.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Fabric
    >>> from optsched.core.jobs import Job
    >>> slow = Cluster.uniform(2, 2, fabric=Fabric(inter_bytes_per_s=1.0))
    >>> job = Job("a", 2, 5, gradient_bytes=2.0, compute_s=0.1)
    >>> [problem.place for problem in instance_warnings(Instance("x", slow, [job], slot_s=1.0))]
    ['jobs[0]']
    """
    return [problem for problem in rate_problems(instance) if problem.is_warning]


def instance_text(instance: Instance) -> str:
    """Return the text of an instance's file: one job a line, the same for the same instance.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.jobs import Job
    >>> one = Instance("one", Cluster([Server("s0", 4)]), [Job("a", 2, 10, compute_s=0.5)])
    >>> instance_text(one).splitlines()[-3]
    '    {"id": "a", "gpus": 2, "iterations": 10, "compute_s": 0.5}'
    """
    document = instance_document(instance)
    entries = document["jobs"]
    assert isinstance(entries, list)
    for entry in entries:
        # A profile would fill what is absent.
        if "profile" in entry:
            entry.setdefault("gradient_bytes", 0.0)
    return json_text(document, {("cluster", "servers"), ("cluster", "fabric", "links"), ("jobs",)})


def save_instance(instance: Instance, path: str | os.PathLike[str]) -> None:
    """Write an instance to a file, from which :func:`load_instance` makes an equal one.

    Raises
    ------
    FileFormatError
        If the file cannot be written.
    """
    write_text(path, instance_text(instance))
