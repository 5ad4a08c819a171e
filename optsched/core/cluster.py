"""Servers, and the network between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

__all__ = ["Cluster", "Fabric", "Link", "Server", "Servers"]


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a network graph: between two nodes, in both directions at one rate.

    Parameters
    ----------
    between
        Ids of the two nodes. A name that is no server's is a switch.
    bytes_per_s
        Bandwidth.
    """

    between: tuple[str, str]
    bytes_per_s: float


@dataclass(frozen=True, slots=True)
class Fabric:
    """The rates of a cluster's network; what a calibration yields.

    Parameters
    ----------
    intra_bytes_per_s
        Bandwidth between GPUs of one server (bⁱ).
    inter_bytes_per_s
        Bandwidth of a server's network interface (bᵉ), unless the server names its own.
    uplink_bytes_per_s
        Bandwidth of a rack's uplink, crossed by jobs that span two racks or more.
    reduce_bytes_per_s
        Speed at which a GPU adds up gradients (C).
    degradation
        What contention wastes (α): k jobs on one resource each see it k + α(k − 1) times slower.
    latency_s
        Added to every iteration of a spread job (a).
    links
        The network as a graph, in place of ``inter_bytes_per_s`` and ``uplink_bytes_per_s``: jobs
        then share the links on the shortest paths of their rings.

    Examples
    --------
    >>> Fabric(inter_bytes_per_s=1.25e9, degradation=0.2).intra_bytes_per_s
    inf
    """

    intra_bytes_per_s: float = float("inf")
    inter_bytes_per_s: float = float("inf")
    uplink_bytes_per_s: float = float("inf")
    reduce_bytes_per_s: float = float("inf")
    degradation: float = 0.0
    latency_s: float = 0.0
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Server:
    """One server: its id, its rack, its GPUs, and its own network rate if it has one."""

    id: str
    gpus: int
    rack: str = "r0"
    inter_bytes_per_s: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Servers(Sequence[Server]):
    """The servers of a cluster as columns; indexing gives a :class:`Server`.

    Parameters
    ----------
    ids
        One id a server.
    gpus
        GPUs of each server, shape (S,).
    rack_names
        Racks in the order in which they first occur.
    rack
        Position in ``rack_names`` of each server's rack, shape (S,).
    inter_bytes_per_s
        Network rate of each server, NaN where the fabric's holds, shape (S,).
    """

    ids: tuple[str, ...]
    gpus: NDArray[np.int64]
    rack_names: tuple[str, ...]
    rack: NDArray[np.int64]
    inter_bytes_per_s: NDArray[np.float64]

    @classmethod
    def of(cls, servers: Iterable[Server]) -> Servers:
        """Collect servers into columns."""
        rows = list(servers)
        rack_names = tuple(dict.fromkeys(row.rack for row in rows))
        rack_of = {name: position for position, name in enumerate(rack_names)}
        own = [np.nan if s.inter_bytes_per_s is None else s.inter_bytes_per_s for s in rows]
        columns = (
            np.array([row.gpus for row in rows], dtype=np.int64),
            np.array([rack_of[row.rack] for row in rows], dtype=np.int64),
            np.array(own, dtype=np.float64),
        )
        for column in columns:
            column.flags.writeable = False
        return cls(tuple(row.id for row in rows), columns[0], rack_names, columns[1], columns[2])

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, position: int) -> Server: ...
    @overload
    def __getitem__(self, position: slice) -> list[Server]: ...
    def __getitem__(self, position: int | slice) -> Server | list[Server]:
        if isinstance(position, slice):
            return [self[i] for i in range(*position.indices(len(self)))]
        own = float(self.inter_bytes_per_s[position])
        return Server(
            id=self.ids[position],
            gpus=int(self.gpus[position]),
            rack=self.rack_names[int(self.rack[position])],
            inter_bytes_per_s=None if np.isnan(own) else own,
        )

    def __iter__(self) -> Iterator[Server]:
        return (self[position] for position in range(len(self)))


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Cluster:
    """Servers and the fabric that joins them.

    Parameters
    ----------
    servers
        The servers; a plain sequence of :class:`Server` is turned into columns.
    fabric
        The rates of the network.

    Examples
    --------
    >>> cluster = Cluster([Server("s0", 4), Server("s1", 8)], Fabric())
    >>> cluster.total_gpus, cluster.max_gpus_per_server
    (12, 8)
    """

    servers: Servers
    fabric: Fabric

    def __init__(self, servers: Iterable[Server], fabric: Fabric | None = None) -> None:
        columns = servers if isinstance(servers, Servers) else Servers.of(servers)
        object.__setattr__(self, "servers", columns)
        object.__setattr__(self, "fabric", Fabric() if fabric is None else fabric)

    @classmethod
    def uniform(
        cls,
        servers: int,
        gpus_per_server: int,
        *,
        racks: int = 1,
        fabric: Fabric | None = None,
    ) -> Cluster:
        """Build ``servers`` equal servers, dealt to ``racks`` racks in equal runs."""
        per_rack = -(-servers // racks)
        return cls(
            (Server(f"s{i}", gpus_per_server, f"r{i // per_rack}") for i in range(servers)), fabric
        )

    @property
    def total_gpus(self) -> int:
        """GPUs of the whole cluster (N)."""
        return int(self.servers.gpus.sum())

    @property
    def max_gpus_per_server(self) -> int:
        """GPUs of the largest server (max O_s)."""
        return int(self.servers.gpus.max())

    def fewest_servers(self, gpus: int) -> int:
        """Return the fewest servers that hold ``gpus`` GPUs, the largest taken first."""
        held = np.cumsum(np.sort(self.servers.gpus)[::-1])
        return int(np.searchsorted(held, gpus)) + 1
