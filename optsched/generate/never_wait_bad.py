"""Instances on which whoever starts a job whenever its GPUs are free is far from the optimum."""

from __future__ import annotations

from typing import Literal

from optsched.core.cluster import Cluster, Fabric
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.generate.draws import checked_count, checked_range, with_settings

__all__ = ["never_wait_bad"]

ITERATIONS = 10
COMPUTE_S = 0.05
BYTES_PER_S = 1e9
#: At this degradation two jobs side by side are as good as one after the other.
LEAST_DEGRADATION = COMPUTE_S
DEFAULTS: dict[str, object] = {"degradation": 0.5}


def never_wait_bad(
    *,
    jobs: int = 6,
    degradation: float = 0.5,
    objective: Literal["makespan", "mean_jct"] = "makespan",
    seed: int = 0,
) -> Instance:
    """Return jobs of which any two contend wherever they run, so that taking turns is better.

    Alone a job has τ₁ = 0.05 + 1 s, beside another τ₂ = 0.05 + 2 + α s; all have 10 iterations,
    and T₁ = 10 τ₁, T₂ = 10 τ₂. A schedule *never waits* if no job waits while enough GPUs for it
    are free, on whatever servers.

    Makespan: n jobs of 3 GPUs on 3 servers of 2. Two of them run at a time and take all GPUs, and
    as 3 is odd, some server has a GPU of each. So every schedule that never waits starts the jobs
    in pairs of which both run at τ₂: its makespan is ⌊n/2⌋ T₂, and T₁ more if n is odd. At any
    time all jobs together advance by max(1/τ₁, 2/τ₂) = 1/τ₁ iterations a second at most (as
    α ≥ 0.05), so no schedule, preemptive or not, ends before n T₁, and one job after the other
    does end then. For even n the ratio is T₂/(2 T₁) = (2.05 + α)/2.1: it grows without bound in α.
    With 2 jobs and α = 0.5 this is ``waiting-pays``.

    Mean JCT: a long job of 3 GPUs that sends nothing, lasts (n − 1) T₂ and is slowed by nobody,
    and N = n − 1 short ones of 5 GPUs with the times above, on 4 servers of 2. The long one fits
    beside a short one, and again they share a server; two short ones do not fit. So every schedule
    that never waits starts the long one at 0, each short one takes T₂, and the mean JCT is
    T₂ N(N + 3)/(2n). If the long one starts after all the short ones, it is
    (T₁ N(N + 1)/2 + N (T₁ + T₂))/n, an upper limit of the optimum. The ratio grows with N, from
    4 T₂/(4 T₁ + 2 T₂) to T₂/T₁, which is 2 even where pairs lose nothing (α = 0.05).

    Parameters
    ----------
    jobs
        How many jobs (n), at least 2.
    degradation
        What contention wastes (α), from 0.05 to 1000; measured values are 0.09 to 0.28.
    objective
        For which objective never waiting is bad.
    seed
        Without effect: nothing is drawn.

    Raises
    ------
    InstanceError
        If a parameter is out of range.

    Examples
    --------
    >>> never_wait_bad().name, never_wait_bad(jobs=4, objective="mean_jct").name
    ('never-wait-bad-6x3', 'never-wait-bad-4x4')
    """
    name = "never-wait-bad"
    checked_count(name, "jobs", jobs)
    checked_range(name, "jobs", jobs, 2, jobs)
    checked_range(name, "degradation", degradation, LEAST_DEGRADATION, 1000.0)
    if objective == "makespan":
        servers, rows = 3, [_sending(f"j{position}", 3) for position in range(jobs)]
    else:
        together_s = COMPUTE_S + 2.0 + degradation
        servers, rows = 4, [Job("long", 3, ITERATIONS * (jobs - 1), compute_s=together_s)]
        rows += [_sending(f"short{position}", 5) for position in range(jobs - 1)]
    fabric = Fabric(inter_bytes_per_s=BYTES_PER_S, degradation=degradation)
    of_what = objective.replace("mean_jct", "mean JCT")
    text = f"jobs={jobs},degradation={degradation!r},objective={objective}"
    return Instance(
        with_settings(f"{name}-{jobs}x{servers}", DEFAULTS, degradation=degradation),
        Cluster.uniform(servers, 2, fabric=fabric),
        rows,
        RateModel.of("ring", contention_weight=1.0, server_overhead_s=0.0),
        description=f"To start a job whenever its GPUs are free is bad for the {of_what}.",
        metadata={"generator": f"{name}:{text}"},
    )


def _sending(name: str, gpus: int) -> Job:
    """Return a job whose ring needs 1 s an iteration on servers that no other spread job uses."""
    gradient_bytes = BYTES_PER_S * gpus / (2 * (gpus - 1))
    return Job(name, gpus, ITERATIONS, gradient_bytes=gradient_bytes, compute_s=COMPUTE_S)
