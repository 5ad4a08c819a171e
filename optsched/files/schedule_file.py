"""Schedules on disk: ``optsched.schedule/1``."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping

import numpy as np
from pydantic import ValidationError

from optsched.core.document import INSTANCE_FORMAT, instance_sha256
from optsched.core.errors import Problem, suggest
from optsched.core.instance import Instance
from optsched.core.placement import Placement
from optsched.core.result import Provenance, Result
from optsched.core.schedule import Schedule, Segment
from optsched.files.entries import structure_problems, without_misspelt
from optsched.files.json_text import json_text, write_text
from optsched.files.problems import ABSENT
from optsched.files.reading import JsonFile, read_json, taken_format
from optsched.files.schedule_models import ScheduleDocument

__all__ = [
    "SCHEDULE_FORMAT",
    "load_schedule",
    "load_schedule_document",
    "save_schedule",
    "schedule_text",
]

SCHEDULE_FORMAT = "optsched.schedule/1"

_OTHER_FORMATS = {
    INSTANCE_FORMAT: (
        "this is an instance; give the schedule made for it "
        "(`optsched verify SCHEDULE INSTANCE` checks one against the other)"
    )
}


def load_schedule(path: str | os.PathLike[str], instance: Instance) -> Schedule:
    """Load the schedule of an instance.

    Only the file is checked here; whether the schedule keeps the rules is the judge's to say.

    Parameters
    ----------
    path
        A JSON file in the format ``optsched.schedule/1``.
    instance
        The instance the schedule was made for.

    Raises
    ------
    FileFormatError
        If the file cannot be used, was made for another instance, or names jobs or servers that
        the instance does not have; with one line for every problem, as for ``load_instance``.

    Examples
    --------
    >>> import tempfile
    >>> from optsched.generate import waiting_pays
    >>> schedule = Schedule.of([Segment(0, Placement.of({0: 2, 1: 1}), 0.0, 10.5)])
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     save_schedule(waiting_pays(), schedule, f"{directory}/a.json")
    ...     load_schedule(f"{directory}/a.json", waiting_pays()).end_time_s
    10.5
    """
    file, document, problems = _read(path)
    if document is not None:
        problems += list(_instance_problems(document, instance))
    if problems or document is None or file.has_faults:
        raise file.error(problems)
    jobs = {name: position for position, name in enumerate(instance.jobs.ids)}
    servers = {name: position for position, name in enumerate(instance.cluster.servers.ids)}
    return Schedule.of(
        Segment(
            jobs[entry.job],
            Placement.of({servers[name]: count for name, count in entry.gpus.items()}),
            entry.start_s,
            entry.end_s,
        )
        for entry in document.segments
    )


def load_schedule_document(path: str | os.PathLike[str]) -> ScheduleDocument:
    """Load a schedule file as it stands: segments by id, result and provenance.

    Raises
    ------
    FileFormatError
        If the file cannot be used.
    """
    file, document, problems = _read(path)
    if problems or document is None or file.has_faults:
        raise file.error(problems)
    return document


def schedule_text(instance: Instance, schedule: Schedule, *, result: Result | None = None) -> str:
    """Return the text of a schedule's file: one segment a line, times with every digit.

    Parameters
    ----------
    instance
        The instance the schedule is for.
    schedule
        The schedule.
    result
        What is known about it and what made it, if that is to be written too.

    Examples
    --------
    >>> from optsched.generate import waiting_pays
    >>> schedule = Schedule.of([Segment(0, Placement.of({0: 2, 1: 1}), 0.0, 10.5)])
    >>> schedule_text(waiting_pays(), schedule).splitlines()[4]
    '    {"job": "a", "start_s": 0.0, "end_s": 10.5, "gpus": {"s0": 2, "s1": 1}}'
    """
    servers = instance.cluster.servers.ids
    gpus = [
        {servers[server]: count for server, count in placement.pairs}
        for placement in schedule.placements
    ]
    columns = zip(
        schedule.job.tolist(),
        schedule.placement.tolist(),
        schedule.start_s.tolist(),
        schedule.end_s.tolist(),
        strict=True,
    )
    document: dict[str, object] = {
        "format": SCHEDULE_FORMAT,
        "instance": {"name": instance.name, "sha256": instance_sha256(instance)},
        "segments": [
            {
                "job": instance.jobs.ids[job],
                "start_s": start_s,
                "end_s": end_s,
                "gpus": gpus[placement],
            }
            for job, placement, start_s, end_s in columns
        ],
    }
    if result is not None:
        document["result"] = _result_entry(result)
        document["provenance"] = _provenance_entry(result.provenance)
    return json_text(document, {("segments",)})


def save_schedule(
    instance: Instance,
    schedule: Schedule,
    path: str | os.PathLike[str],
    *,
    result: Result | None = None,
) -> None:
    """Write a schedule, and what is known about it, to a file; see :func:`schedule_text`.

    Raises
    ------
    FileFormatError
        If the file cannot be written.
    """
    write_text(path, schedule_text(instance, schedule, result=result))


def _read(
    path: str | os.PathLike[str],
) -> tuple[JsonFile, ScheduleDocument | None, list[Problem]]:
    """Return the file, its document if its types are right, and what is wrong so far."""
    file = read_json(path, "a schedule file")
    problem = taken_format(file.value, SCHEDULE_FORMAT, _OTHER_FORMATS)
    if problem is not None and problem.got != ABSENT:
        raise file.error([problem])
    problems = [] if problem is None else [problem]
    try:
        return file, ScheduleDocument.model_validate(file.value), problems
    except ValidationError as error:
        problems += structure_problems(error, ScheduleDocument)
        return file, None, without_misspelt(problems, ScheduleDocument)


def _instance_problems(document: ScheduleDocument, instance: Instance) -> Iterator[Problem]:
    """Return where the file and the instance do not fit each other."""
    sha256 = instance_sha256(instance)
    if document.instance.sha256 != sha256:
        expected = f"a schedule of instance {instance.name!r}, sha256 {sha256[:12]}"
        got = f"one of {document.instance.name!r}, sha256 {document.instance.sha256[:12]}"
        remedy = "it was made for another instance, or the instance has changed since"
        yield Problem(("instance", "sha256"), expected, got, remedy)
        return
    jobs = set(instance.jobs.ids)
    servers = set(instance.cluster.servers.ids)
    known_jobs, known_servers = sorted(jobs), sorted(servers)
    for position, segment in enumerate(document.segments):
        path = ("segments", position)
        if segment.job not in jobs:
            yield _unknown_id((*path, "job"), "job", segment.job, known_jobs)
        if not segment.gpus:
            yield Problem((*path, "gpus"), "at least one server", "none")
        for name, count in segment.gpus.items():
            if name not in servers:
                yield _unknown_id((*path, "gpus", name), "server", name, known_servers)
            elif count < 1:
                expected = "a whole number of at least 1"
                yield Problem((*path, "gpus", name), expected, f"{count}")


def _unknown_id(path: tuple[str | int, ...], kind: str, name: str, known: list[str]) -> Problem:
    # Looking for the nearest among very many names would take longer than reading the file.
    is_cheap = len(known) <= 1000 and int(path[1]) < 100
    near = suggest(name, known) if is_cheap else None
    remedy = f"did you mean {near!r}?" if near else ""
    return Problem(path, f"the id of a {kind} of the instance", repr(name), remedy)


def _result_entry(result: Result) -> dict[str, object]:
    entry: dict[str, object] = {
        "status": str(result.status),
        "scope": result.scope,
        "objective": result.objective,
    }
    if result.value is not None and math.isfinite(result.value):
        entry["value"] = float(result.value)
    if result.bound is not None and math.isfinite(result.bound.value):
        entry |= {"bound": float(result.bound.value), "bound_method": result.bound.method}
    entry["runtime_s"] = float(result.runtime_s)
    return entry


def _provenance_entry(provenance: Provenance) -> dict[str, object]:
    entry: dict[str, object] = {"method": provenance.method}
    if provenance.parameters:
        entry["parameters"] = _plain(provenance.parameters)
    entry["seed"] = int(provenance.seed)
    if provenance.time_limit_s is not None and math.isfinite(provenance.time_limit_s):
        entry["time_limit_s"] = float(provenance.time_limit_s)
    entry["versions"] = dict(provenance.versions)
    return entry


def _plain(value: object) -> object:
    """Return a parameter as JSON can hold it; what JSON has no word for becomes text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    is_plain = value is None or isinstance(value, bool | int | str)
    if is_plain or (isinstance(value, float) and math.isfinite(value)):
        return value
    return str(value)
