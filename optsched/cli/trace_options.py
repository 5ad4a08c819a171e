"""Options of the commands that read traces, and how a trace is read by them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "ColumnMapOption",
    "DuplicatesOption",
    "FormatOption",
    "FormatOptionsOption",
    "FromOption",
    "GpusPerServerOption",
    "NameOption",
    "RacksOption",
    "SampleOption",
    "ServersOption",
    "ToOption",
    "TraceArgument",
    "VirtualClusterOption",
    "format_options",
]

TraceArgument = Annotated[Path, typer.Argument(metavar="TRACE", help="A trace, plain or gzip.")]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="See [bold]optsched list loaders[/]. Default: told by the first line.",
    ),
]
ServersOption = Annotated[
    int | None,
    typer.Option("--servers", min=1, help="Default: by the format, see docs/traces.md."),
]
GpusPerServerOption = Annotated[
    int | None, typer.Option("--gpus-per-server", min=1, help="The same on every server.")
]
RacksOption = Annotated[
    int | None, typer.Option("--racks", min=1, help="Servers are dealt out to so many racks.")
]
DuplicatesOption = Annotated[
    str,
    typer.Option(
        "--duplicates",
        metavar="RULE",
        help="Two rows with one job id: error, use the first, the last, or keep all.",
    ),
]
VirtualClusterOption = Annotated[
    str | None,
    typer.Option("--virtual-cluster", metavar="NAME", help="Only this one (Philly, Helios)."),
]
ColumnMapOption = Annotated[
    str | None,
    typer.Option(
        "--map",
        metavar="COLUMNS",
        help="Columns of a table of one's own: submit=NAME,gpus=NAME,duration=NAME,id=NAME; also "
        "start, end, model.",
    ),
]
FormatOptionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="KEY=VALUE",
        help="Option of the format, more than once for several: [bold]optsched list loaders[/].",
    ),
]
FromOption = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="TIME",
        help="Use what is submitted from then on: a date, or seconds as the trace counts them.",
    ),
]
ToOption = Annotated[
    str | None, typer.Option("--to", metavar="TIME", help="Use what is submitted before then.")
]
SampleOption = Annotated[
    float,
    typer.Option("--sample", metavar="SHARE", help="Use a random share of the rows: 0.1."),
]
NameOption = Annotated[
    str | None, typer.Option("--name", help="Name of the instance. Default: the file's.")
]


def format_options(
    told: list[str] | None, *, column_map: str | None, virtual_cluster: str | None
) -> dict[str, str]:
    """Return the options of a trace format, from the option for all and those of their own.

    Raises
    ------
    TraceError
        If one has no ``=``, or is told twice.

    Examples
    --------
    >>> format_options(["worker=k80"], column_map=None, virtual_cluster=None)
    {'worker': 'k80'}
    """
    import inspect

    from optsched.core.errors import TraceError
    from optsched.traces import load_trace

    own = inspect.signature(load_trace).parameters
    pairs = [("map", column_map), ("virtual_cluster", virtual_cluster)]
    options = {key: value for key, value in pairs if value is not None}
    for text in told or ():
        key, equals, value = (part.strip() for part in text.partition("="))
        key = key.replace("-", "_")
        if not equals or not key:
            raise TraceError(f"--option: expected KEY=VALUE, got {text!r}")
        if key in own:
            raise TraceError(f"--option: expected an option of the format, got {key}")
        if key in options:
            raise TraceError(f"--option: expected each key once, got {key} again")
        options[key] = value
    return options
