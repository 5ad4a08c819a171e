"""Contention in the model of CP-SAT: who runs spread when, who meets whom, what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from optsched.formulations.slot_levels import SlotLevels

if TYPE_CHECKING:
    from optsched.formulations.cpsat_slotted import JobVariables

__all__ = ["add_network", "count_network_literals"]


def add_network(
    model: Any,
    levels: SlotLevels,
    jobs: Sequence[JobVariables],
    counted: Sequence[int],
    ends: Sequence[int],
) -> None:
    """Add what contention does to the jobs that count: slot variables only for these.

    Parameters
    ----------
    model
        The ``CpModel``.
    levels
        The instance.
    jobs
        Variables of all jobs.
    counted
        The jobs whose contention is modelled; each may spread.
    ends
        By when each job has to end.
    """
    network = _Network(model, levels, jobs, counted, ends)
    network.add_running()
    network.add_degrees()
    network.add_meetings()
    network.add_crowds()
    network.add_progress()


def count_network_literals(levels: SlotLevels, ends: Sequence[int]) -> int:
    """Return about how many Boolean variables :func:`add_network` adds for all jobs."""
    spread = levels.spreadable
    slots = sum(ends[job] - levels.jobs[job].release for job in spread)
    deep = sum(min(capacity, len(spread)) >= 3 for capacity in levels.capacity)
    degrees = max((len(_steps(levels, job, len(spread))) for job in spread), default=0)
    return slots * (3 + degrees + deep) + len(spread) ** 2 // 2


class _Network:
    """Literals by job and slot.

    ``running[j, t]``: spread, and on its GPUs in slot t. ``degree[j, t, k]``: its contention degree
    is at least k then; nothing is said of a job that does not run.
    """

    def __init__(
        self,
        model: Any,
        levels: SlotLevels,
        jobs: Sequence[JobVariables],
        counted: Sequence[int],
        ends: Sequence[int],
    ) -> None:
        self.model, self.levels, self.jobs, self.counted = model, levels, jobs, counted
        self.slots = {job: range(levels.jobs[job].release, ends[job]) for job in counted}
        self.steps = {job: _steps(levels, job, len(counted)) for job in counted}
        self.running: dict[tuple[int, int], Any] = {}
        self.degree: dict[tuple[int, int, int], Any] = {}

    def add_running(self) -> None:
        """Tie ``running`` to s ≤ t < e and to being spread."""
        model = self.model
        for job in self.counted:
            one = self.jobs[job]
            for slot in self.slots[job]:
                begun = model.new_bool_var(f"begun{job}.{slot}")
                model.add(one.start <= slot).only_enforce_if(begun)
                model.add(one.start > slot).only_enforce_if(~begun)
                ended = model.new_bool_var(f"ended{job}.{slot}")
                model.add(one.end <= slot).only_enforce_if(ended)
                model.add(one.end > slot).only_enforce_if(~ended)
                running = model.new_bool_var(f"run{job}.{slot}")
                self.running[job, slot] = running
                self._define(running, [begun, ~ended, *one.spread_literals()])

    def add_degrees(self) -> None:
        """Make the literals of the degrees at which some rate falls, each implied by the next."""
        for job in self.counted:
            for slot in self.slots[job]:
                below = self.running[job, slot]
                for step in self.steps[job]:
                    literal = self.model.new_bool_var(f"deg{job}.{slot}.{step}")
                    self.degree[job, slot, step] = literal
                    self.model.add_implication(literal, below)
                    below = literal

    def add_meetings(self) -> None:
        """Give a degree of 2 at least to two jobs that have a server in common while both run."""
        for first, second in combinations(self.counted, 2):
            ways = [job for job in (first, second) if 2 in self.steps[job]]
            shared = [s for s in self.jobs[first].on if s in self.jobs[second].on]
            slots = set(self.slots[first]) & set(self.slots[second])
            if not ways or not slots:
                continue
            meet = self.model.new_bool_var(f"meet{first}.{second}")
            apart = [
                ~literal for job in (first, second) for literal in self.jobs[job].spread_literals()
            ]
            for server in shared:
                on = [~self.jobs[job].on[server] for job in (first, second)]
                self.model.add_bool_or([*on, *apart, meet])
            for slot in sorted(slots):
                both = [~self.running[job, slot] for job in (first, second)]
                for job in ways:
                    self.model.add_bool_or([~meet, *both, self.degree[job, slot, 2]])

    def add_crowds(self) -> None:
        """Give a degree of k ≥ 3 to all jobs on a server that k of them use."""
        wanted = sorted({step for job in self.counted for step in self.steps[job] if step >= 3})
        for server, capacity in enumerate(self.levels.capacity):
            steps = [step for step in wanted if step <= min(capacity, len(self.counted))]
            if not steps:
                continue
            present = [job for job in self.counted if server in self.jobs[job].on]
            for slot in sorted({slot for job in present for slot in self.slots[job]}):
                here = {}
                for job in present:
                    if (job, slot) in self.running:
                        here[job] = self.model.new_bool_var(f"here{job}.{server}.{slot}")
                        parts = [self.running[job, slot], self.jobs[job].on[server]]
                        self._define(here[job], parts)
                for step in steps:
                    if step <= len(here):
                        self._add_crowd(server, slot, step, here)

    def _add_crowd(self, server: int, slot: int, step: int, here: dict[int, Any]) -> None:
        crowd = self.model.new_bool_var(f"crowd{server}.{slot}.{step}")
        self.model.add(sum(here.values()) < step).only_enforce_if(~crowd)
        for job, literal in here.items():
            # The highest degree that matters to the job and is no higher than this one.
            reached = [k for k in self.steps[job] if k <= step]
            if reached and reached[-1] == step:
                self.model.add_bool_or([~crowd, ~literal, self.degree[job, slot, step]])

    def add_progress(self) -> None:
        """lev_u ⇒ φ(u, 1) D − Σ_t Σ_k (φ(u, k−) − φ(u, k)) deg ≥ F; no running where φ is 0."""
        for job in self.counted:
            one, levels = self.jobs[job], self.levels.jobs[job]
            for servers, literal in one.level.items():
                if servers == 1:
                    continue
                losses = []
                before = best = levels.rate(servers, 1)
                for step in self.steps[job]:
                    rate = levels.rate(servers, step)
                    if rate == 0 and before > 0:
                        for slot in self.slots[job]:
                            self.model.add_implication(literal, ~self.degree[job, slot, step])
                    elif rate < before:
                        loss = before - rate
                        losses += [loss * self.degree[job, t, step] for t in self.slots[job]]
                    before = rate
                done = best * one.slots - sum(losses)
                self.model.add(done >= levels.iterations).only_enforce_if(literal)

    def _define(self, literal: Any, parts: Iterable[Any]) -> None:
        """Literal ⇔ all parts."""
        parts = list(parts)
        for part in parts:
            self.model.add_implication(literal, part)
        self.model.add_bool_or([literal, *(~part for part in parts)])


def _steps(levels: SlotLevels, job: int, most_jobs: int) -> tuple[int, ...]:
    """Return the degrees above 1 at which some rate of a job falls."""
    one = levels.jobs[job]
    most = min(most_jobs, max(levels.capacity))
    many = [servers for servers in one.slots if servers > 1]
    return tuple(
        degree
        for degree in range(2, most + 1)
        if any(one.rate(u, degree) < one.rate(u, degree - 1) for u in many)
    )
