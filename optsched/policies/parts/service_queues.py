"""Queues by attained service: discretised LAS and Gittins, with demotion and promotion."""

from __future__ import annotations

from collections.abc import Sequence

from optsched.policies.parts.gittins import GittinsIndex
from optsched.policies.parts.kept_victims import Standing
from optsched.policies.parts.served_clock import ServedClock
from optsched.sim import LiveJob, Simulation

__all__ = ["ServiceQueues", "read_thresholds"]

INFINITY = float("inf")


def read_thresholds(given: str | float | Sequence[float]) -> tuple[float, ...]:
    """Return thresholds from a sequence, one number, or a text with slashes between them.

    Examples
    --------
    >>> read_thresholds("3250/7200"), read_thresholds(3250)
    ((3250.0, 7200.0), (3250.0,))
    """
    try:
        if isinstance(given, str):
            limits = tuple(float(piece) for piece in given.split("/"))
        else:
            limits = (float(given),) if isinstance(given, int | float) else tuple(given)
    except ValueError as error:
        raise ValueError(f"thresholds are numbers like 3250/7200, got {given!r}") from error
    is_rising = all(low < high for low, high in zip((0.0, *limits), limits, strict=False))
    if not limits or not is_rising or limits[-1] == INFINITY:
        raise ValueError(f"thresholds are above 0 and rise, like 3250/7200, got {given!r}")
    return limits


class _Standing:
    """Where a job stands."""

    __slots__ = ("counted_from_s", "due_s", "level", "place", "run_order")

    def __init__(self, place: tuple[int, int]) -> None:
        self.level = 0
        #: Order in the queue while the job waits, and among the running ones while it runs.
        self.place = place
        self.run_order = 0
        #: When it is to be demoted or promoted.
        self.due_s = INFINITY
        #: Seconds served that no longer count.
        self.counted_from_s = 0.0


