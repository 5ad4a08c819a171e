"""Options of ``optsched convert`` for what a trace does not say: the network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "ComputeScaleOption",
    "ContentionOption",
    "ContentionWeightOption",
    "FabricOption",
    "LayerTablesOption",
    "OversubscriptionOption",
    "ProfileMixOption",
    "RestartOption",
    "ServerOverheadOption",
    "TiersOption",
]

NETWORK = "Network: what a trace does not say"
TIERS = "Network in tiers"

FabricOption = Annotated[
    str | None,
    typer.Option(
        "--fabric",
        metavar="NAME",
        rich_help_panel=NETWORK,
        help="Let jobs use a network: [bold]optsched list fabrics[/], or a file that "
        "[bold]optsched calibrate[/] wrote. Default: durations as given.",
    ),
]
OversubscriptionOption = Annotated[
    float | None,
    typer.Option(
        "--oversubscription",
        metavar="RATIO",
        rich_help_panel=NETWORK,
        help="Rates of a rack's servers over the rate of its uplink: 4 for 4:1. Default: no "
        "uplinks.",
    ),
]
ProfileMixOption = Annotated[
    str | None,
    typer.Option(
        "--profile-mix",
        metavar="MIX",
        rich_help_panel=NETWORK,
        help="Networks of jobs whose model the trace does not name, by weight: "
        "resnet50=3,vgg16=1; see [bold]optsched list profiles[/].",
    ),
]
ContentionWeightOption = Annotated[
    float,
    typer.Option("--contention-weight", rich_help_panel=NETWORK, help="ξ₁, above 0 to 1."),
]
ServerOverheadOption = Annotated[
    float,
    typer.Option("--server-overhead", rich_help_panel=NETWORK, help="ξ₂ in seconds."),
]
TiersOption = Annotated[
    str | None,
    typer.Option(
        "--tiers",
        metavar="NAME",
        rich_help_panel=TIERS,
        help="Let jobs use machines, racks and the network between racks: [bold]optsched list "
        "tiers[/], or a file. In place of --fabric.",
    ),
]
LayerTablesOption = Annotated[
    Path | None,
    typer.Option(
        "--layer-tables",
        metavar="FOLDER",
        rich_help_panel=TIERS,
        help="Layer tables of Dally's simulator, in place of the profiles that ship.",
    ),
]
ComputeScaleOption = Annotated[
    str,
    typer.Option(
        "--compute-scale",
        metavar="NAME",
        rich_help_panel=TIERS,
        help="Computing that hides communication: published (as fast as in Dally's simulator) "
        "or profile.",
    ),
]
ContentionOption = Annotated[
    bool,
    typer.Option(
        "--contention", rich_help_panel=TIERS, help="Jobs on the links of a tier share them."
    ),
]
RestartOption = Annotated[
    float,
    typer.Option(
        "--restart-per-gpu",
        min=0.0,
        rich_help_panel=TIERS,
        help="Seconds that a preempted job loses for each GPU when it goes on.",
    ),
]
