"""Everything that is wrong with an instance file, however much of it is broken.

One broken value must not hide the others. So what has been reported is replaced by something
harmless, and the next kind of check runs on the rest: types first, then entries that contradict
each other, then the rules of ``core``, then the rates. What a later check says about a place that
is known to be broken is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace

from pydantic import ValidationError

from optsched.contention import rate_problems
from optsched.core.checks import instance_problems
from optsched.core.cluster import Cluster, Server
from optsched.core.errors import InstanceError, Path, Problem
from optsched.core.instance import Instance
from optsched.core.jobs import Job, Jobs
from optsched.core.rate_model import RateModel
from optsched.files.entries import structure_problems
from optsched.files.instance_models import ClusterEntry, InstanceEntry
from optsched.files.instance_parts import (
    Profiles,
    cross_problems,
    fabric_of,
    jobs_of,
    rate_model_of,
    servers_of,
)
from optsched.files.problems import is_about_key

__all__ = ["document_problems"]

#: Harmless stand-ins for values that have to be there.
_REQUIRED: dict[str, object] = {
    "cluster": {"servers": [{"gpus": 1}]},
    "servers": [{"gpus": 1}],
    "gpus": 1,
    "iterations": 1,
    "between": ["", ""],
    "bytes_per_s": 1.0,
}
#: Under a rate model that does not exist, no job is blamed for giving a duration or for not.
_NO_NAME = "\0"
_SERVER_REFERENCE = re.compile(r"servers\[(\d+)\]")
_SERVERS: Path = ("cluster", "servers")
_LINKS: Path = ("cluster", "fabric", "links")


def document_problems(value: dict[str, object]) -> list[Problem]:
    """Return every problem of a parsed instance file without its ``format``.

    ``value`` is changed. Paths are those of the file, not of the instance: ``cluster.servers[0]``
    is the first entry, whatever its count.

    Examples
    --------
    >>> jobs = [{"id": "a", "gpus": 9, "iterations": 1, "compute_s": 1.0}, {"id": "b", "gpu": 1}]
    >>> document = {"cluster": {"servers": [{"count": 2, "gpus": 4}]}, "jobs": jobs}
    >>> [problem.place for problem in document_problems(document)]
    ['jobs[1].gpus', 'jobs[1].gpu', 'jobs[1].iterations', 'jobs[0].gpus']
    """
    found: list[Problem] = []
    entry = None
    profiles = Profiles()
    # Each round removes what it reports; a second one is for objects that were filled in.
    for _ in range(3):
        try:
            entry = InstanceEntry.model_validate(value)
            break
        except ValidationError as error:
            found += _news(structure_problems(error, InstanceEntry), found)
            _repair(value, found)
    if entry is None:
        return found
    problems = cross_problems(entry, profiles)
    if problems:
        found += _news(problems, found)
        _repair(value, problems)
        try:
            entry = InstanceEntry.model_validate(value)
        except ValidationError:
            return found
        if cross_problems(entry, profiles):
            return found
    jobs = jobs_of(entry, profiles)
    found += _news(_domain_problems(entry, jobs, found), found)
    found += _news(_rate_problems(entry, jobs, found), found)
    return found


def _news(problems: Iterable[Problem], found: list[Problem]) -> list[Problem]:
    """Return the problems about places of which nothing is known yet."""
    known = {problem.path for problem in found}
    parents = {path[:end] for path in known for end in range(len(path))}
    return [
        problem
        for problem in problems
        if (problem.path not in parents or problem.expected.startswith("every "))
        and not any(problem.path[:end] in known for end in range(len(problem.path) + 1))
    ]


def _repair(value: dict[str, object], problems: Iterable[Problem]) -> None:
    for problem in problems:
        path = problem.path
        container: object = value
        for part in path[:-1]:
            container = _inside(container, part)
        _replace(container, path, is_removed=is_about_key(problem))


def _inside(container: object, part: str | int) -> object:
    if isinstance(container, dict):
        return container.get(part)
    return container[part] if isinstance(container, list) and isinstance(part, int) else None


def _replace(container: object, path: Path, *, is_removed: bool) -> None:
    key = path[-1]
    if isinstance(container, list) and isinstance(key, int):
        container[key] = _neutral_job(key) if path[0] == "jobs" else {"gpus": 1}
    elif isinstance(container, dict):
        container.pop(key, None)
        if is_removed or path[0] == "metadata":
            return
        if path == ("jobs",):
            container["jobs"] = [_neutral_job(0)]
        elif path == ("rate_model",):
            container["rate_model"] = {"name": _NO_NAME}
        elif path == ("rate_model", "name"):
            container["name"] = _NO_NAME
        elif key == "id" and path[0] == "jobs":
            container["id"] = _neutral_id(path[1])
        elif key == "duration_s" and "iterations" not in container:
            container["iterations"] = 1
        elif key in _REQUIRED:
            container[str(key)] = deepcopy(_REQUIRED[str(key)])


def _neutral_id(position: str | int) -> str:
    return f"\0{position}"


def _neutral_job(position: int) -> dict[str, object]:
    return {"id": _neutral_id(position), "gpus": 1, "iterations": 1, "compute_s": 1.0}


def _domain_problems(entry: InstanceEntry, jobs: list[Job], found: list[Problem]) -> list[Problem]:
    """Return the breaches of the rules of ``core``, at the places of the file."""
    fabric = fabric_of(entry.cluster.fabric)
    columns = Jobs.of(jobs)
    others = (entry.slot_s, entry.restart_s, entry.restart_s_per_gpu)
    # Entry by entry for what the servers of one entry share, and written out for their ids.
    rows = [
        Server(f"s{i}", row.gpus, row.rack, row.inter_bytes_per_s)
        for i, row in enumerate(entry.cluster.servers)
    ]
    by_entry = instance_problems(Cluster(rows, fabric), columns, *others)
    by_server = instance_problems(Cluster(servers_of(entry.cluster), fabric), columns, *others)
    entry_of = _entries_of_servers(entry.cluster)
    problems = [problem for problem in by_entry if _is_server_value(problem)]
    seen: set[tuple[Path, str]] = set()
    for problem in by_server:
        if _is_server_value(problem):
            continue
        moved = _at_entry(problem, entry_of)
        if (moved.path, moved.got) not in seen:
            seen.add((moved.path, moved.got))
            problems.append(moved)
    has_broken_servers = any(problem.path[:1] == ("cluster",) for problem in (*found, *problems))
    if any(problem.path[:3] == _LINKS for problem in found):
        # Then nobody knows the network.
        problems = [problem for problem in problems if problem.path[:3] != _LINKS]
    if has_broken_servers:
        # Then nobody knows how many GPUs there are.
        problems = [problem for problem in problems if not _is_capacity(problem)]
    return problems


def _is_server_value(problem: Problem) -> bool:
    """Return True for problems with what an entry says, as opposed to ids that follow from it."""
    is_server = problem.path[:2] == _SERVERS
    is_id = problem.path[-1] == "id" or problem.expected.startswith("every id")
    return is_server and not is_id


def _is_capacity(problem: Problem) -> bool:
    return "the GPUs of the whole cluster" in problem.expected


def _entries_of_servers(cluster: ClusterEntry) -> list[int]:
    return [position for position, row in enumerate(cluster.servers) for _ in range(row.count)]


def _at_entry(problem: Problem, entry_of: list[int]) -> Problem:
    if problem.path[:2] != _SERVERS or len(problem.path) < 3:
        return problem
    position = problem.path[2]
    assert isinstance(position, int)
    expected = _SERVER_REFERENCE.sub(
        lambda match: f"servers[{entry_of[int(match[1])]}]", problem.expected
    )
    path = (*_SERVERS, entry_of[position], *problem.path[3:])
    return replace(problem, path=path, expected=expected)


def _rate_problems(entry: InstanceEntry, jobs: list[Job], found: list[Problem]) -> list[Problem]:
    """Return what is wrong with the rates of the jobs that are right so far."""
    model = rate_model_of(entry.rate_model)
    broken = {
        problem.path[1]
        for problem in found
        if problem.path[:1] == ("jobs",) and len(problem.path) > 1
    }
    harmless = [
        Job(_neutral_id(position), 1, 1, compute_s=1e-9) if position in broken else job
        for position, job in enumerate(jobs)
    ]
    try:
        instance = Instance(
            "",
            Cluster(servers_of(entry.cluster), fabric_of(entry.cluster.fabric)),
            harmless,
            model,
            slot_s=entry.slot_s,
        )
    except InstanceError:
        instance = _model_alone(model)
    problems = [problem for problem in rate_problems(instance) if not problem.is_warning]
    return [p for p in problems if p.path[:1] != ("jobs",) or p.path[1] not in broken]


def _model_alone(model: RateModel) -> Instance:
    return Instance("", Cluster([Server("s0", 1)]), [Job("a", 1, 1, compute_s=1.0)], model)
