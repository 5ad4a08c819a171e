"""The keys of a schedule file and their types."""

from __future__ import annotations

import json
from typing import Annotated

from pydantic import AfterValidator, Field

from optsched.core.metrics import Objective
from optsched.core.result import Status
from optsched.files.entries import Entry, Finite, Whole, expected_error
from optsched.files.problems import ALL_FINITE

__all__ = [
    "InstanceReference",
    "ProvenanceEntry",
    "ResultEntry",
    "ScheduleDocument",
    "SegmentEntry",
]


def _encodable(value: dict[str, object]) -> dict[str, object]:
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        raise expected_error(ALL_FINITE) from None
    return value


class InstanceReference(Entry):
    """The instance a schedule was made for."""

    name: str
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class SegmentEntry(Entry):
    """A job, by id, on so many GPUs of each of these servers from one time to another."""

    job: str
    start_s: Finite
    end_s: Finite
    gpus: dict[str, Whole]


class ResultEntry(Entry):
    """What is known about the quality of the schedule."""

    status: Annotated[Status, Field(strict=False)]
    scope: str = "all"
    objective: Objective
    value: Finite | None = None
    bound: Finite | None = None
    bound_method: str | None = None
    runtime_s: Finite | None = None


class ProvenanceEntry(Entry):
    """What made the schedule, so that it can be made again."""

    method: str
    parameters: Annotated[dict[str, object], AfterValidator(_encodable)] = Field(
        default_factory=dict
    )
    seed: int = 0
    time_limit_s: Finite | None = None
    versions: dict[str, str] = Field(default_factory=dict)


class ScheduleDocument(Entry):
    """A whole schedule file, without its ``format``."""

    instance: InstanceReference
    segments: list[SegmentEntry]
    result: ResultEntry | None = None
    provenance: ProvenanceEntry | None = None
