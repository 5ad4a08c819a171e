"""Which servers a job runs on, and with how many GPUs on each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

__all__ = ["Placement"]


@dataclass(frozen=True, slots=True)
class Placement:
    """GPUs taken on each server, sorted by server.

    Servers are positions in ``instance.cluster.servers``. A placement on one server is *local*,
    one on several is *spread*. Build one with :meth:`of`, which sorts and checks.

    Parameters
    ----------
    servers
        Positions of the servers, strictly increasing.
    counts
        GPUs taken on each of them, at least 1.

    Examples
    --------
    >>> placement = Placement.of({2: 1, 0: 2})
    >>> placement.servers, placement.counts, placement.gpus, placement.is_spread
    ((0, 2), (2, 1), 3, True)
    """

    servers: tuple[int, ...]
    counts: tuple[int, ...]

    @classmethod
    def of(cls, gpus_by_server: Mapping[int, int] | Iterable[tuple[int, int]]) -> Placement:
        """Build a placement from ``{server: gpus}`` or from pairs, in any order."""
        pairs = (
            gpus_by_server.items() if isinstance(gpus_by_server, Mapping) else list(gpus_by_server)
        )
        ordered = sorted(pairs)
        servers = tuple(int(server) for server, _ in ordered)
        counts = tuple(int(count) for _, count in ordered)
        if not servers:
            raise ValueError("a placement needs at least one server")
        if any(count < 1 for count in counts):
            raise ValueError(f"a placement takes at least 1 GPU on each server, got {ordered}")
        if len(set(servers)) != len(servers):
            raise ValueError(f"a placement names each server once, got {ordered}")
        return cls(servers, counts)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The (server, GPUs) pairs, sorted by server."""
        return tuple(zip(self.servers, self.counts, strict=True))

    @property
    def gpus(self) -> int:
        """GPUs taken in all."""
        return sum(self.counts)

    @property
    def is_spread(self) -> bool:
        """True if the job needs the network: it is on two servers or more."""
        return len(self.servers) > 1
