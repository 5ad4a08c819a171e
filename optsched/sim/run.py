"""Run a policy on an instance from beginning to end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from optsched.contention import RateFunctions
from optsched.core.instance import Instance
from optsched.core.schedule import Schedule
from optsched.sim.engine import Simulation
from optsched.sim.protocols import Observer, Policy

__all__ = ["SimulationRun", "simulate"]


@dataclass(frozen=True, slots=True, eq=False)
class SimulationRun:
    """A finished simulation.

    Parameters
    ----------
    schedule
        What ran where and when.
    instants
        Moments at which something happened.
    re_rates
        Times the speed of a running job changed.
    preemptions
        Times a job was stopped before its end.
    """

    schedule: Schedule
    instants: int
    re_rates: int
    preemptions: int


def simulate(
    instance: Instance,
    policy: Policy | Callable[[Simulation], None],
    *,
    rates: RateFunctions | None = None,
    durations_s: Sequence[float] | None = None,
    debug: bool = False,
    observers: Iterable[Observer] = (),
) -> SimulationRun:
    """Run a policy on an instance; the parameters are those of :class:`Simulation`.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.jobs import Job
    >>> from optsched.core.placement import Placement
    >>> jobs = [Job("a", 2, 10, compute_s=0.5), Job("b", 2, 10, compute_s=0.25)]
    >>> def first_come(state):
    ...     for job in list(state.waiting):
    ...         if state.free.total >= job.gpus:
    ...             state.start(job, Placement.of({0: job.gpus}))
    >>> run = simulate(Instance("two", Cluster([Server("s0", 2)]), jobs), first_come)
    >>> run.schedule.end_s.tolist()
    [5.0, 7.5]
    """
    simulation = Simulation(
        instance,
        policy,
        rates=rates,
        durations_s=durations_s,
        debug=debug,
        observers=observers,
    )
    schedule = simulation.run()
    return SimulationRun(schedule, simulation.instants, simulation.re_rates, simulation.preemptions)
