"""Instances small enough to be solved by hand, each of which makes one point."""

from __future__ import annotations

from optsched.core.cluster import Cluster, Fabric
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel

__all__ = ["interior_start", "waiting_pays"]


def waiting_pays() -> Instance:
    """Return two jobs that share a server wherever they run, and that had better take turns.

    Alone a job has τ = 0.05 + 2 · 750e6 · (2/3) / 1e9 = 1.05 s; together each sees f(0.5, 2) = 2.5
    times the transfer, τ = 2.55 s. So both end at 25.5 s, or one at 10.5 s and the other at 21 s.

    Examples
    --------
    >>> len(waiting_pays().jobs), waiting_pays().cluster.total_gpus
    (2, 6)
    """
    fabric = Fabric(inter_bytes_per_s=1e9, degradation=0.5)
    return Instance(
        "waiting-pays",
        Cluster.uniform(3, 2, fabric=fabric),
        [Job(name, 3, 10, gradient_bytes=750e6, compute_s=0.05) for name in ("a", "b")],
        RateModel.of("ring", contention_weight=1.0, server_overhead_s=0.0),
        description="Together both jobs end at 25.5 s; one after the other at 10.5 and 21 s.",
    )


def interior_start() -> Instance:
    """Return four jobs whose best schedule has a start while others run on, at no event.

    For ``a`` and ``b``, τ = 4/9 + (4/3) · 500e6 / 1.2e9 = 4/9 + 5/9 = 1 s alone, and
    4/9 + 2.2 · 5/9 = 5/3 s beside another spread job; ``c`` and ``d`` send nothing, so τ = 1 s
    always. Any two jobs of 3 GPUs share one of the three servers.

    The weighted sum of completion times is 832 s at best, with ``b`` started at 3 s while ``a``
    runs from 0 to 8 s; ``b`` and ``c`` then both end at 28 s. With starts at 0 and at completions
    only it is 833 s.
    The objective ``weighted_jct`` divides by the weights, 9.

    Examples
    --------
    >>> interior_start().jobs.weight.sum().item()
    9.0
    """
    fabric = Fabric(inter_bytes_per_s=1.2e9, degradation=0.2)
    return Instance(
        "interior-start",
        Cluster.uniform(3, 2, fabric=fabric),
        [
            Job("a", 3, 6, gradient_bytes=500e6, compute_s=4 / 9),
            Job("b", 3, 15, gradient_bytes=500e6, compute_s=4 / 9),
            Job("c", 3, 20, compute_s=1.0),
            Job("d", 6, 100, compute_s=1.0, weight=6.0),
        ],
        RateModel.of("ring", contention_weight=1.0, server_overhead_s=0.0),
        description=(
            "The best weighted JCT is 832/9 s and needs a start at 3 s, where nothing else "
            "happens; with starts at events only it is 833/9 s."
        ),
    )
