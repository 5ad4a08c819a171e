"""Consolidated: the fewest servers the cluster allows, or wait."""

from __future__ import annotations

from typing import Literal

from optsched.core.cluster import Cluster
from optsched.core.placement import Placement
from optsched.placement.local import on_one_server
from optsched.sim import FreePool, LiveJob, Simulation, servers_of

__all__ = ["Consolidated"]

ALL_SERVERS = -1


class Consolidated:
    """Place a job on one server if some server is large enough, else on whole idle servers.

    A job larger than every server takes idle servers, the largest first and the first of equals,
    and one more for the remainder; servers of one rack are preferred to a mix. It waits until it
    can have as few servers as the cluster allows at all.

    Parameters
    ----------
    fit
        Which of the servers that have room: ``best``, the one with the fewest free GPUs (Helios,
        Hu et al. 2021), or ``first``, the first (the yarn placement of Tiresias, Gu et al. 2019).

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> cluster, pool = Cluster.uniform(3, 4), FreePool([4, 4, 4])
    >>> pool.take(Placement.of({1: 2}))
    >>> Consolidated().place(pool, 2, cluster), Consolidated(fit="first").place(pool, 2, cluster)
    (Placement(servers=(1,), counts=(2,)), Placement(servers=(0,), counts=(2,)))
    >>> Consolidated().place(pool, 6, cluster)
    Placement(servers=(0, 1), counts=(4, 2))
    """

    depends_on_demand_only = True

    def __init__(self, *, fit: Literal["best", "first"] = "best") -> None:
        if fit not in ("best", "first"):
            raise ValueError(f"fit is 'best' or 'first', got {fit!r}")
        self.fit = fit
        self._is_best = fit == "best"
        self._racks: tuple[Cluster, list[int]] | None = None
        #: By demand, as long as the cluster does not change.
        self._fewest_servers: dict[int, int] = {}

    def offer(self, job: LiveJob, free: FreePool, state: Simulation) -> Placement | None:
        """Return a placement on the fewest servers, if there is one now."""
        return self.place(free, job.gpus, state.instance.cluster)

    def least_part(self, gpus: int, state: Simulation) -> int:
        """Return the GPUs of the smallest part of an offer, as far as the servers are equal."""
        size, *others = state.free.sizes
        if gpus <= size:
            return gpus
        return 1 if others else gpus % size or size

    def place(self, free: FreePool, gpus: int, cluster: Cluster) -> Placement | None:
        """Return a placement of ``gpus`` GPUs on the fewest servers, or None."""
        if gpus > free.total:
            return None
        if gpus > free.sizes[0]:
            return self._on_several_servers(free, gpus, cluster)
        server = free.best_fit(gpus) if self._is_best else free.first_fit(gpus)
        return None if server is None else on_one_server(server, gpus)

    def _on_several_servers(self, free: FreePool, gpus: int, cluster: Cluster) -> Placement | None:
        racks = self._rack_sets(cluster)
        most = self._fewest_servers.get(gpus)
        if most is None:
            most = self._fewest_servers[gpus] = cluster.fewest_servers(gpus)
        # All but the last server are taken whole, and of equal servers a full last one as well.
        idle = gpus // free.sizes[0] if len(free.sizes) == 1 else most - 1
        if free.idle().bit_count() < idle:
            return None
        for among in [*racks, ALL_SERVERS] if len(racks) > 1 else [ALL_SERVERS]:
            if free.idle(among).bit_count() < idle:
                continue
            found = self._on_idle_servers(free, gpus, among, most)
            if found is not None:
                return found
        return None

    def _with_room(self, free: FreePool, gpus: int, among: int) -> int | None:
        return free.best_fit(gpus, among) if self._is_best else free.first_fit(gpus, among)

    def _on_idle_servers(
        self, free: FreePool, gpus: int, among: int, most: int
    ) -> Placement | None:
        """Take whole idle servers, the largest first, until the rest fits on one more."""
        taken: dict[int, int] = {}
        missing = gpus
        while len(taken) < most:
            last = self._with_room(free, missing, among)
            if last is not None:
                taken[last] = missing
                return Placement.of(taken)
            idle = self._largest_idle(free, among)
            if idle is None:
                return None
            taken[idle] = free.capacity[idle]
            missing -= free.capacity[idle]
            among &= ~(1 << idle)
        return None

    def _largest_idle(self, free: FreePool, among: int) -> int | None:
        for size in free.sizes:
            for server in servers_of(free.idle_with(size, among)):
                return server
        return None

    def _rack_sets(self, cluster: Cluster) -> list[int]:
        """Return the servers of each rack as bits; kept, since the cluster does not change."""
        if self._racks is None or self._racks[0] is not cluster:
            sets = [0] * len(cluster.servers.rack_names)
            for server, rack in enumerate(cluster.servers.rack.tolist()):
                sets[rack] |= 1 << server
            self._racks = (cluster, sets)
            self._fewest_servers.clear()
        return self._racks[1]
