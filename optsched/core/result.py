"""What judges, bounds and solvers answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from optsched.core.metrics import Objective
from optsched.core.quantities import number_text
from optsched.core.schedule import Schedule

__all__ = [
    "VIOLATION_TOLERANCE",
    "Bound",
    "JobRecords",
    "Judgement",
    "Preemption",
    "ProblemClass",
    "Provenance",
    "Result",
    "Status",
    "Violation",
    "violates",
]

#: An objective is below a bound only if it is so by more than this share of the bound.
VIOLATION_TOLERANCE = 1e-9


class Preemption(StrEnum):
    """What may happen to a job after it has started, from least to most."""

    NONE = "none"
    PREEMPT = "preempt"
    MIGRATE = "preempt and migrate"


class Status(StrEnum):
    """How much is known about a result; ``OPTIMAL`` only with a proof."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ProblemClass:
    """The set of schedules that a bound or an optimum speaks of.

    Parameters
    ----------
    time
        ``slotted`` schedules are a part of the ``continuous`` ones.
    preemption
        ``none`` is a part of ``preempt``, which is a part of ``preempt and migrate``.
    rate_model
        Name of the rate model.
    exclusive_gpus
        True: no two jobs share a GPU.

    Examples
    --------
    >>> anything = ProblemClass("continuous", Preemption.MIGRATE, "ring")
    >>> anything.contains(ProblemClass("slotted", Preemption.NONE, "ring"))
    True
    """

    time: Literal["continuous", "slotted"]
    preemption: Preemption
    rate_model: str
    exclusive_gpus: bool = True

    def contains(self, other: ProblemClass) -> bool:
        """Return True if every schedule of ``other`` is one of this class."""
        order = list(Preemption)
        return (
            (self.time == "continuous" or other.time == "slotted")
            and order.index(self.preemption) >= order.index(other.preemption)
            and self.rate_model == other.rate_model
            and (not self.exclusive_gpus or other.exclusive_gpus)
        )

    def __str__(self) -> str:
        preemption = {
            Preemption.NONE: "non-preemptive",
            Preemption.PREEMPT: "preemptive",
            Preemption.MIGRATE: "preemptive with migration",
        }[self.preemption]
        return f"{self.time}, {preemption}"


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule that a schedule breaks: which, by whom, where and when."""

    rule: str
    message: str
    job: str | None = None
    server: str | None = None
    time_s: float | None = None

    def __str__(self) -> str:
        return f"{self.rule}: {self.message}"


@dataclass(frozen=True, slots=True, eq=False)
class JobRecords:
    """What became of each job, columns of shape (n,), in the order of the instance.

    Parameters
    ----------
    start_s, completion_s
        First start and completion.
    jct_s
        Completion minus arrival.
    queueing_s
        Time between arrival and completion in which the job held no GPUs.
    running_s
        Time in which it held GPUs.
    restarting_s
        The part of ``running_s`` without progress after a preemption.
    compute_s
        The part of ``running_s`` that pure computation takes: iterations times compute time.
    spread_s
        The part of ``running_s`` on several servers.
    contention
        Contention degree, averaged over ``spread_s``; 0 for a job that was never spread.
    preemptions
        Times the job lost its GPUs before it was done.
    finish_time_fairness
        JCT over that under an equal share of the cluster: the run time at the job's best times the
        mean number of jobs in the system while it is there.
    """

    start_s: NDArray[np.float64]
    completion_s: NDArray[np.float64]
    jct_s: NDArray[np.float64]
    queueing_s: NDArray[np.float64]
    running_s: NDArray[np.float64]
    restarting_s: NDArray[np.float64]
    compute_s: NDArray[np.float64]
    spread_s: NDArray[np.float64]
    contention: NDArray[np.float64]
    preemptions: NDArray[np.int64]
    finish_time_fairness: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """The judge's verdict on a schedule.

    Parameters
    ----------
    violations
        Every rule that is broken; empty for a valid schedule.
    objectives
        Value of every objective in seconds; empty if the schedule is not valid.
    metrics
        Further figures: median, p95 and p99 JCT, queueing, utilisation, communication overhead,
        contention degree, preemptions.
    records
        What became of each job; None if the schedule is not valid.
    schedule_class
        The smallest class the schedule belongs to, derived from its segments.
    """

    violations: tuple[Violation, ...]
    objectives: Mapping[Objective, float]
    metrics: Mapping[str, float]
    records: JobRecords | None
    schedule_class: ProblemClass

    @property
    def is_valid(self) -> bool:
        """True if no rule is broken."""
        return not self.violations

    @property
    def figures(self) -> dict[str, float]:
        """All objectives and metrics by name."""
        return {str(name): value for name, value in self.objectives.items()} | dict(self.metrics)


@dataclass(frozen=True, slots=True)
class Bound:
    """A value that no schedule of a class can beat.

    Parameters
    ----------
    objective, value
        The objective and its lower bound in seconds.
    method
        Name of the bound.
    problem_class
        The schedules it holds for.
    assumptions
        What the proof rests on beyond the class, as sentences.
    certificate
        Figures with which the value can be checked.
    runtime_s
        Seconds it took.
    """

    objective: Objective
    value: float
    method: str
    problem_class: ProblemClass
    assumptions: tuple[str, ...] = ()
    certificate: Mapping[str, object] = field(default_factory=dict)
    runtime_s: float = 0.0


def violates(value: float, bound: float) -> bool:
    """Return True if an objective is below a bound by more than rounding can explain.

    Examples
    --------
    >>> violates(9.9, 10.0), violates(10.0 * (1 - 1e-12), 10.0)
    (True, False)
    """
    return value < bound * (1 - VIOLATION_TOLERANCE)


@dataclass(frozen=True, slots=True)
class Provenance:
    """What made a result, so that it can be made again."""

    method: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    seed: int = 0
    time_limit_s: float | None = None
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """A schedule with what is known about its quality.

    Parameters
    ----------
    status
        See :class:`Status`.
    objective, value
        The objective and its value in seconds; None without a schedule.
    schedule, judgement
        The schedule and the judge's verdict on it.
    bound
        The strongest bound that holds for it, if one was computed.
    scope
        The schedules among which a status ``optimal`` was proven: ``all`` or ``event-aligned``. If
        a slotted instance was solved in place of a continuous one, ``of the slotted instance`` and
        its slot follow.
    runtime_s
        Wall time in seconds.
    provenance
        What made it.
    details
        What a planner or solver tells about its search.
    """

    status: Status
    objective: Objective
    value: float | None
    schedule: Schedule | None
    judgement: Judgement | None
    bound: Bound | None
    scope: str
    runtime_s: float
    provenance: Provenance
    details: Mapping[str, object] = field(default_factory=dict)

    @property
    def gap(self) -> float | None:
        """How far the value may be from the optimum, as a share of the bound: value/bound − 1."""
        if self.value is None or self.bound is None or self.bound.value <= 0:
            return None
        return self.value / self.bound.value - 1.0

    def summary(self) -> str:
        """Return a few lines for people.

        Examples
        --------
        >>> print(
        ...     Result(
        ...         Status.UNKNOWN,
        ...         "makespan",
        ...         None,
        ...         None,
        ...         None,
        ...         None,
        ...         "all",
        ...         0.0,
        ...         Provenance("brute-force"),
        ...     ).summary()
        ... )
        method     brute-force
        status     unknown
        makespan   none found
        runtime    0.00 s
        """
        value = "none found" if self.value is None else f"{number_text(self.value)} s"
        status = str(self.status)
        among, of, which = self.scope.partition(" of the ")
        if self.status is Status.OPTIMAL and among != "all":
            status += f" over {among} schedules"
        status += of + which
        lines = [
            f"method     {self.provenance.method}",
            f"status     {status}",
            f"{self.objective:<10} {value}",
        ]
        if self.bound is not None:
            lines.append(f"bound      {number_text(self.bound.value)} s ({self.bound.method})")
        if self.gap is not None:
            # A proof among some schedules leaves a gap to all of them, which is no contradiction.
            is_partial = self.status is Status.OPTIMAL and among != "all"
            to_what = " to the bound, which holds for all schedules" if is_partial else ""
            lines.append(f"gap        {100 * self.gap:.2f}%{to_what}")
        lines.append(f"runtime    {self.runtime_s:.2f} s")
        return "\n".join(lines)
