"""The cluster a trace is run on, when the trace does not say."""

from __future__ import annotations

from dataclasses import dataclass

from optsched.core.checks import MAX_GPUS_PER_SERVER, MAX_SERVERS
from optsched.core.cluster import Cluster
from optsched.core.errors import TraceError

__all__ = ["ClusterShape"]


@dataclass(frozen=True, slots=True)
class ClusterShape:
    """Equal servers in equal racks: the default of a trace format.

    Examples
    --------
    >>> ClusterShape(16, 8, racks=2).cluster(servers=4).total_gpus
    32
    """

    servers: int
    gpus_per_server: int
    racks: int = 1

    def cluster(
        self,
        *,
        servers: int | None = None,
        gpus_per_server: int | None = None,
        racks: int | None = None,
    ) -> Cluster:
        """Build the cluster, with what is given in place of the default.

        Raises
        ------
        TraceError
            If a number is out of range.
        """
        servers = self.servers if servers is None else servers
        gpus_per_server = self.gpus_per_server if gpus_per_server is None else gpus_per_server
        # A default of two racks must not stand in the way of a single server.
        racks = min(self.racks, servers) if racks is None else racks
        for name, value, most in (
            ("servers", servers, MAX_SERVERS),
            ("gpus_per_server", gpus_per_server, MAX_GPUS_PER_SERVER),
            ("racks", racks, servers),
        ):
            if not 1 <= value <= most:
                raise TraceError(
                    f"{name}: expected a whole number from 1 to {most:,}, got {value!r}"
                )
        return Cluster.uniform(servers, gpus_per_server, racks=racks)
