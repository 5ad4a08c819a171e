"""Affinity: machines that serve jobs of one demand."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from typing import Literal

from optsched.core.placement import Placement
from optsched.placement.local import on_one_server
from optsched.placement.tiered import Tiered
from optsched.sim import FreePool, LiveJob, Simulation

__all__ = ["Affinity"]


class Affinity:
    """Keep jobs of one demand on machines of their own, each job on one machine if any holds it.

    A machine takes on the demand of the first job that starts on it while it is idle, and loses it
    when it is idle again. A job goes to the machine of its demand with the most free GPUs. If there
    is none with room it goes, as long as no machine has its demand, to the machine without one that
    has the most free GPUs; else to any machine with the most.

    Parameters
    ----------
    spread
        What a job larger than every machine takes: the ``nearest`` GPUs there are, or ``any``,
        drawn at random (what the public simulator of Sharma et al., arXiv 2401.16492, does).
    seed
        Of the draws.

    Notes
    -----
    Xiao et al., Gandiva (OSDI 2018), without several jobs on a GPU.
    """

    depends_on_demand_only = True

    def __init__(self, *, spread: Literal["nearest", "any"] = "nearest", seed: int = 0) -> None:
        if spread not in ("nearest", "any"):
            raise ValueError(f"spread is 'nearest' or 'any', got {spread!r}")
        self._takes_any = spread == "any"
        self._seed = seed
        self._draws = random.Random(f"affinity/{seed}")
        self._nearest = Tiered()
        #: The demand of a machine, the number of jobs on it, and the machine of a job.
        self._demand: dict[int, int] = {}
        self._jobs_on: dict[int, int] = {}
        self._machine: dict[int, int] = {}

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        self._demand, self._jobs_on, self._machine = {}, {}, {}
        self._draws = random.Random(f"affinity/{self._seed}")

    def on_start(self, job: LiveJob, state: Simulation) -> None:
        """Give the machine of a job its demand, if it has none."""
        assert job.placement is not None
        if job.placement.is_spread:
            return
        machine = job.placement.servers[0]
        self._demand.setdefault(machine, job.gpus)
        self._jobs_on[machine] = self._jobs_on.get(machine, 0) + 1
        self._machine[job.index] = machine

    def on_stop(self, job: LiveJob, state: Simulation) -> None:
        """Take the demand from a machine that is left idle."""
        machine = self._machine.pop(job.index, None)
        if machine is None:
            return
        self._jobs_on[machine] -= 1
        if self._jobs_on[machine] == 0:
            del self._jobs_on[machine], self._demand[machine]

    def offer(self, job: LiveJob, free: FreePool, state: Simulation) -> Placement | None:
        """Return GPUs of one machine, or what a job larger than every machine takes."""
        gpus = job.gpus
        if gpus > free.total:
            return None
        if gpus > free.sizes[0]:
            if self._takes_any:
                machines = [one for one in free.with_free() for _ in range(free.free[one])]
                return Placement.of(Counter(self._draws.sample(machines, gpus)))
            return self._nearest.place(free, gpus, state.instance.cluster)
        roomy = list(free.with_free(gpus))
        demand = self._demand
        machine = _freest((one for one in roomy if demand.get(one) == gpus), free)
        if machine is None and gpus not in demand.values():
            machine = _freest((one for one in roomy if one not in demand), free)
        if machine is None:
            machine = _freest(roomy, free)
        return None if machine is None else on_one_server(machine, gpus)


def _freest(machines: Iterable[int], free: FreePool) -> int | None:
    """Return the machine with the most free GPUs, the first of equals."""
    return max(machines, key=lambda machine: free.free[machine], default=None)
