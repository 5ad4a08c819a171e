"""A policy made of an order and a placement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from optsched.placement import Consolidated, FirstFit, PlacementRule
from optsched.sim import LiveJob, Simulation, WaitingQueue

__all__ = ["ComposedPolicy", "Order", "placement_named"]

#: Sorts waiting jobs: the least key is served first, ties by position in the instance.
Order = Callable[[LiveJob, Simulation], Any]


def placement_named(
    name: Literal["consolidated", "first_fit"] | PlacementRule, *, fit: str = "best"
) -> PlacementRule:
    """Return the placement rule of a name; a rule is returned as it is.

    Examples
    --------
    >>> placement_named("consolidated", fit="first").fit
    'first'
    """
    if not isinstance(name, str):
        return name
    if name == "consolidated":
        return Consolidated(fit=fit)  # type: ignore[arg-type]
    if name == "first_fit":
        return FirstFit()
    raise ValueError(f"placement is 'consolidated' or 'first_fit', got {name!r}")


class ComposedPolicy:
    """Serve waiting jobs in an order; each is offered a placement and starts or is passed over.

    Parameters
    ----------
    order
        Key of a waiting job, computed when it arrives and when it is preempted.
    placement
        Where a job may start.
    backfill
        True: a job that cannot start is passed over. False: nothing starts before the first job
        in the order does (head of line).

    Examples
    --------
    >>> smallest_first = ComposedPolicy(lambda job, state: job.gpus, placement=FirstFit())
    >>> smallest_first.backfill
    True
    """

    def __init__(self, order: Order, *, placement: PlacementRule, backfill: bool = True) -> None:
        self.order = order
        self.placement = placement
        self.backfill = backfill
        self._queue = WaitingQueue()
        self._by_demand = backfill and placement.depends_on_demand_only
        self._listeners = {
            event: getattr(placement, event, None)
            for event in ("on_begin", "on_start", "on_stop", "on_finish")
        }

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        self._queue = WaitingQueue()
        self._tell("on_begin", state)

    def on_arrival(self, job: LiveJob, state: Simulation) -> None:
        """Put the job in its place in the order."""
        group = job.gpus if self._by_demand else (job.index if self.backfill else 0)
        self._queue.add(job, key=self.order(job, state), group=group)
        if not self.backfill:
            # It may come before the head that was refused.
            self._queue.unblock()

    def on_start(self, job: LiveJob, state: Simulation) -> None:
        """Take the job out of the order."""
        self._queue.remove(job)
        self._tell("on_start", job, state)

    def on_preempt(self, job: LiveJob, state: Simulation) -> None:
        """Put the job back."""
        self._tell("on_stop", job, state)
        self.on_arrival(job, state)
        self._queue.unblock()

    def on_finish(self, job: LiveJob, state: Simulation) -> None:
        """Let everybody try again: GPUs were released."""
        self._tell("on_stop", job, state)
        self._tell("on_finish", job, state)
        self._queue.unblock()

    def schedule(self, state: Simulation) -> None:
        """Start jobs in order until nobody fits."""
        queue, free = self._queue, state.free
        if not queue:
            return
        if not self.placement.depends_on_demand_only:
            # What it refused a while ago it may offer now, with the same GPUs free.
            queue.unblock()
        while free.total and (job := queue.head()) is not None:
            placement = self.placement.offer(job, free, state)
            if placement is not None:
                state.start(job, placement)
            else:
                queue.block(queue.group_of(job))

    def _tell(self, event: str, *arguments: object) -> None:
        listener = self._listeners[event]
        if listener is not None:
            listener(*arguments)
