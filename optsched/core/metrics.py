"""Objectives: one number for a schedule, from the completion time of every job."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from optsched.core.errors import UnknownNameError
from optsched.core.jobs import Jobs

__all__ = ["OBJECTIVES", "Objective", "checked_objective", "objective_value"]

Objective = Literal["makespan", "mean_jct", "weighted_jct"]
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)


def checked_objective(name: str) -> Objective:
    """Return ``name`` if it is an objective.

    Raises
    ------
    UnknownNameError
        If it is not.

    Examples
    --------
    >>> checked_objective("makespan")
    'makespan'
    """
    for objective in OBJECTIVES:
        if objective == name:
            return objective
    raise UnknownNameError("objective", name, OBJECTIVES)


def objective_value(objective: Objective, jobs: Jobs, completion_s: NDArray[np.float64]) -> float:
    """Return an objective in seconds.

    Parameters
    ----------
    objective
        ``makespan`` counts from time 0. ``mean_jct`` is the mean of completion minus arrival,
        ``weighted_jct`` the same weighted by ``jobs.weight``.
    jobs
        The jobs of the instance.
    completion_s
        Completion time of each job, shape (n,).

    Examples
    --------
    >>> from optsched.core.jobs import Job
    >>> jobs = Jobs.of([Job("a", 1, 1), Job("b", 1, 1, arrival_s=1.0)])
    >>> objective_value("mean_jct", jobs, np.array([4.0, 6.0]))
    4.5
    """
    if objective == "makespan":
        return float(completion_s.max())
    jct_s = completion_s - jobs.arrival_s
    if objective == "mean_jct":
        return float(jct_s.mean())
    return float((jobs.weight * jct_s).sum() / jobs.weight.sum())
