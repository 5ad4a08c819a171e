"""The searches behind the door, each found by its name and called in the same way."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from optsched.core.instance import Instance
from optsched.core.metrics import Objective
from optsched.core.schedule import Schedule
from optsched.exact.limits import OnSchedule
from optsched.exact.outcome import SearchOutcome

__all__ = ["SEARCHES", "Search", "Task", "run_search"]


@dataclass(frozen=True, slots=True)
class Search:
    """A search: where its function is, and what a complete one has shown.

    Parameters
    ----------
    name
        Its name in :data:`SEARCHES`.
    function
        ``module:name``; loaded when the search is made, since solvers are heavy.
    method
        The method to which it belongs.
    proof
        What is proven once it has come to its end, in words.
    options
        Keyword arguments that make the function this search.
    packages
        The solvers behind it, which may use several threads.
    """

    name: str
    function: str
    method: str
    proof: str
    options: Mapping[str, object] = field(default_factory=dict)
    packages: tuple[str, ...] = ()


_SEARCHES = (
    Search(
        "branch-and-bound",
        "optsched.exact.branch_and_bound:branch_and_bound",
        "branch-and-bound",
        "all event-aligned schedules searched",
    ),
    Search(
        "event-orders",
        "optsched.exact.event_orders:event_orders",
        "event-orders",
        "all orders of events searched",
    ),
    Search(
        "brute-force",
        "optsched.exact.brute_force:brute_force",
        "brute-force",
        "all event-aligned schedules enumerated",
    ),
    Search(
        "slots",
        "optsched.exact.brute_force:brute_force",
        "brute-force",
        "all slotted schedules enumerated",
        {"starts": "slots"},
    ),
    Search(
        "cp-sat",
        "optsched.exact.cp_sat:cp_sat",
        "cp-sat",
        "no slotted schedule is better, by CP-SAT",
        packages=("ortools",),
    ),
    Search(
        "lazy-contention",
        "optsched.exact.lazy_contention:lazy_contention",
        "lazy-contention",
        "no slotted schedule is better even if most contention is left out, by CP-SAT",
        packages=("ortools",),
    ),
    Search(
        "destructive",
        "optsched.exact.destructive:destructive",
        "destructive",
        "no slotted schedule fits into one slot less, by CP-SAT",
        packages=("ortools",),
    ),
    Search(
        "milp-highs",
        "optsched.exact.milp:milp",
        "milp-highs",
        "no slotted schedule is better, by HiGHS",
        {"solver": "highs"},
        ("pulp", "highspy"),
    ),
    Search(
        "milp-cbc",
        "optsched.exact.milp:milp",
        "milp-cbc",
        "no slotted schedule is better, by CBC",
        {"solver": "cbc"},
        ("pulp",),
    ),
)
#: Every search by its name; several may belong to one method.
SEARCHES = {search.name: search for search in _SEARCHES}


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A search with all it needs, such that it can be sent to another process.

    Parameters
    ----------
    search
        The search.
    instance, objective
        What is searched.
    time_limit_s, deterministic_limit
        Limits in seconds and in units of work; None for none.
    workers, seed
        Threads of a solver, and its seed.
    hint
        The best schedule known.
    below
        Its objective in seconds: only better ones are of interest.
    lower_s
        A lower bound in seconds.
    """

    search: Search
    instance: Instance
    objective: Objective
    time_limit_s: float | None = None
    deterministic_limit: float | None = None
    workers: int = 1
    seed: int = 0
    hint: Schedule | None = None
    below: float = float("inf")
    lower_s: float = 0.0


def run_search(
    task: Task,
    *,
    known: Callable[[], float] | None = None,
    on_incumbent: OnSchedule | None = None,
    on_bound: Callable[[float], None] | None = None,
) -> SearchOutcome:
    """Make a search here and now; it is given of all these what it takes.

    Parameters
    ----------
    task
        The search.
    known
        Says which objective has been reached elsewhere meanwhile.
    on_incumbent, on_bound
        Called with each better schedule and its objective, and with each better bound in seconds.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> run_search(Task(SEARCHES["branch-and-bound"], waiting_pays(), "makespan")).value
    21.0
    """
    module, name = task.search.function.split(":")
    function = getattr(importlib.import_module(module), name)
    options = {
        "objective": task.objective,
        "time_limit_s": task.time_limit_s,
        "deterministic_limit": task.deterministic_limit,
        "workers": task.workers,
        "seed": task.seed,
        "hint": task.hint,
        "below": task.below,
        "lower_s": task.lower_s,
        "known": known,
        "on_incumbent": on_incumbent,
        "on_bound": on_bound,
        **task.search.options,
    }
    taken = inspect.signature(function).parameters
    outcome: SearchOutcome = function(
        task.instance, **{option: value for option, value in options.items() if option in taken}
    )
    return outcome
