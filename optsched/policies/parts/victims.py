"""Running jobs from the last in rank on: those that stop first for a job of higher rank."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from optsched.policies.parts.order import Order
from optsched.sim import LiveJob, Simulation

__all__ = ["KeptVictims", "RankedVictims", "Standing", "Victims"]

#: (key, minus the position in the instance, job)
Entry = tuple[Any, int, LiveJob]


class Victims(Protocol):
    """Running jobs, the last in rank first."""

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""

    def begin_pass(self) -> None:
        """Take note that time may have passed."""

    def enter(self, job: LiveJob, state: Simulation) -> None:
        """Take note of a job that has started."""

    def move(self, job: LiveJob, state: Simulation) -> None:
        """Take note of a job whose rank may have changed."""

    def leave(self, job: LiveJob, state: Simulation) -> None:
        """Take note of a job that has stopped."""

    def reach(self, rank: Any, gpus: int, state: Simulation) -> tuple[list[LiveJob], bool]:
        """Return the fewest jobs, the last first, that rank strictly behind and hold ``gpus`` GPUs.

        All that rank behind, and False, are returned if these hold fewer. Those that have started
        at this instant, or have stopped, are passed over.
        """

    def next_behind(self, rank: Any, state: Simulation) -> LiveJob | None:
        """Return the job after those of :meth:`reach`, then the next, if they rank behind."""


class RankedVictims:
    """All running jobs, ranked once a pass, if anybody asks.

    Parameters
    ----------
    rank
        Key of running jobs, which may change in any way.
    among_equals
        Order of jobs of equal rank; then by position in the instance.
    """

    def __init__(self, rank: Order, among_equals: Order) -> None:
        self._rank = rank
        self._among_equals = among_equals
        self._ranked: list[tuple[Any, Any, int, LiveJob]] | None = None
        self._returned = 0

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        self._ranked = None

    def begin_pass(self) -> None:
        """Forget the ranks of the last pass."""
        self._ranked = None

    def enter(self, job: LiveJob, state: Simulation) -> None:
        """Do nothing: a job of this instant is no victim."""

    def move(self, job: LiveJob, state: Simulation) -> None:
        """Do nothing until the next pass."""

    def leave(self, job: LiveJob, state: Simulation) -> None:
        """Do nothing: who stops in a pass is passed over."""

    def reach(self, rank: Any, gpus: int, state: Simulation) -> tuple[list[LiveJob], bool]:
        """Return the fewest jobs behind that hold so many GPUs."""
        if self._ranked is None:
            self._ranked = [
                (self._rank(job, state), self._among_equals(job, state), job.index, job)
                for job in state.running
                if job.start_s < state.now_s
            ]
            self._ranked.sort(key=lambda entry: entry[:3], reverse=True)
        self._returned = 0
        chosen: list[LiveJob] = []
        while gpus > 0:
            job = self.next_behind(rank, state)
            if job is None:
                return chosen, False
            chosen.append(job)
            gpus -= job.gpus
        return chosen, True

    def next_behind(self, rank: Any, state: Simulation) -> LiveJob | None:
        """Return the next job that ranks strictly behind, if there is one left."""
        ranked, now_s = self._ranked or (), state.now_s
        while self._returned < len(ranked):
            entry = ranked[self._returned]
            if not rank < entry[0]:
                return None
            self._returned += 1
            job = entry[3]
            # Those stopped in this pass wait, or have started again at this instant.
            if job.placement is not None and job.start_s < now_s:
                return job
        return None


@dataclass(frozen=True, slots=True)
class Standing:
    """How running jobs stand to each other, whatever the time.

    Parameters
    ----------
    key
        A key of running jobs that time alone does not change, only the job's speed or its timer.
        The less it is the farther behind a job ranks; of equal rank the first victim has the least.
    rank
        The rank of a job by its key, at the time now.
    depends_on_speed
        Whether the key changes with the job's speed; else only its timer changes it.
    """

    key: Order
    rank: Callable[[Any, Simulation], Any]
    depends_on_speed: bool = True


class KeptVictims:
    """Running jobs in a sorted list, so that an answer costs as much as there are victims.

    As in a ranking made at the first question of a pass, what changes in the pass does not count.

    Parameters
    ----------
    standing
        The order of the jobs; ties by position in the instance, the last first.
    """

    def __init__(self, standing: Standing) -> None:
        self._standing = standing
        #: The last in rank first; and the entry of each job.
        self._line: list[Entry] = []
        self._entries: dict[int, Entry] = {}
        self._moved: dict[int, LiveJob] = {}
        self._is_asked = False
        #: How many of the line were returned.
        self._returned = 0

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        self._line, self._entries, self._moved = [], {}, {}

    def begin_pass(self) -> None:
        """Let changes count from the next question on."""
        self._is_asked = False

    def move(self, job: LiveJob, state: Simulation) -> None:
        """Put a job in its place at the next pass's first question."""
        self._moved[job.index] = job

    #: A job that has started is put in its place like one that has moved.
    enter = move

    def leave(self, job: LiveJob, state: Simulation) -> None:
        """Take a job out."""
        self._moved.pop(job.index, None)
        entry = self._entries.pop(job.index, None)
        if entry is not None:
            del self._line[bisect_left(self._line, entry)]

    def reach(self, rank: Any, gpus: int, state: Simulation) -> tuple[list[LiveJob], bool]:
        """Return the fewest jobs behind that hold so many GPUs."""
        if not self._is_asked:
            self._is_asked = True
            self._place_moved(state)
        rank_of = self._standing.rank
        chosen: list[LiveJob] = []
        for key, _, job in self._line:
            if gpus <= 0 or not rank < rank_of(key, state):
                break
            chosen.append(job)
            gpus -= job.gpus
        self._returned = len(chosen)
        return chosen, gpus <= 0

    def next_behind(self, rank: Any, state: Simulation) -> LiveJob | None:
        """Return the next job that ranks strictly behind, if there is one left."""
        if self._returned == len(self._line):
            return None
        key, _, job = self._line[self._returned]
        if not rank < self._standing.rank(key, state):
            return None
        self._returned += 1
        return job

    def _place_moved(self, state: Simulation) -> None:
        line, entries, key_of, now_s = self._line, self._entries, self._standing.key, state.now_s
        new: dict[int, LiveJob] = {}
        for index, job in self._moved.items():
            if job.start_s == now_s:
                # It is no victim until the next instant.
                new[index] = job
                continue
            entry = (key_of(job, state), -index, job)
            before = entries.get(index)
            if before is not None:
                if before[0] == entry[0]:
                    continue
                del line[bisect_left(line, before)]
            entries[index] = entry
            insort(line, entry)
        self._moved = new
