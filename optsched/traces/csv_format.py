"""A trace as a table with a header, read by the names of its columns."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from optsched.core.errors import suggest
from optsched.traces.collect import JobCollector
from optsched.traces.fields import (
    RowFault,
    check_order,
    parse_duration_s,
    parse_gpus,
    parse_seconds,
    parse_timestamp_s,
    run_time_s,
)
from optsched.traces.rows import Table, TraceText, split_line
from optsched.traces.trace_format import BaseFormat

__all__ = ["CsvFormat"]


@dataclass(frozen=True, kw_only=True)
class CsvFormat(BaseFormat):
    """A table with a header, a row for each job, read by column names in any order.

    Parameters
    ----------
    name, description, default_cluster, notes
        See :class:`TraceFormat`.
    submit, gpus, duration
        Names of the columns with submission, demand and run time. Without a column for the run
        time it is what passes from ``start`` to ``end``.
    start, end
        Names of columns with the times a job began and ended to run, if files may have them: a row
        whose end is before its start is dropped.
    unit_s
        Seconds in the unit of all times.
    needed
        Columns that a file must have besides.
    job_id
        Name of the column with ids, if files may have one. Without it a job is called by the
        number of its row, counted from 0 over all rows, those that are dropped too.
    times_are_dates
        Whether submissions are dates and times, not seconds.
    duration_is_one_gpu
        Whether the duration is what one GPU would need, so that the gang needs that over GPUs.
    model
        Name of the column with the network a job trains, if files may have one.
    counted
        Columns whose values the report counts, where the file has them.
    kept
        Columns whose text a load keeps job by job, where the file has them.
    filters
        Option to the column that must have its value.
    zero_gpus
        Why a row that asks for 0 GPUs is dropped, if a format has a word for it.
    checks
        Columns and what has to be true of their values, where the file has them: a function that
        raises a :class:`RowFault`.
    """

    submit: str
    gpus: str
    duration: str | None
    start: str | None = None
    end: str | None = None
    needed: tuple[str, ...] = ()
    job_id: str | None = None
    duration_is_one_gpu: bool = False
    unit_s: float = 1.0
    model: str | None = None
    counted: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    filters: Mapping[str, str] = field(default_factory=dict)
    zero_gpus: str = ""
    checks: tuple[tuple[str, Callable[[str], None]], ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a file must have."""
        times = (self.start, self.end) if self.duration is None else (self.duration,)
        columns = (self.submit, self.gpus, *times, *self.needed)
        return tuple(column for column in columns if column is not None)

    @property
    def options(self) -> Mapping[str, str]:
        """Filters on columns."""
        return {
            option: f"use only rows with this value of column {column!r}"
            for option, column in self.filters.items()
        }

    def recognise(self, first_line: str) -> int:
        """Return how many of the format's columns the header names; 0 if one is missing."""
        names = _header_names(first_line)
        return 0 if set(self.columns) - names else len(names & self._known_columns())

    def expectation(self, first_line: str) -> tuple[int, str, str]:
        """Return how near the line is to this format, what it should be, and what to change."""
        names = _header_names(first_line)
        missing = [column for column in self.columns if column not in names]
        others = {name.casefold(): name for name in names - self._known_columns() if name}
        remedies = []
        for column in missing:
            near = suggest(column.casefold(), others)
            rename = f", rename {others[near]!r} if that is it" if near else ""
            remedies.append(f"{column!r} is missing{rename}")
        nearness = 2 * len(names & self._known_columns()) + sum("," in r for r in remedies)
        return nearness, f"the columns {', '.join(self.columns)}", "; ".join(remedies)

    def read(self, text: TraceText, jobs: JobCollector, options: Mapping[str, str]) -> None:
        """Hand every row of the table to ``jobs``."""
        table = Table.of(text)
        if set(self.columns) - set(table.columns):
            _, expected, remedy = self.expectation(text.first_line)
            expected += f" of a {self.name} trace"
            got = f"{', '.join(table.columns)[:200]!r}"
            raise text.error(text.first_line_number, expected, got, remedy)
        table.check_names()
        position = {column: place for place, column in enumerate(table.columns)}
        submit, gpus = position[self.submit], position[self.gpus]
        job_id = None if self.job_id is None else position.get(self.job_id)
        counted = [(column, position[column]) for column in self.counted if column in position]
        if self.model in position:
            counted.append(("model", position[self.model]))
        kept = [(column, position[column]) for column in self.kept if column in position]
        checks = [(position[name], check) for name, check in self.checks if name in position]
        wanted = self._wanted(text, position, options)
        run_time = self.run_time(text, jobs, options)
        for line, fields in table.rows(jobs.drop):
            try:
                for place, value, reason in wanted:
                    if fields[place] != value:
                        raise RowFault(reason, fields[place])
                if job_id is not None and not fields[job_id]:
                    raise RowFault("job id is missing", "")
                submit_s = self._parse_time(fields[submit])
                if self.zero_gpus and fields[gpus] in ("0", "0.0"):
                    raise RowFault(self.zero_gpus, fields[gpus])
                demand = parse_gpus(fields[gpus])
                for place, check in checks:
                    check(fields[place])
                duration_s = run_time(demand, _Row(position, fields))
            except RowFault as fault:
                jobs.drop(line, fault.reason, fault.got)
                continue
            jobs.add(
                line,
                str(jobs.rows_read) if job_id is None else fields[job_id],
                submit_s=submit_s,
                gpus=demand,
                duration_s=duration_s,
                counted={column: fields[place] for column, place in counted},
                kept={column: fields[place] for column, place in kept},
            )

    def run_time(
        self, text: TraceText, jobs: JobCollector, options: Mapping[str, str]
    ) -> Callable[[int, Mapping[str, str]], float]:
        """Return what gives the run time of a row in seconds, from its GPUs and fields."""

        def seconds(gpus: int, row: Mapping[str, str]) -> float:
            start, end = self.start or "", self.end or ""
            if self.duration is None:
                return run_time_s(row[start], row[end], self._parse_time)
            duration_s = parse_duration_s(row[self.duration]) * self.unit_s
            if start in row and end in row:
                check_order(row[start], row[end], self._parse_time)
            return duration_s / gpus if self.duration_is_one_gpu else duration_s

        return seconds

    def _parse_time(self, text: str) -> float:
        return (
            parse_timestamp_s(text) if self.times_are_dates else parse_seconds(text) * self.unit_s
        )

    def _known_columns(self) -> set[str]:
        maybe = (self.job_id, self.start, self.end, self.model)
        known = {*self.columns, *self.counted, *self.kept, *self.filters.values()}
        known |= {name for name, _ in self.checks}
        return known | {column for column in maybe if column is not None}

    def _wanted(
        self, text: TraceText, position: Mapping[str, int], options: Mapping[str, str]
    ) -> list[tuple[int, str, str]]:
        """Return (place, value, reason to drop) for each filter that is asked for."""
        wanted = []
        for option, column in self.filters.items():
            if (value := options.get(option)) is None:
                continue
            if column not in position:
                expected = f"a column {column!r} for the option {option}"
                remedy = "leave the option out"
                raise text.error(text.first_line_number, expected, "none", remedy)
            wanted.append((position[column], value, f"{column} is not {value!r}, as asked"))
        return wanted


class _Row(Mapping[str, str]):
    """The fields of a row by the names of their columns, without a copy."""

    __slots__ = ("_fields", "_position")

    def __init__(self, position: Mapping[str, int], fields: list[str]) -> None:
        self._position, self._fields = position, fields

    def __getitem__(self, column: str) -> str:
        return self._fields[self._position[column]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._position)

    def __len__(self) -> int:
        return len(self._position)


def _header_names(line: str) -> set[str]:
    try:
        return set(split_line(line))
    except csv.Error:
        return set()
