"""The area of the jobs that are released from some date on, and the date that bounds best."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from optsched.bounds.exact_sums import exact_group_sums
from optsched.bounds.workload import Workload

__all__ = ["ReleasedArea"]


class ReleasedArea:
    """Searches ``r + Σ{r_j ≥ r} size(G_j) d_j / N`` over the release dates r.

    No job released at r or later runs before r, so their area has to fit between r and the
    makespan. The search is in floating point, for its answer is only a choice of r, and the bound
    holds for every r; the value at the chosen r is then computed exactly.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster, Server
    >>> from optsched.core.instance import Instance
    >>> from optsched.core.jobs import Job
    >>> from optsched.core.rate_model import RateModel
    >>> jobs = [Job("a", 1, 1, compute_s=4.0), Job("b", 2, 1, compute_s=3.0, arrival_s=9.0)]
    >>> late = Instance("late", Cluster([Server("s0", 2)]), jobs, RateModel("fixed"))
    >>> area = ReleasedArea(Workload.of(late))
    >>> area.best_release(np.array([1.0, 2.0]))
    (9.0, 12.0)
    >>> area.exact([1, 2], 1, 9.0), area.exact([1, 2], 1, 0.0)
    (Fraction(12, 1), Fraction(5, 1))
    """

    def __init__(self, workload: Workload) -> None:
        self._workload = workload
        order = np.argsort(workload.release, kind="stable")
        self._duration = workload.duration[order]
        self._demand = workload.demand[order]
        self._release, self._first = np.unique(workload.release[order], return_index=True)

    def best_release(self, sizes: NDArray[np.float64]) -> tuple[float, float]:
        """Return the release date of the largest value, and the value up to rounding.

        Parameters
        ----------
        sizes
            Size of each distinct demand, in GPUs, shape (D,).
        """
        areas = sizes[self._demand] * self._duration
        if len(self._release) == 1:
            suffix = areas.sum(keepdims=True)
        else:
            suffix = areas[::-1].cumsum()[::-1][self._first]
        values = self._release + suffix / self._workload.total_gpus
        best = int(values.argmax())
        return self._release.item(best), values.item(best)

    def exact(self, sizes: Sequence[int], denominator: int, release: float) -> Fraction:
        """Return the value at one release date without rounding.

        Parameters
        ----------
        sizes
            Size of each distinct demand, in GPUs, times ``denominator``.
        denominator
            A positive whole number.
        release
            The release date, in the workload's unit of time.
        """
        workload = self._workload
        later = workload.release >= release
        durations = exact_group_sums(workload.duration[later], workload.demand[later], len(sizes))
        area = sum((size * total for size, total in zip(sizes, durations, strict=True)), Fraction())
        return Fraction(release) + area / (denominator * workload.total_gpus)
