"""The law of iteration times as data; ``optsched.contention`` turns it into functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["PARAMETER_DEFAULTS", "Parameter", "RateModel"]

Parameter = float | str | bool

#: Parameters of each rate model and what they are where they are not given.
PARAMETER_DEFAULTS: Mapping[str, Mapping[str, Parameter]] = {
    "ring": {"contention_weight": 1.0, "server_overhead_s": 0.0},
    "fixed": {},
    # The network of Dally's simulator. Parameters layers.PROFILE (text) and compute_scale.PROFILE
    # (a number) may be given too, for any profile.
    "tiered": {
        "group_gpus": 4.0,
        "group_bytes_per_s": 600e9,
        "group_latency_s": 0.0,
        "machine_bytes_per_s": 600e9,
        "machine_latency_s": 500e-9,
        "rack_bytes_per_s": 200e9,
        "rack_latency_s": 5e-6,
        "network_bytes_per_s": 400e9,
        "network_latency_s": 50e-6,
        "contention": False,
    },
}


@dataclass(frozen=True, slots=True)
class RateModel:
    """Name and parameters of a rate model.

    Parameters
    ----------
    name
        ``ring``, ``tiered`` or ``fixed``.
    parameters
        (name, value) pairs, sorted by name. For ``ring``: ``contention_weight`` (ξ₁) and
        ``server_overhead_s`` (ξ₂). For ``tiered``: the rates and latencies of the tiers.

    Examples
    --------
    >>> RateModel.of("ring", contention_weight=0.6).value("contention_weight")
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
        """The parameters that are given."""
        return dict(self.parameters)

    @property
    def resolved(self) -> Mapping[str, Parameter]:
        """All parameters, those not given at their defaults."""
        return {**PARAMETER_DEFAULTS.get(self.name, {}), **self.mapping}

    def value(self, parameter: str) -> float:
        """Return a numeric parameter, its default if it is not given."""
        return float(self.resolved[parameter])
