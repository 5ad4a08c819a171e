"""The slotted problem as a model of CP-SAT: starts, ends, placements, capacity, objective."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from optsched.formulations.cpsat_network import add_network, count_network_literals
from optsched.formulations.cpsat_symmetry import (
    canonical_runs,
    halve_by_time_reversal,
    order_servers,
    order_twins,
    twin_groups,
)
from optsched.formulations.slot_levels import SlotLevels
from optsched.formulations.slotted_program import SlottedRun
from optsched.solvers import load_cp_model

__all__ = ["CpSatGoal", "CpSatModel", "JobVariables", "count_literals", "cpsat_slotted"]


@dataclass(frozen=True, slots=True)
class CpSatGoal:
    """What a model looks for; times are slots from the first arrival.

    Parameters
    ----------
    ends
        The last slot boundary by which each job may end.
    weights
        Whole weights of the completions in Σ w C; None for the makespan.
    lower
        A known lower limit of the objective.
    upper
        The largest value that is of interest; None: any.
    is_decision
        True: any schedule within these limits will do, and there is no objective.
    """

    ends: tuple[int, ...]
    weights: tuple[int, ...] | None = None
    lower: int = 0
    upper: int | None = None
    is_decision: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class JobVariables:
    """The variables of one job.

    Parameters
    ----------
    start, end, slots
        First slot (s), slot after the last (e), and their difference (D).
    level
        Whether it uses so many servers (lev), by their number.
    on
        Whether it uses a server, by server; empty where GPUs are one pool.
    gpus
        GPUs on a server (y), by server.
    """

    start: Any
    end: Any
    slots: Any
    level: dict[int, Any]
    on: dict[int, Any]
    gpus: dict[int, Any]

    @property
    def can_spread(self) -> bool:
        """True if it may be on several servers."""
        return any(servers > 1 for servers in self.level)

    def spread_literals(self) -> list[Any]:
        """Return the literals that are all true iff it is spread: none where it always is."""
        return [~self.level[1]] if 1 in self.level else []


@dataclass(frozen=True, slots=True, eq=False)
class CpSatModel:
    """A model and what its variables mean.

    Parameters
    ----------
    model
        The ``CpModel``.
    levels, goal
        What it was made from.
    jobs
        The variables of each job.
    active
        The jobs whose contention is modelled.
    """

    model: Any
    levels: SlotLevels
    goal: CpSatGoal
    jobs: tuple[JobVariables, ...]
    active: frozenset[int]

    def runs(self, value_of: Callable[[Any], int]) -> list[SlottedRun]:
        """Return first slot, slot after the last and GPUs by server of each job in a solution."""
        servers = len(self.levels.capacity)
        found = []
        for job, levels in zip(self.jobs, self.levels.jobs, strict=True):
            counts = [levels.gpus] if self.levels.is_pool else [0] * servers
            for server, literal in job.on.items():
                if value_of(literal):
                    count = job.gpus[server]
                    counts[server] = count if isinstance(count, int) else value_of(count)
            found.append(SlottedRun(value_of(job.start), value_of(job.end), tuple(counts)))
        return found

    def add_hint(self, runs: Sequence[SlottedRun]) -> None:
        """Let the solver try the values of a schedule first."""
        groups = twin_groups(self.levels, self.goal.ends, self.goal.weights, self.active)
        for job, run in zip(self.jobs, canonical_runs(self.levels, runs, groups), strict=True):
            self.model.add_hint(job.start, run.first)
            self.model.add_hint(job.end, run.after)
            used = sum(count > 0 for count in run.counts)
            for servers, literal in job.level.items():
                self.model.add_hint(literal, servers == used)
            for server, literal in job.on.items():
                self.model.add_hint(literal, run.counts[server] > 0)
                # GPUs of a job that is whole in any case are a number.
                if not isinstance(job.gpus[server], int):
                    self.model.add_hint(job.gpus[server], run.counts[server])


def cpsat_slotted(
    levels: SlotLevels,
    goal: CpSatGoal,
    *,
    active: frozenset[int] | None = None,
    symmetry: bool = True,
) -> CpSatModel | None:
    """Write the model; see ``models/formulations/cpsat-slotted.md``.

    Parameters
    ----------
    levels
        The instance.
    goal
        What is looked for. No job may be stuck.
    active
        Jobs whose contention counts; None: all that may spread. The others take their shortest
        and slow nobody, which makes the model a relaxation.
    symmetry
        Leave out what only exchanges equal servers or identical jobs, or reverses time.

    Returns
    -------
    CpSatModel or None
        None if some job cannot end in time, whatever the others do.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> from optsched.solvers import solve_cp_model
    >>> levels = SlotLevels.of(waiting_pays().changed(slot_s=5.1))
    >>> solve_cp_model(cpsat_slotted(levels, CpSatGoal((9, 9))).model).value
    5
    >>> solve_cp_model(cpsat_slotted(levels, CpSatGoal((4, 4), is_decision=True)).model).status
    'infeasible'
    """
    spans = zip(levels.jobs, goal.ends, strict=True)
    if any(job.release + job.shortest > end for job, end in spans):
        return None
    model = load_cp_model().CpModel()
    jobs = tuple(_add_job(model, levels, job, goal.ends[job]) for job in range(len(levels.jobs)))
    modelled = frozenset(job for job in levels.spreadable if jobs[job].can_spread)
    counted = modelled if active is None else modelled & active
    for job, variables in enumerate(jobs):
        _add_constant_durations(model, levels, job, variables, is_counted=job in counted)
    _add_capacity(model, levels, jobs)
    add_network(model, levels, jobs, sorted(counted), goal.ends)
    makespan = _add_objective(model, goal, jobs)
    if symmetry:
        groups = twin_groups(levels, goal.ends, goal.weights, counted)
        order_twins(model, jobs, groups)
        if not levels.is_pool:
            order_servers(model, levels, jobs)
        has_windows = any(job.release for job in levels.jobs) or len(set(goal.ends)) > 1
        if makespan is not None and not has_windows:
            halve_by_time_reversal(model, levels, jobs, groups, makespan)
    return CpSatModel(model, levels, goal, jobs, counted)


def count_literals(levels: SlotLevels, goal: CpSatGoal) -> int:
    """Return about how many Boolean variables the model would have, without making it."""
    placing = 0 if levels.is_pool else len(levels.jobs) * len(levels.capacity)
    return placing + count_network_literals(levels, goal.ends)


def _add_job(model: Any, levels: SlotLevels, job: int, end: int) -> JobVariables:
    """Add the times, the levels and the placement of a job."""
    one = levels.jobs[job]
    window = end - one.release
    allowed = [servers for servers, slots in one.slots.items() if slots <= window]
    most = min(window, one.longest)
    start = model.new_int_var(one.release, end - one.shortest, f"s{job}")
    after = model.new_int_var(one.release + one.shortest, end, f"e{job}")
    slots = model.new_int_var(one.shortest, most, f"d{job}")
    model.add(start + slots == after)
    level = {servers: model.new_bool_var(f"lev{job}.{servers}") for servers in allowed}
    model.add_exactly_one(level.values())
    on: dict[int, Any] = {}
    gpus: dict[int, Any] = {}
    if not levels.is_pool:
        _add_placement(model, levels, job, level, on, gpus)
    return JobVariables(start, after, slots, level, on, gpus)


def _add_placement(
    model: Any,
    levels: SlotLevels,
    job: int,
    level: dict[int, Any],
    on: dict[int, Any],
    gpus: dict[int, Any],
) -> None:
    """Σ_s y = G, on ⇔ y ≥ 1, Σ_s on = Σ_u u lev; on one server it takes all of its GPUs there."""
    demand = levels.jobs[job].gpus
    if list(level) == [1]:
        for server, capacity in enumerate(levels.capacity):
            if capacity >= demand:
                on[server] = model.new_bool_var(f"on{job}.{server}")
                gpus[server] = demand
        model.add_exactly_one(on.values())
        return
    for server, capacity in enumerate(levels.capacity):
        on[server] = model.new_bool_var(f"on{job}.{server}")
        gpus[server] = model.new_int_var(0, min(capacity, demand), f"y{job}.{server}")
        model.add(gpus[server] >= 1).only_enforce_if(on[server])
        model.add(gpus[server] == 0).only_enforce_if(~on[server])
        if 1 in level:
            if capacity >= demand:
                model.add(gpus[server] == demand).only_enforce_if(on[server], level[1])
            else:
                model.add_implication(on[server], ~level[1])
    model.add(sum(gpus.values()) == demand)
    model.add(sum(on.values()) == sum(servers * literal for servers, literal in level.items()))


def _add_constant_durations(
    model: Any, levels: SlotLevels, job: int, variables: JobVariables, *, is_counted: bool
) -> None:
    """D = d_u wherever it is certain: on one server, or if contention is not counted."""
    one = levels.jobs[job]
    for servers, literal in variables.level.items():
        slots = one.slots[servers]
        if servers == 1 or not is_counted:
            model.add(variables.slots == slots).only_enforce_if(literal)
        else:
            model.add(variables.slots >= slots).only_enforce_if(literal)


def _add_capacity(model: Any, levels: SlotLevels, jobs: Sequence[JobVariables]) -> None:
    """Never more GPUs than there are: in all (which is implied), and on every server."""
    intervals = [
        model.new_interval_var(job.start, job.slots, job.end, f"i{number}")
        for number, job in enumerate(jobs)
    ]
    demands = [job.gpus for job in levels.jobs]
    model.add_cumulative(intervals, demands, sum(levels.capacity))
    if levels.is_pool:
        return
    for server, capacity in enumerate(levels.capacity):
        present, amounts = [], []
        for number, job in enumerate(jobs):
            if server in job.on:
                span = (job.start, job.slots, job.end, job.on[server])
                present.append(model.new_optional_interval_var(*span, f"i{number}.{server}"))
                amounts.append(job.gpus[server])
        model.add_cumulative(present, amounts, capacity)


def _add_objective(model: Any, goal: CpSatGoal, jobs: Sequence[JobVariables]) -> Any | None:
    """Return the makespan, a number in a decision, None where Σ w C counts."""
    horizon = max(goal.ends)
    upper = horizon if goal.upper is None else goal.upper
    if goal.weights is None:
        if goal.is_decision:
            return horizon
        makespan = model.new_int_var(min(goal.lower, horizon), min(upper, horizon), "makespan")
        for job in jobs:
            model.add(job.end <= makespan)
        model.minimize(makespan)
        return makespan
    total = sum(weight * job.end for weight, job in zip(goal.weights, jobs, strict=True) if weight)
    model.add(total >= goal.lower)
    if goal.upper is not None:
        model.add(total <= goal.upper)
    if not goal.is_decision:
        model.minimize(total)
    return None
