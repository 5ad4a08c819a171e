"""Waiting jobs in the order of a policy, in classes that can be blocked as a whole."""

from __future__ import annotations

from collections.abc import Hashable
from heapq import heapify, heappop, heappush
from typing import Any

from optsched.sim.live_job import LiveJob

__all__ = ["WaitingQueue"]

#: (key, position in the instance, class, job); two of them differ in the first two parts, or are
#: of one job.
Entry = tuple[Any, int, Hashable, LiveJob]


class WaitingQueue:
    """A heap of (key, position in the instance) for each class of waiting jobs.

    Jobs of one class are placed or refused alike, so once the head of a class was refused the
    class is blocked until GPUs are released. A pass then costs as much as there are classes, not
    as there are jobs.

    Examples
    --------
    >>> queue = WaitingQueue()
    >>> a, b = LiveJob(0, 2, 0.0, 1, 1.0, 9.0), LiveJob(1, 4, 0.0, 1, 1.0, 3.0)
    >>> queue.add(a, key=9.0, group=2); queue.add(b, key=3.0, group=4)
    >>> queue.head() is b
    True
    >>> queue.block(4); queue.head() is a
    True
    """

    __slots__ = ("_classes", "_heads", "blocked", "entries")

    def __init__(self) -> None:
        #: The valid entry of each job in the queue; others are dropped when they surface.
        self.entries: dict[int, Entry] = {}
        self._classes: dict[Hashable, list[Entry]] = {}
        #: A heap that holds, of each class that is not blocked, at least the first entry.
        self._heads: list[Entry] = []
        #: The classes that are blocked.
        self.blocked: set[Hashable] = set()

    def __len__(self) -> int:
        return len(self.entries)

    def add(self, job: LiveJob, *, key: Any, group: Hashable) -> None:
        """Add a job, or move it to another key or class."""
        entry = (key, job.index, group, job)
        self.entries[job.index] = entry
        heap = self._classes.get(group)
        if heap is None:
            self._classes[group] = [entry]
        else:
            heappush(heap, entry)
            if heap[0] is not entry:
                return
        if group not in self.blocked:
            heappush(self._heads, entry)

    def remove(self, job: LiveJob) -> None:
        """Take a job out, wherever it stands."""
        entries = self.entries
        entries.pop(job.index, None)
        if not entries and self._heads:
            # Nothing that is left is valid.
            self._heads.clear()
            self._classes.clear()

    def group_of(self, job: LiveJob) -> Hashable:
        """Return the class of a job in the queue."""
        return self.entries[job.index][2]

    def head(self) -> LiveJob | None:
        """Return the first job of all classes that are not blocked."""
        first = self.first()
        return None if first is None else first[3]

    def first(self) -> Entry | None:
        """Return the key, position, class and job of the head."""
        heads, entries, blocked = self._heads, self.entries, self.blocked
        while heads:
            first = heads[0]
            if entries.get(first[1]) is not first:
                heappop(heads)
                self._show_first(first[2])
            elif first[2] in blocked:
                heappop(heads)
            else:
                return first
        return None

    def is_behind(self, job: LiveJob) -> bool:
        """Return True if it is plain that another job of a job's class comes before it."""
        entry = self.entries[job.index]
        first = self._classes[entry[2]][0]
        return first is not entry and self.entries.get(first[1]) is first

    def block(self, group: Hashable) -> None:
        """Leave a class out until :meth:`unblock`."""
        self.blocked.add(group)
        if self._heads and self._heads[0][2] == group:
            heappop(self._heads)

    def unblock(self) -> None:
        """Let all classes in again; call it when GPUs were released."""
        if self.blocked:
            self.blocked.clear()
            # Those that are not valid are replaced when they surface.
            self._heads = [heap[0] for heap in self._classes.values()]
            heapify(self._heads)

    def is_blocked(self, group: Hashable) -> bool:
        """Return True if a class is blocked."""
        return group in self.blocked

    def _show_first(self, group: Hashable) -> None:
        """Put the first valid entry of a class among the heads."""
        heap = self._classes.get(group)
        while heap:
            first = heap[0]
            if self.entries.get(first[1]) is first:
                heappush(self._heads, first)
                return
            heappop(heap)
        self._classes.pop(group, None)