class ServiceQueues(ServedClock):
    """Queues through which a job sinks as it is served; a higher queue comes first.

    A new job goes to the tail of the first queue. One whose service reaches the threshold of its
    queue goes to the tail of the next. In a queue the running jobs come first, in order of start,
    then the waiting ones; a job that is stopped waits ahead of all that have waited longer. Service
    is the time of progress: restarts do not count.

    Parameters
    ----------
    thresholds
        Service at which a job leaves each queue but the last; in GPU-seconds, or in seconds if
        ``service`` is ``time``.
    promote_knob
        A job of a lower queue that has waited so many times the time it has run goes back to the
        first queue, and both times are counted anew (Tiresias' PROMOTEKNOB); None or 0: never.
    service
        ``gpu_time`` or ``time``.
    gittins
        Sort the waiting jobs of a queue by this index at what is left of the queue's service, the
        greatest first; None: by place.

    Notes
    -----
    Gu et al., Tiresias (NSDI 2019). Use :meth:`rank` and :meth:`standing` with
    :class:`~optsched.policies.parts.displacement.Displacement`.
    """

    def __init__(
        self,
        thresholds: Sequence[float],
        *,
        promote_knob: float | None = None,
        service: str = "gpu_time",
        gittins: GittinsIndex | None = None,
    ) -> None:
        if promote_knob is not None and not 0 <= promote_knob < INFINITY:
            raise ValueError(f"promote_knob is a number of at least 0, got {promote_knob!r}")
        if service not in ("gpu_time", "time"):
            raise ValueError(f"service is 'gpu_time' or 'time', got {service!r}")
        super().__init__()
        self._thresholds = tuple(thresholds)
        self._knob = promote_knob or INFINITY
        self._per_gpu = service == "gpu_time"
        self._gittins = gittins
        self._jobs: dict[int, _Standing] = {}
        self._next = 0

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        super().on_begin(state)
        self._jobs = {}
        self._next = 0
        if self._gittins is not None:
            self._gittins.on_begin(state)

    def on_arrival(self, job: LiveJob, state: Simulation) -> None:
        """Put a job at the tail of the first queue."""
        self._jobs[job.index] = _Standing((0, self._number()))

    def on_start(self, job: LiveJob, state: Simulation) -> None:
        """Put it behind the running jobs of its queue."""
        super().on_start(job, state)
        standing = self._jobs[job.index]
        standing.run_order = self._number()
        self._await_demotion(job, standing, state)

    def on_stop(self, job: LiveJob, state: Simulation) -> None:
        """Put a stopped job ahead of those that wait in its queue."""
        super().on_stop(job, state)
        standing = self._jobs[job.index]
        standing.place = (-1 - state.instants, standing.run_order)
        standing.due_s = INFINITY
        run_s = self.served_s(job, state) - standing.counted_from_s
        if standing.level > 0 and run_s > 0:
            standing.due_s = state.now_s + self._knob * run_s

    def on_finish(self, job: LiveJob, state: Simulation) -> None:
        """Forget a job that is done."""
        if self._gittins is not None:
            self._gittins.learn(self._factor(job) * self.served_s(job, state))
        super().on_finish(job, state)
        del self._jobs[job.index]

    def on_timer(self, job: LiveJob, state: Simulation) -> None:
        """Demote a running job, promote a waiting one, if its time has come."""
        standing = self._jobs[job.index]
        if not state.has_come(standing.due_s):
            return
        if job.placement is None:
            standing.level = 0
            standing.counted_from_s = self.served_s(job, state)
            standing.place = (0, self._number())
            standing.due_s = INFINITY
            return
        standing.level += 1
        standing.run_order = self._number()
        self._await_demotion(job, standing, state)

    def next_time_s(self, job: LiveJob, state: Simulation) -> float:
        """Return when the job is to change its queue, if nothing else happens to it."""
        due_s = self._jobs[job.index].due_s
        return INFINITY if state.has_come(due_s) else due_s

    def key(self, job: LiveJob, state: Simulation) -> tuple[float, ...]:
        """Return the place of a waiting job: queue, index, order in the queue."""
        standing = self._jobs[job.index]
        if self._gittins is None:
            return (standing.level, *standing.place)
        attained = self.service(job, state)
        is_last = standing.level == len(self._thresholds)
        end = INFINITY if is_last else self._thresholds[standing.level]
        index = self._gittins.index(attained, end - attained)
        return (standing.level, -index, *standing.place)

    def rank(self, job: LiveJob, state: Simulation) -> int:
        """Return the queue; only a job of a higher one displaces another."""
        return self._jobs[job.index].level

    def run_order(self, job: LiveJob, state: Simulation) -> int:
        """Return the order of a running job in its queue."""
        return self._jobs[job.index].run_order

    @property
    def standing(self) -> Standing:
        """How running jobs stand: by queue, then by order in it."""
        return Standing(
            key=self._standing_key,
            limit=lambda rank, state: (-rank,),
            depends_on_speed=False,
        )

    def service(self, job: LiveJob, state: Simulation) -> float:
        """Return the service that counts."""
        seconds = self.served_s(job, state) - self._jobs[job.index].counted_from_s
        return self._factor(job) * seconds

    def _await_demotion(self, job: LiveJob, standing: _Standing, state: Simulation) -> None:
        """Settle when a running job leaves its queue, and skip those it has outrun already."""
        factor = self._factor(job)
        standing.due_s = INFINITY
        while standing.level < len(self._thresholds):
            served_s = standing.counted_from_s + self._thresholds[standing.level] / factor
            due_s = self.served_at_s(job, served_s)
            if not state.has_come(due_s):
                standing.due_s = due_s
                return
            standing.level += 1

    def _standing_key(self, job: LiveJob, state: Simulation) -> tuple[int, int]:
        standing = self._jobs[job.index]
        return (-standing.level, -standing.run_order)

    def _factor(self, job: LiveJob) -> int:
        return job.gpus if self._per_gpu else 1

    def _number(self) -> int:
        self._next += 1
        return self._next
