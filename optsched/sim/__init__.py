"""The event-driven simulator; it knows nothing of any policy."""

from optsched.sim.engine import Simulation
from optsched.sim.free_pool import FreePool, servers_of
from optsched.sim.live_job import LiveJob
from optsched.sim.protocols import Observer, Policy
from optsched.sim.run import SimulationRun, simulate
from optsched.sim.waiting import WaitingQueue

__all__ = [
    "FreePool",
    "LiveJob",
    "Observer",
    "Policy",
    "Simulation",
    "SimulationRun",
    "WaitingQueue",
    "servers_of",
    "simulate",
]
