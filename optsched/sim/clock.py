"""Continuous and slotted time behind one interface."""

from __future__ import annotations

from typing import Protocol

from optsched.contention.rate_model import RateFunctions
from optsched.contention.slots import at_slot_boundary, slots_needed
from optsched.core.errors import StalledJobError
from optsched.core.instance import Instance

__all__ = ["Clock", "ContinuousClock", "SlottedClock", "clock_of"]


class Clock(Protocol):
    """The engine's unit of time, and how jobs progress in it."""

    def seconds(self, time: float) -> float:
        """Return a time of the clock in seconds."""

    def at_or_after(self, time_s: float) -> float:
        """Return the first time of the clock that is not before ``time_s``."""

    def duration(self, seconds: float) -> float:
        """Return a length of time in units of the clock, rounded up."""

    def progress(self, job_id: str, iteration_time_s: float) -> float:
        """Return the pace of a job, in the form that the other two methods take."""

    def done(self, elapsed: float, progress: float) -> float:
        """Return the iterations done in a length of time."""

    def needed(self, remaining: float, progress: float) -> float:
        """Return the length of time that ``remaining`` iterations take."""


class ContinuousClock:
    """Seconds; the pace of a job is its iteration time."""

    def seconds(self, time: float) -> float:
        """Return the time itself."""
        return time

    def at_or_after(self, time_s: float) -> float:
        """Return the time itself."""
        return time_s

    def duration(self, seconds: float) -> float:
        """Return the length itself."""
        return seconds

    def progress(self, job_id: str, iteration_time_s: float) -> float:
        """Return the iteration time."""
        return iteration_time_s

    def done(self, elapsed: float, progress: float) -> float:
        """Return the iterations done, a fraction included."""
        return elapsed / progress

    def needed(self, remaining: float, progress: float) -> float:
        """Return the seconds that ``remaining`` iterations take."""
        return remaining * progress


class SlottedClock:
    """Slots, counted from 0; the pace of a job is the iterations it does in a slot."""

    def __init__(self, slot_s: float, rates: RateFunctions) -> None:
        self._slot_s = slot_s
        self._rates = rates

    def seconds(self, time: float) -> float:
        """Return the start of slot ``time``."""
        return time * self._slot_s

    def at_or_after(self, time_s: float) -> float:
        """Return the first slot that starts at or after ``time_s``."""
        return float(at_slot_boundary(time_s, self._slot_s))

    def duration(self, seconds: float) -> float:
        """Return the slots that cover a length of time."""
        return float(at_slot_boundary(seconds, self._slot_s))

    def progress(self, job_id: str, iteration_time_s: float) -> float:
        """Return the iterations in a slot.

        Raises
        ------
        StalledJobError
            If there is none.
        """
        per_slot = self._rates.progress_per_slot(iteration_time_s)
        if per_slot <= 0:
            raise StalledJobError(
                f"job {job_id!r} needs {iteration_time_s:g} s for an iteration here and so "
                f"completes none in a slot of {self._slot_s:g} s; use a longer slot_s, another "
                "placement, or continuous time"
            )
        return per_slot

    def done(self, elapsed: float, progress: float) -> float:
        """Return the iterations done in ``elapsed`` slots."""
        return elapsed * progress

    def needed(self, remaining: float, progress: float) -> float:
        """Return the slots that ``remaining`` iterations take."""
        return float(slots_needed(remaining, progress))


def clock_of(instance: Instance, rates: RateFunctions) -> Clock:
    """Return the clock that the instance asks for."""
    if instance.slot_s is None:
        return ContinuousClock()
    return SlottedClock(instance.slot_s, rates)
