"""``optsched list``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from optsched.cli.options import JsonOption

__all__ = ["list_what"]

#: Names of the columns, and rows of plain values.
Rows = tuple[Sequence[str], Sequence[Sequence[object]]]


def list_what(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="schedulers, instances, groups, generators, bounds, methods, loaders, workloads, "
            "profiles, fabrics, tiers, efficiency or objectives. Default: all of them.",
        ),
    ] = "all",
    tiers: Annotated[
        str,
        typer.Option(
            "--tiers",
            metavar="NAME",
            help="Network of the efficiencies: one of [bold]optsched list tiers[/], or a file.",
        ),
    ] = "dally",
    compute_scale: Annotated[
        str,
        typer.Option(
            "--compute-scale",
            metavar="NAME",
            help="Computing behind the efficiencies: published (as fast as in Dally's simulator) "
            "or profile.",
        ),
    ] = "published",
    as_json: JsonOption = False,
) -> None:
    """Show what there is to choose from, by the names that the other commands take.

    Examples
    --------
      optsched list schedulers
      optsched list methods --json
      optsched list efficiency --tiers dally-congested
    """
    from optsched.cli.library_listing import group_rows, instance_rows
    from optsched.cli.output import print_json, print_table
    from optsched.core.errors import UnknownNameError
    from optsched.report import rows_table

    lists: dict[str, Callable[[], Rows]] = {
        "schedulers": _schedulers,
        "instances": lambda: instance_rows(is_long=as_json),
        "groups": lambda: group_rows(is_long=as_json),
        "generators": _generators,
        "bounds": _bounds,
        "methods": _methods,
        "loaders": _loaders,
        "workloads": _workloads,
        "profiles": _profiles,
        "fabrics": _fabrics,
        "tiers": _tiers,
        "efficiency": lambda: _efficiency(tiers, compute_scale, is_long=as_json),
        "objectives": _objectives,
    }
    if what != "all" and what not in lists:
        raise UnknownNameError("list", what, lists)
    chosen = {name: rows() for name, rows in lists.items() if what in ("all", name)}
    if as_json:
        data = {
            name: [dict(zip(columns, row, strict=True)) for row in rows]
            for name, (columns, rows) in chosen.items()
        }
        print_json(data if what == "all" else data[what])
        return
    for name, (columns, rows) in chosen.items():
        print_table(rows_table(columns, rows, title=name))


def _schedulers() -> Rows:
    from optsched.study import SCHEDULERS
    from optsched.study.specification import parameters_of

    rows = []
    for name, entry in SCHEDULERS.items():
        parameters = parameters_of(entry.load()).values()
        defaults = {item.name: item.default for item in parameters}
        rows.append((name, entry.kind, entry.summary, defaults))
    return ("name", "kind", "rule", "parameters"), rows


def _generators() -> Rows:
    from optsched.generate import GENERATORS

    rows = [(name, entry.description, dict(entry.defaults)) for name, entry in GENERATORS.items()]
    return ("name", "description", "parameters"), rows


def _bounds() -> Rows:
    from optsched.bounds import BOUNDS

    rows = [
        (name, list(entry.objectives), entry.cost, entry.statement)
        for name, entry in BOUNDS.items()
    ]
    return ("name", "objectives", "effort", "statement"), rows


def _methods() -> Rows:
    from optsched.exact import METHODS

    rows = [
        (
            name,
            list(entry.objectives),
            [time for time in ("continuous", "slotted") if getattr(entry, time)],
            list(entry.rate_models),
            [
                word
                for word, is_known in (
                    ("uplinks", entry.uplinks),
                    ("shared tiers", entry.shared_tiers and "tiered" in entry.rate_models),
                    ("arrivals", entry.release_dates),
                )
                if is_known
            ],
            entry.most_jobs,
            entry.proves,
        )
        for name, entry in METHODS.items()
    ]
    columns = ("name", "objectives", "time", "rate models", "knows", "jobs up to", "proves among")
    return columns, rows


def _loaders() -> Rows:
    from optsched.traces import LOADERS

    rows = [(name, entry.description, list(entry.options)) for name, entry in LOADERS.items()]
    return ("name", "format", "options"), rows


def _workloads() -> Rows:
    from optsched.generate import load_workload, workload_names

    rows = [
        (one.name, one.title, one.jobs, one.servers, one.servers * one.gpus_per_server)
        for one in map(load_workload, workload_names())
    ]
    return ("name", "fitted to", "jobs", "servers", "GPUs"), rows


def _profiles() -> Rows:
    from optsched.contention import load_profile, profile_names

    rows = [
        (
            profile.name,
            profile.title,
            round(profile.gradient_bytes / 1e6, 1),
            round(profile.compute_s * 1e3, 3),
            profile.batch,
            len(profile.layers) or None,
        )
        for profile in map(load_profile, profile_names())
    ]
    return ("name", "network", "gradient MB", "compute ms", "batch", "layers"), rows


def _fabrics() -> Rows:
    from optsched.contention import fabric_names, load_fabric
    from optsched.contention.fabrics import fabric_title

    rows = []
    for name in fabric_names():
        fabric = load_fabric(name)
        gigabytes_per_s = round(fabric.inter_bytes_per_s / 1e9, 3)
        rows.append((name, fabric_title(name), gigabytes_per_s, round(fabric.degradation, 4)))
    return ("name", "network", "GB/s between servers", "degradation"), rows


def _tiers() -> Rows:
    from optsched.contention.tier_network import load_tiers, tier_names, tiers_title

    rows = []
    for name in tier_names():
        network = load_tiers(name)
        gigabytes_per_s = [
            round(rate / 1e9, 3)
            for rate in (
                network.machine_bytes_per_s,
                network.rack_bytes_per_s,
                network.network_bytes_per_s,
            )
        ]
        rows.append((name, tiers_title(name), *gigabytes_per_s))
    return ("name", "network", "GB/s in a machine", "in a rack", "between racks"), rows


def _efficiency(tiers: str, compute_scale: str, *, is_long: bool) -> Rows:
    """Return efficiencies, one a row (for programs) or one network a row (for people)."""
    from optsched.contention.efficiency_table import SPREADS, efficiency_table
    from optsched.contention.tier_network import load_tiers

    check_compute_scale(compute_scale)
    network = load_tiers(Path(tiers) if tiers.endswith(".toml") else tiers)
    table = efficiency_table(network, compute_scale=compute_scale)  # type: ignore[arg-type]
    if is_long:
        columns = ("profile", "compute_s", "tier", "gpus", "machines", "racks", "efficiency")
        return columns, [[getattr(row, column) for column in columns] for row in table]
    heads = []
    for gpus, machines, racks in SPREADS:
        where = f"{racks} racks" if racks > 1 else f"{machines}×{gpus // machines}"
        heads.append(str(gpus) if machines == 1 else f"{gpus} on {where}")
    per_profile = [table[at : at + len(SPREADS)] for at in range(0, len(table), len(SPREADS))]
    rows = [
        (row[0].profile, f"{row[0].compute_s * 1e3:.3f}", *(f"{one.efficiency:.3f}" for one in row))
        for row in per_profile
    ]
    return ("profile", "compute ms", *heads), rows


def check_compute_scale(name: str) -> None:
    """Raise an UnknownNameError if there is no such compute scale."""
    from typing import get_args

    from optsched.core.errors import UnknownNameError
    from optsched.traces.tiered import ComputeScale

    if name not in get_args(ComputeScale):
        raise UnknownNameError("compute scale", name, get_args(ComputeScale))


def _objectives() -> Rows:
    meanings = [
        ("makespan", "time until the last job is done, from time 0"),
        ("mean_jct", "mean of completion minus arrival"),
        ("weighted_jct", "the same, weighted by the jobs' weights"),
    ]
    return ("name", "meaning"), meanings
