"""What a unit of time in a slot of each type brings each job nearer to its end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optsched.bounds.slot_types import SlotType
from optsched.bounds.workload import Workload
from optsched.contention import RateFunctions
from optsched.core.errors import UnsupportedError
from optsched.core.placement import Placement

__all__ = ["SlotRates"]


@dataclass(frozen=True, slots=True, eq=False)
class SlotRates:
    """How much of each of a job's rows a unit of time covers, by slot type.

    Continuous time has one row a job, its iterations. Slotted time has two: the iterations, and the
    running time, of which every slot with progress covers one part of those that the job needs at
    its best. Without the second the LP would lose what is rounded up to whole slots.

    Parameters
    ----------
    coverage
        Shares covered, shape (n, T, rows a job); 0 for types of other demands.
    exact
        The same as fractions, by job and type, for the types that bring a job on.
    """

    coverage: NDArray[np.float64]
    exact: tuple[dict[int, tuple[Fraction, ...]], ...]

    @classmethod
    def of(
        cls,
        workload: Workload,
        rates: RateFunctions,
        jobs: NDArray[np.int64],
        types: Sequence[SlotType],
    ) -> SlotRates:
        """Compute the shares.

        Parameters
        ----------
        workload
            The workload.
        rates
            The functions of its rate model, which has to be a level model.
        jobs
            The jobs that count.
        types
            The slot types.

        Raises
        ------
        UnsupportedError
            If some job is faster on more servers or under more contention.
        """
        is_slotted = workload.instance.is_slotted
        rows = 2 if is_slotted else 1
        coverage = np.zeros((len(jobs), len(types), rows))
        exact: list[dict[int, tuple[Fraction, ...]]] = []
        for row, job in enumerate(jobs.tolist()):
            gpus = workload.instance.jobs.gpus.item(job)
            iterations = workload.instance.jobs.iterations.item(job)
            shares: dict[int, tuple[Fraction, ...]] = {}
            times_s: dict[SlotType, float] = {}
            for position, one in enumerate(types):
                if one.gpus != gpus:
                    continue
                time_s = _iteration_time_s(rates, job, one)
                times_s[one] = time_s
                if is_slotted:
                    done = rates.progress_per_slot(time_s)
                    if done > 0:
                        running = 1 / Fraction(workload.duration.item(job))
                        shares[position] = (Fraction(done) / iterations, running)
                else:
                    # The product as the best duration is computed, so that both agree.
                    shares[position] = (1 / Fraction(iterations * time_s),)
            _check_monotone(times_s)
            for position, share in shares.items():
                coverage[row, position] = [float(part) for part in share]
            exact.append(shares)
        return cls(coverage, tuple(exact))

    def best_type(self, job: int) -> int:
        """Return the slot type in which a job gets on fastest."""
        return int(self.coverage[job, :, 0].argmax())

    def column(self, jobs: ArrayLike, types: ArrayLike) -> tuple[list[int], list[float]]:
        """Return rows and entries of the column in which jobs are in slots of given types."""
        rows = self.coverage.shape[2]
        chosen = np.asarray(jobs, dtype=np.int64)
        entries = self.coverage[chosen, np.asarray(types, dtype=np.int64)]
        numbers = chosen[:, None] * rows + np.arange(rows)
        return numbers.ravel().tolist(), entries.ravel().tolist()

    def whole_values(self, prices: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return Σ price · share by job and type, rounded up to whole numbers, shape (n, T)."""
        values = np.zeros(self.coverage.shape[:2])
        for job, (shares, own) in enumerate(zip(self.exact, prices, strict=True)):
            for position, share in shares.items():
                total = sum((p * part for p, part in zip(own, share, strict=True)), Fraction())
                values[job, position] = math.ceil(total)
        return values


def _iteration_time_s(rates: RateFunctions, job: int, one: SlotType) -> float:
    """Return τ on some placement of a type; a level model sees no more of it than the type."""
    if one.servers == 1:
        return rates.iteration_time_s(job, Placement.of({0: one.gpus}), ())
    counts = {server: 1 for server in range(one.servers)}
    counts[0] += one.gpus - one.servers
    load = (one.degree,) * one.servers
    return rates.iteration_time_s(job, Placement.of(counts), load)


def _check_monotone(times_s: dict[SlotType, float]) -> None:
    """Check what the choice of shapes rests on: no slot is slower than one it stands for."""
    for better, fast_s in times_s.items():
        for worse, slow_s in times_s.items():
            covers = better.servers <= worse.servers and better.degree <= worse.degree
            if covers and fast_s > slow_s:
                raise UnsupportedError(
                    f"an iteration takes {fast_s:g} s on {better.servers} servers at contention "
                    f"degree {better.degree}, but {slow_s:g} s on {worse.servers} at "
                    f"{worse.degree}; the rate-configuration LP needs times that do not fall"
                )
