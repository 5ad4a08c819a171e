"""What must hold between two instants; checked in debug mode."""

# ruff: noqa: SLF001 - the checks look inside the engine, which offers these things to nobody else.

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from optsched.sim.engine import Simulation

__all__ = ["assert_invariants"]


def assert_invariants(simulation: Simulation) -> None:
    """Raise AssertionError, saying which, if an invariant of the engine is broken."""
    state = simulation
    _assert_free_pool(state)
    _assert_jobs(state)
    _assert_contention(state)


def _assert_free_pool(state: Simulation) -> None:
    pool = state.free
    used = [0] * len(pool.capacity)
    for job in state.running:
        assert job.placement is not None, "a running job has a placement"
        assert job.placement.gpus == job.gpus, "a gang runs whole"
        for server, count in job.placement.pairs:
            used[server] += count
    for server, capacity in enumerate(pool.capacity):
        assert pool.free[server] == capacity - used[server], "free + used = capacity"
        assert 0 <= pool.free[server] <= capacity, "free GPUs within capacity"
        for count, bucket in enumerate(pool._buckets):
            inside = bool(bucket >> server & 1)
            assert inside == (count == pool.free[server]), "buckets match free GPUs"
    assert pool.total == sum(pool.free), "total matches free GPUs"


def _assert_jobs(state: Simulation) -> None:
    waiting, running = state._waiting, state._running
    assert not waiting.keys() & running.keys(), "a job waits or runs, not both"
    for index, job in waiting.items():
        assert job.placement is None, "a waiting job has no placement"
        assert job.due == float("inf"), "a waiting job is due at no time"
        assert not state._done[index], "a done job does not wait"
    entries: dict[int, set[float]] = {}
    for time, _, index, one in state._events:
        if one is not None:
            entries.setdefault(index, set()).add(time)
    for index, job in running.items():
        assert not state._done[index], "a done job does not run"
        assert job.due >= state._now, "time never goes back"
        assert job.scheduled <= job.due, "no event comes too late"
        assert job.scheduled in entries.get(index, set()), "one live event a running job"
        assert 0 <= job.remaining <= job.iterations, "remaining work within the job"


def _assert_contention(state: Simulation) -> None:
    tracker = state._tracker
    load = [0] * len(tracker.load)
    for job in state.running:
        assert job.placement is not None
        assert job.resources == state.rates.shared_resources(job.placement), "resources"
        for resource in job.resources:
            load[resource] += 1
            assert tracker.jobs[resource].get(job.index) is job, "the job is counted"
    assert load == tracker.load, "counts of spread jobs"
    assert load == [len(jobs) for jobs in tracker.jobs], "counts of spread jobs, by name"
    for job in state.running:
        counts = [load[resource] for resource in job.resources]
        assert job.degree == max(counts, default=0), "degree is the largest count"
        assert job.placement is not None
        expected = state.rates.iteration_time_s(job.index, job.placement, counts)
        assert job.iteration_time_s == expected, "speed is that of the present loads"
