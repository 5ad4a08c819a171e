"""The file ``known.toml``: a table for each instance, and in it one for each objective."""

from __future__ import annotations

import datetime
import json
import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from optsched.core.errors import FileFormatError
from optsched.core.metrics import OBJECTIVES, Objective, checked_objective
from optsched.core.result import Bound, Preemption, ProblemClass, Status

__all__ = [
    "KNOWN_FILE",
    "BoundEntry",
    "KnownEntry",
    "KnownInstance",
    "known_text",
    "load_known_document",
    "replace_file",
]

KNOWN_FILE = "known.toml"

_HEADER = """\
# Best objectives and lower bounds known for the instances in this folder, in seconds.
# Written by `optsched certify --update`; docs/instances.md says what the keys mean.
"""

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


def _positive(value: float) -> float:
    if not 0 <= value < float("inf"):
        raise ValueError("expected a finite number of at least 0")
    return value


Seconds = Annotated[float, AfterValidator(_positive)]


class _Table(BaseModel):
    """A table: no key that is not known, no value of another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class BoundEntry(_Table):
    """A lower bound, and the schedules it holds for."""

    value: Seconds
    method: str
    time: Literal["continuous", "slotted"]
    preemption: Annotated[Preemption, Field(strict=False)]

    @classmethod
    def of(cls, bound: Bound) -> BoundEntry:
        """Return a bound as it is written."""
        kind = bound.problem_class
        return cls(
            value=bound.value, method=bound.method, time=kind.time, preemption=kind.preemption
        )

    def as_bound(self, objective: Objective, rate_model: str) -> Bound:
        """Return it with its objective and the rate model of its instance."""
        kind = ProblemClass(self.time, self.preemption, rate_model)
        return Bound(objective, self.value, self.method, kind)


class KnownEntry(_Table):
    """What is known about an instance and an objective."""

    status: Annotated[Status, Field(strict=False)]
    scope: Literal["all", "event-aligned"]
    value: Seconds
    value_method: str
    proof: str = ""
    bounds: Annotated[list[BoundEntry], Field(min_length=1)]
    schedule_sha256: Sha256
    time_limit_s: Seconds
    version: str
    date: datetime.date


class KnownInstance(_Table):
    """The table of an instance."""

    sha256: Sha256
    rate_model: str
    makespan: KnownEntry | None = None
    mean_jct: KnownEntry | None = None
    weighted_jct: KnownEntry | None = None

    @property
    def entries(self) -> dict[Objective, KnownEntry]:
        """The entries that are there, by objective."""
        found = {objective: getattr(self, objective) for objective in OBJECTIVES}
        return {objective: entry for objective, entry in found.items() if entry is not None}


def load_known_document(path: Path) -> dict[str, KnownInstance]:
    """Return the tables of a file by the names of the instances.

    Raises
    ------
    FileFormatError
        If the file cannot be read or breaks a rule; with a line for every problem.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileFormatError(f"{path}: expected a file of results, got {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FileFormatError(f"{path}: expected TOML, got something else ({error})") from None
    document: dict[str, KnownInstance] = {}
    problems: list[str] = []
    for name, table in tables.items():
        try:
            document[name] = KnownInstance.model_validate(table)
        except ValidationError as error:
            for details in error.errors(include_url=False):
                place = ".".join(str(part) for part in (name, *details["loc"]))
                problems.append(f"{path}: {place}: {details['msg']}")
    if problems:
        raise FileFormatError("\n".join(problems))
    return document


def known_text(document: Mapping[str, KnownInstance], order: Iterable[str]) -> str:
    """Return the text of a file: instances in the order given, others after them by name.

    Examples
    --------
    >>> known_text({}, []).splitlines()[0][:16]
    '# Best objective'
    """
    listed = [name for name in order if name in document]
    names = [*listed, *sorted(set(document) - set(listed))]
    return "\n".join([_HEADER, *(_instance_text(name, document[name]) for name in names)])


def replace_file(path: Path, text: str) -> None:
    """Write a file in one step, so that whoever stops the program finds the old or the new one."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8", newline="\n")
    beside.replace(path)


def _instance_text(name: str, about: KnownInstance) -> str:
    lines = [f"[{name}]", f'sha256 = "{about.sha256}"', f'rate_model = "{about.rate_model}"', ""]
    for objective, entry in about.entries.items():
        lines += [f"[{name}.{checked_objective(objective)}]", *_entry_lines(entry), ""]
    return "\n".join(lines)


def _entry_lines(entry: KnownEntry) -> Iterable[str]:
    yield f'status = "{entry.status}"'
    yield f'scope = "{entry.scope}"'
    yield f"value = {entry.value!r}"
    yield f"value_method = {_text(entry.value_method)}"
    if entry.proof:
        yield f"proof = {_text(entry.proof)}"
    yield "bounds = ["
    for bound in entry.bounds:
        yield (
            f"  {{ value = {bound.value!r}, method = {_text(bound.method)}, "
            f'time = "{bound.time}", preemption = "{bound.preemption}" }},'
        )
    yield "]"
    yield f'schedule_sha256 = "{entry.schedule_sha256}"'
    yield f"time_limit_s = {entry.time_limit_s!r}"
    yield f"version = {_text(entry.version)}"
    yield f"date = {entry.date.isoformat()}"


def _text(value: str) -> str:
    """Return a text in quotes, as TOML and JSON both write it."""
    return json.dumps(value, ensure_ascii=False)
