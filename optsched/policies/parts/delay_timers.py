"""How long jobs insist on near GPUs: for fixed times, or tuned by what earlier jobs have waited."""

from __future__ import annotations

import bisect
import math
from typing import NamedTuple

from optsched.placement import Tier
from optsched.sim import Simulation

__all__ = ["AutoTimers", "FixedTimers", "TimerChange"]

#: The least waits of the auto-tuner, in leases.
LEAST_FOR_RACK, LEAST_FOR_NETWORK = 6, 12
#: The share of the history that caps the wait for a rack.
RACK_SHARE = 0.8


class FixedTimers:
    """The same waits for all jobs, at all times.

    Parameters
    ----------
    for_rack, for_network
        The waits after which a rack, and any GPUs, are taken; infinite: never.
    """

    def __init__(self, for_rack: float, for_network: float) -> None:
        for wait in (for_rack, for_network):
            if not wait >= 0:
                raise ValueError(f"a wait is a number of at least 0, got {wait!r}")
        self._waits = (for_rack, for_network)

    def on_begin(self, state: Simulation) -> None:
        """Do nothing."""

    @property
    def history(self) -> list[TimerChange]:
        """The waits, which are those of all demands from the beginning on."""
        return [TimerChange(0.0, None, *self._waits)]

    def waits(self, gpus: int) -> tuple[float, float]:
        """Return the waits."""
        return self._waits

    def observe(self, gpus: int, tier: Tier, waited: float, now: float) -> bool:
        """Learn nothing."""
        return False


class TimerChange(NamedTuple):
    """New waits of a demand from a time on, all in leases; with ``gpus`` None those of all."""

    time: float
    gpus: int | None
    for_rack: float
    for_network: float


class AutoTimers:
    """Waits by what jobs of the same demand have waited: the mean and two standard deviations.

    Waits of a lease or more for one machine set the first timer, those for one rack the second. The
    first is at least 6 leases and at most 0.8 of the history, rounded up, the second at least 12
    and at most the history; the history wins over the least.

    Parameters
    ----------
    history
        Age in leases at which an observation is dropped, when the next one is made.
    stale_history
        Keep every other entry of those to be dropped, as a loop does that removes from the list it
        goes through: what the public simulator does.

    Attributes
    ----------
    changes
        All changes of the waits in this run, in order.

    Notes
    -----
    Sharma et al. (arXiv 2401.16492), after their public simulator.

    Examples
    --------
    >>> timers = AutoTimers(history=48)
    >>> timers.waits(8)
    (6, 12)
    >>> timers.observe(8, Tier.MACHINE, waited=9.0, now=20.0)
    True
    >>> timers.waits(8), timers.waits(4)
    ((9, 12), (6, 12))
    """

    def __init__(self, history: float, *, stale_history: bool = False) -> None:
        if not 0 <= history < math.inf:
            raise ValueError(f"the history is a number of at least 0, got {history!r}")
        self._history = history
        self._stale_history = stale_history
        #: Times and waits of the observations of a demand and a tier.
        self._observed: dict[tuple[int, Tier], tuple[list[float], list[float]]] = {}
        self._start = (self._for_rack(1.0), self._for_network(1.0))
        self._waits: dict[int, tuple[float, float]] = {}
        self.changes: list[TimerChange] = []

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        self._observed = {}
        self._waits = {}
        self.changes = []

    @property
    def history(self) -> list[TimerChange]:
        """The waits that all demands start with, and all changes."""
        return [TimerChange(0.0, None, *self._start), *self.changes]

    def waits(self, gpus: int) -> tuple[float, float]:
        """Return the waits of a demand, in leases."""
        return self._waits.get(gpus, self._start)

    def observe(self, gpus: int, tier: Tier, waited: float, now: float) -> bool:
        """Take note of a start after a wait, both in leases."""
        if waited < 1 or tier == Tier.NETWORK:
            return False
        times, waits = self._observed.setdefault((gpus, tier), ([], []))
        times.append(now)
        waits.append(waited)
        self._drop_old(times, waits, now - self._history)
        mean = math.fsum(waits) / len(waits)
        deviation = math.dist(waits, [mean] * len(waits)) / math.sqrt(len(waits))
        expected = mean + 2 * deviation
        before = self.waits(gpus)
        if tier == Tier.MACHINE:
            after = (self._for_rack(expected), before[1])
        else:
            after = (before[0], self._for_network(expected))
        if after == before:
            return False
        self._waits[gpus] = after
        self.changes.append(TimerChange(now, gpus, *after))
        return True

    def _drop_old(self, times: list[float], waits: list[float], before: float) -> None:
        if not self._stale_history:
            old = bisect.bisect_left(times, before)
            del times[:old], waits[:old]
            return
        position = 0
        while position < len(times):
            if times[position] < before:
                del times[position], waits[position]
            position += 1

    def _for_rack(self, expected: float) -> float:
        return min(math.ceil(RACK_SHARE * self._history), max(LEAST_FOR_RACK, math.ceil(expected)))

    def _for_network(self, expected: float) -> float:
        return min(self._history, max(LEAST_FOR_NETWORK, math.ceil(expected)))
