"""Jobs like those of a trace, any number of them, at any load: drawn from a fitted workload."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from optsched.core.cluster import Cluster
from optsched.core.errors import InstanceError, Problem
from optsched.core.instance import Instance
from optsched.core.jobs import Jobs
from optsched.core.rate_model import RateModel
from optsched.generate.arrival_cycle import ArrivalCycle
from optsched.generate.day_variation import varying_times_s
from optsched.generate.draws import checked_count, checked_range, named_uniforms, with_settings
from optsched.generate.fit_workload import CLOCK_START
from optsched.generate.workload import Workload
from optsched.generate.workload_file import load_workload

__all__ = ["draw_workload", "fitted"]

Column = NDArray[np.float64]
Days = Literal["steady", "varying"]

MAX_JOBS = 10_000_000
MICROSECONDS, MILLISECONDS = 1e6, 1e3


def fitted(
    *,
    name: str = "philly",
    jobs: int = 1000,
    load: float | None = 0.8,
    servers: int | None = None,
    gpus_per_server: int | None = None,
    days: Days = "steady",
    seed: int = 0,
) -> Instance:
    """Draw jobs from a fitted workload: a twin of a trace, for who does not have it.

    Parameters
    ----------
    name
        A workload that ships with the package, or the path of a ``.toml`` file that ``optsched
        fit`` wrote.
    jobs
        Number of jobs.
    load
        GPU-seconds that the jobs need, for each second from the first to the last arrival and each
        GPU of the cluster. The shape of the day and the week stays, whatever the load. None: jobs
        come as often as in the trace.
    servers, gpus_per_server
        Size of the cluster; that of the trace if absent. Demands that it cannot hold are not drawn.
    days
        ``steady``: all weeks are alike; ``varying``: days are busy and idle, as in the trace.
    seed
        Seed of the draw.

    Raises
    ------
    InstanceError
        If a parameter is out of range, or no demand fits.
    UnknownNameError
        If there is no such workload.

    Examples
    --------
    >>> instance = fitted(name="philly", jobs=100, load=0.5, servers=20, seed=3)
    >>> instance.name, instance.cluster.total_gpus, instance.rate_model.name
    ('fitted-philly-100x20-3-load-0.5', 160, 'fixed')
    """
    workload = load_workload(name)
    return draw_workload(
        workload,
        jobs=jobs,
        load=load,
        servers=servers,
        gpus_per_server=gpus_per_server,
        days=days,
        seed=seed,
        name=name,
    )


def draw_workload(
    workload: Workload,
    *,
    jobs: int,
    load: float | None = 0.8,
    servers: int | None = None,
    gpus_per_server: int | None = None,
    days: Days = "steady",
    seed: int = 0,
    name: str | None = None,
) -> Instance:
    """Draw jobs from a workload at hand; see :func:`fitted`."""
    checked_count("fitted", "jobs", jobs, most=MAX_JOBS)
    servers = workload.servers if servers is None else servers
    each = workload.gpus_per_server if gpus_per_server is None else gpus_per_server
    checked_count("fitted", "servers", servers)
    checked_count("fitted", "gpus_per_server", each)
    if load is not None:
        checked_range("fitted", "load", load, 1e-3, 1e3)
    elif workload.arrivals is None:
        expected, got = "a load, since the sample came all at once", "none"
        raise InstanceError([Problem(("fitted", "load"), expected, got)])
    variation = workload.days if days == "varying" else None
    if days == "varying" and variation is None:
        expected, got = "steady, since the sample was too short to tell days apart", "varying"
        raise InstanceError([Problem(("fitted", "days"), expected, got)])
    cluster = Cluster.uniform(servers, each)

    def uniforms(column: str, count: int = jobs) -> Column:
        return named_uniforms("fitted", workload.name, column, seed, count=count)

    gpus, left_out = _demands(workload, cluster.total_gpus, uniforms("gpus"))
    duration_s = _durations_s(workload, gpus, uniforms("part"), uniforms("place"))
    cycle = workload.arrivals
    work = math.fsum((gpus * duration_s).tolist())
    span_s = None if load is None else work / (load * cluster.total_gpus)
    gaps = -np.log1p(-uniforms("gaps"))
    gaps[0] = 0.0
    expected_at = np.cumsum(gaps)
    if cycle is not None and variation is not None:
        times_s = varying_times_s(
            cycle, variation, expected_at, span_s, lambda count: uniforms("days", count)
        )
    else:
        times_s = _times_s(cycle, expected_at, span_s)
    arrival_s = _whole_microseconds(times_s)
    told = name or workload.name
    at = "the trace's own rate" if load is None else f"load {load:g}"
    description = f"{jobs:,} jobs after the workload {workload.name}, at {at}, {days} days"
    if left_out > 0:
        description += f"; demands too large for the cluster, {left_out:.2g} of all, are left out"
    return Instance(
        with_settings(
            f"fitted-{workload.name}-{jobs}x{servers}-{seed}",
            {"load": 0.8, "gpus_per_server": workload.gpus_per_server, "days": "steady"},
            load=load,
            gpus_per_server=each,
            days=days,
        ),
        cluster,
        Jobs.from_columns(
            ids=[f"j{position}" for position in range(jobs)],
            gpus=gpus,
            iterations=np.ones(jobs, dtype=np.int64),
            compute_s=duration_s,
            arrival_s=arrival_s,
        ),
        RateModel("fixed"),
        description=description,
        metadata={
            "generator": f"fitted:name={told},jobs={jobs},load={load!r},servers={servers},"
            f"gpus_per_server={each},days={days},seed={seed}",
            CLOCK_START: repr(cycle.start_s if cycle is not None else 0.0),
        },
    )


def _demands(workload: Workload, capacity: int, uniform: Column) -> tuple[NDArray[np.int64], float]:
    """Return a demand for each job, and the share of demands that the cluster cannot hold."""
    demands = np.array(list(workload.demands), dtype=np.int64)
    shares = np.array([share.value for share in workload.demands.values()])
    fits = demands <= capacity
    if not shares[fits].sum() > 0:
        expected = f"servers with at least {int(demands.min())} GPUs together, the least demand"
        raise InstanceError([Problem(("fitted", "servers"), expected, f"{capacity}")])
    limits = np.cumsum(shares[fits])
    which = np.searchsorted(limits / limits[-1], uniform, side="right")
    left_out = float(shares[~fits].sum() / shares.sum())
    return demands[fits][np.minimum(which, len(limits) - 1)], left_out


def _durations_s(
    workload: Workload, gpus: NDArray[np.int64], part: Column, place: Column
) -> Column:
    duration_s = np.empty(len(gpus))
    for one in workload.classes:
        here = np.isin(gpus, one.gpus)
        duration_s[here] = one.law.quantiles_s(part[here], place[here])
    # Whole milliseconds hide the last digits, which differ from one processor to another.
    return np.maximum(np.rint(duration_s * MILLISECONDS), 1.0) / MILLISECONDS


def _times_s(cycle: ArrivalCycle | None, expected: Column, span_s: float | None) -> Column:
    """Return arrivals from the first at 0, the last of them expected at ``span_s``.

    Without a span they come at the rate of the cycle.
    """
    gaps = max(len(expected) - 1, 1)
    if cycle is not None and span_s is None:
        return cycle.times_s(expected / cycle.rate_per_s.value)
    assert span_s is not None
    whole = 0.0 if cycle is None else float(cycle.amounts(np.array([span_s]))[0])
    if cycle is None or not whole > 0:
        # Without a cycle, or on a span that is all hours without arrivals.
        return expected * (span_s / gaps)
    return cycle.times_s(expected * (whole / gaps))


def _whole_microseconds(times_s: Column) -> Column:
    rounded = np.rint(times_s * MICROSECONDS) / MICROSECONDS
    rounded[0] = 0.0
    return np.asarray(np.maximum.accumulate(rounded))
