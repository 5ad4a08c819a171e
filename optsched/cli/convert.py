"""``optsched convert``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from optsched.cli.options import JsonOption

__all__ = ["convert"]

NETWORK = "Network: what a trace does not say"
TIERS = "Network in tiers"


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
    tiers: Annotated[
        str | None,
        typer.Option(
            "--tiers",
            metavar="NAME",
            rich_help_panel=TIERS,
            help="Let jobs use machines, racks and the network between racks: [bold]optsched list "
            "tiers[/], or a file. In place of --fabric.",
        ),
    ] = None,
    layer_tables: Annotated[
        Path | None,
        typer.Option(
            "--layer-tables",
            metavar="FOLDER",
            rich_help_panel=TIERS,
            help="Layer tables of Dally's simulator, in place of the profiles that ship.",
        ),
    ] = None,
    compute_scale: Annotated[
        str,
        typer.Option(
            "--compute-scale",
            metavar="NAME",
            rich_help_panel=TIERS,
            help="Computing that hides communication: published (as fast as in Dally's simulator) "
            "or profile.",
        ),
    ] = "published",
    contention: Annotated[
        bool,
        typer.Option(
            "--contention", rich_help_panel=TIERS, help="Jobs on the links of a tier share them."
        ),
    ] = False,
    restart_s_per_gpu: Annotated[
        float,
        typer.Option(
            "--restart-per-gpu",
            min=0.0,
            rich_help_panel=TIERS,
            help="Seconds that a preempted job loses for each GPU when it goes on.",
        ),
    ] = 1.0,
    seed: Annotated[
        int, typer.Option("--seed", min=0, rich_help_panel=NETWORK, help="Seed of the mix.")
    ] = 0,
    as_json: JsonOption = False,
) -> None:
    """Turn a trace of a real cluster into an instance and report what was dropped and why.

    Durations are taken as given (rate model fixed), or as pure compute time with --fabric: then
    jobs exchange the gradients of their networks and contend. With --tiers what they lose depends
    on how far they are spread (rate model tiered). The report shows the demand, and the
    load against the capacity of the cluster: set its size with --servers and --gpus-per-server.

    Examples
    --------
      optsched convert 60_job.csv -o tiresias.json
      optsched convert jobs.csv --servers 16 --gpus-per-server 8 -o jobs.json
      optsched convert philly.csv.gz --virtual-cluster 11cb48 -o vc.json
      optsched convert t.csv --fabric 10gbe --racks 2 --oversubscription 4 -o t.json
      optsched convert sensetime-500-batch.csv --tiers dally -o dally.json
    """
    from optsched.cli.destinations import check_destination
    from optsched.cli.output import note, print_json, progress_bar
    from optsched.contention import load_fabric
    from optsched.contention.tier_network import load_tiers
    from optsched.core.errors import TraceError
    from optsched.files import save_instance
    from optsched.traces import load_trace, parse_profile_mix, with_network, with_tiers

    options = {} if virtual_cluster is None else {"virtual_cluster": virtual_cluster}
    check_destination(output)
    needs_fabric = [
        name
        for name, value in (
            ("--oversubscription", oversubscription),
            ("--profile-mix", profile_mix if tiers is None else None),
        )
        if value is not None and fabric is None
    ]
    if needs_fabric:
        raise TraceError(f"{' and '.join(needs_fabric)}: say which network with --fabric")
    if fabric is not None and tiers is not None:
        raise TraceError("--fabric and --tiers: expected one of the two, got both")
    if tiers is None and (layer_tables is not None or contention):
        option = "--layer-tables" if layer_tables is not None else "--contention"
        raise TraceError(f"{option}: say which network with --tiers")
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
        instance = loaded.instance
        filled_in: dict[str, object] | None = None
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
        if tiers is not None:
            on_tiers = with_tiers(
                loaded,
                load_tiers(Path(tiers) if tiers.endswith(".toml") else tiers),
                layer_tables=layer_tables,
                compute_scale=compute_scale,  # type: ignore[arg-type]
                profile_mix=parse_profile_mix(profile_mix) if profile_mix else None,
                seed=seed,
                contention=contention,
                restart_s_per_gpu=restart_s_per_gpu,
            )
            instance = on_tiers.instance
            filled_in = {"tiers": tiers, "profiles": on_tiers.profiles, "drawn": on_tiers.drawn}
        save_instance(instance, output)
    if as_json:
        print_json(loaded.report.as_dict() | {"filled_in": filled_in})
    else:
        print(loaded.report)
        if filled_in is not None:
            profiles: Mapping[str, int] = filled_in["profiles"]  # type: ignore[assignment]
            mix = " ".join(f"{name}:{count}" for name, count in profiles.items())
            print(f"  filled in  {fabric or tiers}; {mix} ({filled_in['drawn']:,} drawn)")
    note(f"instance: {output}")
