"""Dally's simulator: which network a job of its workload trains, and how fast it has them compute.

The public simulator of Sharma et al. (arXiv 2401.16492) multiplies the times in a network's layer
table by a factor of its own for each network. How much a job feels the fabric hangs on these: with
them ResNet50 hardly does, and MobileNetV3 does extremely. So they are parameters, to be swept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from optsched.contention.profiles import load_profile
from optsched.contention.tier_layers import COMPUTE_SCALE

__all__ = ["DALLY_NETWORKS", "DallyNetwork", "published_compute_scales"]


@dataclass(frozen=True, slots=True)
class DallyNetwork:
    """A network of Dally's workload.

    Parameters
    ----------
    table
        Name of its layer table, without the suffix.
    scale
        What the published simulator multiplies the table's times by.
    compute_s
        Time of an iteration after that.
    profile
        The profile of ``models/dnn`` that stands for it without the table.
    """

    table: str
    scale: float
    compute_s: float
    profile: str


#: By the name that jobs of the workload have for it. Names and tables do not match by themselves.
DALLY_NETWORKS: Mapping[str, DallyNetwork] = MappingProxyType(
    {
        "AlexNet": DallyNetwork("alexnet_B512", 0.0199, 1.207e-3, "alexnet"),
        "BERT": DallyNetwork("BERT-large_B256", 0.0001121, 1.711e-3, "bert-large"),
        "MobileNetV3": DallyNetwork("mobilenet_v3_B512", 0.00639, 0.0632e-3, "mobilenet-v3-large"),
        "ResNet18": DallyNetwork("resnet18_B512", 0.001223, 0.1802e-3, "resnet18"),
        "ResNet50": DallyNetwork("resnet50_B512", 0.033950, 11.823e-3, "resnet50-layered"),
        "VGG": DallyNetwork("vgg11_B256", 0.01549, 3.837e-3, "vgg11"),
    }
)


def published_compute_scales() -> dict[str, float]:
    """Return parameters by which shipped profiles compute as long as in the published simulator.

    Examples
    --------
    >>> round(published_compute_scales()["compute_scale.bert-large"] * 0.373134, 9)
    0.001711
    """
    return {
        COMPUTE_SCALE + network.profile: network.compute_s / load_profile(network.profile).compute_s
        for network in DALLY_NETWORKS.values()
    }
