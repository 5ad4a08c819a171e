"""The event loop: arrivals, completions, timers, and one scheduling pass an instant.

At one instant completions come first, then arrivals, then timers, each in the order of the
instance; then the policy is asked once. How jobs progress between instants is in
:mod:`optsched.sim.progress`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush, heapreplace
from typing import Any

import numpy as np

from optsched.contention import RateFunctions, best_durations_s, rate_functions
from optsched.core.instance import Instance
from optsched.core.placement import Placement
from optsched.core.schedule import Schedule
from optsched.sim.arrivals import jobs_by_arrival
from optsched.sim.clock import clock_of
from optsched.sim.contention_tracker import ContentionTracker
from optsched.sim.free_pool import FreePool
from optsched.sim.invariants import assert_invariants
from optsched.sim.live_job import INFINITY, LiveJob
from optsched.sim.progress import COMPLETION, Progress
from optsched.sim.protocols import Observer, Policy
from optsched.sim.records import SegmentRecorder
from optsched.sim.rules import broken_rule

__all__ = ["Simulation"]

TIMER = 2
#: The job index of a timer that belongs to the policy and to no job.
NO_JOB = -1
#: What comes when no job arrives any more.
NOBODY: tuple[float, LiveJob | None] = (INFINITY, None)
#: Instants in a row at which only timers fire before a policy counts as stuck.
MAX_IDLE_INSTANTS = 1_000_000
#: A job preempted with less than this share of its iterations left is complete.
ROUNDING = 1e-12


class Simulation(Progress):
    """A running simulation: what a policy sees, and the three things it may do.

    Read ``instance``, ``rates``, ``now_s``, ``waiting`` and ``running`` (jobs), ``free`` (a
    :class:`FreePool`); call :meth:`start`, :meth:`preempt`, :meth:`set_timer`.

    Parameters
    ----------
    instance
        The instance.
    policy
        The policy, or a plain function of the state.
    rates, durations_s
        The rate functions and best durations of the instance, if at hand.
    debug
        Check the invariants after every instant.
    observers
        Told of starts, stops and instants.
    """

    __slots__ = (
        "_arriving",
        "_debug",
        "_done",
        "_idle_instants",
        "_idle_since",
        "_next_arrival",
        "_next_job",
        "_on_arrival",
        "_on_begin",
        "_on_finish",
        "_on_preempt",
        "_on_start",
        "_on_timer",
        "_schedule",
        "_timers",
    )

    def __init__(
        self,
        instance: Instance,
        policy: Policy | Callable[[Simulation], None],
        *,
        rates: RateFunctions | None = None,
        durations_s: Sequence[float] | None = None,
        debug: bool = False,
        observers: Iterable[Observer] = (),
    ) -> None:
        self.instance = instance
        self.rates = rate_functions(instance) if rates is None else rates
        self.free = FreePool(instance.cluster.servers.gpus.tolist())
        self.re_rates = self.preemptions = self.instants = self._idle_instants = 0
        self._waiting = {}
        self._running = {}
        self._clock = clock_of(instance, self.rates)
        self._is_slotted = instance.slot_s is not None
        self._now = self.now_s = 0.0
        self._events = []
        self._timers: dict[int, float] = {}
        self._tracker = ContentionTracker(self.rates)
        self._only_degrees = self.rates.depends_on_maximum_load
        self._recorder = SegmentRecorder()
        self._idle_since: tuple[int, float] = (0, 0.0)
        self._done = bytearray(len(instance.jobs))
        self._debug = debug
        self._observers = tuple(observers)

        durations = best_durations_s(instance, self.rates) if durations_s is None else durations_s
        self._arriving = jobs_by_arrival(
            instance, self._clock, np.asarray(durations, dtype=np.float64)
        )
        self._next_arrival: float
        self._next_job: LiveJob | None
        self._next_arrival, self._next_job = next(self._arriving, NOBODY)

        def hook(name: str) -> Callable[..., Any] | None:
            return getattr(policy, name, None)

        scheduled = hook("schedule")
        self._schedule: Callable[[Simulation], None] = (
            policy if scheduled is None else scheduled  # type: ignore[assignment]
        )
        self._on_arrival, self._on_start = hook("on_arrival"), hook("on_start")
        self._on_preempt, self._on_finish = hook("on_preempt"), hook("on_finish")
        self._on_timer, self._on_begin = hook("on_timer"), hook("on_begin")
        self._on_re_rate = hook("on_re_rate")

    # What a policy may do

    def start(self, job: LiveJob, placement: Placement) -> None:
        """Start a waiting job now.

        Raises
        ------
        PolicyError
            If the job is not waiting or the placement does not fit.
        """
        try:
            index, servers, free = job.index, placement.servers, self.free.free
        except AttributeError:
            got = f"{type(job).__name__} and {type(placement).__name__}"
            rule = f"start takes a job of state.waiting and a Placement, got {got}"
            known: object = job
            raise self._error(rule, job if isinstance(known, LiveJob) else None) from None
        is_local = len(servers) == 1
        # Most jobs are on one server, and most decisions are right: these are told at a glance.
        if not (
            is_local
            and placement.counts == (job.gpus,)
            and 0 <= servers[0] < len(free)
            and free[servers[0]] >= job.gpus
            and self._waiting.get(index) is job
        ):
            broken = broken_rule(self, job, placement)
            if broken is not None:
                raise self._error(broken[0], job, broken[1])
        del self._waiting[index]
        self._running[index] = job
        if self._timers:
            self._timers.pop(index, None)
        job.placement = placement
        job.start_s = self.now_s
        job.settled = self._ready(job) if job.preemptions else self._now
        resources: tuple[int, ...] = ()
        if is_local:
            self.free.change(servers[0], -job.gpus)
        else:
            self.free.take(placement)
            resources = self.rates.shared_resources(placement)
        if resources:
            self._share(job, resources)
        else:
            self._set_pace(job, self.rates.iteration_time_s(index, placement, ()))
        if self._on_start is not None:
            self._on_start(job, self)
        if self._observers:
            for observer in self._observers:
                observer.on_start(job, job.start_s)

    def preempt(self, job: LiveJob) -> None:
        """Stop a running job now; it keeps its progress and waits again.

        A job that has nothing left to do but what rounding leaves completes instead.

        Raises
        ------
        PolicyError
            If the job is not running, or has started at this very instant.
        """
        if not isinstance(job, LiveJob):
            rule = f"preempt takes a job of state.running, got {type(job).__name__}"
            raise self._error(rule, None)
        index = job.index
        if self._running.get(index) is not job:
            raise self._error("only a running job can be preempted", job)
        if job.start_s == self.now_s:
            raise self._error("a job cannot be preempted at the instant of its start", job)
        assert job.placement is not None
        self._settle(job)
        if job.due <= self._now or job.remaining <= ROUNDING * job.iterations:
            self._complete(job)
            return
        self._recorder.remember(index, job.placement, self.now_s)
        self._stop(job)
        job.preemptions += 1
        self.preemptions += 1
        self._waiting[index] = job
        if self._on_preempt is not None:
            self._on_preempt(job, self)

    def set_timer(self, time_s: float, job: LiveJob | None = None) -> None:
        """Ask for a pass at a time, in place of the earlier timer of the same job or the policy.

        A job's timer is dropped when the job starts and when it completes. In slotted time a timer
        fires at the next slot boundary.

        Raises
        ------
        PolicyError
            If the time is not after now.
        """
        time = self._clock.at_or_after(time_s) if abs(time_s) < INFINITY else INFINITY
        if not self._now < time < INFINITY:
            got = repr(float(time_s)).removesuffix(".0")
            raise self._error(f"a timer must be after now, got {got} s", job)
        index = NO_JOB if job is None else job.index
        self._timers[index] = time
        heappush(self._events, (time, TIMER, index, None))

    # The loop

    def run(self) -> Schedule:
        """Run until every job is done, and return what ran where and when.

        Raises
        ------
        PolicyError
            If the policy breaks a rule or leaves a job waiting for ever.
        StalledJobError
            If a job makes no progress where it was placed.
        """
        if self._on_begin is not None:
            self._on_begin(self)
        timers, schedule = self._timers, self._schedule
        is_slotted, is_watched = self._is_slotted, self._debug or bool(self._observers)
        instants = 0
        while True:
            due, now = self._next_event(), self._next_arrival
            if due < now:
                now = due
            elif now == INFINITY:
                break
            self._now = self.now_s = now
            if is_slotted:
                self.now_s = self._clock.seconds(now)
            if due == now:
                self._completions()
            if self._next_arrival == now:
                self._arrivals()
            if timers:
                self._fire_timers()
            schedule(self)
            self.instants = instants = instants + 1
            if not self._running:
                self._check_that_something_happens()
            if is_watched:
                self._show()
        if self._waiting:
            job = next(iter(self._waiting.values()))
            more = len(self._waiting) - 1
            also = f" (and {more} more)" if more else ""
            raise self._error(f"left waiting{also} although nothing runs or will arrive", job)
        return self._recorder.schedule()

    def _next_event(self) -> float:
        """Return the time of the first event that is not stale, and drop those before it."""
        events = self._events
        while events:
            time, _, index, job = events[0]
            if job is None:
                if self._timers.get(index) == time:
                    return time
                heappop(events)
            elif job.due == time:
                return time
            elif job.scheduled == time:
                job.scheduled = job.due
                heapreplace(events, (job.due, COMPLETION, index, job))
            else:
                heappop(events)
        return INFINITY

    def _completions(self) -> None:
        """Complete what is due; the first event is known to be no stale one."""
        events, now = self._events, self._now
        while (job := events[0][3]) is not None:
            heappop(events)
            self._complete(job)
            if not events or events[0][0] > now or self._next_event() > now:
                break

    def _complete(self, job: LiveJob) -> None:
        job.remaining = 0.0
        self._stop(job)
        self._done[job.index] = 1
        if self._timers:
            self._timers.pop(job.index, None)
        if self._on_finish is not None:
            self._on_finish(job, self)

    def _arrivals(self) -> None:
        """Let in who arrives now."""
        now, on_arrival = self._now, self._on_arrival
        while self._next_arrival == now and (job := self._next_job) is not None:
            self._waiting[job.index] = job
            self._next_arrival, self._next_job = next(self._arriving, NOBODY)
            if on_arrival is not None:
                on_arrival(job, self)

    def _fire_timers(self) -> None:
        events, now = self._events, self._now
        while events and events[0][0] == now and events[0][3] is None:
            index = heappop(events)[2]
            if self._timers.get(index) == now:
                del self._timers[index]
                if self._on_timer is not None:
                    job = self._waiting.get(index) or self._running.get(index)
                    self._on_timer(job, self)

    def _check_that_something_happens(self) -> None:
        """Raise an error if a policy looks for ever while nothing runs.

        Where jobs run, their completions will come, however often it looks.
        """
        happened = (len(self._recorder), self._next_arrival)
        if happened != self._idle_since:
            self._idle_since, self._idle_instants = happened, 0
        self._idle_instants += 1
        if self._idle_instants > MAX_IDLE_INSTANTS + 1:
            raise self._error("only timers fire and nothing else ever happens", None)

    def _show(self) -> None:
        """Check the state and show it, after an instant, to those who asked for it."""
        if self._debug:
            assert_invariants(self)
        for observer in self._observers:
            observer.on_instant(self)
