"""Which instances ship with the package, family by family."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["HAND_MADE", "LIBRARY", "family_of"]

#: The family of the instances that no generator draws.
HAND_MADE = "hand-made"


def _drawn(family: str, sizes: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """Return names of drawn instances: so many seeds, from 0, of each size."""
    return tuple(f"{family}-{size}-{seed}" for size, seeds in sizes for seed in range(seeds))


#: Family → its instances. Generators yield all of them but the hand-made ones.
LIBRARY: dict[str, tuple[str, ...]] = {
    HAND_MADE: ("waiting-pays", "interior-start"),
    "forced": _drawn(
        "forced",
        [
            ("4x2", 2),
            ("4x3", 3),
            ("5x3", 3),
            ("6x3", 3),
            ("8x3", 3),
            ("10x4", 3),
            ("12x4", 3),
            ("15x5", 2),
            ("20x6", 2),
            ("40x8", 2),
        ],
    ),
    "tight": _drawn(
        "tight", [("4x2", 2), ("6x3", 3), ("9x3", 3), ("12x4", 3), ("20x5", 2), ("40x8", 2)]
    ),
    "light": _drawn("light", [("6x3", 3), ("8x3", 2), ("12x4", 3), ("20x5", 2), ("40x8", 2)]),
    "contended": _drawn("contended", [("4x3", 2), ("6x3", 3), ("8x4", 3), ("12x5", 2)]),
    "racks": _drawn("racks", [("5x4", 2), ("6x4", 2), ("8x4", 2), ("12x6", 2)]),
    "tiered-small": _drawn("tiered-small", [("6x4", 10)]),
    "tiered-small-arrivals": _drawn("tiered-small-arrivals", [("6x4", 10)]),
    "forced-arrivals": _drawn("forced-arrivals", [("6x3", 3), ("8x3", 3), ("12x4", 2)]),
    "tight-arrivals": _drawn("tight-arrivals", [("6x3", 2), ("9x3", 2), ("20x5", 1)]),
    "light-arrivals": _drawn("light-arrivals", [("12x4", 2), ("40x8", 1)]),
    "forced-slotted": _drawn(
        "forced-slotted",
        [("4x3", 2), ("6x3", 3), ("8x3", 3), ("10x4", 3), ("12x4", 3), ("15x5", 3), ("20x6", 3)],
    ),
    "tight-slotted": _drawn(
        "tight-slotted", [("6x3", 2), ("9x3", 2), ("12x4", 3), ("20x5", 3), ("40x8", 2)]
    ),
    "light-slotted": _drawn("light-slotted", [("12x4", 3), ("20x5", 3), ("40x8", 3)]),
    "contended-slotted": _drawn("contended-slotted", [("6x3", 2), ("8x4", 2), ("12x5", 2)]),
    "forced-slotted-arrivals": _drawn("forced-slotted-arrivals", [("8x3", 2), ("12x4", 2)]),
    "poisson": _drawn("poisson", [("40x4", 3), ("160x8", 2)]),
    "paper": _drawn("paper", [("160x6", 2), ("160x10", 2), ("160x14", 2), ("160x20", 2)]),
    "physical": _drawn("physical", [("160x6", 1), ("160x10", 1), ("160x14", 1), ("160x20", 1)]),
    "reference-a": _drawn("reference-a", [("160x10", 1), ("160x14", 1)]),
    "reference-f": _drawn("reference-f", [("160x10", 1), ("160x14", 1)]),
    "never-wait-bad": ("never-wait-bad-6x3", "never-wait-bad-5x4"),
    "packing-bad": ("packing-bad-4x7", "packing-bad-8x15"),
    "spreading-bad": ("spreading-bad-6x4",),
    "colouring": ("colouring-complete-3x3-0", "colouring-cycle-5x5-0"),
}

_FAMILY = {name: family for family, names in LIBRARY.items() for name in names}


def family_of(name: str) -> str | None:
    """Return the family of a shipped instance; None if no such instance ships.

    Examples
    --------
    >>> family_of("forced-slotted-6x3-0"), family_of("waiting-pays"), family_of("forced-6x3-99")
    ('forced-slotted', 'hand-made', None)
    """
    return _FAMILY.get(name)
