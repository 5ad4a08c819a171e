"""``optsched convert``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from optsched.cli.options import JsonOption

__all__ = ["convert"]

NETWORK = "Network: what a trace does not say"


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
    fabric: Annotated[
        str | None,
        typer.Option(
            "--fabric",
            metavar="NAME",
            rich_help_panel=NETWORK,
            help="Let jobs use a network: [bold]optsched list fabrics[/], or a file that "
            "[bold]optsched calibrate[/] wrote. Default: durations as given.",
        ),
    ] = None,
    oversubscription: Annotated[
        float | None,
        typer.Option(
            "--oversubscription",
            metavar="RATIO",
            rich_help_panel=NETWORK,
            help="Rates of a rack's servers over the rate of its uplink: 4 for 4:1. Default: no "
            "uplinks.",
        ),
    ] = None,
    profile_mix: Annotated[
        str | None,
        typer.Option(
            "--profile-mix",
            metavar="MIX",
            rich_help_panel=NETWORK,
            help="Networks of jobs whose model the trace does not name, by weight: "
            "resnet50=3,vgg16=1; see [bold]optsched list profiles[/].",
        ),
    ] = None,
    contention_weight: Annotated[
        float,
        typer.Option("--contention-weight", rich_help_panel=NETWORK, help="ξ₁, above 0 to 1."),
    ] = 1.0,
    server_overhead_s: Annotated[
        float,
        typer.Option("--server-overhead", rich_help_panel=NETWORK, help="ξ₂ in seconds."),
    ] = 0.0,
    seed: Annotated[
        int, typer.Option("--seed", min=0, rich_help_panel=NETWORK, help="Seed of the mix.")
    ] = 0,
    as_json: JsonOption = False,
) -> None:
    """Turn a trace of a real cluster into an instance and report what was dropped and why.

    Durations are taken as given (rate model fixed), or as pure compute time with --fabric: then
    jobs exchange the gradients of their networks and contend. The report shows the demand, and the
    load against the capacity of the cluster: set its size with --servers and --gpus-per-server.

    Examples
    --------
      optsched convert 60_job.csv -o tiresias.json
      optsched convert jobs.csv --servers 16 --gpus-per-server 8 -o jobs.json
      optsched convert philly.csv.gz --virtual-cluster 11cb48 -o vc.json
      optsched convert t.csv --fabric 10gbe --racks 2 --oversubscription 4 -o t.json
    """
    from optsched.cli.destinations import check_destination
    from optsched.cli.output import note, print_json, progress_bar
    from optsched.contention import load_fabric
    from optsched.core.errors import TraceError
    from optsched.files import save_instance
    from optsched.traces import load_trace, parse_profile_mix, with_network

    options = {} if virtual_cluster is None else {"virtual_cluster": virtual_cluster}
    check_destination(output)
    needs_fabric = [
        name
        for name, value in (
            ("--oversubscription", oversubscription),
            ("--profile-mix", profile_mix),
        )
        if value is not None and fabric is None
    ]
    if needs_fabric:
        raise TraceError(f"{' and '.join(needs_fabric)}: say which network with --fabric")
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
        instance, filled_in = loaded.instance, None
        if fabric is not None:
            made = with_network(
                loaded,
                load_fabric(Path(fabric) if fabric.endswith(".toml") else fabric),
                profile_mix=parse_profile_mix(profile_mix) if profile_mix else None,
                seed=seed,
                oversubscription=oversubscription,
                contention_weight=contention_weight,
                server_overhead_s=server_overhead_s,
            )
            instance = made.instance
            filled_in = {"fabric": fabric, "profiles": made.profiles, "drawn": made.drawn}
        save_instance(instance, output)
    if as_json:
        print_json(loaded.report.as_dict() | {"filled_in": filled_in})
    else:
        print(loaded.report)
        if filled_in is not None:
            mix = " ".join(f"{name}:{count}" for name, count in made.profiles.items())
            print(f"  filled in  {fabric}; {mix} ({made.drawn:,} drawn)")
    note(f"instance: {output}")
