"""The slotted mixed-integer program as an object: its goal, its variables, what they mean."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optsched.formulations.slot_levels import SlotLevels
from optsched.formulations.slot_patterns import Pattern, count_patterns

__all__ = ["Key", "SlottedGoal", "SlottedProgram", "SlottedRun", "count_binaries", "write_problem"]

#: What a variable is: ``("x", job, pattern, slot)``, ``("r", job, pattern, slot)``, ``("w", server,
#: slot, k)``, ``("q", job, slot)`` or ``("m",)``; its name is the same with underscores.
Key = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class SlottedGoal:
    """What a program minimises, and where it looks; times are slots from the first arrival.

    Parameters
    ----------
    ends
        The last slot boundary by which each job may end.
    weights
        Weight of each completion in the objective Σ w C; None for the makespan.
    lower, upper
        Known limits of the objective; an upper one excludes schedules above it.
    """

    ends: tuple[int, ...]
    weights: tuple[float, ...] | None = None
    lower: float = 0.0
    upper: float = math.inf


@dataclass(frozen=True, slots=True)
class SlottedRun:
    """A job in a schedule: its first slot, the slot after its last, its GPUs by server."""

    first: int
    after: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SlottedProgram:
    """The program of an instance; see ``models/formulations/milp-slotted.md``.

    Parameters
    ----------
    problem
        The ``pulp.LpProblem``.
    levels, goal
        What it was made from.
    patterns
        The patterns of each job.
    position
        Where each variable is in ``problem.variables()``.
    """

    problem: Any
    levels: SlotLevels
    goal: SlottedGoal
    patterns: tuple[tuple[Pattern, ...], ...]
    position: Mapping[Key, int]

    def starts(self, values: Sequence[float]) -> list[tuple[int, Pattern]]:
        """Return the first slot and the pattern of each job in a solution."""
        chosen: dict[int, tuple[int, Pattern]] = {}
        for key, at in self.position.items():
            if key[0] == "x" and values[at] > 0.5:
                job, pattern, slot = (int(part) for part in key[1:])
                chosen[job] = (slot, self.patterns[job][pattern])
        return [chosen[job] for job in range(len(self.patterns))]

    def start_values(self, runs: Sequence[SlottedRun]) -> list[float] | None:
        """Return the values of all variables in a schedule, None if it is not in the program."""
        chosen = [
            next((a for a, one in enumerate(patterns) if one.counts == run.counts), None)
            for patterns, run in zip(self.patterns, runs, strict=True)
        ]
        values = [0.0] * len(self.position)
        found: dict[Key, float] = {("m",): float(max(run.after for run in runs))}
        for job, (run, number) in enumerate(zip(runs, chosen, strict=True)):
            if number is None or ("x", job, number, run.first) not in self.position:
                return None
            if run.after > self.goal.ends[job]:
                return None
            found["x", job, number, run.first] = 1.0
            pattern = self.patterns[job][number]
            for slot in range(run.first, run.after):
                loads = [self._load(runs, server, slot) for server in pattern.used]
                for server, load in zip(pattern.used, loads, strict=True):
                    for k in range(2, load + 1):
                        found["w", server, slot, k] = 1.0
                if not pattern.is_steady:
                    found["r", job, number, slot] = 1.0
                    found["q", job, slot] = float(pattern.rates[max(loads) - 1])
        for key, value in found.items():
            if key in self.position:
                values[self.position[key]] = value
        return values

    def _load(self, runs: Sequence[SlottedRun], server: int, slot: int) -> int:
        """Return how many spread jobs are on a server in a slot."""
        return sum(
            run.first <= slot < run.after
            and run.counts[server] > 0
            and sum(count > 0 for count in run.counts) > 1
            for run in runs
        )

    def write(self, directory: Path, name: str = "milp-slotted") -> list[Path]:
        """Write the program as ``.mps`` and ``.lp`` and return the files."""
        return write_problem(self.problem, directory, name)


def write_problem(problem: Any, directory: Path, name: str) -> list[Path]:
    """Write a ``pulp.LpProblem`` as ``NAME.mps`` and ``NAME.lp`` and return the files."""
    directory.mkdir(parents=True, exist_ok=True)
    paths = [directory / f"{name}.mps", directory / f"{name}.lp"]
    problem.writeMPS(str(paths[0]))
    problem.writeLP(str(paths[1]))
    return paths


def count_binaries(levels: SlotLevels, goal: SlottedGoal) -> int:
    """Return an upper limit of the number of binaries, without listing patterns."""
    total = 0
    for job, one in enumerate(levels.jobs):
        window = max(0, goal.ends[job] - one.release)
        states = 1 if not one.can_spread or levels.is_pool else 2
        total += states * window * count_patterns(levels, job)
    if levels.spreadable:
        total += max(goal.ends) * sum(levels.capacity)
    return total
