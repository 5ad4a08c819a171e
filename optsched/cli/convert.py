"""``optsched convert``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from optsched.cli.options import JsonOption

__all__ = ["convert"]


def convert(
    trace: Annotated[Path, typer.Argument(metavar="TRACE", help="A trace, plain or gzip.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Instance file to write.")
    ],
    trace_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="See [bold]optsched list loaders[/]. Default: told by the first line.",
        ),
    ] = None,
    servers: Annotated[
        int | None,
        typer.Option("--servers", min=1, help="Default: by the format, see docs/traces.md."),
    ] = None,
    gpus_per_server: Annotated[
        int | None, typer.Option("--gpus-per-server", min=1, help="The same on every server.")
    ] = None,
    racks: Annotated[
        int | None, typer.Option("--racks", min=1, help="Servers are dealt out to so many racks.")
    ] = None,
    duplicates: Annotated[
        str,
        typer.Option(
            "--duplicates",
            metavar="RULE",
            help="Two rows with one job id: error, use the first, the last, or keep all.",
        ),
    ] = "error",
    virtual_cluster: Annotated[
        str | None,
        typer.Option("--virtual-cluster", metavar="NAME", help="Only this one (Philly)."),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the instance. Default: the file's.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Turn a trace of a real cluster into an instance and report what was dropped and why.

    Durations are taken as given (rate model fixed). The report shows the demand, and the load
    against the capacity of the cluster: set the size with --servers and --gpus-per-server.

    Examples
    --------
      optsched convert 60_job.csv -o tiresias.json
      optsched convert jobs.csv --servers 16 --gpus-per-server 8 -o jobs.json
      optsched convert philly.csv.gz --virtual-cluster 11cb48 -o vc.json
    """
    from optsched.cli.destinations import check_destination
    from optsched.cli.output import note, print_json, progress_bar
    from optsched.files import save_instance
    from optsched.traces import load_trace

    options = {} if virtual_cluster is None else {"virtual_cluster": virtual_cluster}
    check_destination(output)
    with progress_bar(f"reading {trace}"):
        loaded = load_trace(
            trace,
            format=trace_format,
            servers=servers,
            gpus_per_server=gpus_per_server,
            racks=racks,
            duplicates=duplicates,  # type: ignore[arg-type]
            name=name,
            **options,  # type: ignore[arg-type]
        )
        save_instance(loaded.instance, output)
    if as_json:
        print_json(loaded.report.as_dict())
    else:
        print(loaded.report)
    note(f"instance: {output}")
