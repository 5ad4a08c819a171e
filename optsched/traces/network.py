"""What a trace does not say, filled in openly: the network of the cluster and what jobs send."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from optsched.contention.profiles import Profile, load_profile, profile_names
from optsched.core.cluster import Cluster, Fabric
from optsched.core.errors import TraceError
from optsched.core.instance import Instance
from optsched.core.jobs import Jobs
from optsched.core.rate_model import RateModel
from optsched.traces.load import TraceLoad

__all__ = [
    "NetworkedTrace",
    "oversubscribed",
    "parse_profile_mix",
    "profiles_of_models",
    "with_network",
]

#: Names of models in traces, lower case, and the profile that is theirs.
PROFILE_OF_MODEL: Mapping[str, str] = {
    "alexnet": "alexnet",
    "bert": "bert-large",
    "inception3": "inception-v3",
    "mobilenetv3": "mobilenet-v3-large",
    "resnet18": "resnet18",
    "resnet50": "resnet50",
    "vgg": "vgg11",
    "vgg11": "vgg11",
    "vgg16": "vgg16",
}


@dataclass(frozen=True, slots=True, eq=False)
class NetworkedTrace:
    """An instance of the ring model made from a trace.

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


def with_network(
    loaded: TraceLoad,
    fabric: Fabric,
    *,
    profile_mix: Mapping[str, float] | None = None,
    seed: int = 0,
    oversubscription: float | None = None,
    contention_weight: float = 1.0,
    server_overhead_s: float = 0.0,
) -> NetworkedTrace:
    r"""Turn the jobs of a trace, whose durations are given, into jobs that use a network.

    A job gets the profile of the model that the trace names, or one drawn from ``profile_mix``. It
    computes as long as its duration in the trace, in iterations of the profile's compute time,
    rounded to at least 1; what it sends takes time on top, by placement and contention.

    Parameters
    ----------
    loaded
        The trace.
    fabric
        The rates of the network.
    profile_mix
        Profile to weight, for jobs whose model has no profile.
    seed
        Seed of the draw.
    oversubscription
        How many times the rates of a rack's servers together exceed the rate of its uplink; None:
        no uplinks.
    contention_weight, server_overhead_s
        Parameters of the ring model (ξ₁ and ξ₂).

    Raises
    ------
    TraceError
        If a job's model has no profile and there is no mix, or there are no racks to join.
    UnknownNameError
        If a profile of the mix does not exist.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from optsched.traces.load import load_trace
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "mine.csv"
    ...     _ = path.write_text("job_id,submit_s,gpus,duration_s\na,0,4,62\n")
    ...     loaded = load_trace(path, servers=2, gpus_per_server=2)
    >>> fabric = Fabric(inter_bytes_per_s=1e9)
    >>> made = with_network(loaded, fabric, profile_mix={"resnet50": 1.0})
    >>> made.instance.jobs[0].iterations, made.instance.jobs[0].profile
    (1000, 'resnet50')
    """
    jobs = loaded.instance.jobs
    names, drawn = profiles_of_models(loaded, profile_mix or {}, seed)
    profiles = {name: load_profile(name) for name in sorted(set(names))}
    cluster = loaded.instance.cluster
    network = (
        fabric if oversubscription is None else oversubscribed(cluster, fabric, oversubscription)
    )
    description = (
        f"{loaded.instance.description}; gradients and iterations filled in from profiles, "
        "the time in the trace being pure compute"
    )
    instance = Instance(
        loaded.instance.name,
        Cluster(cluster.servers, network),
        _with_profiles(jobs, names, profiles),
        RateModel.of(
            "ring", contention_weight=contention_weight, server_overhead_s=server_overhead_s
        ),
        description=description,
        metadata={**loaded.instance.metadata, "trace_profile_seed": str(seed)},
    )
    counts = {name: names.count(name) for name in profiles}
    return NetworkedTrace(instance, counts, drawn)


