"""The problem: jobs, a cluster, and the law that says how fast a job runs where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from optsched.core.checks import instance_problems
from optsched.core.cluster import Cluster
from optsched.core.errors import InstanceError
from optsched.core.jobs import Job, Jobs
from optsched.core.rate_model import RateModel

__all__ = ["Instance"]


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Instance:
    """A scheduling problem, checked when it is made.

    Parameters
    ----------
    name
        Short name, shown in tables.
    cluster
        Servers and network.
    jobs
        The jobs; a plain sequence of :class:`Job` is turned into columns.
    rate_model
        The law of iteration times, as data.
    slot_s
        Length of a time slot; None means continuous time.
    restart_s, restart_s_per_gpu
        A segment after a job's first holds its GPUs without progress for
        ``restart_s + gpus * restart_s_per_gpu`` seconds.
    description
        What the instance is for; not part of its hash.
    metadata
        Notes on its origin (the trace, the seed); not part of its hash.

    Raises
    ------
    InstanceError
        With every problem found, not only the first.

    Examples
    --------
    >>> from optsched.core.cluster import Server
    >>> instance = Instance("one", Cluster([Server("s0", 4)]), [Job("a", 2, 10, compute_s=0.5)])
    >>> len(instance.jobs), instance.is_slotted
    (1, False)
    """

    name: str
    cluster: Cluster
    jobs: Jobs
    rate_model: RateModel
    slot_s: float | None
    restart_s: float
    restart_s_per_gpu: float
    description: str
    metadata: Mapping[str, str]

    def __init__(
        self,
        name: str,
        cluster: Cluster,
        jobs: Iterable[Job],
        rate_model: RateModel | None = None,
        *,
        slot_s: float | None = None,
        restart_s: float = 0.0,
        restart_s_per_gpu: float = 0.0,
        description: str = "",
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        columns = jobs if isinstance(jobs, Jobs) else Jobs.of(jobs)
        values = {
            "name": name,
            "cluster": cluster,
            "jobs": columns,
            "rate_model": RateModel.of("ring") if rate_model is None else rate_model,
            "slot_s": slot_s,
            "restart_s": restart_s,
            "restart_s_per_gpu": restart_s_per_gpu,
            "description": description,
            "metadata": MappingProxyType(dict(metadata or {})),
        }
        for attribute, value in values.items():
            object.__setattr__(self, attribute, value)
        problems = instance_problems(cluster, columns, slot_s, restart_s, restart_s_per_gpu)
        if problems:
            raise InstanceError(problems)

    def __reduce__(
        self,
    ) -> tuple[Callable[[dict[str, object]], Instance], tuple[dict[str, object]]]:
        # A read-only view of the metadata cannot be sent to another process.
        values: dict[str, object] = {name: getattr(self, name) for name in self.__slots__}
        return _rebuilt, (values | {"metadata": dict(self.metadata)},)

    @property
    def is_slotted(self) -> bool:
        """True if time comes in slots of ``slot_s``."""
        return self.slot_s is not None

    @property
    def has_arrivals(self) -> bool:
        """True if some job arrives after time 0."""
        return bool((self.jobs.arrival_s > 0).any())

    def restart_time_s(self, job: int) -> float:
        """Seconds without progress at the start of a later segment of ``job``, before slots."""
        return self.restart_s + self.jobs.gpus.item(job) * self.restart_s_per_gpu

    def with_jobs(self, jobs: Iterable[Job], *, name: str | None = None) -> Instance:
        """Return the same problem with other jobs."""
        return self.changed(jobs=jobs, name=self.name if name is None else name)

    def changed(self, **changes: object) -> Instance:
        """Return a copy with some constructor arguments replaced, checked anew.

        Examples
        --------
        >>> from optsched.core.cluster import Server
        >>> one = Instance("one", Cluster([Server("s0", 4)]), [Job("a", 2, 10, compute_s=0.5)])
        >>> one.changed(slot_s=1.0).is_slotted
        True
        """
        values: dict[str, object] = {
            attribute: getattr(self, attribute) for attribute in self.__slots__
        }
        return Instance(**(values | changes))  # type: ignore[arg-type]


def _rebuilt(values: dict[str, object]) -> Instance:
    return Instance(**values)  # type: ignore[arg-type]
