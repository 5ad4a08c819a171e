"""Jobs: what each asks for and how much it has to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optsched.core.errors import InstanceError, Problem

__all__ = ["Job", "Jobs"]

Column = TypeVar("Column", NDArray[np.int64], NDArray[np.float64])


@dataclass(frozen=True, slots=True)
class Job:
    """One training job, a gang of ``gpus`` workers in a ring.

    Parameters
    ----------
    id
        Name, unique in the instance.
    gpus
        GPUs it holds while it runs (w, the paper's G_j).
    iterations
        Iterations to do (F).
    gradient_bytes
        Bytes of gradients that one iteration exchanges (m).
    compute_s
        Forward and backward time of one iteration (Δ).
    arrival_s
        When the job is submitted.
    weight
        Counts in ``weighted_jct`` only.
    server_overhead_s
        Overhead for each server the job uses (ξ₂); None takes the rate model's.
    profile
        Name of the network in ``models/dnn`` the figures came from, for the record.

    Examples
    --------
    >>> Job("a", gpus=3, iterations=10, gradient_bytes=750e6, compute_s=0.05).arrival_s
    0.0
    """

    id: str
    gpus: int
    iterations: int
    gradient_bytes: float = 0.0
    compute_s: float = 0.0
    arrival_s: float = 0.0
    weight: float = 1.0
    server_overhead_s: float | None = None
    profile: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Jobs(Sequence[Job]):
    """Jobs as columns of shape (n,); indexing gives a :class:`Job`.

    ``server_overhead_s`` is NaN where the rate model's value holds. The arrays are read-only.
    Units are those of :class:`Job`.
    """

    ids: tuple[str, ...]
    gpus: NDArray[np.int64]
    iterations: NDArray[np.int64]
    gradient_bytes: NDArray[np.float64]
    compute_s: NDArray[np.float64]
    arrival_s: NDArray[np.float64]
    weight: NDArray[np.float64]
    server_overhead_s: NDArray[np.float64]
    profiles: tuple[str | None, ...]

    @classmethod
    def of(cls, jobs: Iterable[Job]) -> Jobs:
        """Collect jobs into columns."""
        rows = list(jobs)
        return cls.from_columns(
            ids=[row.id for row in rows],
            gpus=[row.gpus for row in rows],
            iterations=[row.iterations for row in rows],
            gradient_bytes=[row.gradient_bytes for row in rows],
            compute_s=[row.compute_s for row in rows],
            arrival_s=[row.arrival_s for row in rows],
            weight=[row.weight for row in rows],
            server_overhead_s=[
                np.nan if row.server_overhead_s is None else row.server_overhead_s for row in rows
            ],
            profiles=[row.profile for row in rows],
        )

    @classmethod
    def from_columns(
        cls,
        *,
        ids: Sequence[str],
        gpus: ArrayLike,
        iterations: ArrayLike,
        gradient_bytes: ArrayLike | None = None,
        compute_s: ArrayLike | None = None,
        arrival_s: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        server_overhead_s: ArrayLike | None = None,
        profiles: Sequence[str | None] | None = None,
    ) -> Jobs:
        """Build the columns from arrays; an absent one takes the default of :class:`Job`.

        Examples
        --------
        >>> jobs = Jobs.from_columns(ids=["a", "b"], gpus=[1, 2], iterations=[5, 6])
        >>> jobs[1].gpus, jobs.weight.tolist()
        (2, [1.0, 1.0])
        """
        count = len(ids)

        def whole(name: str, values: ArrayLike) -> NDArray[np.int64]:
            return _frozen_column(_whole_column(name, values), count)

        def real(values: ArrayLike | None, default: float) -> NDArray[np.float64]:
            column = np.full(count, default) if values is None else np.array(values, np.float64)
            return _frozen_column(column, count)

        return cls(
            ids=tuple(ids),
            gpus=whole("gpus", gpus),
            iterations=whole("iterations", iterations),
            gradient_bytes=real(gradient_bytes, 0.0),
            compute_s=real(compute_s, 0.0),
            arrival_s=real(arrival_s, 0.0),
            weight=real(weight, 1.0),
            server_overhead_s=real(server_overhead_s, np.nan),
            profiles=(None,) * count if profiles is None else tuple(profiles),
        )

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, position: int) -> Job: ...
    @overload
    def __getitem__(self, position: slice) -> list[Job]: ...
    def __getitem__(self, position: int | slice) -> Job | list[Job]:
        if isinstance(position, slice):
            return [self[i] for i in range(*position.indices(len(self)))]
        overhead = self.server_overhead_s.item(position)
        return Job(
            id=self.ids[position],
            gpus=self.gpus.item(position),
            iterations=self.iterations.item(position),
            gradient_bytes=self.gradient_bytes.item(position),
            compute_s=self.compute_s.item(position),
            arrival_s=self.arrival_s.item(position),
            weight=self.weight.item(position),
            server_overhead_s=None if np.isnan(overhead) else overhead,
            profile=self.profiles[position],
        )

    def __iter__(self) -> Iterator[Job]:
        return (self[position] for position in range(len(self)))


def _whole_column(name: str, values: ArrayLike) -> NDArray[np.int64]:
    """Return whole numbers; a fraction, or a number beyond 64 bits, is an error and never cut."""
    given = np.asarray(values)
    if given.dtype.kind == "i":
        return given.astype(np.int64)
    problems = []
    for position, value in enumerate(given.tolist()):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not abs(value) < 2**63 or value != int(value):
            expected = "a whole number of less than 2^63"
            problems.append(Problem(("jobs", position, name), expected, repr(value)))
    if problems:
        raise InstanceError(problems)
    return given.astype(np.int64)


def _frozen_column(column: Column, count: int) -> Column:
    if column.shape != (count,):
        raise ValueError(f"a column of {count} jobs has shape ({count},), got {column.shape}")
    column.flags.writeable = False
    return column
