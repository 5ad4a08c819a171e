"""The GPUs of a cluster one by one, with the work each has been given (U in Yu et al. 2022)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optsched.core.cluster import Cluster
from optsched.core.placement import Placement

__all__ = ["Choose", "GpuLoads", "fewest_loaded", "first_servers", "least_busy_servers", "packed"]

GpuSet = NDArray[np.int64]

#: Work added up in another order may exceed a cap by rounding.
ROUNDING = 1e-9


class GpuLoads:
    """The accumulated estimated work of every GPU, and which GPUs are in use.

    GPUs are numbered server by server. The load of a GPU never falls, also not when a job ends.

    Parameters
    ----------
    cluster
        The cluster.

    Attributes
    ----------
    load_s
        Estimated seconds of work given to each GPU so far, shape (N,).
    is_free
        True where no job holds the GPU, shape (N,).
    server
        Server of each GPU, shape (N,).
    """

    def __init__(self, cluster: Cluster) -> None:
        capacity = cluster.servers.gpus
        self.capacity = capacity
        self.server = np.repeat(np.arange(len(capacity)), capacity)
        self.first = np.concatenate(([0], np.cumsum(capacity)[:-1]))
        self.load_s = np.zeros(int(capacity.sum()))
        self.is_free = np.ones(len(self.load_s), dtype=bool)

    def under_cap(self, work_s: float, cap_s: float) -> NDArray[np.bool_]:
        """Return the GPUs that may take ``work_s`` more without exceeding ``cap_s``."""
        return self.load_s + work_s <= cap_s * (1.0 + ROUNDING)

    def busy_servers(self) -> NDArray[np.bool_]:
        """Return the servers that have a GPU in use."""
        in_use = np.bincount(self.server[~self.is_free], minlength=len(self.capacity))
        return in_use > 0

    def opened_servers(self) -> NDArray[np.bool_]:
        """Return the servers that have been given any work so far."""
        given = np.bincount(self.server[self.load_s > 0], minlength=len(self.capacity))
        return given > 0

    def mean_load_s(self) -> NDArray[np.float64]:
        """Return the mean load of each server's GPUs."""
        return np.add.reduceat(self.load_s, self.first) / self.capacity

    def placement(self, gpus: GpuSet) -> Placement:
        """Return the placement that a set of GPUs makes."""
        servers, counts = np.unique(self.server[gpus], return_counts=True)
        return Placement(tuple(servers.tolist()), tuple(counts.tolist()))


#: Chooses a job's GPUs: (loads, eligible GPUs, GPUs wanted) -> their numbers, or None if too few.
Choose = Callable[[GpuLoads, NDArray[np.bool_], int], GpuSet | None]


def _least(eligible: GpuSet, keys: Sequence[NDArray[Any]], wanted: int) -> GpuSet | None:
    """Return the ``wanted`` GPUs least in ``keys`` (the first key counts most), ties in order."""
    if len(eligible) < wanted:
        return None
    return eligible[np.lexsort(tuple(reversed(keys)))[:wanted]]


def fewest_loaded(loads: GpuLoads, eligible: NDArray[np.bool_], wanted: int) -> GpuSet | None:
    """Take the least loaded GPUs: list scheduling, and FA-FFP as it is printed.

    Examples
    --------
    >>> loads = GpuLoads(Cluster.uniform(2, 2))
    >>> loads.load_s[0] = 5.0
    >>> fewest_loaded(loads, loads.is_free, 2).tolist()
    [1, 2]
    """
    gpus = np.flatnonzero(eligible)
    return _least(gpus, [loads.load_s[gpus]], wanted)


def packed(loads: GpuLoads, eligible: NDArray[np.bool_], wanted: int) -> GpuSet | None:
    """Take GPUs of servers in use before opening others: FA-FFP as it is described.

    A server is in use if a GPU of it is, or, where GPUs need not be free, if it has work.
    """
    gpus = np.flatnonzero(eligible)
    servers = loads.server[gpus]
    busy = loads.busy_servers()
    opened = busy if busy.any() else loads.opened_servers()
    return _least(gpus, [~opened[servers], servers, loads.load_s[gpus]], wanted)


def first_servers(loads: GpuLoads, eligible: NDArray[np.bool_], wanted: int) -> GpuSet | None:
    """Take GPUs server by server: first fit."""
    gpus = np.flatnonzero(eligible)
    return gpus[:wanted] if len(gpus) >= wanted else None


def least_busy_servers(capacity_factor: float) -> Choose:
    """Return LBSGF: take GPUs of the least loaded servers that together have λ·w GPUs.

    Parameters
    ----------
    capacity_factor
        λ of Yu et al. 2022, algorithm 3, at least 1: how many times its demand of GPUs the servers
        a job may choose from have.
    """

    def choose(loads: GpuLoads, eligible: NDArray[np.bool_], wanted: int) -> GpuSet | None:
        order = np.argsort(loads.mean_load_s(), kind="stable")
        held = np.cumsum(loads.capacity[order])
        count = int(np.searchsorted(held, capacity_factor * wanted - 1e-9)) + 1
        rank = np.full(len(order), len(order))
        chosen = order[:count]
        rank[chosen] = np.arange(len(chosen))
        gpus = np.flatnonzero(eligible & (rank < len(order))[loads.server])
        return _least(gpus, [loads.load_s[gpus], rank[loads.server[gpus]]], wanted)

    return choose
