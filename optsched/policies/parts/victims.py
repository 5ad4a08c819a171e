"""Running jobs from the last in rank on: those that stop first for a job of higher rank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any, Protocol

from optsched.policies.parts.order import Order
from optsched.sim import LiveJob, Simulation

__all__ = ["RankedVictims", "Victims"]


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

    def limit(self, rank: Any, state: Simulation) -> Any:
        """Return what tells those who rank strictly behind a waiting job from the others, now.

        It is asked for before any of the following, which take it.
        """

    def is_anybody_behind(self, limit: Any, state: Simulation) -> bool:
        """Return True if anybody ranks strictly behind."""

    def behind(self, limit: Any, state: Simulation) -> Iterable[LiveJob]:
        """Return the jobs that rank strictly behind, the last first.

        Those that have started at this instant, or have stopped, are passed over. Nobody may start
        or stop before the last answer is read.
        """

    def give_up(self, gpus: int, limit: Any, rooms: dict[int, int]) -> None:
        """Take note that nobody makes room for a demand and a limit, as things stand.

        ``rooms`` are those of the :class:`~optsched.policies.parts.trial.Trial`.
        """

    def is_hopeless(self, gpus: int, limit: Any, least: int, state: Simulation) -> bool:
        """Return True if, for a demand and a limit, nobody can make room since it was given up.

        ``least`` is the :func:`~optsched.placement.least_part` of the demand.
        """


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

    def limit(self, rank: Any, state: Simulation) -> Any:
        """Return the rank itself."""
        return rank

    def is_anybody_behind(self, limit: Any, state: Simulation) -> bool:
        """Return True if anybody ranks strictly behind."""
        return next(self.behind(limit, state), None) is not None

    def behind(self, limit: Any, state: Simulation) -> Iterator[LiveJob]:
        """Yield the jobs that rank strictly behind, the last first."""
        now_s = state.now_s
        if self._ranked is None:
            self._ranked = [
                (self._rank(job, state), self._among_equals(job, state), job.index, job)
                for job in state.running
                if job.start_s < now_s
            ]
            self._ranked.sort(key=itemgetter(0, 1, 2), reverse=True)
        for key, _, _, job in self._ranked:
            if not limit < key:
                return
            # Those stopped in this pass wait, or have started again at this instant.
            if job.placement is not None and job.start_s < now_s:
                yield job

    def give_up(self, gpus: int, limit: Any, rooms: dict[int, int]) -> None:
        """Do nothing: ranks may change in any way."""

    def is_hopeless(self, gpus: int, limit: Any, least: int, state: Simulation) -> bool:
        """Return False: it has to be tried."""
        return False
