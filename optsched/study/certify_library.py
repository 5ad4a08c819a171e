"""Certify many shipped instances one after the other, and keep each outcome when it is there."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from optsched.core.data_files import data_directory
from optsched.core.document import instance_sha256
from optsched.core.errors import LimitReachedError, UnknownNameError
from optsched.core.metrics import Objective, checked_objective
from optsched.files.catalogue import ALIASES, group_members, group_names, load, shipped_names
from optsched.files.known import KnownResult, known, save_known, schedule_path
from optsched.files.schedule_file import load_schedule
from optsched.study.certify import Certification, certify, objectives_of
from optsched.study.specification import Scheduler

__all__ = ["Task", "certify_tasks", "library_tasks"]


@dataclass(frozen=True, slots=True)
class Task:
    """An instance and an objective to certify, and what is known about them."""

    instance: str
    objective: Objective
    known: KnownResult | None


def library_tasks(
    names: Iterable[str],
    *,
    objective: str | None = None,
    only_open: bool = False,
    searched_s: float | None = None,
    directory: Path | None = None,
) -> list[Task]:
    """Return what is to be certified.

    Parameters
    ----------
    names
        Shipped instances, patterns of their names, and groups.
    objective
        One objective; None: all that the instance has, see
        :func:`~optsched.study.certify.objectives_of`.
    only_open
        Leave out what is proved optimal among all non-preemptive schedules.
    searched_s
        Leave that out, and what was searched for at least so many seconds.
    directory
        Where ``known.toml`` is; None: among the data of the package.

    Raises
    ------
    UnknownNameError
        If no shipped instance has such a name.

    Examples
    --------
    >>> [task.instance for task in library_tasks(["hand-made"], objective="makespan")]
    ['waiting-pays', 'interior-start']
    """
    tasks = []
    for name in dict.fromkeys(member for given in names for member in _members(given)):
        instance = load(name)
        wanted = objectives_of(instance) if objective is None else [checked_objective(objective)]
        for one in wanted:
            found = known(name, one, directory=directory)
            if found is not None and found.instance_sha256 != instance_sha256(instance):
                found = None
            is_settled = found is not None and found.is_proved
            is_searched = (
                found is not None and searched_s is not None and found.time_limit_s >= searched_s
            )
            skips = only_open or searched_s is not None
            if not (is_searched or (is_settled and skips)):
                tasks.append(Task(name, one, found))
    return tasks


def certify_tasks(
    tasks: Sequence[Task],
    *,
    time_limit_s: float = 60.0,
    effort: str | None = None,
    schedulers: Sequence[Scheduler] = (),
    schedule: Path | None = None,
    seed: int = 0,
    directory: Path | None = None,
    update: bool = False,
) -> Iterator[tuple[Task, Certification | LimitReachedError]]:
    """Certify one task after the other and yield each outcome, written before it is yielded.

    Parameters
    ----------
    tasks
        What :func:`library_tasks` returned.
    time_limit_s, effort, schedulers, seed
        As for :func:`~optsched.study.certify.certify`.
    schedule
        File of a schedule that competes; it is of the one instance that the tasks are about.
    directory
        Where ``known.toml`` and the schedules are, to read and to write.
    update
        True: write what is better, or was searched longer. False: only tell.

    Yields
    ------
    tuple
        The task, and what came of it: the error if no schedule was found. After an interrupt of the
        user the outcome so far is the last.

    Raises
    ------
    ViolatedBoundError
        If a schedule is better than a bound of its class, be they old or new. Nothing of the task
        is written then.
    FileFormatError
        If the file of a schedule cannot be used, or is of another instance.
    """
    folder = directory or data_directory("instances")
    for task in tasks:
        instance = load(task.instance)
        given = None if schedule is None else load_schedule(schedule, instance)
        stored = None
        if task.known is not None:
            stored = load_schedule(
                schedule_path(task.instance, task.objective, directory=folder), instance
            )
        try:
            done = certify(
                instance,
                objective=task.objective,
                time_limit_s=time_limit_s,
                effort=effort,
                schedulers=schedulers,
                schedule=given,
                seed=seed,
                previous=task.known,
                previous_schedule=stored,
            )
        except LimitReachedError as error:
            yield task, error
            continue
        if update and done.result != task.known:
            save_known(done.result, instance, done.schedule, directory=folder)
        yield task, done
        if done.stopped_by:
            return


def _members(name: str) -> list[str]:
    """Return the shipped instances that a name, a pattern or a group stands for."""
    if name in group_names():
        # The library of a comparison leaves out what would spoil a mean; here all are meant.
        return shipped_names() if name == "library" else group_members(name)
    if any(character in name for character in "*?["):
        found = fnmatch.filter(shipped_names(), name)
    else:
        found = [one for one in [ALIASES.get(name, name)] if one in shipped_names()]
    if not found:
        raise UnknownNameError(
            "shipped instance",
            name,
            [*shipped_names(), *group_names()],
            "(only shipped ones are kept; `optsched list instances` shows them)",
        )
    return found
