"""How jobs share a resource (Yu et al. 2022, equations 6 and 7 and section 4)."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["contention_degree", "degradation_factor"]


def contention_degree(load: Sequence[int]) -> int:
    """Return p: the most spread jobs on any resource that a job crosses (equation 6).

    Parameters
    ----------
    load
        Spread jobs on each of the job's shared resources, the job itself included; empty if local.

    Examples
    --------
    >>> contention_degree([1, 3, 2]), contention_degree([])
    (3, 0)
    """
    return max(load, default=0)


def degradation_factor(degradation: float, contention_weight: float, degree: int) -> float:
    """Return f(α, k) = k + α(k − 1) with k = max(1, ξ₁p): how much slower a shared resource is.

    The paper's k = ξ₁p would make a lone job faster than its link when ξ₁ < 1; k is never below 1.

    Parameters
    ----------
    degradation
        α, what contention wastes.
    contention_weight
        ξ₁, the share of time in which a job communicates, in (0, 1].
    degree
        p, the number of jobs on the resource.

    Examples
    --------
    >>> degradation_factor(0.5, 1.0, 1), degradation_factor(0.5, 1.0, 2)
    (1.0, 2.5)
    """
    effective = max(1.0, contention_weight * degree)
    return effective + degradation * (effective - 1.0)
