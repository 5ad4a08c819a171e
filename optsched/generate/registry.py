"""The generators by name, and their parameters as text."""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Union, get_args, get_origin, get_type_hints

from optsched.core.errors import InstanceError, Problem, UnknownNameError, suggest
from optsched.core.instance import Instance
from optsched.generate.colouring import colouring
from optsched.generate.dally import dally_500
from optsched.generate.fitted import fitted
from optsched.generate.never_wait_bad import never_wait_bad
from optsched.generate.packing_bad import packing_bad
from optsched.generate.paper import paper_160
from optsched.generate.poisson import poisson
from optsched.generate.reference import reference_a, reference_f
from optsched.generate.small import contended, forced, light, racks, tight
from optsched.generate.spreading_bad import spreading_bad
from optsched.generate.tiered_small import tiered_small

__all__ = ["GENERATORS", "GeneratorEntry", "generate", "parsed_parameters"]

#: Seeds beyond this are refused: some tools that read the names keep them in 64 bits.
MAX_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class GeneratorEntry:
    """A generator.

    Parameters
    ----------
    function
        Takes keyword parameters and a seed.
    description
        What it draws, in one line.
    is_random
        False if the seed is without effect.
    """

    function: Callable[..., Instance]
    description: str
    is_random: bool = True

    @property
    def defaults(self) -> dict[str, object]:
        """The parameters and their defaults, ``seed`` included."""
        parameters = inspect.signature(self.function).parameters
        return {name: parameter.default for name, parameter in parameters.items()}

    @property
    def types(self) -> dict[str, object]:
        """The parameters and their types, ``seed`` included."""
        hints = get_type_hints(self.function)
        return {name: hints[name] for name in self.defaults}


GENERATORS: dict[str, GeneratorEntry] = {
    "paper-160": GeneratorEntry(
        paper_160, "160 jobs scaled from the Philly trace (Yu et al. 2022), servers of 4 to 32 GPUs"
    ),
    "reference-a": GeneratorEntry(
        reference_a, "160 jobs, spreading is dear (setting A of the annealing planner)"
    ),
    "reference-f": GeneratorEntry(
        reference_f, "160 jobs, large ones must spread over servers of 4 and 8 GPUs (setting F)"
    ),
    "forced": GeneratorEntry(forced, "small servers: spreading and contention cannot be avoided"),
    "tight": GeneratorEntry(tight, "demands that are no powers of two and fill servers badly"),
    "light": GeneratorEntry(light, "mostly small jobs that run whole on one server"),
    "contended": GeneratorEntry(
        contended, "spread jobs that mostly communicate: contention may cost more than waiting"
    ),
    "racks": GeneratorEntry(racks, "two racks with slow uplinks, and jobs as those of forced"),
    "tiered-small": GeneratorEntry(
        tiered_small, "small, on machines in two racks with slow networks between them (tiered)"
    ),
    "poisson": GeneratorEntry(poisson, "jobs that arrive one by one, at a chosen load"),
    "fitted": GeneratorEntry(
        fitted, "jobs like those of a real trace, from fitted laws, at any size and load"
    ),
    "dally-500": GeneratorEntry(
        dally_500, "jobs after the workload of Dally's simulator, on machines in racks (tiered)"
    ),
    "never-wait-bad": GeneratorEntry(
        never_wait_bad, "to start a job whenever its GPUs are free is bad", is_random=False
    ),
    "packing-bad": GeneratorEntry(
        packing_bad, "to wait for the fewest servers is bad", is_random=False
    ),
    "spreading-bad": GeneratorEntry(
        spreading_bad, "to take scattered GPUs at once is bad", is_random=False
    ),
    "colouring": GeneratorEntry(
        colouring, "the least makespan is the chromatic number of a graph (Theorem 1)"
    ),
}


def generate(name: str, parameters: Mapping[str, str] | None = None, *, seed: int = 0) -> Instance:
    """Draw an instance from a generator's name and parameters given as text.

    Parameters
    ----------
    name
        A key of ``GENERATORS``.
    parameters
        Texts such as ``{"servers": "14"}``; a ``seed`` among them wins over ``seed``.
    seed
        Seed of the draw.

    Raises
    ------
    UnknownNameError
        If no generator, or no parameter of it, has that name.
    InstanceError
        If a parameter has the wrong type or a value that cannot be used.

    Examples
    --------
    >>> generate("paper-160", {"servers": "14", "mode": "physical"}, seed=3).name
    'physical-160x14-3'
    """
    if name not in GENERATORS:
        raise UnknownNameError("generator", name, GENERATORS)
    values = {"seed": seed} | parsed_parameters(name, parameters or {})
    return GENERATORS[name].function(**values)


def parsed_parameters(generator: str, parameters: Mapping[str, str]) -> dict[str, object]:
    """Return the parameters of a generator with the types its function asks for.

    Raises
    ------
    UnknownNameError
        If the generator has no such parameter.
    InstanceError
        If a text cannot be read as the parameter's type; all such are listed.

    Examples
    --------
    >>> parsed_parameters("forced", {"jobs": "8", "slot_s": "0.5"})
    {'jobs': 8, 'slot_s': 0.5}
    """
    kinds = GENERATORS[generator].types
    values: dict[str, object] = {}
    problems: list[Problem] = []
    for name, text in parameters.items():
        if name not in kinds:
            raise UnknownNameError(f"parameter of {generator}", name, kinds)
        try:
            values[name] = _parsed(text, kinds[name])
        except ValueError as error:
            near = suggest(text, [str(choice) for choice in get_args(kinds[name])])
            remedy = f"did you mean {near!r}?" if near else ""
            problems.append(Problem((generator, name), str(error), repr(text), remedy))
    if problems:
        raise InstanceError(problems)
    return values


def _parsed(text: str, kind: object) -> object:
    """Return ``text`` as ``kind``; a ValueError says what was expected."""
    if get_origin(kind) in (Union, types.UnionType):
        if text.lower() == "none":
            return None
        kind = next(part for part in get_args(kind) if part is not types.NoneType)
    if get_origin(kind) is Literal:
        if text not in get_args(kind):
            raise ValueError(f"one of {', '.join(get_args(kind))}")
        return text
    if kind is str:
        if not text:
            raise ValueError("a text")
        return text
    if kind is bool:
        if text not in ("true", "false"):
            raise ValueError("true or false")
        return text == "true"
    if kind is int:
        return _whole_number(text)
    if kind is float:
        return _finite_number(text)
    raise TypeError(f"no generator parameter may be of type {kind!r}")  # pragma: no cover


def _whole_number(text: str) -> int:
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= 19 and int(digits) <= MAX_SEED:
        return int(text)
    raise ValueError("a whole number")


def _finite_number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError("a number")
    return value
