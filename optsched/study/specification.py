"""Schedulers as users name them: of the registry with parameters, or from a file of their own."""

from __future__ import annotations

import importlib.util
import inspect
import math
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from optsched.core.errors import OptschedError, UnknownNameError, suggest
from optsched.study.registry import SCHEDULERS

__all__ = [
    "Scheduler",
    "SchedulerSpecError",
    "make_scheduler",
    "parameters_of",
    "split_schedulers",
]


class SchedulerSpecError(OptschedError):
    """A scheduler on the command line cannot be read or built."""


@dataclass(frozen=True, slots=True)
class Scheduler:
    """A scheduler ready to be made: a name, what builds it, and its parameters.

    A policy keeps state, so each run makes a new one.
    """

    name: str
    kind: Literal["planner", "policy"]
    build: Callable[[], Any]
    parameters: dict[str, object]
    is_random: bool


def split_schedulers(text: str) -> list[str]:
    """Split a list of schedulers at the commas that do not belong to parameters.

    Examples
    --------
    >>> split_schedulers("sjf-bco,sjf:placement=consolidated,fit=first,mine.py:MyPolicy")
    ['sjf-bco', 'sjf:placement=consolidated,fit=first', 'mine.py:MyPolicy']
    """
    parts: list[str] = []
    for piece in text.split(","):
        piece = piece.strip()
        if not piece:
            continue
        is_parameter = "=" in piece and ":" not in piece.split("=", 1)[0]
        if is_parameter and parts:
            parts[-1] += f",{piece}"
        else:
            parts.append(piece)
    return parts


def make_scheduler(spec: str | object) -> Scheduler:
    """Return the scheduler that a text names, or wrap one that the caller made.

    Parameters
    ----------
    spec
        ``name``, ``name:parameter=value,...``, ``file.py:Object``, or an object: a planner (it has
        ``plan``), a policy (it has ``schedule``), a class of either, or a function of the state.

    Raises
    ------
    UnknownNameError
        If no scheduler has the name.
    SchedulerSpecError
        If a parameter is unknown or wrong, or the file has no such object.

    Examples
    --------
    >>> make_scheduler("sjf:placement=first_fit").parameters
    {'placement': 'first_fit'}
    """
    if not isinstance(spec, str):
        return _from_object(spec, _name_of(spec), {})
    if ".py:" in spec or spec.endswith(".py"):
        return _from_file(spec)
    name, _, rest = spec.partition(":")
    if name not in SCHEDULERS:
        hint = "(a scheduler of your own: FILE.py:NAME)"
        if "=" in name:
            hint = "(parameters follow a colon: NAME:PARAMETER=VALUE)"
        raise UnknownNameError("scheduler", name, SCHEDULERS, hint)
    entry = SCHEDULERS[name]
    built = entry.load()
    parameters = _parsed(spec, rest, built)
    _try_build(spec, built, parameters)
    return Scheduler(
        spec, entry.kind, lambda: built(**parameters), parameters, is_random=entry.is_random
    )


def parameters_of(build: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the keyword parameters of a scheduler's class."""
    return dict(inspect.signature(build).parameters)


def _from_file(spec: str) -> Scheduler:
    path_text, _, rest = spec.partition(".py:")
    path = Path(f"{path_text.removesuffix('.py')}.py")
    name, _, parameters_text = rest.partition(":")
    if not name:
        raise SchedulerSpecError(f"{spec}: expected FILE.py:NAME, the name of a class or function")
    if not path.is_file():
        raise SchedulerSpecError(f"{path}: no such file, for the scheduler {spec!r}")
    module_name = f"optsched_user_{path.stem}"
    module_spec = importlib.util.spec_from_file_location(module_name, path)
    if module_spec is None or module_spec.loader is None:
        raise SchedulerSpecError(f"{path}: not a Python file that can be imported")
    module = importlib.util.module_from_spec(module_spec)
    sys.modules[module_name] = module
    try:
        module_spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise SchedulerSpecError(_where_it_failed(path, error)) from error
    found = getattr(module, name, None)
    if found is None:
        near = suggest(name, vars(module))
        hint = f"; did you mean {near!r}?" if near else ""
        raise SchedulerSpecError(f"{path}: has no {name!r}{hint}")
    if not inspect.isclass(found):
        if parameters_text:
            raise SchedulerSpecError(f"{spec}: only a class takes parameters, {name!r} is none")
        return _from_object(found, spec, {})
    parameters = _parsed(spec, parameters_text, found)
    _try_build(spec, found, parameters)
    return _from_object(found, spec, parameters)


def _where_it_failed(path: Path, error: BaseException) -> str:
    """Return the message of an error in a user's file, with the line of that file."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f"{path}:{error.lineno}:{error.offset}: {type(error).__name__}: {error.msg}"
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(path)
    ]
    place = f"{path}:{lines[-1]}" if lines else f"{path}"
    return f"{place}: {type(error).__name__}: {error}"


def _from_object(found: Any, name: str, parameters: dict[str, object]) -> Scheduler:
    is_class = inspect.isclass(found)
    if callable(getattr(found, "plan", None)):
        kind: Literal["planner", "policy"] = "planner"
    elif callable(getattr(found, "schedule", None)) or (callable(found) and not is_class):
        kind = "policy"
    else:
        raise SchedulerSpecError(
            f"{name}: expected a planner (with a method plan), a policy (with a method schedule) "
            f"or a function of the state, got {type(found).__name__}"
        )
    build = (lambda: found(**parameters)) if is_class else (lambda: found)
    return Scheduler(name, kind, build, parameters, is_random=True)


def _name_of(spec: object) -> str:
    return getattr(spec, "__name__", type(spec).__name__)


def _try_build(spec: str, build: Callable[..., Any], parameters: dict[str, object]) -> None:
    try:
        build(**parameters)
    except (TypeError, ValueError) as error:
        raise SchedulerSpecError(f"{spec}: {error}") from error


def _parsed(spec: str, text: str, build: Callable[..., Any]) -> dict[str, object]:
    known = parameters_of(build)
    parameters: dict[str, object] = {}
    for piece in filter(None, text.split(",")):
        key, equals, value = piece.partition("=")
        if not equals:
            raise SchedulerSpecError(f"{spec}: expected PARAMETER=VALUE, got {piece!r}")
        if key not in known:
            near = suggest(key, known)
            hint = f"did you mean {near!r}?" if near else f"known: {', '.join(known) or 'none'}"
            raise SchedulerSpecError(f"{spec}: no parameter is called {key!r}; {hint}")
        if key in parameters:
            raise SchedulerSpecError(f"{spec}: parameter {key!r} is given twice")
        parsed = parameters[key] = _value(value)
        if isinstance(parsed, float) and not math.isfinite(parsed):
            raise SchedulerSpecError(f"{spec}: expected a finite number for {key!r}, got {value!r}")
    return parameters


def _value(text: str) -> object:
    words: dict[str, object] = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
