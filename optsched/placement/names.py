"""Placement rules by name, as policies take them for a parameter."""

from __future__ import annotations

from typing import Literal

from optsched.placement.consolidated import Consolidated
from optsched.placement.first_fit import FirstFit
from optsched.placement.rule import PlacementRule
from optsched.placement.tiered import Tiered

__all__ = ["PlacementName", "placement_named"]

PlacementName = Literal["consolidated", "first_fit", "tiered"]


def placement_named(name: PlacementName | PlacementRule, *, fit: str = "best") -> PlacementRule:
    """Return the placement rule of a name; a rule is returned as it is.

    Examples
    --------
    >>> placement_named("consolidated", fit="first").fit
    'first'
    """
    if not isinstance(name, str):
        return name
    if name == "consolidated":
        return Consolidated(fit=fit)  # type: ignore[arg-type]
    if name == "first_fit":
        return FirstFit()
    if name == "tiered":
        return Tiered(fit=fit)  # type: ignore[arg-type]
    raise ValueError(f"placement is 'consolidated', 'first_fit' or 'tiered', got {name!r}")
