"""How efficient networks are on each tier: what a tiered network does to jobs, at a glance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from optsched.contention.collectives import Tier, allreduce_cost
from optsched.contention.dally import published_compute_scales
from optsched.contention.profiles import profile_names
from optsched.contention.tier_layers import layer_times
from optsched.contention.tier_network import TierNetwork
from optsched.core.rate_model import RateModel

__all__ = ["SPREADS", "EfficiencyRow", "efficiency_table"]

#: GPUs, machines and racks: on one machine of 8 GPUs, on several of one rack, on two racks.
SPREADS: tuple[tuple[int, int, int], ...] = (
    (2, 1, 1),
    (4, 1, 1),
    (8, 1, 1),
    (8, 2, 1),
    (16, 2, 1),
    (32, 4, 1),
    (64, 8, 1),
    (16, 2, 2),
    (32, 4, 2),
    (64, 8, 2),
)


@dataclass(frozen=True, slots=True)
class EfficiencyRow:
    """One network on one spread.

    Parameters
    ----------
    profile
        Name of the network profile.
    compute_s
        Time that an iteration computes.
    tier
        The outermost tier that the job uses.
    gpus, machines, racks
        What it is spread over.
    efficiency
        Share of the time that is computing.
    """

    profile: str
    compute_s: float
    tier: Tier
    gpus: int
    machines: int
    racks: int
    efficiency: float


def efficiency_table(
    network: TierNetwork, *, compute_scale: Literal["published", "profile"] = "published"
) -> list[EfficiencyRow]:
    """Return the efficiency of every shipped profile on a number of spreads.

    Parameters
    ----------
    network
        Rates and latencies of the tiers.
    compute_scale
        ``published``: networks of Dally's workload compute as fast as in its simulator, the others
        as in their profiles; ``profile``: all as in their profiles.

    Examples
    --------
    >>> rows = efficiency_table(TierNetwork())
    >>> [round(row.efficiency, 3) for row in rows if row.profile == "bert-large"][:4]
    [0.586, 0.424, 0.364, 0.255]
    """
    scales = published_compute_scales() if compute_scale == "published" else {}
    model = RateModel.of("tiered", **scales)
    rows = []
    for name in profile_names():
        times = layer_times(model, name)
        assert times is not None
        for gpus, machines, racks in SPREADS:
            tier: Tier = "machine" if machines == 1 else "rack" if racks == 1 else "network"
            cost = allreduce_cost(network.dimensions(gpus, machines, racks))
            efficiency = times.efficiency(cost)
            rows.append(
                EfficiencyRow(name, times.compute_s, tier, gpus, machines, racks, efficiency)
            )
    return rows
