"""An instance as flat tables: every placement, and every iteration time that can occur."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optsched.bounds import Workload
from optsched.contention import RateFunctions, rate_functions
from optsched.core.errors import TooLargeError, UnsupportedError
from optsched.core.instance import Instance
from optsched.core.metrics import Objective
from optsched.core.placement import Placement
from optsched.exact.choices import earlier_twins, server_classes, splits

__all__ = [
    "MOST_PLACEMENTS",
    "SUPPORTED_MODELS",
    "SearchTables",
    "TableSource",
    "search_tables",
    "untabulated_model",
]

#: The slowest resource that a job crosses sets its τ in these models, whatever the others carry;
#: in ``tiered`` only as long as nothing is shared.
SUPPORTED_MODELS = ("ring", "fixed", "tiered")
#: More would make the tables large, and a search hopeless.
MOST_PLACEMENTS = 20_000
#: Entries of the table of iteration times.
MOST_TIMES = 4_000_000

Whole = NDArray[np.int64]
Real = NDArray[np.float64]


class SearchTables(NamedTuple):
    """What compiled searches read; jobs are in the order of the search, n of them.

    Parameters
    ----------
    gpus, iterations, weight, release, duration
        Columns of the jobs: G, F, w, r in seconds and the best duration d in seconds, shape (n,).
    demand
        Number of each job's demand, shape (n,).
    twin
        The last identical job before each, −1 if there is none, shape (n,).
    kind
        Number of the first job identical to each, shape (n,).
    capacity, server_class
        GPUs of each server, and the number of its class of exchangeable servers, shape (S,).
    first, last
        The placements of demand g are those from first[g] to last[g] − 1, shape (D,).
    taken
        GPUs that each placement takes of each server, shape (P, S).
    crossed, crossings
        Resources that each placement crosses, shape (P, X), and how many, shape (P,).
    row
        For each of them the row of ``time`` where its τ stands; for a local placement the first
        entry is used, with load 0. Shape (P, X).
    time
        τ in seconds by job, row and load of the resource, shape (n, R, L + 1).
    resources
        Number of resources, shape (1,).
    """

    gpus: Whole
    iterations: Real
    weight: Real
    release: Real
    duration: Real
    demand: Whole
    twin: Whole
    kind: Whole
    capacity: Whole
    server_class: Whole
    first: Whole
    last: Whole
    taken: Whole
    crossed: Whole
    crossings: Whole
    row: Whole
    time: Real
    resources: Whole


class TableSource(NamedTuple):
    """Tables, and what their numbers stand for.

    Parameters
    ----------
    tables
        The tables.
    job
        Position in the instance of each job of the tables.
    placements
        The placement of each row of ``tables.taken``.
    """

    tables: SearchTables
    job: list[int]
    placements: list[Placement]


def search_tables(
    instance: Instance, order: Sequence[int], *, objective: Objective, symmetry: bool = True
) -> TableSource:
    """Tabulate an instance in continuous time.

    Parameters
    ----------
    instance
        The instance.
    order
        The jobs in the order in which a search is to ask for them.
    objective
        Sets the weights: all 1 for ``mean_jct``.
    symmetry
        False: no two servers or jobs are held for exchangeable.

    Raises
    ------
    UnsupportedError
        If time is slotted, the rate model is not known to have τ set by the slowest resource alone,
        or there are too many placements.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> source = search_tables(waiting_pays(), [0, 1], objective="makespan")
    >>> source.tables.taken.tolist()
    [[2, 1, 0], [2, 0, 1], [1, 2, 0], [1, 0, 2], [0, 2, 1], [0, 1, 2], [1, 1, 1]]
    >>> source.tables.time[0, source.tables.row[0, 0]].tolist()
    [1.05, 1.05, 2.55]
    """
    rates = rate_functions(instance)
    _check(instance)
    workload, jobs = Workload.of(instance), instance.jobs
    demands = np.unique(jobs.gpus)
    capacity = instance.cluster.servers.gpus
    placements, first, last = _placements(instance, demands.tolist())
    picked = np.array(order, dtype=np.int64)
    demand = np.searchsorted(demands, jobs.gpus[picked])
    kind, twin = _twins(instance, order, symmetry=symmetry)
    taken = np.zeros((len(placements), len(capacity)), dtype=np.int64)
    for number, placement in enumerate(placements):
        taken[number, list(placement.servers)] = placement.counts
    crossed, crossings, row, time = _times(instance, rates, order, placements, first, last, demand)
    tables = SearchTables(
        jobs.gpus[picked].astype(np.int64),
        jobs.iterations[picked].astype(np.float64),
        workload.weights(objective)[picked].astype(np.float64),
        jobs.arrival_s[picked].astype(np.float64),
        workload.duration[picked].astype(np.float64),
        demand.astype(np.int64),
        twin,
        kind,
        capacity.astype(np.int64),
        np.array(server_classes(instance, rates, symmetry=symmetry), dtype=np.int64),
        first,
        last,
        taken,
        crossed,
        crossings,
        row,
        time,
        np.array([rates.resource_count], dtype=np.int64),
    )
    return TableSource(tables, list(order), placements)


def _check(instance: Instance) -> None:
    instead = "method 'brute-force' takes it"
    if instance.is_slotted:
        raise UnsupportedError(f"{instance.name!r} has slotted time; {instead}")
    model = untabulated_model(instance)
    if model:
        raise UnsupportedError(
            f"{instance.name!r} has rate model {model}, in which the slowest resource may not "
            f"decide alone; {instead}"
        )


def untabulated_model(instance: Instance) -> str:
    """Return the rate model if the slowest resource need not decide alone in it, else nothing.

    In ``tiered`` a job waits for the links of a rack and for those between racks, one after the
    other. Where nobody shares them, its placement alone sets its speed.
    """
    model = instance.rate_model
    if model.name not in SUPPORTED_MODELS:
        return repr(model.name)
    if model.name == "tiered" and model.resolved["contention"]:
        return "'tiered' with contention"
    return ""


def _placements(instance: Instance, demands: Sequence[int]) -> tuple[list[Placement], Whole, Whole]:
    """Return the placements of every demand, those on few servers first."""
    capacity: list[int] = instance.cluster.servers.gpus.tolist()
    placements: list[Placement] = []
    first, last = [], []
    for gpus in demands:
        first.append(len(placements))
        found = []
        for pairs in splits(gpus, capacity, range(len(capacity))):
            found.append(Placement.of(pairs))
            if len(placements) + len(found) > MOST_PLACEMENTS:
                raise TooLargeError(
                    f"{instance.name!r} has more than {MOST_PLACEMENTS:,} placements, too many "
                    "for a table; method 'brute-force' makes none"
                )
        # Sorting is stable.
        found.sort(key=lambda placement: len(placement.servers))
        placements += found
        last.append(len(placements))
    return placements, np.array(first, dtype=np.int64), np.array(last, dtype=np.int64)


def _twins(instance: Instance, order: Sequence[int], *, symmetry: bool) -> tuple[Whole, Whole]:
    """Return the first and the previous of the jobs identical to each, by position in ``order``."""
    count = len(order)
    kind, twin = np.arange(count, dtype=np.int64), np.full(count, -1, dtype=np.int64)
    if not symmetry:
        return kind, twin
    twins = earlier_twins(instance)
    group = [min((job, *twins[job])) for job in order]
    latest: dict[int, int] = {}
    for position, name in enumerate(group):
        kind[position] = group.index(name)
        twin[position] = latest.get(name, -1)
        latest[name] = position
    return kind, twin


def _times(
    instance: Instance,
    rates: RateFunctions,
    order: Sequence[int],
    placements: Sequence[Placement],
    first: Whole,
    last: Whole,
    demand: Whole,
) -> tuple[Whole, Whole, Whole, Real]:
    """Tabulate τ by resource: on one of load c, with load 1 on all others.

    A later maximum over the resources gives τ for any loads, since the slowest one decides. In a
    level model placements on equally many servers share a row, otherwise at most those on equally
    many servers of equally many racks.
    """
    rack: list[int] = instance.cluster.servers.rack.tolist()
    crossed_by = [rates.shared_resources(placement) for placement in placements]
    width = max(1, max(len(one) for one in crossed_by))
    crossed = np.full((len(placements), width), -1, dtype=np.int64)
    row = np.zeros((len(placements), width), dtype=np.int64)
    crossings = np.array([len(one) for one in crossed_by], dtype=np.int64)
    # A resource carries no more jobs than there are, nor than GPUs behind it can start.
    most_load = len(order)
    sources: list[tuple[int, int]] = []
    for group in range(len(first)):
        known: dict[tuple[int, ...], int] = {}
        for number in range(int(first[group]), int(last[group])):
            crossed[number, : crossings[number]] = crossed_by[number]
            for at in range(max(1, int(crossings[number]))):
                if rates.is_level_model:
                    key: tuple[int, ...] = (len(placements[number].servers),)
                elif rates.depends_on_maximum_load:
                    servers = placements[number].servers
                    racks = len({rack[server] for server in servers})
                    key = (len(servers), racks, int(crossings[number]) > 0)
                else:
                    key = (number, at)
                if key not in known:
                    known[key] = len(sources)
                    sources.append((number, at))
                row[number, at] = known[key]
    if len(order) * len(sources) * (most_load + 1) > MOST_TIMES:
        raise UnsupportedError(
            f"{instance.name!r} has too many placements of unequal rates for a table; method "
            "'brute-force' makes none"
        )
    time = np.zeros((len(order), len(sources), most_load + 1))
    group_of = np.searchsorted(last, [number for number, _ in sources], side="right")
    for position, job in enumerate(order):
        for source, (number, at) in enumerate(sources):
            if group_of[source] != demand[position]:
                continue
            load = [1] * int(crossings[number])
            for most in range(most_load + 1):
                if load:
                    load[at] = max(1, most)
                time[position, source, most] = rates.iteration_time_s(job, placements[number], load)
    return crossed, crossings, row, time
