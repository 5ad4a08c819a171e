"""Instances by name: shipped ones, drawn ones, groups of them, and files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from optsched.core.data_files import data_directory
from optsched.core.errors import UnknownNameError
from optsched.core.instance import Instance
from optsched.files.instance_file import load_instance
from optsched.files.library import LIBRARY
from optsched.files.names import drawn_name, generator_text
from optsched.generate import GENERATORS, generate

__all__ = [
    "ALIASES",
    "CatalogueRow",
    "catalogue_names",
    "describe_catalogue",
    "group_members",
    "group_names",
    "is_generator",
    "load",
    "shipped_names",
]

ALIASES = {"small-6x3": "forced-6x3-0"}


@dataclass(frozen=True, slots=True)
class CatalogueRow:
    """One line of the catalogue; sizes are None where they depend on parameters."""

    name: str
    kind: str
    description: str
    jobs: int | None = None
    servers: int | None = None
    gpus: int | None = None
    has_arrivals: bool | None = None


def load(name_or_path: str | os.PathLike[str], *, seed: int = 0) -> Instance:
    """Load an instance by name or from a file.

    Parameters
    ----------
    name_or_path
        In this order: a path (a ``Path``, or a text that ends in ``.json`` or has a path
        separator); a shipped instance or an alias; ``FAMILY-JOBSxSERVERS-SEED``, which is drawn
        (no seed where nothing is random: ``packing-bad-6x11``);
        a generator with or without parameters, ``paper-160:servers=14,mode=physical``.
    seed
        Seed of the draw if the name is a generator and its text gives no seed; else without
        effect.

    Raises
    ------
    UnknownNameError
        If there is no instance of this name. The message offers the nearest one.
    InstanceError
        If a generator cannot use a parameter.
    FileFormatError
        If a file cannot be used.

    Examples
    --------
    >>> load("waiting-pays").cluster.total_gpus
    6
    >>> load("small-6x3").name, load("tight-9x4-2").name
    ('forced-6x3-0', 'tight-9x4-2')
    >>> load("paper-160:servers=14,mode=physical", seed=3).name
    'physical-160x14-3'
    """
    if not isinstance(name_or_path, str) or _is_path(name_or_path):
        return load_instance(name_or_path)
    name = ALIASES.get(name_or_path, name_or_path)
    if name in shipped_names():
        return load_instance(data_directory("instances") / f"{name}.json")
    draw = drawn_name(name) or generator_text(name)
    if draw is None:
        raise UnknownNameError(
            "instance",
            name,
            catalogue_names(),
            "(a file's name ends in .json; `optsched list instances` shows all names)",
        )
    return generate(draw.generator, draw.parameters, seed=seed)


def is_generator(name: str) -> bool:
    """Return True if ``load`` draws another instance for another seed.

    A generator whose text gives a seed is one fixed instance, and so is one that draws nothing.

    Examples
    --------
    >>> is_generator("paper-160"), is_generator("paper-160:servers=14,seed=3")
    (True, False)
    >>> is_generator("paper-160x14-0"), is_generator("my/file.json")
    (False, False)
    """
    if _is_path(name) or name in ALIASES or name in shipped_names():
        return False
    draw = generator_text(name)
    if draw is None or "seed" in draw.parameters:
        return False
    return GENERATORS[draw.generator].is_random


def shipped_names() -> list[str]:
    """Return the names of the instances that ship with the package, in alphabetical order."""
    return sorted(path.stem for path in data_directory("instances").glob("*.json"))


def catalogue_names() -> list[str]:
    """Return every name: shipped instances, aliases, generators.

    Examples
    --------
    >>> {"waiting-pays", "small-6x3", "paper-160"} <= set(catalogue_names())
    True
    """
    return [*shipped_names(), *ALIASES, *GENERATORS]


def group_names() -> list[str]:
    """Return the names of the groups: ``library``, and each family of shipped instances.

    ``library`` is all of them but the colouring ones, which are far out of proportion.

    Examples
    --------
    >>> group_names()[:3]
    ['library', 'hand-made', 'forced']
    """
    return ["library", *LIBRARY]


def group_members(name: str) -> list[str]:
    """Return the shipped instances of a group, the smaller ones of a family first.

    Some groups bear the name of a generator: what ``forced`` means is for the caller to decide.

    Raises
    ------
    UnknownNameError
        If there is no such group.

    Examples
    --------
    >>> group_members("forced")[:3]
    ['forced-4x2-0', 'forced-4x2-1', 'forced-4x3-0']
    """
    groups = group_names()
    if name not in groups:
        raise UnknownNameError("group of instances", name, groups)
    if name == "library":
        # Colouring has ratios of millions, beside which nothing else would show in a mean.
        return [
            member
            for family, members in LIBRARY.items()
            for member in members
            if family != "colouring"
        ]
    return list(LIBRARY[name])


def describe_catalogue() -> list[CatalogueRow]:
    """Return a row for every shipped instance, alias, generator and group.

    Examples
    --------
    >>> [row.jobs for row in describe_catalogue() if row.name == "waiting-pays"]
    [2]
    """
    rows = [_described(name, "instance", load(name)) for name in shipped_names()]
    rows += [
        _described(alias, "alias", load(name), f"Another name of {name}.")
        for alias, name in ALIASES.items()
    ]
    for name, entry in GENERATORS.items():
        defaults = ",".join(f"{key}={value}" for key, value in entry.defaults.items())
        rows.append(CatalogueRow(name, "generator", f"{entry.description}; defaults {defaults}"))
    for name in group_names():
        count = len(group_members(name))
        kind = "shipped instances" if name == "library" else f"shipped {name} instances"
        rows.append(CatalogueRow(name, "group", f"All {count} {kind}."))
    return rows


def _described(
    name: str, kind: str, instance: Instance, description: str | None = None
) -> CatalogueRow:
    cluster = instance.cluster
    return CatalogueRow(
        name,
        kind,
        instance.description if description is None else description,
        len(instance.jobs),
        len(cluster.servers),
        cluster.total_gpus,
        instance.has_arrivals,
    )


def _is_path(name: str) -> bool:
    separators = {"/", os.sep, os.altsep or os.sep}
    return Path(name).suffix.lower() == ".json" or any(mark in name for mark in separators)
