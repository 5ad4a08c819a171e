"""Everything that can be started at one instant: sets of waiting jobs with their placements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np

from optsched.contention import RateFunctions
from optsched.core.errors import UnsupportedError
from optsched.core.instance import Instance
from optsched.core.placement import Placement

__all__ = ["Choice", "Choices", "earlier_twins", "server_classes", "splits"]

#: (job, placement) pairs that start together; empty for "start nothing now".
Choice = tuple[tuple[int, Placement], ...]

#: Models known to see a server only through its capacity, its network rate and its rack. Of these
#: ``tiered`` sees the rack alone, and counts machines and racks.
MODELS_BLIND_TO_NAMES = ("ring", "fixed", "tiered")


#: The most placements of one job that are listed.
MOST_PLACEMENTS = 100_000


class Choices:
    """Enumerates what can start, given what runs.

    Parameters
    ----------
    instance
        The instance.
    rates
        The functions of its rate model.
    symmetry
        True: leave out choices that only rename identical servers or identical jobs.

    Notes
    -----
    Servers. Exchanging two servers of one class (equal capacity, network rate and rack; in a level
    model equal capacity alone) turns a schedule into one of the same value: the rate model sees
    only the loads on the resources of a placement, these move along with the servers, and
    the uplinks stay where they are since the racks are equal. If moreover the two servers hold the
    same GPUs of the same running jobs now, the exchange leaves the present state as it is (what has
    ended does not matter any more). So of the placements that differ by exchanges of such servers
    the one with the most GPUs on the first server stands for all. After a job is placed the classes
    are split by what it took, so that the next job is compared under the remaining exchanges only.

    Jobs. Two jobs that agree in everything the model and the objective know, the arrival included,
    can exchange their roles in any schedule. So they may be required to start in file order.
    Exchanges of servers and of jobs commute, hence both reductions can be made together.

    Examples
    --------
    >>> from optsched.contention import rate_functions
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> pair = Instance("pair", Cluster.uniform(2, 2), [Job(n, 1, 5, compute_s=1.0) for n in "ab"])
    >>> reduced = Choices(pair, rate_functions(pair), symmetry=True)
    >>> for choice in reduced.of([0, 1], []):
    ...     print([(job, placement.servers) for job, placement in choice])
    [(0, (0,)), (1, (0,))]
    [(0, (0,)), (1, (1,))]
    [(0, (0,))]
    []
    >>> len(list(Choices(pair, rate_functions(pair), symmetry=False).of([0, 1], [])))
    9
    """

    def __init__(self, instance: Instance, rates: RateFunctions, *, symmetry: bool = True) -> None:
        self._gpus: list[int] = instance.jobs.gpus.tolist()
        self._capacity: list[int] = instance.cluster.servers.gpus.tolist()
        self._server_class = server_classes(instance, rates, symmetry=symmetry)
        self._twins = earlier_twins(instance) if symmetry else [()] * len(self._gpus)
        self._symmetry = symmetry
        self._known: dict[tuple[int, tuple[int, ...], tuple[int, ...]], list[Placement]] = {}

    def of(
        self,
        waiting: Sequence[int],
        running: Sequence[tuple[int, Placement]],
        *,
        admits: Callable[[Choice], bool] | None = None,
    ) -> Iterator[Choice]:
        """Yield every choice; the first starts as many jobs as it can, the last none.

        Parameters
        ----------
        waiting
            Jobs that could start.
        running
            Jobs that hold GPUs, with their placements.
        admits
            Asked once for each choice that is not empty, before those it is a part of; where it
            says no, that choice and all that extend it are left out.
        """
        free = list(self._capacity)
        content: list[tuple[tuple[int, int], ...]] = [()] * len(free)
        for job, placement in running:
            for server, count in placement.pairs:
                free[server] -= count
                content[server] += ((job, count),)
        return self._extend(tuple(waiting), free, content, (), admits or _all)

    def placements(
        self, gpus: int, free: Sequence[int], groups: Sequence[int] | None = None
    ) -> list[Placement]:
        """Return the placements of ``gpus`` GPUs on free ones, those on few servers first.

        Parameters
        ----------
        gpus
            The demand.
        free
            Free GPUs of each server.
        groups
            Number of the group of each server; of placements that only differ by exchanges within
            groups one is returned. None: all placements.

        Raises
        ------
        UnsupportedError
            If there are more than ``MOST_PLACEMENTS``.
        """
        groups = range(len(free)) if groups is None else groups
        key = (gpus, tuple(free), tuple(groups))
        found = self._known.get(key)
        if found is None:
            ways = list(islice(splits(gpus, free, groups), MOST_PLACEMENTS + 1))
            if len(ways) > MOST_PLACEMENTS:
                # To list them would take all memory, and no clock is looked at meanwhile.
                raise UnsupportedError(
                    f"a job of {gpus} GPUs has more than {MOST_PLACEMENTS:,} placements, too many "
                    "to try them all; use method 'auto', which bounds the gap of what it finds"
                )
            found = [Placement.of(pairs) for pairs in ways]
            found.sort(key=lambda placement: len(placement.servers))
            self._known[key] = found
        return found

    def _extend(
        self,
        waiting: tuple[int, ...],
        free: list[int],
        content: list[tuple[tuple[int, int], ...]],
        chosen: Choice,
        admits: Callable[[Choice], bool],
        left_out: frozenset[int] = frozenset(),
    ) -> Iterator[Choice]:
        """Place the first waiting job, in every way and not at all, then the others."""
        if not waiting:
            yield chosen
            return
        job, rest = waiting[0], waiting[1:]
        gpus = self._gpus[job]
        if gpus <= sum(free) and left_out.isdisjoint(self._twins[job]):
            for placement in self.placements(gpus, free, self._groups(content)):
                extended = (*chosen, (job, placement))
                if not admits(extended):
                    continue
                less, more = list(free), list(content)
                for server, count in placement.pairs:
                    less[server] -= count
                    more[server] += ((job, count),)
                yield from self._extend(rest, less, more, extended, admits, left_out)
        yield from self._extend(rest, free, content, chosen, admits, left_out | {job})

    def _groups(self, content: Sequence[tuple[tuple[int, int], ...]]) -> list[int] | None:
        """Return the number of each server's group: equal class and equal content."""
        if not self._symmetry:
            return None
        known: dict[tuple[int, tuple[tuple[int, int], ...]], int] = {}
        keys = zip(self._server_class, content, strict=True)
        return [known.setdefault(key, len(known)) for key in keys]


