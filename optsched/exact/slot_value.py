"""Objectives as whole numbers of slots, exactly: from seconds and back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from optsched.bounds import bound
from optsched.bounds.exact_sums import exact_dot, exact_sum, round_down
from optsched.core.instance import Instance
from optsched.core.metrics import Objective
from optsched.formulations.slot_levels import SlotLevels
from optsched.formulations.slotted_program import SlottedRun

__all__ = ["SlotValue"]

#: Values in seconds are taken to agree up to this share of them.
SAME_VALUE = 1e-9
#: Weights are taken for fractions with denominators up to this number if that is what they are.
LARGEST_DENOMINATOR = 10**4
#: Otherwise for multiples of a unit so small that Σ w C in it reaches this number.
LARGEST_SUM = 2**50


@dataclass(frozen=True, slots=True)
class SlotValue:
    """An objective as CP-SAT counts it: the last end, or Σ w̃ C, in slots from the first arrival.

    Parameters
    ----------
    levels
        The instance.
    objective
        ``makespan``, ``mean_jct`` or ``weighted_jct``.
    weights
        Whole weights w̃ of the completions; None for the makespan.
    scale
        Each w̃ is ``scale`` times its weight, rounded down.
    is_exact
        True if nothing was rounded. Otherwise an optimum is one up to a share of 10⁻⁹.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.instance import Instance
    >>> from optsched.core.jobs import Job
    >>> jobs = [Job("a", 1, 2, compute_s=1.0), Job("b", 1, 2, compute_s=1.0, arrival_s=0.5)]
    >>> pair = Instance("pair", Cluster.uniform(1, 1), jobs, slot_s=1.0)
    >>> value = SlotValue.of(SlotLevels.of(pair), "mean_jct")
    >>> value.bound_s(6), value.at_least(2.75), value.less_than(2.75)
    (2.75, 6, 5)
    """

    levels: SlotLevels
    objective: Objective
    weights: tuple[int, ...] | None
    scale: Fraction
    is_exact: bool

    @classmethod
    def of(cls, levels: SlotLevels, objective: Objective) -> SlotValue:
        """Return the values of an objective of an instance."""
        if objective == "makespan":
            return cls(levels, objective, None, Fraction(1), True)
        count = len(levels.jobs)
        given: list[float] = [1.0] * count
        if objective == "weighted_jct":
            given = levels.instance.jobs.weight.tolist()
        fractions = [Fraction(weight).limit_denominator(LARGEST_DENOMINATOR) for weight in given]
        scale = Fraction(math.lcm(*(one.denominator for one in fractions)))
        is_exact = all(float(f) == weight for f, weight in zip(fractions, given, strict=True))
        largest = scale * sum(fractions) * levels.horizon
        if not is_exact or largest > LARGEST_SUM:
            is_exact = False
            fractions = [Fraction(weight) for weight in given]
            scale = Fraction(LARGEST_SUM) / (sum(fractions) * levels.horizon)
        whole = tuple(math.floor(weight * scale) for weight in fractions)
        return cls(levels, objective, whole, scale, is_exact)

    def internal(self, runs: Sequence[SlottedRun]) -> int:
        """Return the value of a schedule."""
        if self.weights is None:
            return max(run.after for run in runs)
        return sum(w * run.after for w, run in zip(self.weights, runs, strict=True))

    def bound_s(self, internal: int) -> float:
        """Return in seconds what a lower bound on the value proves, rounded down once."""
        slots = Fraction(internal) / self.scale
        first = self.levels.first_slot
        if self.weights is None:
            # As the judge multiplies, so that an optimum equals its bound.
            return float(internal + first) * self.levels.slot_s
        total, waited = _sums(self.levels.instance, self.objective)
        return round_down(((slots + first * total) * Fraction(self.levels.slot_s) - waited) / total)

    def at_least(self, value_s: float) -> int:
        """Return a value that no schedule undercuts whose objective is at least ``value_s``."""
        exact = self._from_seconds(value_s)
        lost = (
            0 if self.is_exact or self.weights is None else self.levels.horizon * len(self.weights)
        )
        return max(0, math.ceil(exact - abs(exact) * Fraction(SAME_VALUE)) - lost)

    def less_than(self, value_s: float) -> int:
        """Return the largest value of a schedule whose objective is less than ``value_s``."""
        exact = self._from_seconds(value_s)
        return math.ceil(exact - abs(exact) * Fraction(SAME_VALUE)) - 1

    def ends(self, upper: int | None) -> tuple[int, ...]:
        """Return by when each job has to end in some best schedule of at most ``upper``.

        Some best schedule ends by :attr:`SlotLevels.horizon`. For Σ w C a job may end so late only
        as the bound on the others leaves room for. Where that comes below the horizon, it holds for
        every schedule that is good enough.
        """
        levels = self.levels
        horizon = levels.horizon
        if upper is None:
            return (horizon,) * len(levels.jobs)
        if self.weights is None:
            return (min(horizon, upper),) * len(levels.jobs)
        alone = [
            w * (j.release + j.shortest) for w, j in zip(self.weights, levels.jobs, strict=True)
        ]
        together = sum(alone)
        found = []
        for job, weight in enumerate(self.weights):
            if weight == 0:
                found.append(horizon)
                continue
            others = max(together - alone[job], self._others(job))
            found.append(min(horizon, (upper - others) // weight))
        return tuple(found)

    def _others(self, job: int) -> int:
        """Return a lower bound on Σ w̃ C of all jobs but one."""
        instance = self.levels.instance
        rest = [one for number, one in enumerate(instance.jobs) if number != job]
        if not rest or (self.objective == "weighted_jct" and not any(one.weight for one in rest)):
            return 0
        part = instance.with_jobs(rest)
        total, waited = _sums(part, self.objective)
        best_s = Fraction(bound(part, self.objective).value)
        slots = (best_s * total + waited) / Fraction(self.levels.slot_s)
        slots -= self.levels.first_slot * total
        lost = 0 if self.is_exact else self.levels.horizon * len(rest)
        return math.floor((slots - abs(slots) * Fraction(SAME_VALUE)) * self.scale) - lost

    def _from_seconds(self, value_s: float) -> Fraction:
        levels = self.levels
        if self.weights is None:
            return Fraction(value_s) / Fraction(levels.slot_s) - levels.first_slot
        total, waited = _sums(self.levels.instance, self.objective)
        slots = (Fraction(value_s) * total + waited) / Fraction(levels.slot_s)
        return (slots - levels.first_slot * total) * self.scale


def _sums(instance: Instance, objective: Objective) -> tuple[Fraction, Fraction]:
    """Return Σ w and Σ w · arrival (in seconds)."""
    jobs = instance.jobs
    weights = jobs.weight if objective == "weighted_jct" else np.ones(len(jobs))
    return exact_sum(weights), exact_dot(weights, jobs.arrival_s)
