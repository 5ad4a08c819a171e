"""What is asked of solvers of mixed-integer programs, and what they answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from optsched.solvers.highs import SolutionStatus

__all__ = ["MipSolver", "ProgramAnswer", "ProgramLimits", "ProgramWatch"]

MipSolver = Literal["highs", "cbc"]


@dataclass(frozen=True, slots=True)
class ProgramLimits:
    """When a solver has to stop, and what makes a run repeatable.

    Parameters
    ----------
    time_limit_s
        Wall seconds; None: no limit.
    most_nodes
        Nodes of its search tree; None: no limit. The root is node 0.
    threads
        Threads of CBC. HiGHS has one pool for the whole process and works on one thread.
    seed
        Seed of its random numbers.
    """

    time_limit_s: float | None = None
    most_nodes: int | None = None
    threads: int = 1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ProgramWatch:
    """Who is told what while a solver works; calls may come from within the solver.

    Parameters
    ----------
    on_solution
        Called with the values of each better solution, in the order of the variables. CBC shows
        its last one only.
    on_bound
        Called with each better lower bound.
    should_stop
        Asked many times a second; True stops the solver like an interrupt.
    """

    on_solution: Callable[[Sequence[float]], None] | None = None
    on_bound: Callable[[float], None] | None = None
    should_stop: Callable[[], bool] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ProgramAnswer:
    """What a solver knows about a program.

    Parameters
    ----------
    status
        ``optimal``, ``infeasible`` and ``unbounded`` only if proven; ``limit`` for any stop before
        that.
    value
        Objective of the best solution; None if there is none.
    bound
        A lower bound on the objective, as far as the solver's tolerances go; −∞ if none is known,
        ∞ if there is no solution.
    values
        The variables of the best solution, in the order of ``problem.variables()``; empty if there
        is none.
    nodes
        Nodes of the search tree.
    stopped_by
        ``""``, ``"time limit"``, ``"node limit"``, ``"interrupt"`` or ``"solver"``, the last if
        the solver gave up by itself.
    """

    status: SolutionStatus
    value: float | None
    bound: float
    values: Sequence[float] = field(default_factory=tuple)
    nodes: int = 0
    stopped_by: str = ""

    def by_name(self, problem: Any) -> Mapping[str, float]:
        """Return the values by the names of the variables."""
        names = [variable.name for variable in problem.variables()]
        return dict(zip(names, self.values, strict=True)) if len(self.values) else {}
