"""From the file of a trace to an instance, and a report of what was left out and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from optsched.core.cluster import Cluster
from optsched.core.errors import NothingUsableError, TraceError, UnknownNameError, suggest
from optsched.core.instance import Instance
from optsched.core.jobs import Jobs
from optsched.core.rate_model import RateModel
from optsched.traces.collect import Duplicates, JobCollector
from optsched.traces.report import TraceReport
from optsched.traces.rows import Table, TraceText, open_trace
from optsched.traces.selection import Selection
from optsched.traces.trace_format import TraceFormat

__all__ = ["TraceLoad", "load_trace"]

#: Columns that name the network a job trains.
MODEL_COLUMNS = ("model", "model_name")
#: From so much on a first line is a header of a known format with faults: two of its columns.
NEAR = 4


@dataclass(frozen=True, slots=True, eq=False)
class TraceLoad:
    """An instance made from a trace, and what became of the trace's rows.

    Parameters
    ----------
    instance
        The instance.
    report
        What was kept and dropped.
    models
        The model of each job, as the trace names it; None if it names none.
    columns
        Texts that the format keeps job by job, by column.
    """

    instance: Instance
    report: TraceReport
    models: tuple[str, ...] | None = None
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def load_trace(
    path: str | Path,
    *,
    format: str | None = None,
    cluster: Cluster | None = None,
    servers: int | None = None,
    gpus_per_server: int | None = None,
    racks: int | None = None,
    duplicates: Duplicates = "error",
    start: str | float | None = None,
    end: str | float | None = None,
    sample: float = 1.0,
    seed: int = 0,
    name: str | None = None,
    **options: str,
) -> TraceLoad:
    r"""Load a trace as an instance with given durations (rate model ``fixed``).

    Jobs come in the order of submission, file order among equals, the first at time 0; the
    instance's metadata has the time that was taken off. Rows that cannot be used are dropped,
    and the report says which and why.

    Parameters
    ----------
    path
        The file, plain or gzip.
    format
        A name in :data:`optsched.traces.LOADERS`; None tells it by the first line.
    cluster
        What the jobs are to run on; None takes what an option of the format tells, else the
        format's default, changed by ``servers``, ``gpus_per_server`` and ``racks`` (equal racks)
        where these are given.
    duplicates
        What to do with two rows of one job id: ``error``, use the ``first``, the ``last``, or
        ``keep`` all under new ids.
    start, end
        Use the rows submitted from ``start`` on and before ``end``: dates if the trace has dates,
        else seconds as the trace counts them.
    sample, seed
        Use about this share of the rows, drawn by ``seed``.
    name
        Name of the instance; None takes the file's.
    **options
        Options of the format, such as ``virtual_cluster="11cb48"`` of ``philly``.

    Raises
    ------
    TraceError
        If the file cannot be read as a trace, or is ambiguous.
    NothingUsableError
        If it can be read, and no row of it is a job that can run.
    UnknownNameError
        If there is no such format, or no such rule for duplicates.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "mine.csv"
    ...     _ = path.write_text("job_id,submit_s,gpus,duration_s\na,100,2,60\nb,130,0,60\n")
    ...     loaded = load_trace(path, servers=2, gpus_per_server=4)
    >>> loaded.instance.name, loaded.instance.jobs[0].arrival_s
    ('mine', 0.0)
    >>> print(loaded.report.dropped[0])
    1 row: GPU demand is not above 0 (line 3: '0')
    """
    shape = {"servers": servers, "gpus_per_server": gpus_per_server, "racks": racks}
    given = [key for key, value in shape.items() if value is not None]
    if cluster is not None and given:
        raise TraceError(f"expected a cluster or {', '.join(given)}, got both; leave one out")
    loaders = _loaders()
    if format is None and "map" in options:
        # Whoever tells the columns tells the format, whatever else the columns look like.
        format = "plain"
    if format is not None and format not in loaders:
        raise UnknownNameError("trace format", format, loaders)
    with open_trace(path) as text:
        loader = _recognise(text, loaders) if format is None else loaders[format]
        _check_options(loader, options)
        loader = loader.configured(options)
        stated = loader.stated_cluster(options) if cluster is None else None
        if isinstance(stated, Cluster):
            if given:
                raise TraceError(f"a file tells the cluster; leave out {', '.join(given)}")
            cluster = stated
        elif cluster is None:
            cluster = (stated or loader.default_cluster).cluster(**shape)
        selection = Selection.of(
            times_are_dates=loader.times_are_dates, start=start, end=end, sample=sample, seed=seed
        )
        rows = JobCollector(
            capacity_gpus=cluster.total_gpus, duplicates=duplicates, selection=selection
        )
        loader.read(text, rows, options)
    jobs = rows.finish(str(text.path))
    if len(jobs) == 0:
        raise _nothing_usable(text, rows)
    report = _report(text, loader, rows, jobs, cluster)
    stem = text.path.name.removesuffix(".gz")
    for suffix in (".csv", ".trace", ".swf", ".json"):
        stem = stem.removesuffix(suffix)
    instance = Instance(
        name or stem or text.path.name,
        cluster,
        jobs,
        RateModel("fixed"),
        description=f"{len(jobs):,} jobs of the {loader.name} trace {text.path.name}",
        metadata={
            "trace": text.path.name,
            "trace_format": loader.name,
            "trace_origin": report.origin,
            "trace_origin_s": repr(report.origin_s),
            "trace_rows_dropped": str(sum(drop.count for drop in report.dropped)),
            **{f"trace_{option}": value for option, value in options.items()},
            **_selection_metadata(start, end, sample, seed),
        },
    )
    return TraceLoad(instance, report, rows.column(MODEL_COLUMNS), rows.kept())


def _loaders() -> Mapping[str, TraceFormat]:
    # The registry stands in the package's front page, which imports this module.
    from optsched.traces import LOADERS

    return LOADERS


def _recognise(text: TraceText, loaders: Mapping[str, TraceFormat]) -> TraceFormat:
    """Return the format whose signs the first line has."""
    line = text.first_line
    signs = {name: loader.recognise(line) for name, loader in loaders.items()}
    most = max(signs.values())
    names = [name for name, count in signs.items() if count == most]
    if most and len(names) == 1:
        return loaders[names[0]]
    if most:
        remedy = "say which with format (--format)"
        raise text.error(text.first_line_number, "one format", " and ".join(names), remedy)
    # A table with another delimiter is told so, whatever its columns.
    Table.of(text)
    nearness, expected, remedy = max(
        (loader.expectation(line) for loader in loaders.values()), key=lambda item: item[0]
    )
    if nearness < NEAR:
        expected = "the first line of a trace"
        known = [f"\n  {name:<10} {one.expectation('')[1]}" for name, one in loaders.items()]
        remedy = "name the columns of a table with map (--map). What is known:" + "".join(known)
    else:
        nearest = max(loaders, key=lambda name: loaders[name].expectation(line)[0])
        expected += f" of a {nearest} trace, the nearest format"
    raise text.error(text.first_line_number, expected, f"{line[:200]!r}", remedy)


def _selection_metadata(
    start: str | float | None, end: str | float | None, sample: float, seed: int
) -> dict[str, str]:
    told = {"trace_from": start, "trace_to": end}
    if sample < 1:
        told |= {"trace_sample": sample, "trace_sample_seed": seed}
    return {key: str(value) for key, value in told.items() if value is not None}


def _check_options(loader: TraceFormat, options: Mapping[str, str]) -> None:
    for option, value in options.items():
        if option not in loader.options:
            near = suggest(option, loader.options)
            known = ", ".join(loader.options) or "none"
            hint = f"did you mean {near!r}?" if near else f"it has {known}"
            raise TraceError(f"a {loader.name} trace has no option {option!r}; {hint}")
        if not isinstance(value, str):
            # Told apart here because a reader of numbers makes 6214e9 a float, and 0123 is not 123.
            raise TraceError(f"{option}: expected text, got {value!r}; put it in quotes")


def _nothing_usable(text: TraceText, rows: JobCollector) -> NothingUsableError:
    dropped = "\n".join(f"  {drop}" for drop in rows.dropped())
    if not rows.rows_read:
        place = f"{text.path}:{text.first_line_number}"
        return NothingUsableError(f"{place}: expected rows below the header, got none; add some")
    remedy = "see the reasons below"
    if rows.rows_too_large:
        remedy = "take a larger cluster (--servers, --gpus-per-server), or see the reasons below"
    got = "1 row, dropped" if rows.rows_read == 1 else f"{rows.rows_read:,} rows, all dropped"
    return NothingUsableError(f"{text.path}: expected a usable job, got {got}; {remedy}\n{dropped}")


def _report(
    text: TraceText, loader: TraceFormat, rows: JobCollector, jobs: Jobs, cluster: Cluster
) -> TraceReport:
    demand, number = np.unique(jobs.gpus, return_counts=True)
    notes = loader.notes + rows.notes()
    if rows.rows_too_large:
        notes += ("a larger cluster (--servers, --gpus-per-server) keeps the jobs too large",)
    return TraceReport(
        path=str(text.path),
        format=loader.name,
        rows_read=rows.rows_read,
        rows_kept=len(jobs),
        dropped=rows.dropped(),
        demand=dict(zip(demand.tolist(), number.tolist(), strict=True)),
        counts=rows.counts(),
        servers=len(cluster.servers),
        capacity_gpus=cluster.total_gpus,
        work_gpu_s=float((jobs.gpus * jobs.compute_s).sum()),
        longest_s=jobs.compute_s.max().item(),
        arrival_span_s=jobs.arrival_s[-1].item(),
        origin_s=rows.origin_s,
        origin=_origin_text(rows.origin_s, loader.times_are_dates),
        notes=notes,
    )


def _origin_text(origin_s: float, is_date: bool) -> str:
    if is_date:
        try:
            return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=origin_s)).isoformat()
        except OverflowError:  # a zone has moved the year 1 or 9999 out of the calendar
            return f"{origin_s!r} s since 1970"
    return f"{origin_s!r} s"