def oversubscribed(cluster: Cluster, fabric: Fabric, oversubscription: float) -> Fabric:
    """Return the fabric with uplinks of the racks' server rates over the oversubscription.

    Racks have equal servers in equal numbers here; the largest rack sets the rate.

    Examples
    --------
    >>> racks = Cluster.uniform(8, 4, racks=2)
    >>> oversubscribed(racks, Fabric(inter_bytes_per_s=1e9), 4.0).uplink_bytes_per_s
    1000000000.0
    """
    if not (math.isfinite(oversubscription) and oversubscription > 0):
        raise TraceError(f"expected an oversubscription above 0, got {oversubscription!r}")
    if len(cluster.servers.rack_names) < 2:
        raise TraceError(
            "expected racks to join by uplinks, got one rack; say how many with racks (--racks)"
        )
    if not math.isfinite(fabric.inter_bytes_per_s):
        raise TraceError(
            "expected a rate of the servers' interfaces to derive the uplinks' from, got none; "
            "name a fabric that has one"
        )
    largest = int(np.bincount(cluster.servers.rack).max())
    uplink = largest * fabric.inter_bytes_per_s / oversubscription
    return replace(fabric, uplink_bytes_per_s=uplink)


def parse_profile_mix(text: str) -> dict[str, float]:
    """Read ``resnet50=3,vgg16=1`` as weights.

    Raises
    ------
    TraceError
        If it is not of this form, or no weight is above 0.

    Examples
    --------
    >>> parse_profile_mix("resnet50=3,vgg16=1")
    {'resnet50': 3.0, 'vgg16': 1.0}
    """
    mix: dict[str, float] = {}
    for piece in filter(None, text.split(",")):
        name, equals, weight_text = piece.strip().partition("=")
        try:
            weight = float(weight_text) if equals else 1.0
        except ValueError:
            weight = math.nan
        if not (name and math.isfinite(weight) and weight >= 0) or name in mix:
            raise TraceError(
                f"expected a mix like resnet50=3,vgg16=1, each profile once, got {piece!r}"
            )
        mix[name] = weight
    if not sum(mix.values()) > 0:
        raise TraceError(f"expected a weight above 0 in the mix, got {text!r}")
    return mix


def profiles_of_models(
    loaded: TraceLoad,
    mix: Mapping[str, float],
    seed: int,
    *,
    first: Mapping[str, str] | None = None,
) -> tuple[list[str], int]:
    """Return the profile of each job, and how many were drawn.

    ``first`` has profiles of models, by their names in lower case, that go before the usual ones.
    """
    count = len(loaded.instance.jobs)
    profile_of = {**PROFILE_OF_MODEL, **(first or {})}
    known = [profile_of.get(_plain_name(model), "") for model in loaded.models or [""] * count]
    missing = [position for position, name in enumerate(known) if not name]
    if missing and not mix:
        models = sorted({(loaded.models or ["none named"] * count)[at] for at in missing})
        raise TraceError(
            f"{len(missing):,} of {count:,} jobs have a model without a profile "
            f"({', '.join(models[:5])}{', …' if len(models) > 5 else ''}); give a mix to draw "
            f"from (--profile-mix), of {', '.join(profile_names())}"
        )
    if missing:
        weights = np.array(list(mix.values()))
        generator = np.random.default_rng(seed)
        draws = generator.choice(len(weights), len(missing), p=weights / weights.sum())
        choices = list(mix)
        for position, draw in zip(missing, draws.tolist(), strict=True):
            known[position] = choices[draw]
    return known, len(missing)


def _plain_name(model: str) -> str:
    """Return ``resnet18`` for ``ResNet-18 (batch size 64)``, as Gavel writes it."""
    return model.lower().partition(" (")[0].replace("-", "")


def _with_profiles(jobs: Jobs, names: list[str], profiles: Mapping[str, Profile]) -> Jobs:
    def column(attribute: str) -> NDArray[np.float64]:
        return np.array([getattr(profiles[name], attribute) for name in names], dtype=np.float64)

    compute_s = column("compute_s")
    duration_s = jobs.iterations * jobs.compute_s
    return Jobs.from_columns(
        ids=jobs.ids,
        gpus=jobs.gpus,
        iterations=np.maximum(1, np.rint(duration_s / compute_s)).astype(np.int64),
        gradient_bytes=column("gradient_bytes"),
        compute_s=compute_s,
        arrival_s=jobs.arrival_s,
        weight=jobs.weight,
        profiles=names,
    )
