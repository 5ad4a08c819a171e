"""A workload as a few numbers: demand mix, laws of durations, cycle of arrivals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from optsched.contention.calibration import Estimate
from optsched.generate.arrival_cycle import ArrivalCycle
from optsched.generate.day_variation import DayVariation
from optsched.generate.laws import DurationLaw
from optsched.generate.misfit import Misfit

__all__ = ["DurationClass", "Workload", "demand_shares"]


@dataclass(frozen=True, slots=True)
class DurationClass:
    """Demands whose jobs take equally long, and how long that is.

    Parameters
    ----------
    gpus
        The demands, ascending.
    jobs
        Jobs of the sample that ask for one of them.
    law
        The law of their durations.
    weights, scales_s, shapes
        Its parameters with intervals.
    misfit
        How far the sample is from the law.
    """

    gpus: tuple[int, ...]
    jobs: int
    law: DurationLaw
    weights: tuple[Estimate, ...]
    scales_s: tuple[Estimate, ...]
    shapes: tuple[Estimate, ...]
    misfit: Misfit


@dataclass(frozen=True, slots=True)
class Workload:
    """What a generator needs to draw jobs like those of a trace, and how good the likeness is.

    Parameters
    ----------
    name, title
        Short name, and what it is in a line.
    jobs
        Jobs of the sample.
    servers, gpus_per_server
        The cluster to draw for, unless the user names another.
    demands
        GPUs to the share of jobs that ask for so many, ascending.
    classes
        The laws of durations; every demand is in one class.
    arrivals
        When jobs come; None if all of the sample came at once.
    arrival_misfit
        How far the gaps, in expected arrivals, are from exponential ones.
    dispersion
        Variance of arrivals in an hour over that of a Poisson process; 1 is as expected.
    days
        How busy and idle days differ, on top of the cycle; None if the sample is too short.
    confidence
        Level of the intervals.
    source
        Where the sample is from, by key.
    """

    name: str
    title: str
    jobs: int
    servers: int
    gpus_per_server: int
    demands: Mapping[int, Estimate]
    classes: tuple[DurationClass, ...]
    arrivals: ArrivalCycle | None
    arrival_misfit: Misfit | None
    dispersion: float | None
    days: DayVariation | None = None
    confidence: float = 0.95
    source: Mapping[str, str] = field(default_factory=dict)

    def class_of(self, gpus: int) -> DurationClass:
        """Return the class of a demand."""
        return next(one for one in self.classes if gpus in one.gpus)

    def parameters(self) -> dict[str, Estimate]:
        """Return every fitted parameter by a name of its own.

        For comparisons of two fits of the same form.
        """
        found = {f"share of {gpus}": share for gpus, share in self.demands.items()}
        for one in self.classes:
            label = "+".join(map(str, one.gpus))
            for what in ("weights", "scales_s", "shapes"):
                for part, estimate in enumerate(getattr(one, what)):
                    found[f"{what}[{part}] of {label}"] = estimate
        if self.arrivals is not None:
            found["rate_per_s"] = self.arrivals.rate_per_s
            found |= {f"hour {hour}": one for hour, one in enumerate(self.arrivals.hours)}
            found |= {f"weekday {day}": one for day, one in enumerate(self.arrivals.weekdays)}
        return found


def demand_shares(gpus: NDArray[np.int64], *, confidence: float = 0.95) -> dict[int, Estimate]:
    """Return the share of each demand, with Wilson's interval.

    Examples
    --------
    >>> shares = demand_shares(np.array([1, 1, 1, 4]))
    >>> {demand: round(share.value, 2) for demand, share in shares.items()}
    {1: 0.75, 4: 0.25}
    >>> round(shares[4].low, 3), round(shares[4].high, 3)
    (0.046, 0.699)
    """
    demands, counts = np.unique(gpus, return_counts=True)
    total, z = len(gpus), NormalDist().inv_cdf(0.5 + confidence / 2.0)
    shares = {}
    for demand, count in zip(demands.tolist(), counts.tolist(), strict=True):
        share = count / total
        centre = (share + z * z / (2 * total)) / (1 + z * z / total)
        half = z / (1 + z * z / total)
        half *= math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
        shares[demand] = Estimate(share, max(centre - half, 0.0), min(centre + half, 1.0))
    return shares
