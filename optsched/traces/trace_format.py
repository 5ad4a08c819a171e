"""What a loader is: how it knows its format, and how it reads it."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from optsched.core.errors import suggest
from optsched.traces.cluster_shape import ClusterShape
from optsched.traces.collect import JobCollector
from optsched.traces.fields import (
    RowFault,
    parse_duration_s,
    parse_gpus,
    parse_seconds,
    parse_timestamp_s,
)
from optsched.traces.rows import Table, TraceText, split_line

__all__ = ["CsvFormat", "TraceFormat"]


class TraceFormat(Protocol):
    """A loader, as :data:`optsched.traces.LOADERS` holds it.

    A format need not be CSV: :meth:`recognise` and :meth:`read` get the text of the file.
    """

    @property
    def name(self) -> str:
        """Name of the format, for ``--format`` and reports."""

    @property
    def description(self) -> str:
        """One line on where such files come from."""

    @property
    def default_cluster(self) -> ClusterShape:
        """The cluster it is run on unless the user names another."""

    @property
    def options(self) -> Mapping[str, str]:
        """What its reader can be told besides: option to a line that describes it."""

    @property
    def times_are_dates(self) -> bool:
        """True if submissions are dates, which are read as Unix seconds."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a report on such a file should say."""

    def recognise(self, first_line: str) -> int:
        """Return how many signs of this format the first line has; 0 if it is another one."""

    def expectation(self, first_line: str) -> tuple[int, str, str]:
        """Return how near the line is to this format, what it should be, and what to change."""

    def read(self, text: TraceText, jobs: JobCollector, options: Mapping[str, str]) -> None:
        """Hand every row of the trace to ``jobs``.

        Raises
        ------
        TraceError
            If the text cannot be read as this format at all.
        """


@dataclass(frozen=True, slots=True)
class CsvFormat:
    """A table with a header, a row for each job, read by column names in any order.

    Parameters
    ----------
    name, description, default_cluster, notes
        See :class:`TraceFormat`.
    submit, gpus, duration
        Names of the columns with submission, demand and run time.
    job_id
        Name of the column with ids, if files may have one. Without it a job is called by the
        number of its row, counted from 0 over all rows, those that are dropped too.
    times_are_dates
        Whether submissions are dates and times, not seconds.
    duration_is_one_gpu
        Whether the duration is what one GPU would need, so that the gang needs that over GPUs.
    counted
        Columns whose values the report counts, where the file has them.
    kept
        Columns whose text a load keeps job by job, where the file has them.
    filters
        Option to the column that must have its value.
    """

    name: str
    description: str
    default_cluster: ClusterShape
    submit: str
    gpus: str
    duration: str
    job_id: str | None = None
    times_are_dates: bool = False
    duration_is_one_gpu: bool = False
    counted: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    filters: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, str, str]:
        """The columns that a file must have."""
        return self.submit, self.gpus, self.duration

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
        submit, gpus, duration = (position[column] for column in self.columns)
        job_id = None if self.job_id is None else position.get(self.job_id)
        counted = [(column, position[column]) for column in self.counted if column in position]
        kept = [(column, position[column]) for column in self.kept if column in position]
        wanted = self._wanted(text, position, options)
        parse_submit: Callable[[str], float]
        parse_submit = parse_timestamp_s if self.times_are_dates else parse_seconds
        for line, fields in table.rows(jobs.drop):
            try:
                for place, value, reason in wanted:
                    if fields[place] != value:
                        raise RowFault(reason, fields[place])
                if job_id is not None and not fields[job_id]:
                    raise RowFault("job id is missing", "")
                submit_s = parse_submit(fields[submit])
                demand = parse_gpus(fields[gpus])
                duration_s = parse_duration_s(fields[duration])
            except RowFault as fault:
                jobs.drop(line, fault.reason, fault.got)
                continue
            jobs.add(
                line,
                str(jobs.rows_read) if job_id is None else fields[job_id],
                submit_s=submit_s,
                gpus=demand,
                duration_s=duration_s / demand if self.duration_is_one_gpu else duration_s,
                counted={column: fields[place] for column, place in counted},
                kept={column: fields[place] for column, place in kept},
            )

    def _known_columns(self) -> set[str]:
        known = {*self.columns, *self.counted, *self.kept, *self.filters.values()}
        return known | ({self.job_id} if self.job_id else set())

    def _wanted(
        self, text: TraceText, position: Mapping[str, int], options: Mapping[str, str]
    ) -> list[tuple[int, str, str]]:
        """Return (place, value, reason to drop) for each filter that is asked for."""
        wanted = []
        for option, value in options.items():
            column = self.filters[option]
            if column not in position:
                expected = f"a column {column!r} for the option {option}"
                remedy = "leave the option out"
                raise text.error(text.first_line_number, expected, "none", remedy)
            wanted.append((position[column], value, f"{column} is not {value!r}, as asked"))
        return wanted


def _header_names(line: str) -> set[str]:
    try:
        return set(split_line(line))
    except csv.Error:
        return set()
