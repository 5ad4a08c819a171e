"""What the engine expects of a policy, and what observers get."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from optsched.sim.live_job import LiveJob

if TYPE_CHECKING:
    from optsched.sim.engine import Simulation

__all__ = ["Observer", "Policy"]


class Policy(Protocol):
    """Decides at every instant what starts and what stops.

    Only ``schedule`` is needed. A policy may also have ``on_begin(state)``, ``on_arrival(job,
    state)``, ``on_start(job, state)``, ``on_re_rate(job, state)`` (its speed has changed),
    ``on_preempt(job, state)``, ``on_finish(job, state)`` and ``on_timer(job, state)``; the engine
    calls those that exist. What ``details()`` returns, if it
    has that, stands among the details of a result. A plain function of the state serves as a
    policy too.
    """

    def schedule(self, state: Simulation) -> None:
        """Start and preempt jobs; called once at every instant at which something happened."""


class Observer:
    """Base of observers: every method does nothing; override what is of interest."""

    def on_start(self, job: LiveJob, time_s: float) -> None:
        """Take note of a start."""

    def on_stop(self, job: LiveJob, time_s: float) -> None:
        """Take note of a preemption or a completion."""

    def on_instant(self, state: Simulation) -> None:
        """Take note of the state after the scheduling pass of an instant."""
