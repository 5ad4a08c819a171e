"""``optsched fit``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from optsched.cli.options import JsonOption, OptionalPath
from optsched.cli.trace_options import (
    ColumnMapOption,
    DuplicatesOption,
    FormatOption,
    FormatOptionsOption,
    FromOption,
    GpusPerServerOption,
    RacksOption,
    SampleOption,
    ServersOption,
    ToOption,
    VirtualClusterOption,
    format_options,
)

if TYPE_CHECKING:
    from optsched.core.instance import Instance
    from optsched.generate import Workload

__all__ = ["fit"]


def fit(
    jobs: Annotated[
        str,
        typer.Argument(
            metavar="TRACE_OR_INSTANCE",
            help="A trace, an instance file, or the name of an instance.",
        ),
    ],
    output: Annotated[
        OptionalPath,
        typer.Option("--output", "-o", metavar="FILE", help="Workload file (TOML) to write."),
    ] = None,
    plot: Annotated[
        OptionalPath,
        typer.Option("--plot", metavar="FILE", help="Picture of the fit: .svg, .png or .pdf."),
    ] = None,
    title: Annotated[
        str | None, typer.Option("--title", help="What the jobs are, in a line, for the file.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--source", help="Where the jobs are from, and their licence, for the file."),
    ] = None,
    trace_format: FormatOption = None,
    servers: ServersOption = None,
    gpus_per_server: GpusPerServerOption = None,
    racks: RacksOption = None,
    duplicates: DuplicatesOption = "error",
    virtual_cluster: VirtualClusterOption = None,
    column_map: ColumnMapOption = None,
    options: FormatOptionsOption = None,
    start: FromOption = None,
    end: ToOption = None,
    sample: SampleOption = 1.0,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Seed of the sample and the bootstrap.")
    ] = 0,
    as_json: JsonOption = False,
) -> None:
    """Fit a generator to the jobs of a trace, so that they can be drawn anew at any size and load.

    The file holds parameters with 95% intervals and how far the jobs are from the fitted laws; no
    row of the trace is in it. Draw from it with
    [bold]optsched generate fitted:name=FILE,jobs=1000,load=0.8[/].

    Examples
    --------
      optsched fit philly.csv.gz -o philly.toml --plot fit.svg
      optsched fit mine.csv --map gpus=n,submit=t,duration=s -o mine.toml
    """
    from optsched.cli.destinations import check_destination, check_picture
    from optsched.cli.output import note, print_json, progress_bar
    from optsched.generate import fit_workload, workload_text

    told = format_options(options, column_map=column_map, virtual_cluster=virtual_cluster)
    check_destination(output)
    check_picture(plot)
    with progress_bar(f"fitting {jobs}"):
        if _is_trace(jobs):
            from optsched.traces import load_trace

            instance = load_trace(
                jobs,
                format=trace_format,
                servers=servers,
                gpus_per_server=gpus_per_server,
                racks=racks,
                duplicates=duplicates,  # type: ignore[arg-type]
                start=start,
                end=end,
                sample=sample,
                seed=seed,
                **told,  # type: ignore[arg-type]
            ).instance
        else:
            shape = {"--servers": servers, "--gpus-per-server": gpus_per_server, "--racks": racks}
            of_traces = {"--format": trace_format, "--from": start, "--to": end, **shape}
            given = [name for name, value in of_traces.items() if value is not None]
            given += ["--option"] * bool(told) + ["--sample"] * (sample != 1)
            instance = _instance(jobs, seed, given)
        workload = fit_workload(
            instance,
            name=output.stem if output is not None else None,
            title=title or "",
            source={"all": source or f"optsched fit {Path(jobs).name}"},
            seed=seed,
        )
    text = workload_text(workload)
    if as_json:
        import tomllib

        print_json(tomllib.loads(text))
    else:
        _print_tables(workload)
    if output is not None:
        output.write_text(text, encoding="utf-8")
        note(f"workload: {output}")
    if plot is not None:
        from optsched.plot import plot_fit, save_figure

        save_figure(plot_fit(instance, workload)[0], plot)
        note(f"picture: {plot}")


def _is_trace(name: str) -> bool:
    """Tell a trace from an instance file and a name: a file that does not begin as an object."""
    path = Path(name)
    try:
        with path.open("rb") as file:
            return not file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")
    except FileNotFoundError:
        return path.suffix.lower() in (".csv", ".gz", ".trace", ".swf")
    except OSError:
        return True


def _instance(name: str, seed: int, given: list[str]) -> Instance:
    from optsched.core.errors import TraceError
    from optsched.files import load

    if given:
        raise TraceError(f"{name}: {', '.join(given)}: expected a trace, got an instance")
    return load(name, seed=seed)


def _print_tables(workload: Workload) -> None:
    from optsched.cli.output import print_table
    from optsched.report import rows_table

    mix = " ".join(f"{gpus}:{share.value:.3g}" for gpus, share in workload.demands.items())
    print(f"{workload.jobs:,} jobs; GPUs {mix} (GPUs:share)")
    rows: list[Sequence[object]] = []
    for one in workload.classes:
        demands = f"{one.gpus[0]}" if len(one.gpus) == 1 else f"{one.gpus[0]}…{one.gpus[-1]}"
        for part, (weight, scale, shape) in enumerate(
            zip(one.weights, one.scales_s, one.shapes, strict=True)
        ):
            is_first = part == 0
            rows.append(
                (
                    demands if is_first else "",
                    one.jobs if is_first else None,
                    one.law.kind if is_first else "",
                    f"{weight.value:.3g}",
                    f"{scale.value:.4g}",
                    f"{scale.low:.4g} … {scale.high:.4g}",
                    f"{shape.value:.3g}",
                    f"{one.misfit.distance.value:.3f}" if is_first else "",
                    f"{one.misfit.chance:.3f}" if is_first else "",
                )
            )
    columns = ("GPUs", "jobs", "law", "weight", "scale s", "95% interval", "shape", "KS", "chance")
    print_table(rows_table(columns, rows, title="durations"))
    if workload.arrivals is None:
        print("arrivals: all at once; a load has to be named to draw from this workload")
        return
    cycle, gaps = workload.arrivals, workload.arrival_misfit
    rate = cycle.rate_per_s
    busiest = max(range(24), key=lambda hour: cycle.hours[hour].value)
    quietest = min(range(24), key=lambda hour: cycle.hours[hour].value)
    print(
        f"arrivals: {3600 * rate.value:.4g} an hour ({3600 * rate.low:.4g} … "
        f"{3600 * rate.high:.4g}); × {cycle.hours[busiest].value:.3g} at {busiest}:00, "
        f"× {cycle.hours[quietest].value:.3g} at {quietest}:00"
    )
    if gaps is not None:
        print(f"gaps: KS {gaps.distance.value:.3f} from exponential (chance {gaps.chance:.3f})")
    if workload.dispersion is not None:
        print(f"variance of arrivals in an hour: {workload.dispersion:.3g} times that of Poisson")
    if workload.days is not None:
        days = workload.days
        print(f"days: factor with σ {days.spread:.3g}, correlation to the next {days.memory:.3g}")
