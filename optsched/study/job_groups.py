"""What a schedule does to groups of jobs: by demand, and with one network apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from optsched.contention.collectives import AllReduceCost, allreduce_cost
from optsched.contention.tier_layers import layer_times
from optsched.contention.tier_network import TierNetwork
from optsched.core.instance import Instance
from optsched.core.result import JobRecords
from optsched.core.schedule import Schedule
from optsched.placement import Tier, tier_of

__all__ = [
    "DEMAND_GROUPS",
    "NETWORK_GROUPS",
    "GroupFigures",
    "group_figures",
    "group_name",
    "job_groups",
    "most_latency_bound",
]

#: Name of each class of demand and the range of GPUs, both ends included.
DEMAND_GROUPS: Mapping[str, tuple[float, float]] = {
    "all": (1, math.inf),
    "1": (1, 1),
    "2+": (2, math.inf),
    "2-8": (2, 8),
    "9+": (9, math.inf),
}
NETWORK_GROUPS = ("all", "latency-bound", "others")


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """What became of some jobs; times in seconds.

    Parameters
    ----------
    jobs
        How many there are.
    makespan_s
        The last completion among them.
    mean_jct_s, median_jct_s, p95_jct_s
        JCT from arrival.
    queueing_s
        Mean time without GPUs between arrival and completion.
    communication_s, gpu_communication_s
        Communication that computing does not hide, summed over the jobs, and over their GPUs:
        running time less restarts less computing.
    communication_share, gpu_communication_share
        The same as a share of the running time less restarts.
    machine_share, rack_share, network_share
        Share of the running time on each tier.
    preemptions
        Times a job lost its GPUs before it was done.
    """

    jobs: int
    makespan_s: float
    mean_jct_s: float
    median_jct_s: float
    p95_jct_s: float
    queueing_s: float
    communication_s: float
    gpu_communication_s: float
    communication_share: float
    gpu_communication_share: float
    machine_share: float
    rack_share: float
    network_share: float
    preemptions: int

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the figures."""
        return tuple(field.name for field in fields(cls))


def group_name(demand: str, network: str) -> str:
    """Return the name of the jobs that are in a class of demand and in a group of networks.

    Examples
    --------
    >>> group_name("2-8", "all"), group_name("2-8", "others")
    ('2-8', '2-8 others')
    """
    if network == "all":
        return demand
    return network if demand == "all" else f"{demand} {network}"


def most_latency_bound(instance: Instance) -> str:
    """Return the profile that is slowed most by the latencies alone, on two racks.

    It is compared on twice the GPUs of a machine, half of them in each rack.

    Examples
    --------
    >>> from optsched.generate.dally import dally_500
    >>> most_latency_bound(dally_500(jobs=100))
    'mobilenet-v3-large'
    """
    network = TierNetwork.of(instance.rate_model)
    whole = allreduce_cost(network.dimensions(2 * instance.cluster.max_gpus_per_server, 2, 2))
    latency = AllReduceCost(0.0, whole.latency_s)
    efficiency: dict[str, float] = {}
    for name in sorted({name for name in instance.jobs.profiles if name is not None}):
        times = layer_times(instance.rate_model, name)
        if times is not None:
            efficiency[name] = times.efficiency(latency)
    return min(efficiency, key=lambda name: efficiency[name])


def job_groups(instance: Instance, apart: str) -> dict[str, NDArray[np.bool_]]:
    """Return which jobs belong to each group that has any, as masks of shape (n,).

    Parameters
    ----------
    instance
        The jobs.
    apart
        The profile that stands apart as ``latency-bound``.
    """
    gpus = instance.jobs.gpus
    is_apart = np.array([profile == apart for profile in instance.jobs.profiles])
    networks = dict(
        zip(NETWORK_GROUPS, (np.ones(len(gpus), dtype=bool), is_apart, ~is_apart), strict=True)
    )
    groups = {
        group_name(demand, network): (gpus >= least) & (gpus <= most) & belongs
        for network, belongs in networks.items()
        for demand, (least, most) in DEMAND_GROUPS.items()
    }
    return {name: mask for name, mask in groups.items() if mask.any()}


def group_figures(
    instance: Instance,
    schedule: Schedule,
    records: JobRecords,
    groups: Mapping[str, NDArray[np.bool_]],
) -> dict[str, GroupFigures]:
    """Return the figures of each group of jobs of a judged schedule.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> from optsched.core.placement import Placement
    >>> from optsched.core.rate_model import RateModel
    >>> from optsched.core.schedule import Segment
    >>> from optsched.judge import verify
    >>> model = RateModel.of("tiered", group_gpus=1, machine_bytes_per_s=4.0, machine_latency_s=0,
    ...     rack_bytes_per_s=1.0, rack_latency_s=0, **{"layers.net": "1 1 1 2"})
    >>> job = Job("a", gpus=2, iterations=10, compute_s=1.5, profile="net")
    >>> one = Instance("one", Cluster.uniform(2, 2), [job], model)
    >>> schedule = Schedule.of([Segment(0, Placement.of({0: 1, 1: 1}), 1.0, 21.0)])
    >>> records = verify(one, schedule).records
    >>> figures = group_figures(one, schedule, records, {"all": np.array([True])})["all"]
    >>> figures.mean_jct_s, figures.communication_s, figures.gpu_communication_s
    (21.0, 5.0, 10.0)
    >>> figures.communication_share, figures.rack_share
    (0.25, 1.0)
    """
    gpus = instance.jobs.gpus
    tier_s = _seconds_by_tier(instance, schedule)
    progress_s = records.running_s - records.restarting_s
    communication_s = np.maximum(0.0, progress_s - records.compute_s)
    found = {}
    for name, mask in groups.items():
        jct_s = records.jct_s[mask]
        median_s, p95_s = np.percentile(jct_s, [50, 95]).tolist()
        lost_s, lost_gpu_s = communication_s[mask], (gpus * communication_s)[mask]
        running_s = records.running_s[mask].sum()
        shares = [float(seconds[mask].sum() / running_s) for seconds in tier_s]
        found[name] = GroupFigures(
            jobs=int(mask.sum()),
            makespan_s=float(records.completion_s[mask].max()),
            mean_jct_s=float(jct_s.mean()),
            median_jct_s=median_s,
            p95_jct_s=p95_s,
            queueing_s=float(records.queueing_s[mask].mean()),
            communication_s=float(lost_s.sum()),
            gpu_communication_s=float(lost_gpu_s.sum()),
            communication_share=float(lost_s.sum() / progress_s[mask].sum()),
            gpu_communication_share=float(lost_gpu_s.sum() / (gpus * progress_s)[mask].sum()),
            machine_share=shares[Tier.MACHINE],
            rack_share=shares[Tier.RACK],
            network_share=shares[Tier.NETWORK],
            preemptions=int(records.preemptions[mask].sum()),
        )
    return found


def _seconds_by_tier(instance: Instance, schedule: Schedule) -> list[NDArray[np.float64]]:
    """Return the seconds of each job on each tier."""
    tiers = np.array([tier_of(place, instance.cluster) for place in schedule.placements])
    used = tiers[schedule.placement]
    length_s = schedule.end_s - schedule.start_s
    count = len(instance.jobs)
    return [
        np.bincount(
            schedule.job, weights=np.where(used == tier, length_s, 0.0), minlength=count
        ).astype(np.float64)
        for tier in Tier
    ]
