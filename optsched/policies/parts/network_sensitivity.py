"""Network sensitivity: how much the network has slowed a job down so far."""

from __future__ import annotations

from typing import Literal

from optsched.policies.parts.service_clock import ServiceClock
from optsched.sim import LiveJob, Simulation

__all__ = ["NetworkSensitivity"]

#: Digits of a sensitivity that count: a job that was never slowed is not told from another by the
#: rounding of its times.
DIGITS = 9


class NetworkSensitivity(ServiceClock):
    """The job that the network has slowed most comes first, of equals the longest waiting.

    The sensitivity of a job is the ideal time of the work it has done over the time this took: 0
    for a job that never ran, 1 for one that was never slowed.

    Parameters
    ----------
    relative_to
        What is ideal: ``compute``, a job without communication (Sharma et al.); ``best``, the job
        at the best speed it can have on this cluster, so that a job too large for a machine is not
        counted as slowed by what it cannot avoid (ours).

    Notes
    -----
    Sharma et al. (arXiv 2401.16492), Nw_sens. Restarts do not count as time.
    """

    def __init__(self, *, relative_to: Literal["compute", "best"] = "compute") -> None:
        super().__init__()
        if relative_to not in ("compute", "best"):
            raise ValueError(f"sensitivity is to 'compute' or 'best', got {relative_to!r}")
        self._is_relative = relative_to == "best"

    def key(self, job: LiveJob, state: Simulation) -> tuple[float, float]:
        """Return the sensitivity, and since when the job waits."""
        return (self.sensitivity(job, state), self.since_s[job.index])

    def sensitivity(self, job: LiveJob, state: Simulation) -> float:
        """Return the sensitivity of a job, in [0, 1]."""
        served_s = self.served_s(job, state)
        if served_s <= 0:
            return 0.0
        done = job.iterations - state.remaining_iterations(job)
        ideal_s = state.instance.jobs.compute_s.item(job.index)
        if self._is_relative or ideal_s <= 0:
            ideal_s = state.rates.best_iteration_time_s(job.index)
        return min(1.0, round(done * ideal_s / served_s, DIGITS))
