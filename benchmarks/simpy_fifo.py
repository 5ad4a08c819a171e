"""Strict FIFO as a SimPy model: a process for each job, interrupted when its speed changes.

Written from the model's formulas alone, so that it can stand witness for the engine. It knows
servers of one size, the rate model ``ring`` in continuous time, and no uplinks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray

from optsched.core.instance import Instance

__all__ = ["simpy_fifo"]

Taken = dict[int, int]


def simpy_fifo(instance: Instance, *, consolidated: bool) -> NDArray[np.float64]:
    """Return when each job ends: on the fewest servers, best fit, or on the first free GPUs."""
    cluster = _Cluster(instance, consolidated=consolidated)
    cluster.environment.process(cluster.arrivals())
    cluster.environment.run()
    return cluster.end_s


class _Job:
    """What a process needs to know of its job."""

    __slots__ = ("is_timed", "left", "number", "process", "seconds", "started", "taken")

    def __init__(self, number: int, iterations: float, started: simpy.Event) -> None:
        self.number = number
        self.left = iterations
        self.started = started
        self.taken: Taken = {}
        #: Seconds for an iteration from now on.
        self.seconds = 0.0
        #: True while a timeout runs that a change of speed has to interrupt.
        self.is_timed = False
        self.process: Any = None


class _Cluster:
    """Free GPUs, the queue, and the spread jobs on each server."""

    def __init__(self, instance: Instance, *, consolidated: bool) -> None:
        jobs, servers, fabric = instance.jobs, instance.cluster.servers, instance.cluster.fabric
        self.environment = simpy.Environment()
        self.consolidated = consolidated
        self.gpus = jobs.gpus.tolist()
        self.iterations = jobs.iterations.tolist()
        self.arrival_s = jobs.arrival_s.tolist()
        self.compute_s = jobs.compute_s.tolist()
        self.gradient_bytes = jobs.gradient_bytes.tolist()
        self.overhead_s = instance.rate_model.value("server_overhead_s")
        self.weight = instance.rate_model.value("contention_weight")
        self.fabric = fabric
        self.size = int(servers.gpus[0])
        self.free = servers.gpus.tolist()
        self.idle_gpus = sum(self.free)
        self.racks = [
            [server for server, its in enumerate(servers.rack.tolist()) if its == rack]
            for rack in range(len(servers.rack_names))
        ]
        self.queue: deque[_Job] = deque()
        self.spread: list[set[_Job]] = [set() for _ in self.free]
        self.end_s = np.zeros(len(jobs))

    def arrivals(self) -> Generator[simpy.Event, None, None]:
        """Submit the jobs, which are in order of arrival."""
        environment = self.environment
        for number, arrival_s in enumerate(self.arrival_s):
            if arrival_s > environment.now:
                yield environment.timeout(arrival_s - environment.now)
            job = _Job(number, float(self.iterations[number]), environment.event())
            job.process = environment.process(self.life(job))
            self.queue.append(job)
            self.start_those_that_can()

    def life(self, job: _Job) -> Generator[simpy.Event, None, None]:
        """Run one job from its start to its end."""
        environment = self.environment
        yield job.started
        while True:
            since, seconds = environment.now, job.seconds
            job.is_timed = True
            try:
                yield environment.timeout(job.left * seconds)
                break
            except simpy.Interrupt:
                job.left = max(0.0, job.left - (environment.now - since) / seconds)
        job.is_timed = False
        self.end_s[job.number] = environment.now
        self.idle_gpus += self.gpus[job.number]
        for server, gpus in job.taken.items():
            self.free[server] += gpus
        if len(job.taken) > 1:
            for server in job.taken:
                self.spread[server].discard(job)
            self.change_speeds(job)
        self.start_those_that_can()

    def start_those_that_can(self) -> None:
        """Start jobs from the head of the queue until one cannot be placed."""
        while self.queue:
            job = self.queue[0]
            taken = self.placement(self.gpus[job.number])
            if taken is None:
                return
            self.queue.popleft()
            job.taken = taken
            self.idle_gpus -= self.gpus[job.number]
            for server, gpus in taken.items():
                self.free[server] -= gpus
            if len(taken) > 1:
                for server in taken:
                    self.spread[server].add(job)
                self.change_speeds(job)
            job.seconds = self.iteration_s(job)
            job.started.succeed()

    def placement(self, gpus: int) -> Taken | None:
        """Return where a job of so many GPUs goes, or None."""
        if gpus > self.idle_gpus:
            return None
        if not self.consolidated:
            taken = {}
            for server, free in enumerate(self.free):
                if free:
                    taken[server] = min(free, gpus)
                    gpus -= taken[server]
                    if not gpus:
                        break
            return taken
        if gpus <= self.size:
            room = [(free, server) for server, free in enumerate(self.free) if free >= gpus]
            return {min(room)[1]: gpus} if room else None
        needed = gpus // self.size
        for group in [*self.racks, range(len(self.free))]:
            idle = [server for server in group if self.free[server] == self.size]
            if len(idle) >= needed:
                return dict.fromkeys(idle[:needed], self.size)
        return None

    def change_speeds(self, cause: _Job) -> None:
        """Interrupt the neighbours whose speed a start or an end changes."""
        neighbours = {job for server in cause.taken for job in self.spread[server]} - {cause}
        for job in sorted(neighbours, key=lambda job: job.number):
            seconds = self.iteration_s(job)
            if seconds != job.seconds:
                job.seconds = seconds
                if job.is_timed:
                    job.is_timed = False
                    job.process.interrupt()

    def iteration_s(self, job: _Job) -> float:
        """Return the seconds for an iteration (Yu et al. 2022, equation 8)."""
        workers, servers = self.gpus[job.number], len(job.taken)
        sent_bytes = 2.0 * self.gradient_bytes[job.number] * (workers - 1) / workers
        if servers == 1:
            bytes_per_s = self.fabric.intra_bytes_per_s
        else:
            degree = max(len(self.spread[server]) for server in job.taken)
            shared = max(1.0, self.weight * degree)
            slowdown = shared + self.fabric.degradation * (shared - 1.0)
            bytes_per_s = self.fabric.inter_bytes_per_s / slowdown
        return float(
            self.compute_s[job.number] + sent_bytes / bytes_per_s + self.overhead_s * servers
        )
