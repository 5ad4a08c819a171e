"""All-reduce over a hierarchy of rings: scatter inwards, gather outwards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

__all__ = ["AllReduceCost", "RingDimension", "Tier", "allreduce_cost"]

#: How far a job is spread: within one machine, within one rack, or over racks.
Tier = Literal["machine", "rack", "network"]


@dataclass(frozen=True, slots=True)
class RingDimension:
    """One level of the hierarchy: rings of equal units.

    Parameters
    ----------
    units
        Units in a ring (k): GPUs, groups of GPUs, machines or racks.
    bytes_per_s
        Bandwidth of a unit in its ring (B).
    latency_s
        Latency of a step (a).
    tier
        The tier whose links the rings use.
    """

    units: int
    bytes_per_s: float
    latency_s: float
    tier: Tier


@dataclass(frozen=True, slots=True)
class AllReduceCost:
    """Time of an all-reduce, which is affine in the bytes.

    Parameters
    ----------
    seconds_per_byte
        What a byte of the gradient costs.
    latency_s
        What an all-reduce costs however small it is.
    """

    seconds_per_byte: float
    latency_s: float

    def time_s(self, size: float) -> float:
        """Return the time of an all-reduce of ``size`` bytes."""
        return self.seconds_per_byte * size + self.latency_s


def allreduce_cost(dimensions: Iterable[RingDimension]) -> AllReduceCost:
    r"""Return the cost of an all-reduce over rings in rings, the innermost first.

    Each level reduces and scatters what it is given over its k units, hands a k-th part to the next
    level, and gathers when that is done. A ring of k units takes k − 1 steps each way, so

        t(S) = Σ_d 2 (k_d − 1) (S_d / (k_d B_d) + a_d),   S_0 = S,  S_{d+1} = S_d / k_d.

    Parameters
    ----------
    dimensions
        The levels; none for a single GPU, which exchanges nothing.

    Examples
    --------
    Four GPUs in a ring, two such rings side by side:

    >>> inner = RingDimension(4, bytes_per_s=100.0, latency_s=0.0, tier="machine")
    >>> outer = RingDimension(2, bytes_per_s=10.0, latency_s=0.5, tier="rack")
    >>> allreduce_cost([inner, outer]).time_s(400.0)
    17.0
    """
    seconds_per_byte, latency_s, share = 0.0, 0.0, 1.0
    for one in dimensions:
        steps = 2 * (one.units - 1)
        share /= one.units
        seconds_per_byte += steps * share / one.bytes_per_s
        latency_s += steps * one.latency_s
    return AllReduceCost(seconds_per_byte, latency_s)
