"""A job while it waits or runs."""

from __future__ import annotations

from optsched.core.placement import Placement

__all__ = ["LiveJob"]

INFINITY = float("inf")


class LiveJob:
    """What a scheduler sees of a job, and where the engine keeps its progress.

    Only the engine writes to it. Times are seconds; in slotted time the engine counts ``settled``,
    ``due`` and ``scheduled`` in slots.

    Parameters
    ----------
    index
        Position in the instance.
    gpus, arrival_s, iterations, weight
        As in :class:`~optsched.core.jobs.Job`.
    duration_s
        Run time at its best.

    Attributes
    ----------
    placement
        Where it runs; None while it waits.
    remaining
        Iterations left, as of ``settled``; ask the simulation for the value of now.
    iteration_time_s
        τ where it runs, or where it ran last.
    degree
        Contention degree p where it runs.
    start_s
        Start of its present segment.
    ran_s
        Time for which it held GPUs in earlier segments.
    preemptions
        Times it was preempted.
    """

    __slots__ = (
        "arrival_s",
        "degree",
        "due",
        "duration_s",
        "gpus",
        "index",
        "iteration_time_s",
        "iterations",
        "placement",
        "preemptions",
        "progress",
        "ran_s",
        "remaining",
        "resources",
        "scheduled",
        "settled",
        "start_s",
        "times_s",
        "weight",
    )

    def __init__(
        self,
        index: int,
        gpus: int,
        arrival_s: float,
        iterations: int,
        weight: float,
        duration_s: float,
    ) -> None:
        self.index = index
        self.gpus = gpus
        self.arrival_s = arrival_s
        self.iterations = iterations
        self.weight = weight
        self.duration_s = duration_s
        self.placement: Placement | None = None
        self.resources: tuple[int, ...] = ()
        self.remaining = float(iterations)
        self.iteration_time_s = duration_s / iterations
        #: Iterations in a slot, once it has run in slotted time.
        self.progress: float
        self.degree = 0
        #: τ by contention degree, as far as it was asked for, where it runs spread now.
        self.times_s: dict[int, float]
        self.start_s = 0.0
        self.ran_s = 0.0
        self.preemptions = 0
        #: Time up to which ``remaining`` accounts; in the future during a restart.
        self.settled = 0.0
        #: When it completes, and the earliest entry in the event heap that belongs to it.
        self.due = INFINITY
        self.scheduled = INFINITY

    def __repr__(self) -> str:
        return f"LiveJob(index={self.index}, gpus={self.gpus}, placement={self.placement})"
