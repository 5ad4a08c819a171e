"""The law of iteration times as data; ``optsched.contention`` turns it into functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["RateModel"]

Parameter = float | str | bool


@dataclass(frozen=True, slots=True)
class RateModel:
    """Name and parameters of a rate model.

    Parameters
    ----------
    name
        ``ring`` or ``fixed``.
    parameters
        (name, value) pairs, sorted by name. For ``ring``: ``contention_weight`` (ξ₁) and
        ``server_overhead_s`` (ξ₂).

    Examples
    --------
    >>> RateModel.of("ring", contention_weight=0.6).value("contention_weight", 1.0)
    0.6
    """

    name: str
    parameters: tuple[tuple[str, Parameter], ...] = ()

    @classmethod
    def of(cls, name: str, **parameters: Parameter) -> RateModel:
        """Build a rate model from keyword parameters."""
        return cls(name, tuple(sorted(parameters.items())))

    @property
    def mapping(self) -> Mapping[str, Parameter]:
        """The parameters as a mapping."""
        return dict(self.parameters)

    def value(self, parameter: str, default: float) -> float:
        """Return a numeric parameter, or ``default`` if it is absent."""
        return float(self.mapping.get(parameter, default))
