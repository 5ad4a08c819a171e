"""A policy made of parts: an order, a placement, and, if jobs may be stopped, a preemption."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

from optsched.core.placement import Placement
from optsched.placement import PlacementRule
from optsched.policies.parts.order import Order, OrderRule
from optsched.policies.parts.preemption import Preemption
from optsched.sim import LiveJob, Simulation, WaitingQueue

__all__ = ["ComposedPolicy", "Order"]

#: What a part may have to keep a state of its own.
EVENTS = [
    "on_begin", "on_arrival", "on_start", "on_re_rate", "on_stop", "on_finish", "on_timer",
    "on_decline",
]  # fmt: skip


class ComposedPolicy:
    """Serve waiting jobs in an order; each is offered a placement and starts or is passed over.

    Parameters
    ----------
    order
        A function of a waiting job and the state that returns its key, or an object with a method
        ``key`` that does. The key is computed when the job arrives, when it is preempted and when
        its timer fires; before every pass if the order ``changes_with_time``.
    placement
        Where a job may start.
    backfill
        True: a job that cannot start is passed over. False: nothing starts before the first job
        in the order does (head of line).
    preemption
        Which running jobs have to stop, and for whom; None: no job ever does.

    Raises
    ------
    ValueError
        If jobs are to displace others under an order or a placement for which every waiting job
        has to be asked at every pass.

    Notes
    -----
    All parts may have ``on_begin(state)``, ``on_arrival``, ``on_start``, ``on_re_rate`` (its speed
    has changed), ``on_stop``, ``on_finish`` and ``on_timer`` (``job, state``), and ``details()``,
    which says what is to be known after a run. A part with ``next_time_s(job, state)`` asks to be
    told of a job at a later time: the earliest of all parts' answers becomes the job's timer. A job
    that is stopped and served again at the same instant keeps its GPUs if the others are no faster.

    Examples
    --------
    >>> from optsched.placement import FirstFit
    >>> smallest_first = ComposedPolicy(lambda job, state: job.gpus, placement=FirstFit())
    >>> smallest_first.backfill
    True
    """

    def __init__(
        self,
        order: Order | OrderRule,
        *,
        placement: PlacementRule,
        backfill: bool = True,
        preemption: Preemption | None = None,
    ) -> None:
        self.order = order
        self.placement = placement
        self.backfill = backfill
        self.preemption = preemption
        self._key: Order = getattr(order, "key", order)  # type: ignore[arg-type]
        self._queue = WaitingQueue()
        #: Waiting jobs by demand, if the queue's classes cannot serve: every pass walks over all
        #: that ask for no more than is free.
        self._listed: dict[int, dict[int, tuple[Any, int, LiveJob]]] = {}
        self._key_changes = bool(getattr(order, "changes_with_time", False))
        self._may_change_its_mind = not placement.depends_on_demand_only
        self._by_demand = backfill and placement.depends_on_demand_only
        self._walks = self._key_changes or (backfill and not self._by_demand)
        #: What tells jobs of one demand apart, if anything does.
        self._tier: Callable[[LiveJob, Simulation], Any] | None = (
            getattr(placement, "tier", None) if self._by_demand else None
        )
        if self._walks and preemption is not None and preemption.can_displace:
            raise ValueError(
                "a job displaces others only if its key does not change while it waits, and jobs "
                "of equal demand and tier get equal offers; use leases with this order or placement"
            )
        self._is_by_rank = preemption is not None and preemption.rank is self._key
        distinct = {id(part): part for part in (order, placement, preemption)}
        parts: list[Any] = list(distinct.values())
        self._parts = parts
        hooks = {
            event: [getattr(part, event) for part in parts if hasattr(part, event)]
            for event in EVENTS
        }
        self._begin_hooks, self._arrival_hooks = hooks["on_begin"], hooks["on_arrival"]
        self._start_hooks, self._stop_hooks = hooks["on_start"], hooks["on_stop"]
        self._finish_hooks, self._timer_hooks = hooks["on_finish"], hooks["on_timer"]
        self._decline_hooks, self._re_rate_hooks = hooks["on_decline"], hooks["on_re_rate"]
        if self._re_rate_hooks:
            # The engine tells only those that have it, since speeds change often.
            is_one = len(self._re_rate_hooks) == 1
            self.on_re_rate = self._re_rate_hooks[0] if is_one else self._tell_of_new_speed
        self._clocks = [part.next_time_s for part in parts if hasattr(part, "next_time_s")]
        #: True if a pass has nothing to do while nobody waits.
        self._is_plain = preemption is None and not self._clocks and not self._walks
        #: Demands whose jobs stand in another class since something was observed.
        self._changed_demands: set[int] = getattr(placement, "changed_demands", set())
        #: The timers that are set, so that none is set twice to the same time.
        self._timers_s: dict[int, float] = {}
        #: Waiting jobs that may need a timer, if they do not start in this pass.
        self._untimed: dict[int, LiveJob] = {}
        self._places: dict[int, Placement] = {}
        self._stopped: dict[int, float] = {}
        self._is_in_pass = False
        #: Classes that were offered nothing with the GPUs that are free now.
        self._refused: set[Any] = set()

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        self._queue = WaitingQueue()
        self._listed.clear()
        self._timers_s.clear()
        self._untimed.clear()
        self._places.clear()
        self._stopped.clear()
        self._is_in_pass = False
        self._refused.clear()
        for hook in self._begin_hooks:
            hook(state)

    def details(self) -> dict[str, object]:
        """Return what the parts tell of the last run, as plain values by name."""
        told: dict[str, object] = {}
        for part in self._parts:
            if hasattr(part, "details"):
                told |= part.details()
        return told

    def on_arrival(self, job: LiveJob, state: Simulation) -> None:
        """Put the job in its place in the order."""
        for hook in self._arrival_hooks:
            hook(job, state)
        self._enter(job, state)
        # It may come before the job that was refused and holds up the others.
        queue = self._queue
        if queue.blocked and not self.backfill and not queue.is_behind(job):
            queue.unblock()

    def on_start(self, job: LiveJob, state: Simulation) -> None:
        """Take the job out of the order."""
        if self._walks:
            alike = self._listed[job.gpus]
            del alike[job.index]
            if not alike:
                del self._listed[job.gpus]
        else:
            self._queue.remove(job)
        if self.preemption is not None and job.placement is not None:
            self._places[job.index] = job.placement
        for hook in self._start_hooks:
            hook(job, state)
        if self._clocks:
            # The engine has dropped the one the job had.
            self._timers_s.pop(job.index, None)
            self._untimed.pop(job.index, None)
            self._set_timer(job, state)
        if self._changed_demands:
            demands = set(self._changed_demands)
            self._changed_demands.clear()
            for other in state.waiting:
                if other.gpus in demands:
                    self._enter_anew(other, state)

    def _tell_of_new_speed(self, job: LiveJob, state: Simulation) -> None:
        for hook in self._re_rate_hooks:
            hook(job, state)

    def on_preempt(self, job: LiveJob, state: Simulation) -> None:
        """Put the job back."""
        for hook in self._stop_hooks:
            hook(job, state)
        self._stopped[job.index] = state.now_s
        self._refused.clear()
        self._enter(job, state)
        if not (self.backfill and self._is_in_pass):
            self._queue.unblock()

    def on_finish(self, job: LiveJob, state: Simulation) -> None:
        """Let everybody try again: GPUs were released."""
        for hook in self._stop_hooks:
            hook(job, state)
        for hook in self._finish_hooks:
            hook(job, state)
        if self._timers_s:
            self._timers_s.pop(job.index, None)
        if self.preemption is not None:
            self._places.pop(job.index, None)
            self._stopped.pop(job.index, None)
            self._refused.clear()
        self._queue.unblock()

    def on_timer(self, job: LiveJob | None, state: Simulation) -> None:
        """Tell the parts, and find the place of a waiting job anew."""
        if job is None:
            return
        self._timers_s.pop(job.index, None)
        for hook in self._timer_hooks:
            hook(job, state)
        if job.placement is None:
            self._enter_anew(job, state)
        else:
            self._set_timer(job, state)

    def schedule(self, state: Simulation) -> None:
        """Start jobs in order until nobody fits."""
        if self._is_plain and not self._queue.entries:
            return
        if self.preemption is not None:
            for ended in self.preemption.ended(state):
                state.preempt(ended)
        if self._walks:
            self._walk(state)
        elif self._queue.entries:
            if self._may_change_its_mind:
                # What it refused a while ago it may offer now, with the same GPUs free.
                self._queue.unblock()
            if self.preemption is None:
                self._serve(state)
            else:
                self._serve_with_preemption(self.preemption, state)
        if self._untimed:
            for job in self._untimed.values():
                self._set_timer(job, state)
            self._untimed.clear()

    def _serve(self, state: Simulation) -> None:
        """Start jobs in order."""
        queue, free, offer = self._queue, state.free, self.placement.offer
        entries = queue.entries
        while entries and free.total and (first := queue.first()) is not None:
            _, _, group, job = first
            placement = offer(job, free, state) if job.gpus <= free.total else None
            if placement is not None:
                state.start(job, placement)
            else:
                queue.block(group)

    def _serve_with_preemption(self, preemption: Preemption, state: Simulation) -> None:
        """Start jobs in order, and stop others for them.

        A class that is refused stays so for the rest of the pass: its first job might have stopped
        at least those that a later one stops. Each job starts at most once, since the preemption
        spares those that have started at this instant.
        """
        queue, free, rule = self._queue, state.free, self.placement
        # With what is free now, only displacing others helps those who were refused it before.
        refused = self._refused if self._by_demand else set()
        can_displace = preemption.can_displace
        if can_displace:
            queue.unblock()
        self._is_in_pass = True
        while (free.total or can_displace) and (first := queue.first()) is not None:
            _, _, group, job = first
            placement = None if group in refused else rule.offer(job, free, state)
            if placement is None and can_displace:
                refused.add(group)
                room = preemption.make_room(job, rule, state)
                if room is not None:
                    placement, victims = room
                    for victim in victims:
                        state.preempt(victim)
            if placement is not None:
                self._start(job, placement, state)
            elif not free.total and self._is_by_rank and preemption.has_nobody:
                # Whoever comes now ranks no better.
                break
            else:
                queue.block(group)
        self._is_in_pass = False

    def _walk(self, state: Simulation) -> None:
        """Ask every waiting job in turn."""
        free = state.free
        if not free.total or not self._listed:
            return
        declined = self._decline_hooks
        # What was refused to a job is so to all of its class: GPUs only become fewer in a pass.
        refused: set[Any] | None = set() if self._by_demand and not declined else None
        # Whoever asks for more than is free declines nothing, but may hold up the others.
        most = free.total if self.backfill else float("inf")
        listed = [
            entry
            for gpus, entries in self._listed.items()
            if gpus <= most
            for entry in entries.values()
        ]
        if self._key_changes:
            listed = [(self._key(job, state), index, job) for _, index, job in listed]
        for _, _, job in sorted(listed, key=itemgetter(0, 1)):
            if job.gpus > free.total and self.backfill:
                continue
            group: Any = None
            if refused is not None:
                group = job.gpus if self._tier is None else (job.gpus, self._tier(job, state))
                if group in refused:
                    continue
            placement = self.placement.offer(job, free, state)
            if placement is not None:
                self._start(job, placement, state)
                if not free.total:
                    return
                continue
            if refused is not None:
                refused.add(group)
            # Only the first offer that a job declines starts a clock.
            if any([hook(job, state) for hook in declined]) and self._clocks:
                self._set_timer(job, state)
            if not self.backfill:
                return

    def _start(self, job: LiveJob, placement: Placement, state: Simulation) -> None:
        """Start a job, where it was if it has stopped at this instant and no time is lost."""
        if self._stopped.pop(job.index, None) == state.now_s:
            place = self._places[job.index]
            if state.free.has(place):
                alone = [
                    state.rates.iteration_time_s(
                        job.index, one, [1] * len(state.rates.shared_resources(one))
                    )
                    for one in (place, placement)
                ]
                if alone[0] <= alone[1]:
                    placement = place
        state.start(job, placement)

    def _enter(self, job: LiveJob, state: Simulation) -> None:
        """Put a waiting job where its key and its class say."""
        key = self._key(job, state)
        if self._walks:
            self._listed.setdefault(job.gpus, {})[job.index] = (key, job.index, job)
        else:
            group: Any = job.gpus if self._by_demand else 0
            if self._tier is not None:
                group = (group, self._tier(job, state))
            self._queue.add(job, key=key, group=group)
        if self._clocks:
            self._untimed[job.index] = job

    def _enter_anew(self, job: LiveJob, state: Simulation) -> None:
        """Put a job in another place; it may be the one that was refused."""
        self._enter(job, state)
        if not self.backfill:
            self._queue.unblock()

    def _set_timer(self, job: LiveJob, state: Simulation) -> None:
        time_s = min([clock(job, state) for clock in self._clocks])
        if time_s < float("inf") and self._timers_s.get(job.index) != time_s:
            self._timers_s[job.index] = time_s
            state.set_timer(time_s, job)
