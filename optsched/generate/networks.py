"""The four networks, and the 10 GbE fabric, on which Wang et al. measured contention."""

from __future__ import annotations

from typing import NamedTuple

from optsched.core.cluster import Fabric

__all__ = ["MEASURED_NETWORKS", "TEN_GIGABIT", "MeasuredNetwork"]

_INTER_BYTES_PER_S = 1168e6


class MeasuredNetwork(NamedTuple):
    """One network: its gradients, and its forward and backward time at the batch measured."""

    profile: str
    gradient_bytes: float
    compute_s: float


#: Wang, Shi, Wang, Chu 2020 (arXiv 2002.10105), simulator; a megabyte is 10⁶ bytes.
MEASURED_NETWORKS = (
    MeasuredNetwork("vgg16", 526.4e6, 0.090),
    MeasuredNetwork("resnet50", 99.2e6, 0.062),
    MeasuredNetwork("inception-v3", 103.0e6, 0.087),
    MeasuredNetwork("lstm-ptb", 251.8e6, 0.079),
)

#: 0.856 ms a megabyte for one job alone, and 0.235 ms for each further one: α = 0.275.
TEN_GIGABIT = Fabric(
    intra_bytes_per_s=20 * _INTER_BYTES_PER_S,
    inter_bytes_per_s=_INTER_BYTES_PER_S,
    reduce_bytes_per_s=50e9,
    degradation=0.275,
)
