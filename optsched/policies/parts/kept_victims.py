"""Victims whose order time does not change: kept sorted, and hopeless demands remembered."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from optsched.core.placement import Placement
from optsched.policies.parts.order import Order
from optsched.sim import LiveJob, Simulation

__all__ = ["KeptVictims", "Standing"]

#: (key, minus the position in the instance, job)
Entry = tuple[Any, int, LiveJob]
#: Changes after which all that was given up is forgotten.
LONGEST_MEMORY = 10_000


@dataclass(frozen=True, slots=True)
class Standing:
    """How running jobs stand to each other, whatever the time.

    Parameters
    ----------
    key
        A key of running jobs that time alone does not change, only the job's speed or its timer.
        The less it is the farther behind a job ranks; of equal rank the first victim has the least.
    limit
        The key of a rank at the time now: jobs with a lesser key rank strictly behind. As time
        passes it never rises: who does not rank behind a waiting job will not do so later, unless
        its own key changes.
    depends_on_speed
        Whether the key changes with the job's speed; else only its timer changes it.
    """

    key: Order
    limit: Callable[[Any, Simulation], Any]
    depends_on_speed: bool = True


@dataclass(slots=True)
class _GivenUp:
    """A demand for which nobody made room: for which limit, and what there was."""

    limit: Any
    #: By server that matters for it, the GPUs that are free or held by jobs behind; no fewer than
    #: now, but for the servers that have changed since.
    rooms: dict[int, int]
    #: How many changes there had been.
    changes: int


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
        self._places: dict[int, Placement] = {}
        #: For each server, the key and the GPUs there of the jobs in the line; made when needed.
        self._on_server: list[dict[int, tuple[Any, int]]] = []
        #: By demand.
        self._given_up: dict[int, _GivenUp] = {}
        #: The servers where jobs have stopped or moved in the line.
        self._changed: list[int] = []

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        self._line, self._entries, self._moved = [], {}, {}
        self._places, self._given_up = {}, {}
        self._changed, self._on_server = [], []

    def begin_pass(self) -> None:
        """Let changes count from the next question on."""
        self._is_asked = False

    def enter(self, job: LiveJob, state: Simulation) -> None:
        """Put a job that has started in its place at the next pass's first question."""
        assert job.placement is not None
        self._places[job.index] = job.placement
        self._moved[job.index] = job

    def move(self, job: LiveJob, state: Simulation) -> None:
        """Put a job in its place anew at the next pass's first question."""
        self._moved[job.index] = job

    def leave(self, job: LiveJob, state: Simulation) -> None:
        """Take a job out."""
        index = job.index
        place = self._places.pop(index)
        self._moved.pop(index, None)
        entry = self._entries.pop(index, None)
        if entry is not None:
            del self._line[bisect_left(self._line, entry)]
            if self._on_server:
                for server in place.servers:
                    del self._on_server[server][index]
        if self._given_up:
            self._changed += place.servers
            if len(self._changed) > LONGEST_MEMORY:
                self._changed.clear()
                self._given_up.clear()

    def limit(self, rank: Any, state: Simulation) -> Any:
        """Return the key that those behind a rank have less than."""
        if not self._is_asked:
            self._place_moved(state)
        return self._standing.limit(rank, state)

    def is_anybody_behind(self, limit: Any, state: Simulation) -> bool:
        """Return True if anybody ranks strictly behind."""
        return bool(self._line) and self._line[0][0] < limit

    def behind(self, limit: Any, state: Simulation) -> Iterable[LiveJob]:
        """Return the jobs that rank strictly behind, the last first."""
        count = bisect_left(self._line, (limit,))
        return (job for _, _, job in islice(self._line, count))

    def give_up(self, gpus: int, limit: Any, rooms: dict[int, int]) -> None:
        """Take note that nobody makes room for a demand and a limit, as things stand."""
        self._given_up[gpus] = _GivenUp(limit, rooms, len(self._changed))

    def is_hopeless(self, gpus: int, limit: Any, least: int, state: Simulation) -> bool:
        """Return True if nobody can make room for a demand and a limit since it was given up.

        That is so until the servers that matter have ``gpus`` GPUs, free or held by jobs behind.
        """
        given_up = self._given_up.get(gpus)
        if given_up is None or given_up.limit < limit:
            return False
        if not self._on_server:
            self._on_server = [{} for _ in state.free.capacity]
            for key, _, job in self._line:
                self._index(job.index, key)
        rooms, free = given_up.rooms, state.free.free
        for server in set(self._changed[given_up.changes :]):
            room = free[server]
            for key, count in self._on_server[server].values():
                if key < limit:
                    room += count
            if room >= least:
                rooms[server] = room
            elif server in rooms:
                del rooms[server]
        given_up.limit, given_up.changes = limit, len(self._changed)
        return sum(rooms.values()) < gpus

    def _index(self, index: int, key: Any) -> None:
        place = self._places[index]
        for server, count in zip(place.servers, place.counts, strict=True):
            self._on_server[server][index] = (key, count)

    def _place_moved(self, state: Simulation) -> None:
        self._is_asked = True
        line, entries, key_of, now_s = self._line, self._entries, self._standing.key, state.now_s
        new: dict[int, LiveJob] = {}
        for index, job in self._moved.items():
            if job.start_s == now_s:
                # It is no victim until the next instant.
                new[index] = job
                continue
            key = key_of(job, state)
            before = entries.get(index)
            if before is not None:
                if before[0] == key:
                    continue
                del line[bisect_left(line, before)]
            entry = (key, -index, job)
            entries[index] = entry
            insort(line, entry)
            place = self._places[index]
            if self._on_server:
                self._index(index, key)
            if self._given_up:
                self._changed += place.servers
        self._moved = new
