"""The jobs of a trace on a tiered network: layer tables, iterations, rates by tier."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from optsched.contention.dally import DALLY_NETWORKS, published_compute_scales
from optsched.contention.profiles import Profile, load_profile
from optsched.contention.tier_layers import COMPUTE_SCALE, LAYERS, layers_text
from optsched.contention.tier_network import TierNetwork
from optsched.core.errors import TraceError, UnknownNameError
from optsched.core.instance import Instance
from optsched.core.jobs import Jobs
from optsched.core.rate_model import Parameter, RateModel
from optsched.traces.layer_table import profile_from_layer_csv
from optsched.traces.load import TraceLoad
from optsched.traces.network import profiles_of_models

__all__ = ["ComputeScale", "TieredTrace", "with_tiers"]

#: How fast networks compute, which decides how much they feel the fabric.
ComputeScale = Literal["published", "profile"]


@dataclass(frozen=True, slots=True, eq=False)
class TieredTrace:
    """An instance of the tiered model made from a trace.

    Parameters
    ----------
    instance
        The instance.
    profiles
        How many jobs have each profile.
    drawn
        How many of them were drawn from a mix, since the trace names no model with a profile.
    """

    instance: Instance
    profiles: Mapping[str, int]
    drawn: int


def with_tiers(
    loaded: TraceLoad,
    network: TierNetwork,
    *,
    layer_tables: str | Path | None = None,
    compute_scale: ComputeScale = "published",
    profile_mix: Mapping[str, float] | None = None,
    seed: int = 0,
    contention: bool = False,
    restart_s_per_gpu: float = 0.0,
) -> TieredTrace:
    r"""Turn the jobs of a trace, whose durations are given, into jobs on a tiered network.

    A job that loses nothing to the network runs for its duration in the trace. It has the
    iterations that the trace gives (``total_iterations``, with ``time_per_iteration_s`` on one
    GPU), else as many as fit in that duration by its profile's compute time.

    Parameters
    ----------
    loaded
        The trace.
    network
        Rates and latencies of the tiers.
    layer_tables
        A folder with the layer tables of Dally's simulator; the instance then describes these
        networks itself, and needs no profile. None: the profiles that ship.
    compute_scale
        ``published``: networks compute as fast as in Dally's simulator; ``profile``: as in their
        layers.
    profile_mix
        Profile to weight, for jobs whose model has no profile.
    seed
        Seed of the draw.
    contention
        Whether jobs on the links of a tier slow each other down.
    restart_s_per_gpu
        What a preempted job loses when it goes on; Dally's simulator takes 1.

    Raises
    ------
    TraceError
        If a job's model has no profile and there is no mix, a layer table is missing or wrong, or
        the iterations of the trace cannot be used.
    UnknownNameError
        If there is no such compute scale.

    Examples
    --------
    >>> import tempfile
    >>> from optsched.traces.load import load_trace
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "mine.csv"
    ...     _ = path.write_text(
    ...         "job_id,arrival_s,gpus,trace_duration_s,model,total_iterations,time_per_iteration_s"
    ...         "\n0,0,4,200,BERT,1000,0.2\n")
    ...     loaded = load_trace(path, servers=2, gpus_per_server=2)
    >>> job = with_tiers(loaded, TierNetwork()).instance.jobs[0]
    >>> job.iterations, job.compute_s, job.profile
    (1000, 0.05, 'bert-large')
    """
    if compute_scale not in get_args(ComputeScale):
        raise UnknownNameError("compute scale", compute_scale, get_args(ComputeScale))
    jobs = loaded.instance.jobs
    parameters: dict[str, Parameter] = {**network.parameters, "contention": contention}
    if layer_tables is None:
        stand_ins = {name.lower(): one.profile for name, one in DALLY_NETWORKS.items()}
        names, drawn = profiles_of_models(loaded, profile_mix or {}, seed, first=stand_ins)
        profiles = {name: load_profile(name) for name in sorted(set(names))}
        scales = published_compute_scales()
        if compute_scale == "published":
            used = {COMPUTE_SCALE + name for name in profiles}
            parameters |= {key: scale for key, scale in scales.items() if key in used}
    else:
        names, drawn = _table_names(loaded), 0
        profiles = {
            name: profile_from_layer_csv(Path(layer_tables) / f"{name}.csv")
            for name in sorted(set(names))
        }
        parameters |= {LAYERS + name: layers_text(one.layers) for name, one in profiles.items()}
        if compute_scale == "published":
            scales = {one.table: one.scale for one in DALLY_NETWORKS.values()}
            parameters |= {COMPUTE_SCALE + name: scales[name] for name in profiles}
    iterations, compute_s = _iterations(loaded, names, profiles)
    instance = Instance(
        loaded.instance.name,
        loaded.instance.cluster,
        Jobs.from_columns(
            ids=jobs.ids,
            gpus=jobs.gpus,
            iterations=iterations,
            gradient_bytes=[profiles[name].gradient_bytes for name in names],
            compute_s=compute_s,
            arrival_s=jobs.arrival_s,
            weight=jobs.weight,
            profiles=names,
        ),
        RateModel.of("tiered", **parameters),
        restart_s_per_gpu=restart_s_per_gpu,
        description=f"{loaded.instance.description}; on a tiered network",
        metadata={**loaded.instance.metadata, "trace_profile_seed": str(seed)},
    )
    return TieredTrace(instance, {name: names.count(name) for name in profiles}, drawn)


def _table_names(loaded: TraceLoad) -> list[str]:
    """Return the name of the layer table of each job."""
    tables = {name.lower(): network.table for name, network in DALLY_NETWORKS.items()}
    models = loaded.models or ("none named",) * len(loaded.instance.jobs)
    missing = sorted({model for model in models if model.lower() not in tables})
    if missing:
        raise TraceError(
            f"expected models with a layer table ({', '.join(DALLY_NETWORKS)}), got "
            f"{', '.join(missing[:5])}; leave the layer tables out to use profiles"
        )
    return [tables[model.lower()] for model in models]


def _iterations(
    loaded: TraceLoad, names: Sequence[str], profiles: Mapping[str, Profile]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the iterations of each job, and the time of one without loss to the network."""
    jobs = loaded.instance.jobs
    if {"total_iterations", "time_per_iteration_s"} <= set(loaded.columns):
        whole = _numbers(loaded, "total_iterations")
        if not np.all(whole == np.floor(whole)):
            position = int(np.flatnonzero(whole != np.floor(whole))[0])
            raise _bad_number(loaded, "total_iterations", position, "a whole number")
        return whole.astype(np.int64), _numbers(loaded, "time_per_iteration_s") / jobs.gpus
    duration_s = jobs.iterations * jobs.compute_s
    profile_s = np.array([profiles[name].compute_s for name in names])
    iterations = np.maximum(1, np.rint(duration_s / profile_s)).astype(np.int64)
    return iterations, duration_s / iterations


def _numbers(loaded: TraceLoad, column: str) -> NDArray[np.float64]:
    values = []
    for position, text in enumerate(loaded.columns[column]):
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0 < value < 2**53:
            raise _bad_number(loaded, column, position, "a number above 0")
        values.append(value)
    return np.array(values)


def _bad_number(loaded: TraceLoad, column: str, position: int, expected: str) -> TraceError:
    name, text = loaded.instance.jobs.ids[position], loaded.columns[column][position]
    path = loaded.report.path
    return TraceError(f"{path}: job {name!r}: {column}: expected {expected}, got {text!r}")
