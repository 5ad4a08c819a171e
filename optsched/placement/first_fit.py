"""First fit: any free GPUs, the first servers first, spread or not."""

from __future__ import annotations

from optsched.core.placement import Placement
from optsched.placement.local import on_one_server
from optsched.sim import FreePool, LiveJob, Simulation

__all__ = ["FirstFit"]


class FirstFit:
    """Take free GPUs server by server in the order of the cluster; decline only if too few.

    This wastes no GPU and cares for no network. It is not the planner ``first-fit`` of Yu et al.,
    which also caps the work of each GPU.

    Examples
    --------
    >>> FirstFit().place(FreePool([1, 0, 4]), 3)
    Placement(servers=(0, 2), counts=(1, 2))
    """

    depends_on_demand_only = True

    def offer(self, job: LiveJob, free: FreePool, state: Simulation) -> Placement | None:
        """Return the first free GPUs."""
        return self.place(free, job.gpus)

    def place(self, free: FreePool, gpus: int) -> Placement | None:
        """Return the first ``gpus`` free GPUs, or None if there are fewer."""
        if gpus > free.total:
            return None
        servers, counts = free.first_free(gpus)
        if len(servers) == 1:
            return on_one_server(servers[0], gpus)
        return Placement(tuple(servers), tuple(counts))
