"""The time-indexed mixed-integer program of slotted time, written with PuLP."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from typing import Any

from optsched.formulations.slot_levels import SlotLevels
from optsched.formulations.slot_patterns import (
    Pattern,
    count_patterns,
    job_patterns,
    most_sharing,
)
from optsched.formulations.slotted_program import Key, SlottedGoal, SlottedProgram
from optsched.solvers import import_pulp

__all__ = ["slotted_program"]


def slotted_program(
    levels: SlotLevels, goal: SlottedGoal, *, symmetry: bool = True
) -> SlottedProgram | None:
    """Write the program.

    Parameters
    ----------
    levels
        The instance.
    goal
        The objective and the horizon.
    symmetry
        Leave out what only exchanges equal servers or identical jobs.

    Returns
    -------
    SlottedProgram or None
        None if some job cannot end in time on any pattern.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> from optsched.solvers import solve_program
    >>> levels = SlotLevels.of(waiting_pays().changed(slot_s=5.1))
    >>> program = slotted_program(levels, SlottedGoal((8, 8)))
    >>> answer = solve_program(program.problem)
    >>> answer.status, answer.value
    ('optimal', 5.0)
    """
    writer = _Writer(levels, goal, symmetry=symmetry)
    if not all(writer.has_start(job) for job in range(len(levels.jobs))):
        return None
    writer.start_once()
    writer.keep_running()
    writer.hold_capacity()
    writer.count_sharing()
    writer.limit_progress()
    writer.finish_work()
    if symmetry:
        writer.order_identical_jobs()
    writer.set_objective()
    return writer.program()


class _Writer:
    """Writes variables and constraints; each method is a section of the page of mathematics."""

    def __init__(self, levels: SlotLevels, goal: SlottedGoal, *, symmetry: bool) -> None:
        self.pulp = import_pulp()
        self.problem = self.pulp.LpProblem("slotted", self.pulp.LpMinimize)
        self.levels, self.goal = levels, goal
        self.variables: dict[Key, Any] = {}
        anchor = self._anchor() if symmetry else -1
        self.patterns = tuple(
            tuple(job_patterns(levels, job, canonical=job == anchor))
            for job in range(len(levels.jobs))
        )
        for job, patterns in enumerate(self.patterns):
            for number, pattern in enumerate(patterns):
                window = range(levels.jobs[job].release, goal.ends[job])
                for slot in window[: max(0, len(window) - pattern.slots + 1)]:
                    self.add("x", job, number, slot)
                if not pattern.is_steady and len(window) >= pattern.slots:
                    for slot in window:
                        self.add("r", job, number, slot)

    def _anchor(self) -> int:
        """Return the job whose patterns are restricted: the one that has the most."""
        levels = self.levels
        counts = [count_patterns(levels, job) for job in range(len(levels.jobs))]
        return counts.index(max(counts))

    def add(self, *key: str | int, upper: float = 1, category: str = "Binary") -> Any:
        """Add a variable."""
        name = "_".join(str(part) for part in key)
        variable = self.problem.add_variable(name, lowBound=0, upBound=upper, cat=category)
        self.variables[key] = variable
        return variable

    def sum(self, terms: Iterable[tuple[float, Any]]) -> Any:
        return self.pulp.lpSum([factor * variable for factor, variable in terms])

    def require(self, constraint: Any, *name: Any) -> None:
        """Add a constraint."""
        self.problem += constraint, "_".join(str(part) for part in name)

    def has_start(self, job: int) -> bool:
        return any(self.starts(job))

    def starts(self, job: int, number: int | None = None) -> Iterator[tuple[int, int, Any]]:
        """Yield pattern, slot and variable of each possible start of a job."""
        last = self.goal.ends[job]
        for pattern in range(len(self.patterns[job])) if number is None else (number,):
            for slot in range(self.levels.jobs[job].release, last):
                variable = self.variables.get(("x", job, pattern, slot))
                if variable is not None:
                    yield pattern, slot, variable

    def running(self, job: int, number: int, slot: int) -> list[Any]:
        """Return variables whose sum is 1 if a job runs in a slot with a pattern, else 0."""
        pattern = self.patterns[job][number]
        if not pattern.is_steady:
            variable = self.variables.get(("r", job, number, slot))
            return [] if variable is None else [variable]
        keys = (("x", job, number, at) for at in range(slot - pattern.slots + 1, slot + 1))
        return [self.variables[key] for key in keys if key in self.variables]

    def varying(self, job: int) -> list[tuple[int, Pattern]]:
        """Return the patterns of a job whose speed depends on who shares the servers."""
        listed = enumerate(self.patterns[job])
        return [(number, one) for number, one in listed if not one.is_steady]

    def start_once(self) -> None:
        """Σ_{a,t} x_jat = 1: every job starts once, with one pattern."""
        for job in range(len(self.patterns)):
            self.require(self.sum((1, x) for _, _, x in self.starts(job)) == 1, "start_once", job)

    def keep_running(self) -> None:
        """r_jat ≤ r_ja,t−1 + x_jat, r_jat ≥ x_jat, Σ_t r_jat ≥ d_a Σ_t x_jat: without a gap."""
        for job, number, pattern in self.all_varying():
            states = {
                int(key[3]): variable
                for key, variable in self.variables.items()
                if key[:3] == ("r", job, number)
            }
            begins = {slot: x for _, slot, x in self.starts(job, number)}
            for slot, state in states.items():
                known = [one for one in (states.get(slot - 1), begins.get(slot)) if one is not None]
                name = (job, number, slot)
                self.require(state <= self.pulp.lpSum(known), "keep_running", *name)
                if slot in begins:
                    self.require(state >= begins[slot], "run_at_start", *name)
            least = self.sum((pattern.slots, x) for x in begins.values())
            total = self.pulp.lpSum(list(states.values()))
            self.require(total >= least, "run_long_enough", job, number)

    def all_varying(self) -> Iterator[tuple[int, int, Pattern]]:
        for job in range(len(self.patterns)):
            for number, pattern in self.varying(job):
                if ("x", job, number, self.levels.jobs[job].release) in self.variables:
                    yield job, number, pattern

    def hold_capacity(self) -> None:
        """Σ_{j,a} a_s · running_jat ≤ O_s in every slot, on every server."""
        levels = self.levels
        capacity = (sum(levels.capacity),) if levels.is_pool else levels.capacity
        for server, room in enumerate(capacity):
            for slot in range(max(self.goal.ends)):
                terms = [
                    (pattern.counts[server], variable)
                    for job, patterns in enumerate(self.patterns)
                    for number, pattern in enumerate(patterns)
                    if pattern.counts[server]
                    for variable in self.running(job, number, slot)
                ]
                if terms:
                    self.require(self.sum(terms) <= room, "hold_capacity", server, slot)

    def count_sharing(self) -> None:
        """Σ_{j, a spread, a_s>0} running_jat ≤ 1 + Σ_{k≥2} w_stk, with w_stk ≥ w_st,k+1."""
        touched = {s for _, _, pattern in self.all_varying() for s in pattern.used}
        for server in sorted(touched):
            most = most_sharing(self.levels, server)
            for slot in range(max(self.goal.ends)):
                present = [
                    (job, variable)
                    for job, patterns in enumerate(self.patterns)
                    for number, pattern in enumerate(patterns)
                    if pattern.is_spread and pattern.counts[server]
                    for variable in self.running(job, number, slot)
                ]
                jobs = len({job for job, _ in present})
                counters = [self.add("w", server, slot, k) for k in range(2, min(most, jobs) + 1)]
                if counters:
                    total = self.sum((1, variable) for _, variable in present)
                    limit = 1 + self.pulp.lpSum(counters)
                    self.require(total <= limit, "count_sharing", server, slot)
                for k, (more, less) in enumerate(itertools.pairwise(counters)):
                    self.require(more >= less, "count_in_order", server, slot, k + 2)

    def limit_progress(self) -> None:
        """q_jt ≤ Σ_a φ_a1 r_jat − Σ_{2≤l≤k} δ_l (w_stl + R − 1) for each server, degree and speed.

        R = Σ r_jat over the patterns of one speed (one vector φ) that use s, and δ_l is by how much
        φ falls from degree l − 1 to l. Where R = 1 this is φ at the degree of s; where R = 0 it
        says no more than q_jt ≤ Σ_a φ_a1 r_jat.
        """
        for job in range(len(self.patterns)):
            varying = self.varying(job)
            if not varying:
                continue
            most = max(pattern.rates[0] for _, pattern in varying)
            for slot in range(self.levels.jobs[job].release, self.goal.ends[job]):
                states = [
                    (pattern, self.variables[key])
                    for number, pattern in varying
                    if (key := ("r", job, number, slot)) in self.variables
                ]
                if not states:
                    continue
                done = self.add("q", job, slot, upper=most, category="Continuous")
                alone = self.sum((pattern.rates[0], state) for pattern, state in states)
                self.require(done <= alone, "progress_alone", job, slot)
                self.slow_down(job, slot, done, alone, states)
                # Without an iteration in a slot the job would not be running in it.
                stalling = [(1, state) for pattern, state in states if 0 in pattern.rates]
                if stalling:
                    self.require(done >= self.sum(stalling), "progress_at_all", job, slot)

    def slow_down(
        self, job: int, slot: int, done: Any, alone: Any, states: list[tuple[Pattern, Any]]
    ) -> None:
        """Add the rows of one job in one slot that contention makes."""
        groups: dict[tuple[int, tuple[int, ...]], list[Any]] = {}
        for pattern, state in states:
            for server in pattern.used:
                groups.setdefault((server, pattern.rates), []).append(state)
        for number, ((server, rates), members) in enumerate(groups.items()):
            loss: list[Any] = []
            present = self.pulp.lpSum(members)
            for k in range(2, len(rates) + 1):
                counter = self.variables.get(("w", server, slot, k))
                fall = rates[k - 2] - rates[k - 1]
                if counter is None:
                    break
                if fall == 0:
                    continue
                loss.append(fall * (counter + present - 1))
                limit = alone - self.pulp.lpSum(loss)
                self.require(done <= limit, "progress_shared", job, slot, number, k)

    def finish_work(self) -> None:
        """Σ_t q_jt ≥ F_j · Σ x_jat over the patterns of varying speed."""
        for job, one in enumerate(self.levels.jobs):
            done = [variable for key, variable in self.variables.items() if key[:2] == ("q", job)]
            if not done:
                continue
            varying = {number for number, _ in self.varying(job)}
            needed = self.sum((one.iterations, x) for a, _, x in self.starts(job) if a in varying)
            self.require(self.pulp.lpSum(done) >= needed, "finish_work", job)

    def order_identical_jobs(self) -> None:
        """Σ t x_jat ≤ Σ t x_j'at for identical jobs j before j'."""
        last: dict[tuple[Any, ...], int] = {}
        for job, one in enumerate(self.levels.jobs):
            weight = 1.0 if self.goal.weights is None else self.goal.weights[job]
            rates = tuple(sorted(one.per_slot.items()))
            key = (one.gpus, one.iterations, one.release, rates, weight, self.goal.ends[job])
            if key in last:
                before = self.sum((slot, x) for _, slot, x in self.starts(last[key]))
                after = self.sum((slot, x) for _, slot, x in self.starts(job))
                self.require(before <= after, "order_identical_jobs", last[key], job)
            last[key] = job

    def end(self, job: int) -> Any:
        """Return the end of a job: Σ (t + d_a) x_jat if steady, else Σ t x_jat + Σ r_jat."""
        patterns = self.patterns[job]
        terms = [
            (slot + (patterns[a].slots if patterns[a].is_steady else 0), x)
            for a, slot, x in self.starts(job)
        ]
        states = [(1, one) for key, one in self.variables.items() if key[:2] == ("r", job)]
        return self.sum(terms + states)

    def set_objective(self) -> None:
        """Minimise m ≥ the end of every job, or Σ w_j · end of j."""
        goal = self.goal
        ends = [self.end(job) for job in range(len(self.patterns))]
        if goal.weights is None:
            span = self.add("m", upper=max(goal.ends), category="Integer")
            self.problem += span
            for job, end in enumerate(ends):
                self.require(span >= end, "end_in_time", job)
            if goal.lower > 0:
                self.require(span >= math.ceil(goal.lower - 1e-6), "known_lower_limit")
            return
        total = self.pulp.lpSum([w * end for w, end in zip(goal.weights, ends, strict=True)])
        self.problem += total
        if goal.lower > 0:
            self.require(total >= goal.lower, "known_lower_limit")
        if math.isfinite(goal.upper):
            self.require(total <= goal.upper, "known_upper_limit")

    def program(self) -> SlottedProgram:
        # PuLP sorts its variables by name.
        named = {"_".join(str(part) for part in key): key for key in self.variables}
        order = [named[variable.name] for variable in self.problem.variables()]
        position = {key: at for at, key in enumerate(order)}
        return SlottedProgram(self.problem, self.levels, self.goal, self.patterns, position)