def _all(_: Choice) -> bool:
    return True


def server_classes(instance: Instance, rates: RateFunctions, *, symmetry: bool) -> list[int]:
    """Return the number of each server's class."""
    servers = instance.cluster.servers
    if not symmetry:
        return list(range(len(servers)))
    if rates.is_level_model:
        keys = [(gpus, 0.0, 0) for gpus in servers.gpus.tolist()]
    elif instance.rate_model.name in MODELS_BLIND_TO_NAMES and not instance.cluster.fabric.links:
        own = servers.inter_bytes_per_s
        network = np.where(np.isnan(own), instance.cluster.fabric.inter_bytes_per_s, own)
        columns = (servers.gpus.tolist(), network.tolist(), servers.rack.tolist())
        keys = list(zip(*columns, strict=True))
    else:
        return list(range(len(servers)))
    known: dict[tuple[int, float, int], int] = {}
    return [known.setdefault(key, len(known)) for key in keys]


def earlier_twins(instance: Instance) -> list[tuple[int, ...]]:
    """Return, for each job, the jobs before it that are identical."""
    jobs = instance.jobs
    columns = zip(
        jobs.gpus.tolist(),
        jobs.iterations.tolist(),
        jobs.gradient_bytes.tolist(),
        jobs.compute_s.tolist(),
        jobs.arrival_s.tolist(),
        jobs.weight.tolist(),
        # NaN stands for the rate model's overhead, and is unequal to itself.
        np.nan_to_num(jobs.server_overhead_s, nan=-1.0).tolist(),
        # The rate model tiered looks at the layers of the profile.
        (name or "" for name in jobs.profiles),
        strict=True,
    )
    seen: dict[tuple[float | str, ...], list[int]] = {}
    twins = []
    for job, key in enumerate(columns):
        before = seen.setdefault(key, [])
        twins.append(tuple(before))
        before.append(job)
    return twins


def splits(
    gpus: int, free: Sequence[int], groups: Sequence[int]
) -> Iterator[list[tuple[int, int]]]:
    """Yield the ways to take ``gpus`` GPUs, in a group never more from a later server."""
    room = [0] * (len(free) + 1)
    for server in reversed(range(len(free))):
        room[server] = room[server + 1] + free[server]

    def take(
        server: int, needed: int, taken: list[tuple[int, int]], most: dict[int, int]
    ) -> Iterator[list[tuple[int, int]]]:
        if needed == 0:
            yield list(taken)
            return
        if server == len(free) or room[server] < needed:
            return
        group = groups[server]
        limit = min(needed, free[server], most.get(group, needed))
        for count in range(limit, -1, -1):
            pairs = [*taken, (server, count)] if count else taken
            yield from take(server + 1, needed - count, pairs, {**most, group: count})

    yield from take(0, gpus, [], {})
