"""The jobs of an instance in order of arrival, made only when their time comes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from optsched.core.instance import Instance
from optsched.sim.clock import Clock
from optsched.sim.live_job import LiveJob

__all__ = ["jobs_by_arrival"]

#: Jobs whose columns are turned into Python numbers at once.
CHUNK = 16_384


def jobs_by_arrival(
    instance: Instance, clock: Clock, durations_s: NDArray[np.float64]
) -> Iterator[tuple[float, LiveJob]]:
    """Yield (arrival on the clock, job), ties in the order of the instance.

    Parameters
    ----------
    instance
        The instance.
    clock
        The engine's clock; in slotted time a job arrives at the next slot.
    durations_s
        Best duration of each job, shape (n,).
    """
    jobs = instance.jobs
    times = jobs.arrival_s
    if instance.is_slotted:
        times = np.array([clock.at_or_after(time_s) for time_s in times.tolist()])
    order = np.argsort(times, kind="stable")
    columns = (jobs.gpus, jobs.arrival_s, jobs.iterations, jobs.weight, durations_s)
    for first in range(0, len(order), CHUNK):
        chunk = order[first : first + CHUNK]
        listed = (column[chunk].tolist() for column in columns)
        for time, index, gpus, arrival_s, iterations, weight, duration_s in zip(
            times[chunk].tolist(), chunk.tolist(), *listed, strict=True
        ):
            yield time, LiveJob(index, gpus, arrival_s, iterations, weight, duration_s)
