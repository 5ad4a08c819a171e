"""How names of instances are written: ``FAMILY-JOBSxSERVERS-SEED`` and ``generator:key=value``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from optsched.core.errors import InstanceError, Problem
from optsched.generate import GENERATORS, generate
from optsched.generate.small import NAMED_LOAD, NAMED_SLOT_S

__all__ = ["FAMILIES", "GeneratorText", "drawn_name", "generator_text"]

#: The family in an instance's name: its generator, and parameters that the name implies.
FAMILIES: dict[str, tuple[str, dict[str, str]]] = {
    **{
        f"{family}{setting}": (family, implied)
        for family in ("forced", "tight", "light", "contended", "racks")
        for setting, implied in (
            ("", {}),
            ("-slotted", {"slot_s": f"{NAMED_SLOT_S!r}"}),
            ("-arrivals", {"load": f"{NAMED_LOAD!r}"}),
            ("-slotted-arrivals", {"slot_s": f"{NAMED_SLOT_S!r}", "load": f"{NAMED_LOAD!r}"}),
        )
    },
    "tiered-small": ("tiered-small", {}),
    "tiered-small-arrivals": ("tiered-small", {"load": f"{NAMED_LOAD!r}"}),
    "paper": ("paper-160", {}),
    "physical": ("paper-160", {"mode": "physical"}),
    "reference-a": ("reference-a", {}),
    "reference-f": ("reference-f", {}),
    "poisson": ("poisson", {}),
    "dally": ("dally-500", {}),
    "never-wait-bad": ("never-wait-bad", {}),
    "packing-bad": ("packing-bad", {}),
    "spreading-bad": ("spreading-bad", {}),
    "colouring": ("colouring", {}),
    **{
        f"colouring-{graph}": ("colouring", {"graph": graph})
        for graph in ("path", "cycle", "complete", "wheel", "petersen", "grotzsch")
    },
    **{
        f"fitted-{workload}": ("fitted", {"name": workload})
        for workload in ("gavel-msr", "philly", "pollux", "sensetime", "tiresias")
    },
}

#: The parameters that a name's sizes are, where these are not jobs and servers.
SIZES = {"colouring": ("vertices", "edges"), "dally-500": ("racks", "machines")}

#: Settings that a family without a seed may have in a name of default form.
UNSEEDED_SETTINGS: dict[str, tuple[dict[str, str], ...]] = {
    "never-wait-bad": ({"objective": "makespan"}, {"objective": "mean_jct"}),
}

_DRAWN = re.compile(r"(?P<family>[a-z-]+)-(?P<jobs>[0-9]+)x(?P<servers>[0-9]+)(-(?P<seed>[0-9]+))?")


@dataclass(frozen=True, slots=True)
class GeneratorText:
    """A generator and its parameters, as texts."""

    generator: str
    parameters: dict[str, str] = field(default_factory=dict)


def drawn_name(name: str) -> GeneratorText | None:
    """Return what draws the instance called ``FAMILY-JOBSxSERVERS-SEED``.

    A family that draws nothing has names without a seed. None if the name has another form, no such
    family exists, or the family has no instance of this size.

    Examples
    --------
    >>> drawn_name("forced-6x3-0")
    GeneratorText(generator='forced', parameters={'jobs': '6', 'servers': '3', 'seed': '0'})
    >>> drawn_name("paper-50x14-0") is None
    True
    """
    match = _DRAWN.fullmatch(name)
    if match is None or match["family"] not in FAMILIES:
        return None
    generator, implied = FAMILIES[match["family"]]
    if (match["seed"] is not None) != GENERATORS[generator].is_random:
        return None
    if match["seed"] is None:
        return _unseeded(name, generator, {"jobs": match["jobs"], "servers": match["servers"]})
    first, second = SIZES.get(generator, ("jobs", "servers"))
    parameters = {first: match["jobs"], second: match["servers"], "seed": match["seed"]}
    if first not in GENERATORS[generator].types and parameters.pop(first) != "160":
        return None
    return GeneratorText(generator, implied | parameters)


def _unseeded(name: str, generator: str, sizes: dict[str, str]) -> GeneratorText | None:
    """Return the settings that yield the name: one of the sizes follows from the other."""
    known = {key: text for key, text in sizes.items() if key in GENERATORS[generator].types}
    for settings in UNSEEDED_SETTINGS.get(generator, ({},)):
        parameters = known | settings
        if generate(generator, parameters).name == name:
            return GeneratorText(generator, parameters)
    return None


def generator_text(text: str) -> GeneratorText | None:
    """Return a generator with its parameters; None if the text names no generator.

    Raises
    ------
    InstanceError
        If the parameters are not written as ``key=value,key=value``.

    Examples
    --------
    >>> generator_text("paper-160:servers=14,seed=3")
    GeneratorText(generator='paper-160', parameters={'servers': '14', 'seed': '3'})
    """
    name, _, rest = text.partition(":")
    name = name.strip()
    if name not in GENERATORS:
        return None
    parameters: dict[str, str] = {}
    for part in rest.split(",") if rest.strip() else []:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or key in parameters:
            expected = "parameters written as key=value,key=value, each key once"
            remedy = f"it takes {', '.join(GENERATORS[name].types)}"
            raise InstanceError([Problem((name,), expected, repr(part.strip()), remedy)])
        parameters[key] = value
    return GeneratorText(name, parameters)
