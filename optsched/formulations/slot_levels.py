"""What a slot is worth to each job: iterations by the servers it uses and its contention degree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from optsched.contention import RateFunctions, rate_functions
from optsched.contention.slots import at_slot_boundary, slots_needed
from optsched.core.errors import UnsupportedError
from optsched.core.instance import Instance
from optsched.core.placement import Placement

__all__ = ["JobLevels", "SlotLevels"]


@dataclass(frozen=True, slots=True)
class JobLevels:
    """One job in slotted time.

    Parameters
    ----------
    gpus, iterations
        Its demand (G) and its work (F).
    release
        The first slot in which it may run, counted from :attr:`SlotLevels.first_slot`.
    per_slot
        Iterations a slot (φ) by ``(servers, degree)``, degree 0 on one server; without those at
        which no iteration fits into a slot, where a job may not run.
    slots
        Slots that it takes at the least on so many servers, by the number of servers.
    """

    gpus: int
    iterations: int
    release: int
    per_slot: Mapping[tuple[int, int], float]
    slots: Mapping[int, int]

    @property
    def can_spread(self) -> bool:
        """True if it may run on several servers."""
        return any(servers > 1 for servers in self.slots)

    @property
    def shortest(self) -> int:
        """Slots it takes at the least (d)."""
        return min(self.slots.values())

    @property
    def longest(self) -> int:
        """Slots it takes at the most, whatever else runs."""
        return max(slots_needed(self.iterations, per_slot) for per_slot in self.per_slot.values())

    def rate(self, servers: int, degree: int) -> int:
        """Return φ as a whole number, 0 where no iteration fits."""
        return int(self.per_slot.get((servers, degree), 0))


@dataclass(frozen=True, slots=True, eq=False)
class SlotLevels:
    """An instance in slotted time whose rates depend on servers used and contention degree alone.

    Parameters
    ----------
    instance
        The instance.
    slot_s
        Length of a slot.
    first_slot
        The slot at which the first job arrives; times of the model count from here.
    capacity
        GPUs of each server.
    jobs
        The jobs. One without an entry in ``slots`` can run nowhere.
    is_pool
        True if it does not matter to any job where its GPUs are, so that the servers are one pool.

    Examples
    --------
    >>> from optsched.generate.hand import waiting_pays
    >>> levels = SlotLevels.of(waiting_pays().changed(slot_s=5.1))
    >>> dict(levels.jobs[0].per_slot), dict(levels.jobs[0].slots)
    ({(2, 1): 4, (2, 2): 2, (3, 1): 4, (3, 2): 2}, {2: 3, 3: 3})
    """

    instance: Instance
    slot_s: float
    first_slot: int
    capacity: tuple[int, ...]
    jobs: tuple[JobLevels, ...]
    is_pool: bool

    @classmethod
    def of(cls, instance: Instance) -> SlotLevels:
        """Compute the tables of an instance.

        Raises
        ------
        UnsupportedError
            If time is continuous, or if rates depend on more than servers and degree.
        """
        if instance.slot_s is None:
            raise UnsupportedError(
                f"{instance.name!r} has continuous time, and this model has slots; give it a "
                "slot_s, or use method 'branch-and-bound'"
            )
        rates = rate_functions(instance)
        _check_levels(instance, rates)
        slot_s = instance.slot_s
        release = [at_slot_boundary(arrival, slot_s) for arrival in instance.jobs.arrival_s]
        first = min(release)
        is_pool = instance.rate_model.name == "fixed"
        capacity = tuple(instance.cluster.servers.gpus.tolist())
        degrees = min(max(capacity), len(release))
        jobs = tuple(
            _levels(instance, rates, job, at - first, degrees, is_pool=is_pool)
            for job, at in enumerate(release)
        )
        return cls(instance, slot_s, first, capacity, jobs, is_pool)

    @property
    def spreadable(self) -> list[int]:
        """The jobs that may spread, and so meet each other on the network."""
        return [] if self.is_pool else [j for j, job in enumerate(self.jobs) if job.can_spread]

    @property
    def stuck(self) -> list[int]:
        """Jobs that complete no iteration in a slot, wherever they are."""
        return [j for j, job in enumerate(self.jobs) if not job.slots]

    @property
    def horizon(self) -> int:
        """A slot by which some optimal schedule of every objective has ended.

        An interval in which nothing runs though all have arrived can be cut out, so after the last
        arrival some job is always running, and none of them takes longer than its longest.
        """
        return max(job.release for job in self.jobs) + sum(job.longest for job in self.jobs)


def _check_levels(instance: Instance, rates: RateFunctions) -> None:
    """Check that rates depend on the numbers of servers and of jobs that share one alone."""
    if rates.is_level_model:
        return
    is_ring = instance.rate_model.name == "ring" and not instance.cluster.fabric.links
    servers = len(instance.cluster.servers)
    if is_ring and rates.depends_on_maximum_load and rates.resource_count == servers:
        return
    raise UnsupportedError(
        f"rates of {instance.name!r} depend on more than the number of servers and of jobs that "
        "share one (uplinks, unequal interfaces or tiers), which slot models do not know; use "
        "method 'brute-force'"
    )


def _levels(
    instance: Instance,
    rates: RateFunctions,
    job: int,
    release: int,
    degrees: int,
    *,
    is_pool: bool,
) -> JobLevels:
    gpus, iterations = instance.jobs.gpus.item(job), instance.jobs.iterations.item(job)
    most = 1 if is_pool else min(len(instance.cluster.servers), gpus)
    fewest = 1 if is_pool else instance.cluster.fewest_servers(gpus)
    per_slot: dict[tuple[int, int], float] = {}
    for servers in range(fewest, most + 1):
        placement = Placement.of({s: gpus - servers + 1 if s == 0 else 1 for s in range(servers)})
        for degree in range(1, degrees + 1) if servers > 1 else (0,):
            load = (degree,) * len(rates.shared_resources(placement))
            done = rates.progress_per_slot(rates.iteration_time_s(job, placement, load))
            if done > 0:
                per_slot[servers, degree] = done if is_pool else int(done)
    slots = {
        servers: slots_needed(iterations, done)
        for (servers, degree), done in per_slot.items()
        if degree <= 1
    }
    return JobLevels(gpus, iterations, release, per_slot, slots)
