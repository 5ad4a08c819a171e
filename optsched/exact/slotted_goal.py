"""Objectives counted in slots: what a value means, and by when each job has to end for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from optsched.core.metrics import Objective
from optsched.formulations.slot_levels import SlotLevels
from optsched.formulations.slotted_program import SlottedGoal

__all__ = ["SlottedScale"]

#: Solvers keep constraints and whole numbers up to 10⁻⁶; a bound is rounded with this much care.
TOLERANCE = 1e-5
#: Weights with a common measure give sums that are multiples of it, if there are not too many.
MOST_UNITS = 10**6


@dataclass(frozen=True, slots=True)
class SlottedScale:
    """Turns an objective in seconds into slots from the first arrival, and back.

    The makespan becomes the last end, the others Σ w C.

    Parameters
    ----------
    levels
        The instance.
    weights
        Weights of the completions; None for the makespan.
    unit
        All values are multiples of it; 0 if it is not known.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.instance import Instance
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job("a", 1, 2, compute_s=1.0), Job("b", 1, 2, compute_s=1.0, arrival_s=0.5)]
    >>> pair = Instance("pair", Cluster.uniform(1, 1), jobs, slot_s=1.0)
    >>> scale = SlottedScale.of(SlotLevels.of(pair), "mean_jct")
    >>> scale.internal(2.75), scale.seconds(6.0), scale.lower_s(5.2)
    (6.0, 2.75, 2.75)
    """

    levels: SlotLevels
    weights: tuple[float, ...] | None
    unit: float

    @classmethod
    def of(cls, levels: SlotLevels, objective: Objective) -> SlottedScale:
        """Return the scale of an objective of an instance."""
        if objective == "makespan":
            return cls(levels, None, 1.0)
        jobs = levels.instance.jobs
        weights = [1.0] * len(jobs) if objective == "mean_jct" else jobs.weight.tolist()
        return cls(levels, tuple(weights), _common_unit(weights))

    def internal(self, value_s: float) -> float:
        """Return the slots, or Σ w C in slots, of an objective in seconds."""
        slot_s = self.levels.slot_s
        if self.weights is None:
            return value_s / slot_s - self.levels.first_slot
        return value_s * math.fsum(self.weights) / slot_s + self._waited()

    def seconds(self, internal: float) -> float:
        """Return the objective in seconds."""
        slot_s = self.levels.slot_s
        if self.weights is None:
            return (internal + self.levels.first_slot) * slot_s
        return (internal - self._waited()) * slot_s / math.fsum(self.weights)

    def lower_s(self, internal: float) -> float:
        """Return in seconds what a lower limit within a solver's tolerances proves."""
        allowed = TOLERANCE * max(1.0, abs(internal))
        if self.unit > 0:
            internal = math.ceil((internal - allowed) / self.unit) * self.unit
        else:
            internal -= allowed
        return self.seconds(internal)

    def below(self, value_s: float) -> float:
        """Return the largest value in slots that is less than one in seconds."""
        internal = self.internal(value_s)
        allowed = 1e-9 * max(1.0, abs(internal))
        if self.unit > 0:
            return (math.ceil((internal - allowed) / self.unit) - 1) * self.unit
        return internal - TOLERANCE * max(1.0, abs(internal))

    def goal(self, upper: float, *, lower: float = 0.0) -> SlottedGoal:
        """Return the goal of schedules of at most ``upper``, with the last end of each job.

        Where all others take their shortest, what is left of Σ w C limits the completion of a job.
        Some schedule among the best ends within :attr:`SlotLevels.horizon`, so this limits all of
        them. Jobs of no weight may come after all others.
        """
        jobs = self.levels.jobs
        horizon = self.levels.horizon
        if self.weights is None:
            last = horizon if upper == math.inf else min(horizon, math.floor(upper + TOLERANCE))
            return SlottedGoal((last,) * len(jobs), None, lower)
        if upper == math.inf:
            return SlottedGoal((horizon,) * len(jobs), self.weights, lower)
        least = [w * (j.release + j.shortest) for w, j in zip(self.weights, jobs, strict=True)]
        spare = upper + TOLERANCE - math.fsum(least)
        ends = [
            min(horizon, job.release + job.shortest + math.floor(spare / weight))
            if weight > 0
            else horizon
            for weight, job in zip(self.weights, jobs, strict=True)
        ]
        return SlottedGoal(tuple(ends), self.weights, lower, upper)

    def _waited(self) -> float:
        """Return Σ w · arrival in slots from the first slot."""
        instance = self.levels.instance
        first_s = self.levels.first_slot * self.levels.slot_s
        arrival_s: list[float] = instance.jobs.arrival_s.tolist()
        weights = self.weights or ()
        waited = (w * (a - first_s) for w, a in zip(weights, arrival_s, strict=True))
        return math.fsum(waited) / self.levels.slot_s


def _common_unit(weights: Sequence[float]) -> float:
    """Return the greatest number of which all weights are multiples, 0 if it is too small.

    Examples
    --------
    >>> _common_unit([1.0, 0.5, 3.0]), _common_unit([1.0, 0.1])
    (0.5, 0.0)
    """
    unit = Fraction(0)
    for weight in weights:
        a, b = unit, Fraction(weight)
        while b:
            a, b = b, a % b
        unit = a
    if unit == 0 or max(Fraction(weight) for weight in weights) / unit > MOST_UNITS:
        return 0.0
    return float(unit)
