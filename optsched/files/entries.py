"""What the parts of both kinds of file have in common, as types that pydantic checks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from optsched.core.checks import MAX_ITERATIONS
from optsched.core.errors import Path, Problem, suggest
from optsched.files.problems import ABSENT, FROM_TEXT, is_about_key

__all__ = [
    "Entry",
    "Finite",
    "Number",
    "OptionalNumber",
    "OptionalText",
    "OptionalWhole",
    "Whole",
    "expected_error",
    "in_range",
    "structure_problems",
    "without_misspelt",
]

#: Sizes beyond these are slips, and their products would leave the range of a double.
SMALLEST, LARGEST = 1e-18, 1e18


class Entry(BaseModel):
    """An object of a file: no key that is not known, no value of another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def in_range(value: float) -> float:
    """Return a number of a size that makes sense, or raise the error of a validator."""
    if value == 0 or SMALLEST <= abs(value) <= LARGEST:
        return value
    raise expected_error(
        "0 or a number from 1e-18 to 1e18 in size",
        "leave the key out for infinite" if value > LARGEST else "",
    )


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise expected_error("a finite number")
    return value


def _not_null(value: object) -> object:
    if value is None:
        raise expected_error("a value", "leave the key out instead")
    return value


def expected_error(expected: str, remedy: str = "") -> PydanticCustomError:
    """Return the error of a validator in the words of a :class:`Problem`."""
    return PydanticCustomError(
        "expected", "expected {expected}", {"expected": expected, "remedy": remedy}
    )


#: A number whose size makes sense; its sign is the business of ``core.checks``.
Number = Annotated[float, AfterValidator(in_range)]
#: Any finite number.
Finite = Annotated[float, AfterValidator(_finite)]
#: A whole number that is exact in a double.
Whole = Annotated[int, Field(ge=-MAX_ITERATIONS, le=MAX_ITERATIONS)]
#: Optional ones: absent, but not null.
OptionalNumber = Annotated[Number | None, BeforeValidator(_not_null)]
OptionalWhole = Annotated[Whole | None, BeforeValidator(_not_null)]
OptionalText = Annotated[str | None, BeforeValidator(_not_null)]

_EXPECTED = {
    "bool_type": "true or false",
    "dict_type": "an object {...}",
    "finite_number": "a finite number",
    "float_type": "a number",
    "int_type": "a whole number",
    "list_type": "a list [...]",
    "model_type": "an object {...}",
    "string_type": "text in double quotes",
}


def structure_problems(error: ValidationError, document: type[Entry]) -> list[Problem]:
    """Return what pydantic found, as problems in the order of the document's models.

    Parameters
    ----------
    error
        What it raised.
    document
        The model that was validated, for the keys that would have been right.
    """
    return [_problem(details, document) for details in error.errors(include_url=False)]


def without_misspelt(problems: list[Problem], document: type[Entry]) -> list[Problem]:
    """Drop what is said to be absent if it is there under a name that is nearly right."""
    misspelt = {
        (*problem.path[:-1], _near_key(problem.path, document))
        for problem in problems
        if is_about_key(problem)
    }
    return [p for p in problems if p.got != ABSENT or p.path not in misspelt]


def _near_key(path: Path, document: type[Entry]) -> str | None:
    return _suggested(str(path[-1]), known_keys(document, path[:-1]))


def _problem(details: ErrorDetails, document: type[Entry]) -> Problem:
    path: Path = details["loc"]
    kind, value, context = details["type"], details["input"], details.get("ctx", {})
    if kind == "extra_forbidden":
        known = known_keys(document, path[:-1])
        key = str(path[-1])
        near = _near_key(path, document)
        remedy = f"did you mean {near!r}?" if near else "remove it"
        return Problem(path, f"one of the keys {', '.join(known)}", repr(key), remedy)
    if kind == "missing":
        return Problem(path, "a value", ABSENT, f"{path[-1]!r} is required here")
    if kind == "expected":
        return Problem(path, context["expected"], FROM_TEXT, context["remedy"])
    if kind in ("literal_error", "enum"):
        return Problem(path, f"one of {context['expected']}", FROM_TEXT)
    if kind == "string_pattern_mismatch":
        return Problem(path, "64 hexadecimal digits", FROM_TEXT)
    if kind == "less_than_equal":
        return Problem(path, f"at most {context['le']:,}", FROM_TEXT)
    if kind == "greater_than_equal":
        return Problem(path, f"at least {context['ge']:,}", FROM_TEXT)
    if kind == "float_type" and isinstance(value, int) and not isinstance(value, bool):
        return Problem(path, f"a number of at most {LARGEST:g}", FROM_TEXT)
    return Problem(path, _EXPECTED.get(kind, details["msg"]), FROM_TEXT, _type_remedy(kind, value))


@lru_cache
def _suggested(key: str, known: tuple[str, ...]) -> str | None:
    # The same slip tends to be in every job.
    return suggest(key, known)


def _type_remedy(kind: str, value: object) -> str:
    if value is None:
        return "leave the key out instead"
    if kind == "int_type" and isinstance(value, float) and value.is_integer():
        return f"write {int(value)}" if abs(value) <= MAX_ITERATIONS else ""
    if kind in ("int_type", "float_type") and isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return ""
        return "remove the quotes"
    return ""


def known_keys(document: type[Entry], path: Path) -> tuple[str, ...]:
    """Return the keys of the object at a path of a document."""
    return _keys_at(document, tuple(part for part in path if isinstance(part, str)))


@lru_cache
def _keys_at(document: type[Entry], path: tuple[str, ...]) -> tuple[str, ...]:
    model: object = document
    for part in path:
        if isinstance(model, type) and issubclass(model, BaseModel):
            model = _entry_type(model.model_fields, part)
    if isinstance(model, type) and issubclass(model, BaseModel):
        return tuple(model.model_fields)
    return ()


def _entry_type(fields: Mapping[str, object], name: str) -> object:
    """Return the model of a field, or of the entries of the list that it is."""
    kind = getattr(fields.get(name), "annotation", None)
    candidates = [kind, *get_args(kind)]
    models = [c for c in candidates if isinstance(c, type) and issubclass(c, BaseModel)]
    return models[0] if models else None
