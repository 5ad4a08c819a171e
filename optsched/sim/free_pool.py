"""Which servers have how many GPUs free, answered without walking over the cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from optsched.core.placement import Placement

__all__ = ["FreePool", "servers_of"]


class FreePool:
    """Free GPUs of each server, and for each number of free GPUs the set of servers that have it.

    A set of servers is the bits of one integer, so the lowest server of a set is one operation and
    the cost of a query grows with the GPUs of a server, not with the number of servers. Whoever
    schedules may read a pool; only the engine takes and gives back.

    Parameters
    ----------
    capacity
        GPUs of each server.

    Examples
    --------
    >>> pool = FreePool([4, 8, 4])
    >>> pool.take(Placement.of({1: 7}))
    >>> pool.free, pool.total, pool.best_fit(1), pool.first_fit(2)
    ([4, 1, 4], 9, 1, 0)
    """

    __slots__ = (
        "_buckets",
        "_everything",
        "_numbers",
        "_of_size",
        "capacity",
        "free",
        "sizes",
        "total",
    )

    def __init__(self, capacity: Sequence[int]) -> None:
        self.capacity: tuple[int, ...] = tuple(capacity)
        #: The sizes of servers that occur, the largest first.
        self.sizes: tuple[int, ...] = tuple(sorted(set(capacity), reverse=True))
        self.free: list[int] = list(capacity)
        self.total = sum(capacity)
        self._buckets = [0] * (max(capacity) + 1)
        for server, count in enumerate(capacity):
            self._buckets[count] |= 1 << server
        #: One number for each server, for placements to share: large ones are objects each.
        self._numbers = list(range(len(self.capacity)))
        self._everything = (1 << len(self.capacity)) - 1
        #: The servers of each size; the buckets of new pools hold just these.
        self._of_size = {size: self._buckets[size] for size in self.sizes}

    def take(self, placement: Placement) -> None:
        """Mark the GPUs of a placement as used."""
        if len(placement.servers) == 1:
            self.change(placement.servers[0], -placement.counts[0])
        else:
            self._change_several(placement, -1)

    def give(self, placement: Placement) -> None:
        """Mark the GPUs of a placement as free."""
        if len(placement.servers) == 1:
            self.change(placement.servers[0], placement.counts[0])
        else:
            self._change_several(placement, 1)

    def change(self, server: int, by: int) -> None:
        """Mark GPUs of one server as free, or as used if ``by`` is negative."""
        before = self.free[server]
        after = self.free[server] = before + by
        bit, buckets = 1 << server, self._buckets
        buckets[before] ^= bit
        buckets[after] ^= bit
        self.total += by

    def _change_several(self, placement: Placement, sign: int) -> None:
        """Do as :meth:`change` does, on several servers."""
        free, buckets, total = self.free, self._buckets, self.total
        # A strict zip would take longer than the loop.
        for server, count in zip(placement.servers, placement.counts):  # noqa: B905
            by = sign * count
            before = free[server]
            after = free[server] = before + by
            bit = 1 << server
            buckets[before] ^= bit
            buckets[after] ^= bit
            total += by
        self.total = total

    def saved(self) -> tuple[list[int], list[int], int]:
        """Return what :meth:`restore` takes, to try things on the pool itself."""
        return self.free.copy(), self._buckets.copy(), self.total

    def restore(self, saved: tuple[list[int], list[int], int]) -> None:
        """Make the pool what it was when it was :meth:`saved`."""
        self.free[:], self._buckets[:], self.total = saved

    def copy(self) -> FreePool:
        """Return a pool to try things on; the engine knows nothing of it."""
        twin = FreePool.__new__(FreePool)
        for attribute in self.__slots__:
            setattr(twin, attribute, getattr(self, attribute))
        twin.free, twin._buckets = self.free.copy(), self._buckets.copy()  # noqa: SLF001 - own
        return twin

    def has(self, placement: Placement) -> bool:
        """Return True if all GPUs of a placement are free."""
        free = self.free
        # Nor here a strict zip.
        for server, count in zip(placement.servers, placement.counts):  # noqa: B905
            if free[server] < count:
                return False
        return True

    def best_fit(self, gpus: int, among: int = -1) -> int | None:
        """Return the server with the fewest free GPUs that has ``gpus``, the first of equals.

        ``among`` restricts the choice to a set of servers, given as bits.
        """
        for bucket in self._buckets[gpus:]:
            found = bucket & among
            if found:
                return (found & -found).bit_length() - 1
        return None

    def first_fit(self, gpus: int, among: int = -1) -> int | None:
        """Return the first server that has ``gpus`` GPUs free."""
        found = 0
        for bucket in self._buckets[gpus:]:
            found |= bucket
        found &= among
        return (found & -found).bit_length() - 1 if found else None

    def first_free(self, gpus: int) -> tuple[list[int], list[int]]:
        """Return the first servers with free GPUs that together have ``gpus``, and counts on each.

        The last gives what is missing. There must be enough free GPUs.
        """
        free, servers, counts, numbers = self.free, [], [], self._numbers
        found = self._everything ^ self._buckets[0]
        while gpus:
            lowest = found & -found
            found ^= lowest
            server = numbers[lowest.bit_length() - 1]
            count = free[server]
            if count > gpus:
                count = gpus
            servers.append(server)
            counts.append(count)
            gpus -= count
        return servers, counts

    def with_free(self, at_least: int = 1) -> Iterator[int]:
        """Return the servers with ``at_least`` free GPUs, in order."""
        found = 0
        for bucket in self._buckets[at_least:]:
            found |= bucket
        return servers_of(found)

    def idle(self, among: int = -1) -> int:
        """Return the servers of which no GPU is used, as bits."""
        if len(self.sizes) == 1:
            return self._buckets[-1] & among
        idle = 0
        for size, servers in self._of_size.items():
            idle |= self._buckets[size] & servers
        return idle & among

    def idle_with(self, gpus: int, among: int = -1) -> int:
        """Return the idle servers that have exactly ``gpus`` GPUs, as bits."""
        servers = self._of_size.get(gpus)
        return 0 if servers is None else self._buckets[gpus] & servers & among


def servers_of(bits: int) -> Iterator[int]:
    """Yield the servers of a set given as bits, in order.

    Examples
    --------
    >>> list(servers_of(0b1011))
    [0, 1, 3]
    """
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
