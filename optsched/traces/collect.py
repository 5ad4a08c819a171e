"""The jobs of a trace as they are read: columns that grow, and a tally of what is dropped."""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from optsched.core.errors import TraceError, UnknownNameError
from optsched.core.jobs import Jobs
from optsched.traces.report import MAX_EXAMPLES, DroppedRows
from optsched.traces.selection import Selection

__all__ = ["Duplicates", "JobCollector"]

#: What to do with two rows of one job id.
Duplicates = Literal["error", "first", "last", "keep"]

MAX_VALUE_CHARACTERS = 60
#: Instance files take no time between 0 and this one.
LEAST_S = 1e-18


class JobCollector:
    """Takes the rows of a trace from a loader and makes jobs of them.

    A loader calls :meth:`add` or :meth:`drop` once a row. Nothing is ever recognised as double by
    its content: equal rows may be different jobs.

    Parameters
    ----------
    capacity_gpus
        GPUs of the cluster; a job that asks for more is dropped.
    duplicates
        What to do with two rows of one job id: ``error``; use the ``first`` or the ``last`` of
        those that can be used; ``keep`` all, the later ones as ``ID#2``, ``ID#3``, …
    selection
        The rows that are wanted; None takes all.

    Examples
    --------
    >>> jobs = JobCollector(capacity_gpus=4, duplicates="error")
    >>> jobs.add(2, "a", submit_s=30.0, gpus=1, duration_s=60.0)
    >>> jobs.add(3, "b", submit_s=20.0, gpus=8, duration_s=60.0)
    >>> jobs.add(4, "c", submit_s=20.0, gpus=4, duration_s=60.0)
    >>> print(jobs.dropped()[0])
    1 row: GPU demand is above the 4 GPUs of the cluster (line 3: '8')
    >>> [(job.id, job.arrival_s) for job in jobs.finish("trace.csv")], jobs.origin_s
    ([('c', 0.0), ('a', 10.0)], 20.0)
    """

    def __init__(
        self, *, capacity_gpus: int, duplicates: Duplicates, selection: Selection | None = None
    ) -> None:
        if duplicates not in get_args(Duplicates):
            raise UnknownNameError("rule for duplicates", str(duplicates), get_args(Duplicates))
        self.origin_s = 0.0
        self.rows_read = 0
        self.rows_too_large = 0
        self._capacity_gpus = capacity_gpus
        self._duplicates: Duplicates = duplicates
        self._selection = Selection() if selection is None else selection
        self._draws = self._selection.draws()
        self._said: list[str] = []
        self._notes: dict[str, list[int]] = {}
        self._ids: list[str] = []
        self._lines = array("q")
        self._submit_s = array("d")
        self._gpus = array("q")
        self._duration_s = array("d")
        self._counted: dict[str, list[str]] = {}
        self._kept_text: dict[str, list[str]] = {}
        self._drop_counts: Counter[str] = Counter()
        self._drop_examples: dict[str, list[tuple[int, str]]] = {}

    def add(
        self,
        line: int,
        job_id: str,
        *,
        submit_s: float,
        gpus: int,
        duration_s: float,
        counted: Mapping[str, str] | None = None,
        kept: Mapping[str, str] | None = None,
    ) -> None:
        """Take a row as a job.

        Columns that a job has no place for are ``counted``, or ``kept`` as text.
        """
        if reason := self._selection.reason_against(submit_s, draws=self._draws):
            self.drop(line, reason, "")
            return
        if gpus > self._capacity_gpus:
            self.rows_too_large += 1
            most = f"{self._capacity_gpus:,} GPUs"
            self.drop(line, f"GPU demand is above the {most} of the cluster", str(gpus))
            return
        if duration_s < LEAST_S:
            self.drop(line, f"duration is below {LEAST_S:g} s", repr(duration_s))
            return
        self.rows_read += 1
        self._ids.append(job_id)
        self._lines.append(line)
        self._submit_s.append(submit_s)
        self._gpus.append(gpus)
        self._duration_s.append(duration_s)
        for column, value in (counted or {}).items():
            self._counted.setdefault(column, []).append(sys.intern(value))
        for column, value in (kept or {}).items():
            self._kept_text.setdefault(column, []).append(value)

    def drop(self, line: int, reason: str, got: str) -> None:
        """Leave a row out, and remember why."""
        self.rows_read += 1
        self._count_drop(line, reason, got)

    def note(self, text: str, line: int) -> None:
        """Remember what a user should know of a row that is a job all the same."""
        lines = self._notes.setdefault(text, [0])
        lines[0] += 1
        if len(lines) <= MAX_EXAMPLES:
            lines.append(line)

    def say(self, text: str) -> None:
        """Remember what a user should know of the whole trace."""
        self._said.append(text)

    def notes(self) -> tuple[str, ...]:
        """Return what was noted, with the number of rows and the lines of the first of them."""
        return tuple(self._said) + tuple(
            f"{'1 row' if count == 1 else f'{count:,} rows'}: {text} ("
            + ", ".join([f"line {line:,}" for line in lines] + ["…"] * (count > len(lines)))
            + ")"
            for text, (count, *lines) in self._notes.items()
        )

    def dropped(self) -> tuple[DroppedRows, ...]:
        """Return what was left out until now, by reason."""
        return tuple(
            DroppedRows(reason, count, *zip(*self._drop_examples[reason], strict=True))
            for reason, count in self._drop_counts.items()
        )

    def finish(self, path: str) -> Jobs:
        """Return the jobs by submission, file order among equals, the first submitted at 0.

        Raises
        ------
        TraceError
            If an id is there twice and nobody said what to do about it.
        """
        kept = self._kept(path)
        submit_s = np.array(self._submit_s)[kept]
        order = np.argsort(submit_s, kind="stable")
        kept, submit_s = kept[order], submit_s[order]
        self.origin_s = submit_s.item(0) if len(submit_s) else 0.0
        arrival_s = submit_s - self.origin_s
        arrival_s[arrival_s < LEAST_S] = 0.0
        for columns in (self._counted, self._kept_text):
            for column, values in columns.items():
                columns[column] = [values[row] for row in kept.tolist()]
        return Jobs.from_columns(
            ids=[self._ids[row] for row in kept.tolist()],
            gpus=np.array(self._gpus)[kept],
            iterations=np.ones(len(kept), dtype=np.int64),
            compute_s=np.array(self._duration_s)[kept],
            arrival_s=arrival_s,
        )

    def counts(self) -> dict[str, dict[str, int]]:
        """Return column to value to number of jobs, the most frequent value first."""
        return {column: dict(Counter(v).most_common()) for column, v in self._counted.items()}

    def kept(self) -> dict[str, tuple[str, ...]]:
        """Return the columns that were kept as text, job by job."""
        return {column: tuple(values) for column, values in self._kept_text.items()}

    def column(self, names: Iterable[str]) -> tuple[str, ...] | None:
        """Return the values, job by job, of the first of these counted columns that there is."""
        return next((tuple(self._counted[name]) for name in names if name in self._counted), None)

    def _count_drop(self, line: int, reason: str, got: str) -> None:
        self._drop_counts[reason] += 1
        examples = self._drop_examples.setdefault(reason, [])
        if len(examples) < MAX_EXAMPLES:
            shown = got if len(got) <= MAX_VALUE_CHARACTERS else got[:MAX_VALUE_CHARACTERS] + "…"
            examples.append((line, shown))

    def _kept(self, path: str) -> NDArray[np.int64]:
        """Return the positions of the rows that become jobs, after duplicates are dealt with."""
        keep = np.ones(len(self._ids), dtype=np.bool_)
        doubled = list(self._doubled())
        if doubled and self._duplicates == "error":
            row, first = doubled[0]
            more = f" ({len(doubled):,} rows have an id from before)" if len(doubled) > 1 else ""
            raise TraceError(
                f"{path}:{self._lines[row]}: expected a job id of its own, got "
                f"{self._ids[row]!r}, which line {self._lines[first]} has too{more}; say with "
                "duplicates (--duplicates) whether to use the first, the last, or to keep both"
            )
        latest: dict[str, int] = {}
        taken = set(self._ids) if self._duplicates == "keep" else set()
        copies: Counter[str] = Counter()
        for row, first in doubled:
            job_id = self._ids[row]
            if self._duplicates == "keep":
                self._ids[row] = _new_id(job_id, copies, taken)
                continue
            left_out = row
            if self._duplicates == "last":
                left_out = latest.get(job_id, first)
                latest[job_id] = row
            keep[left_out] = False
            reason = f"the job id is there twice, the {self._duplicates} is used"
            self._count_drop(self._lines[left_out], reason, job_id)
        return np.flatnonzero(keep)

    def _doubled(self) -> Iterator[tuple[int, int]]:
        """Yield each row whose id was there before, and the row that had it first."""
        first: dict[str, int] = {}
        for row, job_id in enumerate(self._ids):
            if (before := first.setdefault(job_id, row)) != row:
                yield row, before


def _new_id(job_id: str, copies: Counter[str], taken: set[str]) -> str:
    """Return ``job_id`` with the next number that makes it an id of its own."""
    copies[job_id] += 1
    while (name := f"{job_id}#{copies[job_id] + 1}") in taken:
        copies[job_id] += 1
    taken.add(name)
    return name
