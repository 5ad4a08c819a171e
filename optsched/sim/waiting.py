"""Waiting jobs in the order of a policy, in classes that can be blocked as a whole."""

from __future__ import annotations

import heapq
from collections.abc import Hashable
from typing import Any

from optsched.sim.live_job import LiveJob

__all__ = ["WaitingQueue"]

NO_TICKET = (-1, None)


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

    def __init__(self) -> None:
        self._heaps: dict[Hashable, list[tuple[Any, int, int, LiveJob]]] = {}
        self._blocked: set[Hashable] = set()
        self._tickets: dict[int, tuple[int, Hashable]] = {}
        self._next_ticket = 0

    def __len__(self) -> int:
        return len(self._tickets)

    def add(self, job: LiveJob, *, key: Any, group: Hashable) -> None:
        """Add a job, or move it to another key or class."""
        ticket = self._next_ticket
        self._next_ticket += 1
        self._tickets[job.index] = (ticket, group)
        heap = self._heaps.setdefault(group, [])
        heapq.heappush(heap, (key, job.index, ticket, job))

    def remove(self, job: LiveJob) -> None:
        """Take a job out, wherever it stands."""
        self._tickets.pop(job.index, None)

    def group_of(self, job: LiveJob) -> Hashable:
        """Return the class of a job in the queue."""
        return self._tickets[job.index][1]

    def head(self) -> LiveJob | None:
        """Return the first job of all classes that are not blocked."""
        best: tuple[Any, int, int, LiveJob] | None = None
        blocked, tickets = self._blocked, self._tickets
        emptied: list[Hashable] = []
        for group, heap in self._heaps.items():
            if group in blocked:
                continue
            while heap:
                first = heap[0]
                if tickets.get(first[1], NO_TICKET)[0] == first[2]:
                    if best is None or first[:2] < best[:2]:
                        best = first
                    break
                heapq.heappop(heap)
            else:
                emptied.append(group)
        for group in emptied:
            del self._heaps[group]
        return None if best is None else best[3]

    def block(self, group: Hashable) -> None:
        """Leave a class out until :meth:`unblock`."""
        self._blocked.add(group)

    def unblock(self) -> None:
        """Let all classes in again; call it when GPUs were released."""
        self._blocked.clear()

    def is_blocked(self, group: Hashable) -> bool:
        """Return True if a class is blocked."""
        return group in self._blocked
