"""A table of one's own: when, how many GPUs, how long, under any column names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from optsched.core.errors import TraceError, UnknownNameError
from optsched.traces.cluster_shape import ClusterShape
from optsched.traces.csv_format import CsvFormat

__all__ = ["PLAIN", "PlainFormat"]

#: What a column can mean, and the field of :class:`CsvFormat` that names it.
ROLES: Mapping[str, str] = {
    "id": "job_id",
    "submit": "submit",
    "gpus": "gpus",
    "duration": "duration",
    "start": "start",
    "end": "end",
    "model": "model",
}
UNITS_S: Mapping[str, float] = {
    "ns": 1e-9,
    "us": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "minutes": 60.0,
    "hours": 3600.0,
    "days": 86_400.0,
}


@dataclass(frozen=True, kw_only=True)
class PlainFormat(CsvFormat):
    """A table whose column names and units the user may tell.

    Examples
    --------
    >>> mine = PLAIN.configured({"map": "gpus=num_gpus,start=began,end=done", "times": "dates"})
    >>> mine.columns, mine.times_are_dates
    (('submit_s', 'num_gpus', 'began', 'done'), True)
    """

    @property
    def options(self) -> Mapping[str, str]:
        """The column map, and how times are written."""
        return {
            "map": "columns by meaning: submit=NAME,gpus=NAME,duration=NAME,id=NAME,start=NAME,"
            "end=NAME,model=NAME; without duration it is end - start",
            "times": "dates, if submission, start and end are dates; default: numbers",
            "unit": f"unit of times and durations that are numbers: {', '.join(UNITS_S)}",
        }

    def configured(self, options: Mapping[str, str]) -> PlainFormat:
        """Return the format with the columns and units that the options tell.

        Raises
        ------
        TraceError
            If the map cannot be read.
        UnknownNameError
            If there is no such meaning, unit or way to write times.
        """
        if options.get("times", "seconds") not in ("dates", "seconds"):
            raise UnknownNameError("way to write times", options["times"], ("dates", "seconds"))
        if (unit := options.get("unit", "s")) not in UNITS_S:
            raise UnknownNameError("unit of times", unit, UNITS_S)
        columns = parse_map(options.get("map", ""))
        if {"start", "end"} <= set(columns) and "duration" not in columns:
            columns["duration"] = None
        told = {ROLES[role]: column for role, column in columns.items()}
        are_dates = options.get("times") == "dates"
        return replace(self, **told, times_are_dates=are_dates, unit_s=UNITS_S[unit])  # type: ignore[arg-type]


def parse_map(text: str) -> dict[str, str | None]:
    """Read ``gpus=num_gpus,submit=created`` as columns by meaning.

    Raises
    ------
    TraceError
        If it is not of this form, or tells a meaning twice.

    Examples
    --------
    >>> parse_map("gpus=num_gpus,submit=created")
    {'gpus': 'num_gpus', 'submit': 'created'}
    """
    columns: dict[str, str | None] = {}
    for pair in filter(None, text.split(",")):
        role, _, column = (part.strip() for part in pair.partition("="))
        if role not in ROLES:
            raise UnknownNameError("meaning of a column", role, ROLES)
        if not column or role in columns:
            raise TraceError(
                f"expected a map like gpus=num_gpus,submit=created, each meaning once, got {pair!r}"
            )
        columns[role] = column
    return columns


#: The default cluster is small, 4 servers with 8 GPUs; a table of one's own wants its own.
PLAIN = PlainFormat(
    name="plain",
    description="a table of one's own: job_id, submit_s, gpus, duration_s, or see --map",
    default_cluster=ClusterShape(4, 8),
    submit="submit_s",
    gpus="gpus",
    duration="duration_s",
    job_id="job_id",
)
