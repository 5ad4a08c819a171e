"""Tables of measured all-reduce latencies, the input of a calibration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from optsched.contention.latencies import MEASUREMENT_LIMITS, LatencyMeasurements
from optsched.core.errors import TraceError, UnknownNameError, suggest
from optsched.traces.rows import Table, open_trace

__all__ = ["LATENCY_COLUMNS", "LATENCY_UNITS", "read_latencies"]

#: What a measurement consists of, and the column that holds it unless the user says otherwise:
#: the names of the published table (OSU all-reduce started several times at once).
LATENCY_COLUMNS: Mapping[str, str] = MappingProxyType(
    {"jobs": "job_num", "bytes": "msg_size", "latency": "avg_latency"}
)
COLUMN_OF_PART = {"jobs": "jobs", "bytes": "message_bytes", "latency": "latency_s"}
#: Unit of the latency column to seconds.
LATENCY_UNITS: Mapping[str, float] = MappingProxyType(
    {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
)
#: A file with a thousand bad rows should not print a thousand lines.
MAX_PROBLEMS = 20


def read_latencies(
    path: str | Path, *, columns: Mapping[str, str] | None = None, unit: str = "us"
) -> LatencyMeasurements:
    r"""Read measured latencies from a CSV file with a header; other columns are ignored.

    Every row has to be right: with few measurements, one that is silently left out would change
    the result.

    Parameters
    ----------
    path
        The file, plain or gzip.
    columns
        The names in the header of ``jobs``, ``bytes`` and ``latency``, where they differ from
        ``job_num``, ``msg_size`` and ``avg_latency``.
    unit
        Unit of the latencies: ``s``, ``ms``, ``us`` or ``ns``.

    Raises
    ------
    TraceError
        If the file cannot be used; each bad row is named by ``file:line``.
    UnknownNameError
        If there is no such unit, or no such part of a measurement.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("k,bytes,ms\n1,1e6,2.5\n2,1e6,5.5\n")
    ...     file.flush()
    ...     names = {"jobs": "k", "bytes": "bytes", "latency": "ms"}
    ...     read_latencies(file.name, columns=names, unit="ms").latency_s.tolist()
    [0.0025, 0.0055]
    """
    if unit not in LATENCY_UNITS:
        raise UnknownNameError("unit of time", unit, LATENCY_UNITS)
    for part in columns or {}:
        if part not in LATENCY_COLUMNS:
            raise UnknownNameError("part of a measurement", part, LATENCY_COLUMNS)
    names = {**LATENCY_COLUMNS, **(columns or {})}
    problems: list[str] = []
    measured: list[tuple[int, float, float]] = []
    content = "a table of latencies"
    with open_trace(path, kind=content, content=content) as text:
        table = Table.of(text)
        places = _places(table, names)

        def complain(line: int, reason: str, got: str) -> None:
            problems.append(f"{text.path}:{line}: {reason}" + (f", got {got!r}" if got else ""))

        for line, row in table.rows(complain):
            found: list[float] = []
            for part, place in places.items():
                value = _number(row[place])
                scaled = value * LATENCY_UNITS[unit] if part == "latency" else value
                limits = MEASUREMENT_LIMITS[COLUMN_OF_PART[part]]
                is_fraction = part == "jobs" and not scaled.is_integer()
                if is_fraction or not limits.least <= scaled <= limits.most:
                    got = row[place]
                    rule = f"{names[part]}: expected {limits.text}"
                    complain(line, rule if got else f"{rule}, got nothing", got)
                found.append(scaled)
            if not problems:
                measured.append((int(found[0]), found[1], found[2]))
        header = text.first_line_number
    if problems:
        raise TraceError(_report(path, problems))
    if not measured:
        raise text.error(header, "rows below the header", "none", "add measurements")
    return LatencyMeasurements.of(measured)


def _places(table: Table, names: Mapping[str, str]) -> dict[str, int]:
    """Return the position of each part's column."""
    table.check_names()
    missing = [part for part, name in names.items() if name not in table.columns]
    if missing:
        hints = []
        for part in missing:
            near = suggest(names[part], table.columns) or "COLUMN"
            hints.append(f"{part}={near}")
        raise table.text.error(
            table.text.first_line_number,
            f"the columns {', '.join(names.values())}",
            f"{', '.join(table.columns)!r}",
            f"say which they are with --map {','.join(hints)}",
        )
    return {part: table.columns.index(name) for part, name in names.items()}


def _number(text: str) -> float:
    """Return a number, NaN if the text is none."""
    # Python reads 1_000 and the digits of every script; a table that has them means another thing.
    if "_" in text or not text.isascii():
        return math.nan
    try:
        return float(text)
    except ValueError:
        return math.nan


def _report(path: str | Path, problems: list[str]) -> str:
    shown = problems[:MAX_PROBLEMS]
    if len(problems) > MAX_PROBLEMS:
        shown.append(f"{path}: {len(problems) - MAX_PROBLEMS:,} more rows that are not right")
    if len(problems) == 1:
        return f"{problems[0]}; correct the row or take it out"
    head = f"{path}: {len(problems):,} problems; correct the rows or take them out"
    return "\n".join([head, *(f"  {problem}" for problem in shown)])
