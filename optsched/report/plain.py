"""Results as plain data that JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

import numpy as np

from optsched.core.result import Bound, Judgement, Result
from optsched.core.schedule import Schedule, schedule_sha256

__all__ = ["plain"]


def plain(value: object) -> object:
    """Return a value as dictionaries, lists, texts and numbers; what is not finite becomes None.

    Schedules are named by their hash and results lose their per-job records: whoever wants these
    writes a schedule file.

    Examples
    --------
    >>> plain({"a": (1, float("nan"))})
    {'a': [1, None]}
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Schedule):
        return {"sha256": schedule_sha256(value), "segments": len(value)}
    if isinstance(value, Bound):
        return {**_fields(value), "problem_class": str(value.problem_class)}
    if isinstance(value, Judgement):
        return {
            "valid": value.is_valid,
            "class": str(value.schedule_class),
            "violations": [_fields(violation) for violation in value.violations],
            "objectives": plain(value.objectives),
            "metrics": plain(value.metrics),
        }
    if isinstance(value, Result):
        return {**_fields(value), "gap": plain(value.gap)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if is_dataclass(value):
        return _fields(value)
    return str(value)


def _fields(value: object) -> dict[str, object]:
    assert is_dataclass(value)
    return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
