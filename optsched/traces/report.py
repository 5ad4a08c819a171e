"""What became of a trace: the rows kept and dropped, and what the jobs ask of the cluster."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

__all__ = ["MAX_EXAMPLES", "DroppedRows", "TraceReport"]

#: Below the first a cluster is hardly used; the second is what people study.
BUSY, FULL = 0.5, 0.8
#: Dropped rows of one reason that are named; the others are counted.
MAX_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class DroppedRows:
    """The rows that were dropped for one reason.

    Parameters
    ----------
    reason
        Why, as a sentence.
    count
        How many.
    lines
        Line numbers of the first ``MAX_EXAMPLES`` of them.
    values
        What stood in each of those lines.

    Examples
    --------
    >>> print(DroppedRows("duration is not above 0", 2, (4, 9), ("0", "-1")))
    2 rows: duration is not above 0 (line 4: '0', line 9: '-1')
    """

    reason: str
    count: int
    lines: tuple[int, ...]
    values: tuple[str, ...]

    def __str__(self) -> str:
        places = [
            f"line {line:,}" + (f": {value!r}" if value else "")
            for line, value in zip(self.lines, self.values, strict=True)
        ]
        if self.count > len(places):
            places.append("…")
        rows = "1 row" if self.count == 1 else f"{self.count:,} rows"
        return f"{rows}: {self.reason} ({', '.join(places)})"


@dataclass(frozen=True, slots=True)
class TraceReport:
    """What a loader read, kept and dropped, and how the load compares with the cluster.

    Parameters
    ----------
    path, format
        The file and the format it was read as.
    rows_read, rows_kept
        Rows below the header, blank lines left out; jobs that came of them.
    dropped
        The rows dropped, one entry a reason, in the order in which the reasons first occur;
        ``rows_read - rows_kept`` in all.
    demand
        GPUs to the number of jobs that ask for so many, ascending.
    counts
        Column to value to number of jobs, for columns that no job keeps (model names, virtual
        clusters), the most frequent value first.
    servers, capacity_gpus
        Size of the cluster.
    work_gpu_s
        Sum of GPUs times duration, in GPU-seconds.
    longest_s
        Longest duration in seconds.
    arrival_span_s
        Seconds from the first submission to the last.
    origin_s, origin
        The first submission as it stands in the file, in seconds and as text: what was taken
        from every submission.
    notes
        Other things the user should know.
    """

    path: str
    format: str
    rows_read: int
    rows_kept: int
    dropped: tuple[DroppedRows, ...]
    demand: Mapping[int, int]
    counts: Mapping[str, Mapping[str, int]]
    servers: int
    capacity_gpus: int
    work_gpu_s: float
    longest_s: float
    arrival_span_s: float
    origin_s: float
    origin: str
    notes: tuple[str, ...] = ()

    @property
    def load(self) -> float | None:
        """Work over capacity times the span of arrivals; None when all arrive at once.

        At a load above 1 the queue grows for as long as jobs arrive.
        """
        if self.arrival_span_s <= 0:
            return None
        return self.work_gpu_s / self.capacity_gpus / self.arrival_span_s

    def as_dict(self) -> dict[str, object]:
        """Return the report as a document of plain values, with text for keys."""
        return {
            "path": self.path,
            "format": self.format,
            "rows_read": self.rows_read,
            "rows_kept": self.rows_kept,
            "dropped": [
                {
                    "reason": rows.reason,
                    "count": rows.count,
                    "lines": list(rows.lines),
                    "values": list(rows.values),
                }
                for rows in self.dropped
            ],
            "demand": {str(gpus): count for gpus, count in self.demand.items()},
            "counts": {column: dict(values) for column, values in self.counts.items()},
            "servers": self.servers,
            "capacity_gpus": self.capacity_gpus,
            "work_gpu_s": self.work_gpu_s,
            "longest_s": self.longest_s,
            "arrival_span_s": self.arrival_span_s,
            "load": self.load,
            "origin_s": self.origin_s,
            "origin": self.origin,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.path} ({self.format} trace)"
        yield f"  rows       {self.rows_read:,} read, {self.rows_kept:,} kept as jobs"
        for rows in self.dropped:
            yield f"  dropped    {rows}"
        yield f"  GPUs       {_mix(self.demand)} (GPUs:jobs)"
        for column, values in self.counts.items():
            yield f"  {column:<10} {_mix(values)}"
        yield f"  work       {self.work_gpu_s:,.10g} GPU-s; longest job {self.longest_s:,.10g} s"
        yield f"  servers    {self.servers:,}, with {self.capacity_gpus:,} GPUs in all"
        if self.load is None:
            yield "  load       all jobs are submitted at once"
        else:
            span = f"{self.arrival_span_s:,.10g} s of arrivals"
            yield f"  load       {self.load:.3g} of the cluster, over {span}{self._advice()}"
        yield f"  time 0     {self.origin}"
        for note in self.notes:
            yield f"  note       {note}"

    def _advice(self) -> str:
        """Return how many servers would be busy, if these are hardly so or far too few."""
        if self.load is None or BUSY <= self.load <= 1.0:
            return ""
        size = math.ceil(self.servers * self.load / FULL)
        # A smaller cluster has to hold the largest job.
        size = max(size, math.ceil(max(self.demand) * self.servers / self.capacity_gpus))
        return "" if size == self.servers else f"; {FULL:g} on {size:,} server{'s' * (size > 1)}"


def _mix(counts: Mapping[int, int] | Mapping[str, int]) -> str:
    shown = [f"{value}:{count}" for value, count in list(counts.items())[:16]]
    if len(counts) > len(shown):
        shown.append(f"and {len(counts) - len(shown)} more")
    return " ".join(shown)
