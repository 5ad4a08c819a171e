"""First in, first out in rounds, as Gavel runs it."""

from __future__ import annotations

import math
from collections import deque

from optsched.placement import Tiered
from optsched.sim import LiveJob, Simulation

__all__ = ["GavelFifo"]


#: Iterations by which rounding may keep a job from being done at the end of a round.
ROUNDING = 1e-6


class _Entry:
    """What the rounds know of a job."""

    __slots__ = ("deficit", "is_done", "job", "until_s", "used_s")

    def __init__(self, job: LiveJob, used_s: float) -> None:
        self.job = job
        self.is_done = False
        #: Time used since the last refresh and half a round, and what is owed from before.
        self.used_s = used_s
        self.deficit = 0.0
        #: When it is to stop; infinite if it completes in this round.
        self.until_s = math.inf


class GavelFifo:
    """Run the jobs of a held set in rounds, and refresh the set in order of arrival now and then.

    In a round a job does the whole iterations that fit into it; the next round begins for all when
    the last of them is through, and what becomes free before that stays idle. The held set is
    refreshed between rounds once a job has come or gone and ``refresh_s`` have passed: it takes in
    jobs in order of arrival until the next one does not fit.

    Parameters
    ----------
    round_s
        Length of a round. A job whose iterations are longer stops within one.
    refresh_s
        Least time between two refreshes; waived if nothing of the held set is left to run.

    Notes
    -----
    Narayanan et al., Gavel (OSDI 2020), as its public simulator does it: while a refresh replaces
    the jobs that are done, it overlooks those that are held and come later, so that the set can
    ask for more GPUs than there are. Its jobs then share the time.

    Examples
    --------
    Rounds of 10 s on one GPU hold 3 iterations of 3 s. The second job waits for the set to be
    refreshed, which is waived as the first leaves nothing to run.

    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.instance import Instance
    >>> from optsched.core.jobs import Job
    >>> from optsched.sim import simulate
    >>> jobs = [Job("a", 1, 4, compute_s=3.0), Job("b", 1, 1, compute_s=3.0)]
    >>> run = simulate(Instance("two", Cluster.uniform(1, 1), jobs), GavelFifo(round_s=10.0))
    >>> [(row.job, row.start_s, row.end_s) for row in run.schedule.segments]
    [(0, 0.0, 9.0), (0, 9.0, 12.0), (1, 12.0, 15.0)]
    """

    def __init__(self, *, round_s: float = 360.0, refresh_s: float = 1920.0) -> None:
        if not 0 < round_s < math.inf:
            raise ValueError(f"round_s is above 0, got {round_s!r}")
        if not 0 <= refresh_s < math.inf:
            raise ValueError(f"refresh_s is at least 0, got {refresh_s!r}")
        self.round_s = round_s
        self.refresh_s = refresh_s
        self._placement = Tiered()
        #: In order of arrival: the held set, with what is done of it since the last refresh, and
        #: those that wait to be taken in.
        self._held: dict[int, _Entry] = {}
        self._queue: deque[LiveJob] = deque()
        self._has_changed = False
        self._refreshed_s: float | None = None
        self._total_used_s = 0.0

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        self._held = {}
        self._queue = deque()
        self._has_changed = False
        self._refreshed_s = None
        self._total_used_s = 0.0

    def on_arrival(self, job: LiveJob, state: Simulation) -> None:
        """Take note of a job; it waits for the next refresh."""
        self._queue.append(job)
        self._has_changed = True

    def on_finish(self, job: LiveJob, state: Simulation) -> None:
        """Take note that a job is done."""
        self._held[job.index].is_done = True
        self._count(job, state)
        self._has_changed = True

    def on_preempt(self, job: LiveJob, state: Simulation) -> None:
        """Count what a job has used of a round."""
        self._count(job, state)

    def on_timer(self, job: LiveJob | None, state: Simulation) -> None:
        """Stop a job that has done its share of the round."""
        if job is None or job.placement is None:
            return
        if state.has_come(self._held[job.index].until_s):
            state.preempt(job)

    def schedule(self, state: Simulation) -> None:
        """Begin a round if nobody runs."""
        if state.running or not state.waiting:
            return
        if self._may_refresh(state.now_s):
            self._refresh(state, since_s=state.now_s - (self._refreshed_s or 0.0))
        chosen = self._choose(state.free.total)
        if not chosen:
            self._refresh(state, since_s=0.0)
            chosen = self._choose(state.free.total)
        for entry in sorted(chosen, key=lambda entry: -entry.job.gpus):
            placement = self._placement.offer(entry.job, state.free, state)
            assert placement is not None, "some free GPUs will do"
            state.start(entry.job, placement)
        for entry in chosen:
            self._give_share(entry, state)

    def _give_share(self, entry: _Entry, state: Simulation) -> None:
        """Settle for how long a job runs in this round, now that all of it have started."""
        job = entry.job
        entry.until_s = math.inf
        share = self.round_s / job.iteration_time_s
        share = math.floor(share) or share
        if state.remaining_iterations(job) > share + ROUNDING:
            work_s = share * job.iteration_time_s
            entry.until_s = state.now_s + state.restart_left_s(job) + work_s
            state.set_timer(entry.until_s, job)

    def _count(self, job: LiveJob, state: Simulation) -> None:
        entry = self._held[job.index]
        used_s = state.now_s - job.start_s
        entry.used_s += used_s
        self._total_used_s += used_s

    def _may_refresh(self, now_s: float) -> bool:
        if not self._has_changed:
            return False
        last_s = self._refreshed_s
        return not last_s or now_s - last_s >= self.refresh_s

    def _refresh(self, state: Simulation, *, since_s: float) -> None:
        """Count deficits anew, replace what is done, and fill up in order of arrival."""
        equal_s = self.round_s / 2
        before = list(self._held.values())
        alive = [entry for entry in before if not entry.is_done]
        for entry in alive:
            entry.deficit += since_s - (entry.used_s - equal_s)
            entry.used_s = equal_s
        self._total_used_s = equal_s * (len(alive) + len(self._queue))
        room = state.instance.cluster.total_gpus
        for entry in before:
            if not entry.is_done:
                room -= entry.job.gpus
                continue
            if self._queue and self._queue[0].gpus <= room:
                room -= self._hold_next()
            del self._held[entry.job.index]
        while room > 0 and self._queue and self._queue[0].gpus <= room:
            room -= self._hold_next()
        self._has_changed = False
        self._refreshed_s = state.now_s

    def _hold_next(self) -> int:
        """Take the first job in, and return its GPUs."""
        job = self._queue.popleft()
        self._held[job.index] = _Entry(job, self.round_s / 2)
        return job.gpus

    def _choose(self, gpus: int) -> list[_Entry]:
        """Return the held jobs of a round: those that have had least since the refresh first."""
        held = [entry for entry in self._held.values() if not entry.is_done]

        def rank(entry: _Entry) -> tuple[float, float]:
            return -1.0 / (entry.used_s / self._total_used_s), -entry.deficit

        chosen = []
        for entry in sorted(held, key=rank):
            if entry.job.gpus <= gpus:
                gpus -= entry.job.gpus
                chosen.append(entry)
        return chosen
