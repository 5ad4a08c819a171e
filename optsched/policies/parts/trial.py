"""What would be offered if some running jobs stopped, found out with the engine's own pool."""

from __future__ import annotations

from optsched.core.placement import Placement
from optsched.sim import FreePool, LiveJob

__all__ = ["Trial"]


class Trial:
    """Victims, of whom those release their GPUs that may matter.

    Only servers with at least ``least`` GPUs to be had make a difference, so a victim on others
    keeps what it holds. Whatever is released has to be taken back before the engine goes on.

    Parameters
    ----------
    free
        The pool.
    least
        The :func:`~optsched.placement.least_part` of the demand.

    Examples
    --------
    >>> pool = FreePool([2, 2])
    >>> a, b = LiveJob(0, 1, 0.0, 1, 1.0, 9.0), LiveJob(1, 2, 0.0, 1, 1.0, 3.0)
    >>> a.placement, b.placement = Placement.of({0: 1}), Placement.of({1: 2})
    >>> pool.take(a.placement); pool.take(b.placement)
    >>> trial = Trial(pool, 2)
    >>> trial.counts(b)
    True
    >>> trial.release(); pool.free
    [1, 2]
    >>> trial.needed_for(Placement.of({1: 2})) == [b]
    True
    >>> trial.take_back(); pool.free
    [1, 0]
    """

    __slots__ = ("_free", "_least", "_on", "_pending", "_released", "_room", "victims")

    def __init__(self, free: FreePool, least: int) -> None:
        self._free = free
        self._least = least
        #: All victims so far, the last in rank first.
        self.victims: list[LiveJob] = []
        #: Victims that may matter and have not released anything.
        self._pending: list[LiveJob] = []
        self._released: dict[int, Placement] = {}
        #: By server: the GPUs that are free or held by victims, and those of them that keep theirs.
        self._room: dict[int, int] = {}
        self._on: dict[int, list[LiveJob]] = {}

    def counts(self, victim: LiveJob) -> bool:
        """Add a victim; return True if, of all since the last release, one may matter."""
        self.victims.append(victim)
        if self._least == 1:
            self._pending.append(victim)
            return True
        place = victim.placement
        assert place is not None
        for server, count in zip(place.servers, place.counts, strict=True):
            if server in self._room:
                self._room[server] += count
                self._on[server].append(victim)
            else:
                self._room[server] = self._free.free[server] + count
                self._on[server] = [victim]
            if self._room[server] >= self._least:
                self._pending += self._on[server]
                self._on[server] = []
        return bool(self._pending)

    def release(self) -> None:
        """Let the pool have the GPUs of the victims that may matter."""
        for victim in self._pending:
            if victim.index not in self._released:
                assert victim.placement is not None
                self._released[victim.index] = victim.placement
                self._free.give(victim.placement)
        self._pending = []

    def needed_for(self, found: Placement) -> list[LiveJob]:
        """Return the victims whose GPUs a placement needs, the best ranked first.

        If one of several could keep its GPUs, it is the best ranked.
        """
        free, released = self._free, self._released
        victims = [victim for victim in reversed(self.victims) if victim.index in released]
        spare = free.total - found.gpus
        if all(victim.gpus > spare for victim in victims):
            return victims
        needed: list[LiveJob] = []
        spared: list[Placement] = []
        free.take(found)
        for victim in victims:
            place = released[victim.index]
            if free.has(place):
                free.take(place)
                spared.append(place)
            else:
                needed.append(victim)
        for place in [*spared, found]:
            free.give(place)
        return needed

    def take_back(self) -> None:
        """Take all that was released from the pool again."""
        for place in self._released.values():
            self._free.take(place)
        self._released = {}
