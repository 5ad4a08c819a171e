"""Gandiva without several jobs on a GPU: affinity, migration, time slices."""

from __future__ import annotations

from typing import Literal

from optsched.placement import Tier, Tiered, tier_of
from optsched.placement.affinity import Affinity
from optsched.policies.composed import ComposedPolicy
from optsched.policies.parts.leases import Leases
from optsched.policies.parts.orders import LongestWaiting
from optsched.sim import LiveJob, Simulation

__all__ = ["Gandiva"]


class Gandiva(ComposedPolicy):
    """Serve jobs in turns, on machines of their demand, and move them closer when there is room.

    Parameters
    ----------
    lease_s
        Length of a time slice, at whose end a job goes to the end of the queue; None: a quarter of
        the mean run time at its best, at most an hour.
    migration
        Whether running jobs move to a better tier. They do if that saves more time than a restart
        takes, those that are slowed most first.
    spread, seed
        What a job larger than every machine takes: the ``nearest`` GPUs, or ``any``, drawn at
        random, as in the public simulator of Sharma et al. until it moves.

    Notes
    -----
    Xiao et al., Gandiva (OSDI 2018), as the baseline of Sharma et al. (arXiv 2401.16492).
    """

    def __init__(
        self,
        *,
        lease_s: float | None = None,
        migration: bool = True,
        spread: Literal["nearest", "any"] = "nearest",
        seed: int = 0,
    ) -> None:
        super().__init__(
            LongestWaiting(),
            placement=Affinity(spread=spread, seed=seed),
            preemption=Leases(lease_s),
        )
        self.migration = migration
        self._nearest = Tiered()

    def schedule(self, state: Simulation) -> None:
        """Serve the queue, then use what is free to move jobs closer."""
        super().schedule(state)
        if self.migration and state.free.total:
            spread = [job for job in state.running if self._may_move(job, state)]
            spread.sort(key=lambda job: (-_slowdown(job, state), job.index))
            if any([self._move(job, state) for job in spread]):
                # They have left GPUs behind.
                super().schedule(state)

    def _may_move(self, job: LiveJob, state: Simulation) -> bool:
        placement, cluster = job.placement, state.instance.cluster
        if placement is None or not placement.is_spread or job.start_s == state.now_s:
            return False
        return tier_of(placement, cluster) > self._nearest.best_tier(job.gpus, cluster)

    def _move(self, job: LiveJob, state: Simulation) -> bool:
        """Move a job if that is possible and worth it; return whether it has left its GPUs."""
        assert job.placement is not None
        cluster = state.instance.cluster
        trial = state.free.copy()
        trial.give(job.placement)
        better = Tier(tier_of(job.placement, cluster) - 1)
        found = self._nearest.place(trial, job.gpus, cluster, worst=better)
        if found is None:
            return False
        resources = state.rates.shared_resources(found)
        alone_s = state.rates.iteration_time_s(job.index, found, [1] * len(resources))
        # A gain of nothing is 0 here, not what rounding leaves of it.
        gain_s = job.iteration_time_s - alone_s
        saved_s = state.restart_left_s(job) + state.remaining_iterations(job) * gain_s
        if saved_s <= state.instance.restart_time_s(job.index):
            return False
        state.preempt(job)
        # Of a job that has only rounding left to do, nothing is left to move.
        if job.remaining > 0:
            state.start(job, found)
        return True


def _slowdown(job: LiveJob, state: Simulation) -> float:
    return job.iteration_time_s / state.rates.best_iteration_time_s(job.index)
