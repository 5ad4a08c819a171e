"""How jobs progress: how fast, until when, and whom a start or a stop touches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappush
from typing import Any

from optsched.sim.contention_tracker import ContentionTracker
from optsched.sim.live_job import INFINITY, LiveJob
from optsched.sim.protocols import Observer
from optsched.sim.records import SegmentRecorder
from optsched.sim.view import SimulationView

__all__ = ["COMPLETION", "Progress"]

COMPLETION = 0


class Progress(SimulationView):
    """The part of :class:`~optsched.sim.engine.Simulation` that keeps the speeds of jobs.

    Progress is settled lazily: a job is touched only when its speed changes. The heap of events has
    an entry no later than a running job is due; one that has become too early is replaced when it
    surfaces.
    """

    __slots__ = (
        "_events",
        "_observers",
        "_on_re_rate",
        "_only_degrees",
        "_recorder",
        "_tracker",
    )

    #: (time, kind, position of the job, job)
    _events: list[tuple[float, int, int, LiveJob | None]]
    _observers: tuple[Observer, ...]
    _on_re_rate: Callable[..., Any] | None
    _only_degrees: bool
    _recorder: SegmentRecorder
    _tracker: ContentionTracker

    def _stop(self, job: LiveJob) -> None:
        placement, now_s = job.placement, self.now_s
        assert placement is not None
        del self._running[job.index]
        if len(placement.servers) == 1:
            self.free.change(placement.servers[0], job.gpus)
        else:
            self.free.give(placement)
        self._recorder.add(job.index, placement, job.start_s, now_s)
        job.ran_s += now_s - job.start_s
        job.placement = None
        job.due = job.scheduled = INFINITY
        if job.resources:
            self._re_rate(self._tracker.leave(job))
            job.resources = ()
        if self._observers:
            for observer in self._observers:
                observer.on_stop(job, now_s)

    def _ready(self, job: LiveJob) -> float:
        """Return when a job that goes on makes progress again, on the clock."""
        assert job.placement is not None
        if self._recorder.is_continued(job.index, job.placement, self.now_s):
            # It was settled when it stopped; what is left of an earlier restart goes on.
            return max(job.settled, self._now)
        return self._now + self._clock.duration(self.instance.restart_time_s(job.index))

    def _share(self, job: LiveJob, resources: tuple[int, ...]) -> None:
        """Let a spread job in among its neighbours."""
        job.resources = resources
        job.times_s = {}
        self._re_rate(self._tracker.enter(job))
        self._set_pace(job, self._contended_time_s(job))

    def _contended_time_s(self, job: LiveJob) -> float:
        """Return τ of a spread job among its neighbours, and keep it if the degree settles it."""
        placement = job.placement
        assert placement is not None
        if not self._only_degrees:
            return self.rates.iteration_time_s(job.index, placement, self._tracker.loads_of(job))
        time_s = self.rates.iteration_time_s(job.index, placement, (job.degree,))
        job.times_s[job.degree] = time_s
        return time_s

    def _re_rate(self, jobs: Iterable[LiveJob]) -> None:
        """Give jobs the speed that their neighbours leave them."""
        now, is_slotted, on_re_rate = self._now, self._is_slotted, self._on_re_rate
        for job in jobs:
            time_s = job.times_s.get(job.degree)
            if time_s is None:
                time_s = self._contended_time_s(job)
            if time_s == job.iteration_time_s:
                continue
            self.re_rates += 1
            if is_slotted:
                self._settle(job)
                self._set_pace(job, time_s)
            else:
                # The same without the calls: these are the busiest lines of the engine.
                settled = job.settled
                if settled < now:
                    left = job.remaining - (now - settled) / job.iteration_time_s
                    job.remaining = left if left > 0.0 else 0.0
                    job.settled = settled = now
                job.iteration_time_s = time_s
                job.due = due = settled + job.remaining * time_s
                if due < job.scheduled:
                    job.scheduled = due
                    heappush(self._events, (due, COMPLETION, job.index, job))
            if on_re_rate is not None:
                on_re_rate(job, self)

    def _settle(self, job: LiveJob) -> None:
        """Account for the progress up to now."""
        elapsed = self._now - job.settled
        if elapsed > 0:
            if self._is_slotted:
                done = self._clock.done(elapsed, job.progress)
            else:
                done = elapsed / job.iteration_time_s
            job.remaining = max(0.0, job.remaining - done)
            job.settled = self._now

    def _set_pace(self, job: LiveJob, iteration_time_s: float) -> None:
        """Give a settled job a speed, and the time at which it is due."""
        job.iteration_time_s = iteration_time_s
        if self._is_slotted:
            name = self.instance.jobs.ids[job.index]
            job.progress = self._clock.progress(name, iteration_time_s)
            due = job.settled + self._clock.needed(job.remaining, job.progress)
        else:
            # The clock's own answer, without the call.
            due = job.settled + job.remaining * iteration_time_s
        job.due = due
        if due < job.scheduled:
            job.scheduled = due
            heappush(self._events, (due, COMPLETION, job.index, job))
