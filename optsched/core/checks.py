"""The rules an instance has to keep, as one pure function that finds every breach."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from optsched.core.cluster import Cluster, Fabric, Servers
from optsched.core.errors import Path, Problem
from optsched.core.jobs import Jobs
from optsched.core.links import link_problems

__all__ = [
    "MAX_GPUS_PER_SERVER",
    "MAX_ITERATIONS",
    "MAX_PROBLEMS_PER_RULE",
    "MAX_SERVERS",
    "instance_problems",
]

MAX_SERVERS = 1_000_000
MAX_GPUS_PER_SERVER = 65_536
#: Iteration counts up to this one are exact in a double.
MAX_ITERATIONS = 2**53
#: A file with a million bad rows should not print a million lines.
MAX_PROBLEMS_PER_RULE = 20

FABRIC_RATES = (
    "intra_bytes_per_s",
    "inter_bytes_per_s",
    "uplink_bytes_per_s",
    "reduce_bytes_per_s",
)


def instance_problems(
    cluster: Cluster,
    jobs: Jobs,
    slot_s: float | None,
    restart_s: float,
    restart_s_per_gpu: float,
) -> list[Problem]:
    """Return everything that is wrong with the parts of an instance, in document order.

    At most ``MAX_PROBLEMS_PER_RULE`` problems are listed for one rule; the last of them then says
    how many more there are.

    Examples
    --------
    >>> from optsched.core.cluster import Server
    >>> from optsched.core.jobs import Job
    >>> cluster = Cluster([Server("s0", 2)])
    >>> problems = instance_problems(cluster, Jobs.of([Job("a", 3, 5)]), None, 0.0, 0.0)
    >>> problems[0].text()
    'jobs[0].gpus: expected at most 2, the GPUs of the whole cluster, got 3'
    """
    problems: list[Problem] = []
    if slot_s is not None and not (math.isfinite(slot_s) and slot_s > 0):
        problems.append(Problem(("slot_s",), "a positive number of seconds", f"{slot_s!r}"))
    for name, value in (("restart_s", restart_s), ("restart_s_per_gpu", restart_s_per_gpu)):
        if not (math.isfinite(value) and value >= 0):
            problems.append(Problem((name,), "a number of at least 0", f"{value!r}"))
    problems += _fabric_problems(cluster.fabric)
    problems += _server_problems(cluster.servers)
    problems += link_problems(cluster)
    problems += _job_problems(jobs, cluster)
    return problems


def _fabric_problems(fabric: Fabric) -> Iterator[Problem]:
    for name in FABRIC_RATES:
        rate = getattr(fabric, name)
        if not rate > 0:
            expected = "a rate above 0 (leave it out for infinite)"
            yield Problem(("cluster", "fabric", name), expected, f"{rate!r}")
    for name in ("degradation", "latency_s"):
        value = getattr(fabric, name)
        if not (math.isfinite(value) and value >= 0):
            yield Problem(("cluster", "fabric", name), "a number of at least 0", f"{value!r}")


def _server_problems(servers: Servers) -> Iterator[Problem]:
    base: Path = ("cluster", "servers")
    if len(servers) == 0:
        yield Problem(base, "at least one server", "none")
        return
    if len(servers) > MAX_SERVERS:
        yield Problem(base, f"at most {MAX_SERVERS:,} servers", f"{len(servers):,}")
    yield from _id_problems(base, servers.ids, "server")
    expected = f"a whole number from 1 to {MAX_GPUS_PER_SERVER:,}"
    bad = (servers.gpus < 1) | (servers.gpus > MAX_GPUS_PER_SERVER)
    yield from _column_problems(base, "gpus", servers.gpus, bad, expected)
    rates = servers.inter_bytes_per_s
    bad = (rates <= 0) | np.isinf(rates)
    yield from _column_problems(base, "inter_bytes_per_s", rates, bad, "a finite rate above 0")


def _job_problems(jobs: Jobs, cluster: Cluster) -> Iterator[Problem]:
    base: Path = ("jobs",)
    if len(jobs) == 0:
        yield Problem(base, "at least one job", "none")
        return
    yield from _id_problems(base, jobs.ids, "job")
    at_least_one = "a whole number of at least 1"
    yield from _column_problems(base, "gpus", jobs.gpus, jobs.gpus < 1, at_least_one)
    total = int(cluster.servers.gpus.sum())
    if total > 0:
        most = f"at most {total:,}, the GPUs of the whole cluster"
        yield from _column_problems(base, "gpus", jobs.gpus, jobs.gpus > total, most)
    iterations = jobs.iterations
    yield from _column_problems(base, "iterations", iterations, iterations < 1, at_least_one)
    yield from _column_problems(
        base, "iterations", iterations, iterations > MAX_ITERATIONS, f"at most {MAX_ITERATIONS:,}"
    )
    for name in ("gradient_bytes", "compute_s", "arrival_s", "weight"):
        values = getattr(jobs, name)
        bad = ~(np.isfinite(values) & (values >= 0))
        yield from _column_problems(base, name, values, bad, "a number of at least 0")
    overhead = jobs.server_overhead_s
    bad = (overhead < 0) | np.isinf(overhead)
    yield from _column_problems(base, "server_overhead_s", overhead, bad, "a number of at least 0")
    if not (jobs.weight > 0).any():
        yield Problem(base, "at least one job with a weight above 0", "all weights 0")


def _id_problems(base: Path, ids: Sequence[str], kind: str) -> Iterator[Problem]:
    first: dict[str, int] = {}
    doubled = []
    for position, name in enumerate(ids):
        if name == "":
            doubled.append((position, f"a {kind} id that is not empty", "''"))
        elif first.setdefault(name, position) != position:
            expected = f"an id of its own (also used by {base[-1]}[{first[name]}])"
            doubled.append((position, expected, repr(name)))
    for position, expected, got in doubled[:MAX_PROBLEMS_PER_RULE]:
        yield Problem((*base, position, "id"), expected, got)
    yield from _rest(base, "id", len(doubled))


def _column_problems(
    base: Path,
    name: str,
    values: NDArray[np.int64] | NDArray[np.float64],
    bad: NDArray[np.bool_],
    expected: str,
) -> Iterator[Problem]:
    positions = np.flatnonzero(bad)
    for position in positions[:MAX_PROBLEMS_PER_RULE].tolist():
        yield Problem((*base, position, name), expected, f"{values[position].item()!r}")
    yield from _rest(base, name, len(positions))


def _rest(base: Path, name: str, count: int) -> Iterator[Problem]:
    if count > MAX_PROBLEMS_PER_RULE:
        more = count - MAX_PROBLEMS_PER_RULE
        yield Problem(base, f"every {name} to be right", f"{more:,} more that are not")
