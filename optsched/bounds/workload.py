"""An instance as the bounds see it: demands, best durations, release dates, exact values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from optsched.bounds.exact_sums import exact_dot, exact_sum, round_down
from optsched.contention import best_durations_s
from optsched.contention.slots import at_slot_boundary
from optsched.core.instance import Instance
from optsched.core.metrics import Objective
from optsched.core.result import Preemption, ProblemClass

__all__ = ["BEST_DURATION_ASSUMPTION", "Workload"]

BEST_DURATION_ASSUMPTION = (
    "No job does better than the least iteration time over all placements without contention."
)
#: Several times what the judge forgives: a billionth of a slot, and 10⁻¹² of a job.
FORGIVEN_SLOTS = 1e-8
FORGIVEN_SHARE = 1e-11
SLOT_ASSUMPTION = "Jobs start and end at slot boundaries, and arrive at the next one."


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """What every job needs at least, in one unit of time: seconds, or slots in slotted time.

    In slotted time all durations and release dates are whole numbers of slots, so that bounds on
    completions may be rounded up to whole slots without any tolerance.

    Parameters
    ----------
    instance
        The instance.
    unit_s
        Seconds in a unit of time: 1, or the length of a slot.
    duration
        Best duration of each job (d), shape (n,).
    release
        Release date of each job (r), in slotted time the next slot boundary, shape (n,).
    distinct_gpus
        The distinct demands (G), ascending, shape (D,).
    demand
        Position in ``distinct_gpus`` of each job's demand, shape (n,).

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job("a", 2, 10, compute_s=0.3, arrival_s=0.5)]
    >>> one = Instance("one", Cluster([Server("s0", 4)]), jobs, slot_s=2.0)
    >>> workload = Workload.of(one)
    >>> workload.duration.tolist(), workload.release.tolist()
    ([2.0], [1.0])
    """

    instance: Instance
    unit_s: float
    duration: NDArray[np.float64]
    release: NDArray[np.float64]
    distinct_gpus: NDArray[np.int64]
    demand: NDArray[np.int64]

    @classmethod
    def of(cls, instance: Instance) -> Workload:
        """Compute the columns of an instance.

        Raises
        ------
        StalledJobError
            If a job completes no iteration in a slot, even at its best.
        """
        duration = best_durations_s(instance)
        release = instance.jobs.arrival_s
        unit_s = 1.0
        slot_s = instance.slot_s
        if slot_s is not None:
            unit_s = slot_s
            duration = _surely_needed_slots(instance, np.rint(duration / slot_s), slot_s)
            if instance.has_arrivals:
                release = np.array(
                    [at_slot_boundary(time_s, slot_s) for time_s in release.tolist()], np.float64
                )
        distinct_gpus, demand = np.unique(instance.jobs.gpus, return_inverse=True)
        return cls(instance, unit_s, duration, release, distinct_gpus, demand)

    @property
    def total_gpus(self) -> int:
        """GPUs of the whole cluster (N)."""
        return self.instance.cluster.total_gpus

    @property
    def has_releases(self) -> bool:
        """True if some job is released after time 0."""
        return bool((self.release > 0).any())

    @property
    def problem_class(self) -> ProblemClass:
        """Every schedule of the instance, with preemption and migration."""
        time = "slotted" if self.instance.is_slotted else "continuous"
        return ProblemClass(time, Preemption.MIGRATE, self.instance.rate_model.name)  # type: ignore[arg-type]

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What holds for every bound made from best durations."""
        if self.instance.is_slotted:
            return (BEST_DURATION_ASSUMPTION, SLOT_ASSUMPTION)
        return (BEST_DURATION_ASSUMPTION,)

    def weights(self, objective: Objective) -> NDArray[np.float64]:
        """Return the weight of each job in an objective; 1 for all in ``mean_jct``."""
        if objective == "weighted_jct":
            return self.instance.jobs.weight
        return np.ones(len(self.duration))

    def seconds(self, units: Fraction) -> float:
        """Return an exact time in seconds, rounded down once."""
        return round_down(units * Fraction(self.unit_s))

    def makespan_s(self, units: Fraction) -> float:
        """Return a bound on the makespan in seconds, in slotted time of whole slots."""
        if self.instance.is_slotted:
            units = Fraction(math.ceil(units))
        return self.seconds(units)

    def jct_s(self, completions: Fraction, objective: Objective) -> float:
        """Return the bound on an objective that follows from one on Σ wC.

        Parameters
        ----------
        completions
            A lower bound on the sum of weight times completion time, in units of time.
        objective
            ``mean_jct`` or ``weighted_jct``. Completions are counted from the arrivals themselves,
            also in slotted time.
        """
        weights = self.weights(objective)
        if self.instance.is_slotted and bool(np.all(weights == np.floor(weights))):
            # Whole weights times whole slots: the sum is a whole number.
            completions = Fraction(math.ceil(completions))
        arrivals = exact_dot(weights, self.instance.jobs.arrival_s)
        total = completions * Fraction(self.unit_s) - arrivals
        return round_down(total / exact_sum(weights))


def _surely_needed_slots(
    instance: Instance, slots: NDArray[np.float64], slot_s: float
) -> NDArray[np.float64]:
    """Return durations in slots less one where the last slot is only needed for a rounding.

    With whole iterations a slot nothing is rounded. A ``fixed`` duration may exceed whole slots by
    so little that the judge, after some preemptions, takes the surplus for a rounding.
    """
    if instance.rate_model.name != "fixed":
        return slots
    needed = instance.jobs.iterations * instance.jobs.compute_s / slot_s
    forgiven = FORGIVEN_SLOTS + FORGIVEN_SHARE * needed
    return np.where((slots > 1) & (needed <= slots - 1 + forgiven), slots - 1, slots)
