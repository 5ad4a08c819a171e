"""The event loop: arrivals, completions, timers, and one scheduling pass an instant.

At one instant completions come first, then arrivals, then timers, each in the order of the
instance; then the policy is asked once. Progress is settled lazily: a job is touched only when its
speed changes. An event heap keeps at most one live entry a job; an entry that has become too early
is pushed again when it surfaces.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence, ValuesView
from typing import Any

import numpy as np

from optsched.contention import RateFunctions, best_durations_s, rate_functions
from optsched.core.errors import PolicyError
from optsched.core.instance import Instance
from optsched.core.placement import Placement
from optsched.core.schedule import Schedule
from optsched.sim.arrivals import jobs_by_arrival
from optsched.sim.clock import clock_of
from optsched.sim.contention_tracker import ContentionTracker
from optsched.sim.free_pool import FreePool
from optsched.sim.invariants import assert_invariants
from optsched.sim.live_job import INFINITY, LiveJob
from optsched.sim.protocols import Observer, Policy
from optsched.sim.records import SegmentRecorder
from optsched.sim.rules import broken_rule

__all__ = ["Simulation"]

COMPLETION, TIMER = 0, 2
#: The job index of a timer that belongs to the policy and to no job.
NO_JOB = -1
#: Instants in a row at which only timers fire before a policy counts as stuck.
MAX_IDLE_INSTANTS = 1_000_000
#: A job preempted with less than this share of its iterations left is complete.
ROUNDING = 1e-12


class Simulation:
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
        self.re_rates = 0
        self.preemptions = 0
        self.instants = 0
        self._waiting: dict[int, LiveJob] = {}
        self._running: dict[int, LiveJob] = {}
        self._clock = clock_of(instance, self.rates)
        self._is_slotted = instance.slot_s is not None
        #: The time now, on the clock and in seconds.
        self._now = 0.0
        self.now_s = 0.0
        self._events: list[tuple[float, int, int]] = []
        self._timers: dict[int, float] = {}
        self._tracker = ContentionTracker(self.rates)
        self._recorder = SegmentRecorder()
        self._debug = debug
        self._observers = tuple(observers)
        self._done = bytearray(len(instance.jobs))

        durations = best_durations_s(instance, self.rates) if durations_s is None else durations_s
        self._durations_s = np.asarray(durations, dtype=np.float64)
        self._arriving = jobs_by_arrival(instance, self._clock, self._durations_s)
        self._next_arrival = INFINITY
        self._next_job: LiveJob | None = None
        self._next_arrival, self._next_job = next(self._arriving, (INFINITY, None))

        def hook(name: str) -> Callable[..., Any] | None:
            return getattr(policy, name, None)

        scheduled = hook("schedule")
        self._schedule: Callable[[Simulation], None] = (
            policy if scheduled is None else scheduled  # type: ignore[assignment]
        )
        self._on_arrival, self._on_start = hook("on_arrival"), hook("on_start")
        self._on_preempt, self._on_finish = hook("on_preempt"), hook("on_finish")
        self._on_timer, self._on_begin = hook("on_timer"), hook("on_begin")

    # What a policy sees

    @property
    def waiting(self) -> ValuesView[LiveJob]:
        """Jobs that have arrived and hold no GPUs; those never started are in order of arrival."""
        return self._waiting.values()

    @property
    def running(self) -> ValuesView[LiveJob]:
        """Jobs that hold GPUs, in order of start."""
        return self._running.values()

    def is_waiting(self, job: LiveJob) -> bool:
        """Return True if a job has arrived and holds no GPUs."""
        return self._waiting.get(job.index) is job

    def remaining_iterations(self, job: LiveJob) -> float:
        """Return the iterations a job has left now."""
        if job.placement is None or self._now <= job.settled:
            return job.remaining
        done = self._clock.done(self._now - job.settled, job.progress)
        return max(0.0, job.remaining - done)

    def remaining_s(self, job: LiveJob) -> float:
        """Return the seconds a job has left at its present speed, or at its last one if it waits.

        A job that never ran is counted at its best.
        """
        if job.placement is not None:
            return self._clock.seconds(job.due - self._now)
        return job.remaining * job.iteration_time_s

    def attained_s(self, job: LiveJob) -> float:
        """Return the seconds for which a job has held GPUs so far."""
        if job.placement is None:
            return job.ran_s
        return job.ran_s + self.now_s - job.start_s

    def restart_left_s(self, job: LiveJob) -> float:
        """Return the seconds for which a running job still makes no progress, 0 for most."""
        if job.placement is None or job.settled <= self._now:
            return 0.0
        return self._clock.seconds(job.settled - self._now)

    def has_come(self, time_s: float) -> bool:
        """Return True if a timer can no longer be set to a time: it is now, or was.

        In slotted time a time has come with the first slot boundary that is not before it.
        """
        if not self._is_slotted or time_s == INFINITY:
            return time_s <= self.now_s
        return self._clock.at_or_after(time_s) <= self._now

    # What a policy may do

    def start(self, job: LiveJob, placement: Placement) -> None:
        """Start a waiting job now.

        Raises
        ------
        PolicyError
            If the job is not waiting or the placement does not fit.
        """
        rule, server = broken_rule(self, job, placement)
        if rule is not None:
            raise self._error(rule, job, server)
        index = job.index
        del self._waiting[index]
        self._running[index] = job
        self.free.take(placement)
        if self._timers:
            self._timers.pop(index, None)
        now = self._now
        job.placement = placement
        job.start_s = self.now_s
        if job.preemptions and self._recorder.is_continued(index, placement, job.start_s):
            # It was settled when it stopped; what is left of an earlier restart goes on.
            job.settled = max(job.settled, now)
        else:
            job.settled = now
            if job.preemptions:
                job.settled += self._clock.duration(self.instance.restart_time_s(index))
        load: Sequence[int] = ()
        if len(placement.servers) > 1:
            job.resources = self.rates.shared_resources(placement)
            if job.resources:
                for other in self._tracker.enter(job):
                    self._re_rate(other)
                load = self._tracker.loads_of(job)
                job.degree = max(load)
        self._set_pace(job, self.rates.iteration_time_s(index, placement, load))
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
        job.due = INFINITY
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
            raise self._error(f"a timer must be after now, got {time_s:g} s", job)
        index = NO_JOB if job is None else job.index
        self._timers[index] = time
        heapq.heappush(self._events, (time, TIMER, index))

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
        idle_instants = 0
        while True:
            now = self._next_time()
            if now == INFINITY:
                break
            self._now = now
            self.now_s = self._clock.seconds(now) if self._is_slotted else now
            something = self._completions()
            if self._next_arrival == now:
                self._arrivals()
                something = True
            if self._timers:
                self._fire_timers()
            self._schedule(self)
            self.instants += 1
            # Where jobs run, their completions will come, however often a policy looks.
            idle_instants = 0 if something or self._running else idle_instants + 1
            if idle_instants > MAX_IDLE_INSTANTS:
                raise self._error("only timers fire and nothing else ever happens", None)
            if self._debug:
                assert_invariants(self)
            if self._observers:
                for observer in self._observers:
                    observer.on_instant(self)
        if self._waiting:
            job = next(iter(self._waiting.values()))
            more = len(self._waiting) - 1
            also = f" (and {more} more)" if more else ""
            raise self._error(f"left waiting{also} although nothing runs or will arrive", job)
        return self._recorder.schedule()

    def _next_time(self) -> float:
        """Return the time of the next event, and drop the entries before it that are stale."""
        events = self._events
        while events:
            time, kind, index = events[0]
            if kind == TIMER:
                if self._timers.get(index) == time:
                    break
                heapq.heappop(events)
                continue
            job = self._running.get(index)
            if job is None or time != job.scheduled:
                heapq.heappop(events)
            elif time != job.due:
                heapq.heappop(events)
                job.scheduled = job.due
                heapq.heappush(events, (job.due, COMPLETION, index))
            else:
                break
        if events and events[0][0] < self._next_arrival:
            return events[0][0]
        return self._next_arrival

    def _completions(self) -> bool:
        """Complete what is due; the first event is known to be no stale one."""
        events, now, any_done = self._events, self._now, False
        while events and events[0][0] == now and events[0][1] == COMPLETION:
            self._complete(self._running[heapq.heappop(events)[2]])
            any_done = True
            if events and events[0][0] == now:
                self._next_time()
        return any_done

    def _complete(self, job: LiveJob) -> None:
        job.remaining = 0.0
        job.due = INFINITY
        self._stop(job)
        self._done[job.index] = 1
        if self._timers:
            self._timers.pop(job.index, None)
        if self._on_finish is not None:
            self._on_finish(job, self)

    def _arrivals(self) -> None:
        now, on_arrival = self._now, self._on_arrival
        while self._next_arrival == now and self._next_job is not None:
            job = self._next_job
            self._waiting[job.index] = job
            self._next_arrival, self._next_job = next(self._arriving, (INFINITY, None))
            if on_arrival is not None:
                on_arrival(job, self)

    def _fire_timers(self) -> None:
        events = self._events
        while events and events[0][0] == self._now and events[0][1] == TIMER:
            index = heapq.heappop(events)[2]
            if self._timers.get(index) == self._now:
                del self._timers[index]
                if self._on_timer is not None:
                    job = self._waiting.get(index) or self._running.get(index)
                    self._on_timer(job, self)

    # Progress

    def _stop(self, job: LiveJob) -> None:
        index, placement = job.index, job.placement
        assert placement is not None
        del self._running[index]
        self.free.give(placement)
        now_s = self.now_s
        self._recorder.add(index, placement, job.start_s, now_s)
        job.ran_s += now_s - job.start_s
        job.placement = None
        job.scheduled = INFINITY
        if job.resources:
            for other in self._tracker.leave(job):
                self._re_rate(other)
            job.resources = ()
            job.degree = 0
        if self._observers:
            for observer in self._observers:
                observer.on_stop(job, now_s)

    def _settle(self, job: LiveJob) -> None:
        if self._now > job.settled:
            done = self._clock.done(self._now - job.settled, job.progress)
            job.remaining = max(0.0, job.remaining - done)
            job.settled = self._now

    def _re_rate(self, job: LiveJob) -> None:
        load = self._tracker.loads_of(job)
        degree = max(load)
        if self.rates.depends_on_maximum_load and degree == job.degree:
            return
        assert job.placement is not None
        job.degree = degree
        iteration_time_s = self.rates.iteration_time_s(job.index, job.placement, load)
        if iteration_time_s != job.iteration_time_s:
            self._settle(job)
            self.re_rates += 1
            self._set_pace(job, iteration_time_s)

    def _set_pace(self, job: LiveJob, iteration_time_s: float) -> None:
        job.iteration_time_s = iteration_time_s
        if self._is_slotted:
            name = self.instance.jobs.ids[job.index]
            job.progress = self._clock.progress(name, iteration_time_s)
            due = job.settled + self._clock.needed(job.remaining, job.progress)
        else:
            # The clock's own answers, without the calls: this is the busiest line of the engine.
            job.progress = iteration_time_s
            due = job.settled + job.remaining * iteration_time_s
        job.due = due if due > self._now else self._now
        if job.due < job.scheduled:
            job.scheduled = job.due
            heapq.heappush(self._events, (job.due, COMPLETION, job.index))

    # Errors

    def _error(self, rule: str, job: LiveJob | None, server: str | None = None) -> PolicyError:
        name = None
        if job is not None and 0 <= job.index < len(self.instance.jobs):
            name = self.instance.jobs.ids[job.index]
        return PolicyError(rule, job=name, server=server, time_s=self.now_s)
