"""``optsched convert``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from optsched.cli.network_options import (
    ComputeScaleOption,
    ContentionOption,
    ContentionWeightOption,
    FabricOption,
    LayerTablesOption,
    OversubscriptionOption,
    ProfileMixOption,
    RestartOption,
    ServerOverheadOption,
    TiersOption,
)
from optsched.cli.options import JsonOption
from optsched.cli.trace_options import (
    ColumnMapOption,
    DuplicatesOption,
    FormatOption,
    FormatOptionsOption,
    FromOption,
    GpusPerServerOption,
    NameOption,
    RacksOption,
    SampleOption,
    ServersOption,
    ToOption,
    TraceArgument,
    VirtualClusterOption,
    format_options,
)

__all__ = ["convert"]


def convert(
    trace: TraceArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Instance file to write.")
    ],
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
    name: NameOption = None,
    fabric: FabricOption = None,
    oversubscription: OversubscriptionOption = None,
    profile_mix: ProfileMixOption = None,
    contention_weight: ContentionWeightOption = 1.0,
    server_overhead_s: ServerOverheadOption = 0.0,
    tiers: TiersOption = None,
    layer_tables: LayerTablesOption = None,
    compute_scale: ComputeScaleOption = "published",
    contention: ContentionOption = False,
    restart_s_per_gpu: RestartOption = 1.0,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the sample and the mix.")] = 0,
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
      optsched convert philly.csv.gz --from 2017-10-08 --sample 0.1 -o p.json
      optsched convert mine.csv --map gpus=n,submit=t,duration=s -o mine.json
      optsched convert a.trace --option worker=k80 -o a.json
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

    told = format_options(options, column_map=column_map, virtual_cluster=virtual_cluster)
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
            start=start,
            end=end,
            sample=sample,
            seed=seed,
            name=name,
            **told,  # type: ignore[arg-type]
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
            print("  network    takes time on top: work and load above are of computing alone")
    note(f"instance: {output}")
