"""What would be offered if some running jobs stopped, found out with the engine's own pool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
    >>> pool = FreePool([1, 2])
    >>> a, b = LiveJob(0, 1, 0.0, 1, 1.0, 9.0), LiveJob(1, 2, 0.0, 1, 1.0, 3.0)
    >>> a.placement, b.placement = Placement.of({0: 1}), Placement.of({1: 2})
    >>> pool.take(a.placement); pool.take(b.placement)
    >>> trial = Trial(pool, 2)
    >>> [pool.free.copy() for _ in trial.releases([a, b], 2)]
    [[0, 2]]
    >>> trial.needed_for(Placement.of({1: 2})) == [b]
    True
    >>> trial.take_back(); pool.free
    [0, 0]
    """

    __slots__ = ("_free", "_least", "_released", "_saved", "rooms", "victims")

    def __init__(self, free: FreePool, least: int) -> None:
        self._free = free
        self._least = least
        #: All victims so far, the last in rank first.
        self.victims: list[LiveJob] = []
        self._released: dict[int, Placement] = {}
        #: The pool before the first release.
        self._saved: tuple[list[int], list[int], int] | None = None
        #: By server that matters, the GPUs that are free or held by victims, once all were taken
        #: in vain; not kept where every server matters.
        self.rooms: dict[int, int] = {}

    def releases(self, victims: Iterable[LiveJob], gpus: int) -> Iterator[None]:
        """Take one victim after the other; yield when an offer of ``gpus`` GPUs may have come up.

        By then the pool has the GPUs of those victims that may matter.
        """
        if self._least == 1:
            return self._releases_anywhere(victims, gpus)
        return self._releases_where_it_matters(victims, gpus)

    def _releases_anywhere(self, victims: Iterable[LiveJob], gpus: int) -> Iterator[None]:
        total, pending = self._free.total, 0
        for victim in victims:
            self.victims.append(victim)
            total += victim.gpus
            pending += 1
            if total >= gpus:
                self._release(self.victims[-pending:])
                pending = 0
                yield

    def _releases_where_it_matters(self, victims: Iterable[LiveJob], gpus: int) -> Iterator[None]:
        free, least, so_far = self._free, self._least, self.victims
        room, reached = free.free.copy(), list(free.with_free(least))
        total = sum(map(room.__getitem__, reached))
        pending: list[LiveJob] = []
        for victim in victims:
            so_far.append(victim)
            place = victim.placement
            assert place is not None
            # A strict zip would take longer than the loop.
            for server, count in zip(place.servers, place.counts):  # noqa: B905
                before = room[server]
                room[server] = now = before + count
                if now < least:
                    continue
                if before >= least:
                    total += count
                    pending.append(victim)
                else:
                    total += now
                    reached.append(server)
                    pending += [other for other in so_far if _is_on(other, server)]
            if pending and total >= gpus:
                self._release(pending)
                pending.clear()
                yield
        self.rooms = {server: room[server] for server in reached}

    def _release(self, victims: Iterable[LiveJob]) -> None:
        if self._saved is None:
            self._saved = self._free.saved()
        for victim in victims:
            if victim.index not in self._released:
                assert victim.placement is not None
                self._released[victim.index] = victim.placement
                self._free.give(victim.placement)

    def needed_for(self, found: Placement) -> list[LiveJob]:
        """Return the victims whose GPUs a placement needs, the best ranked first.

        If one of several could keep its GPUs, it is the best ranked. The pool is not what it was
        before :meth:`take_back`.
        """
        free, released = self._free, self._released
        victims = [victim for victim in reversed(self.victims) if victim.index in released]
        spare = free.total - found.gpus
        if all(victim.gpus > spare for victim in victims):
            return victims
        needed: list[LiveJob] = []
        free.take(found)
        for victim in victims:
            place = released[victim.index]
            if free.has(place):
                free.take(place)
            else:
                needed.append(victim)
        return needed

    def take_back(self) -> None:
        """Leave the pool as it was."""
        if self._saved is not None:
            self._free.restore(self._saved)
            self._saved = None
            self._released = {}


def _is_on(job: LiveJob, server: int) -> bool:
    return job.placement is not None and server in job.placement.servers
