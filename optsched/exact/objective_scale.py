"""Objectives as searches reckon with them: time from the first arrival, sums in place of means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from optsched.core.instance import Instance
from optsched.core.metrics import Objective

__all__ = ["ObjectiveScale"]


@dataclass(frozen=True, slots=True)
class ObjectiveScale:
    """Turns an objective in seconds into the makespan or Σ w C, counted from the first arrival.

    Parameters
    ----------
    first_s
        The first arrival; clocks that start far from it cost no precision.
    factor, offset
        The internal value is ``factor`` times the objective plus ``offset``.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job("a", 1, 2, arrival_s=5.0), Job("b", 1, 2, arrival_s=7.0)]
    >>> late = Instance("late", Cluster.uniform(1, 1), jobs)
    >>> ObjectiveScale.of(late, "makespan").internal(9.0)
    4.0
    >>> ObjectiveScale.of(late, "mean_jct").internal(3.0)
    8.0
    """

    first_s: float
    factor: float
    offset: float

    @classmethod
    def of(cls, instance: Instance, objective: Objective) -> ObjectiveScale:
        """Return the scale of an objective of an instance."""
        arrival_s = instance.jobs.arrival_s
        first_s = float(arrival_s.min())
        if objective == "makespan":
            return cls(first_s, 1.0, -first_s)
        weight = instance.jobs.weight if objective == "weighted_jct" else np.ones(len(arrival_s))
        return cls(first_s, float(weight.sum()), float((weight * (arrival_s - first_s)).sum()))

    def internal(self, objective_s: float) -> float:
        """Return the makespan or Σ w C of an objective."""
        return self.factor * objective_s + self.offset

    def objective_s(self, internal: float) -> float:
        """Return the objective of a makespan or Σ w C."""
        return (internal - self.offset) / self.factor
