"""From the entries of an instance file to the objects of ``core``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from optsched.contention.profiles import Profile, load_profile, profile_names
from optsched.contention.rate_model import RATE_MODELS
from optsched.contention.tier_layers import LAYERS, layers_from_text
from optsched.core.checks import MAX_SERVERS
from optsched.core.cluster import Cluster, Fabric, Link, Server
from optsched.core.errors import InstanceError, Problem, suggest
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.files.instance_models import (
    ClusterEntry,
    FabricEntry,
    InstanceEntry,
    JobEntry,
    RateModelEntry,
)
from optsched.files.problems import ABSENT

__all__ = [
    "Profiles",
    "cross_problems",
    "fabric_of",
    "instance_of",
    "jobs_of",
    "rate_model_of",
    "servers_of",
]


@dataclass(slots=True)
class Profiles:
    """The profiles that a file names, each loaded once; None for a name that is unknown."""

    known: dict[str, Profile | None] = field(default_factory=dict)
    advised: dict[str, tuple[str, str]] = field(default_factory=dict)

    def add_described(self, model: RateModel) -> None:
        """Add the profiles whose layers the rate model's parameters describe."""
        for parameter, text in model.parameters:
            if model.name != "tiered" or not parameter.startswith(LAYERS):
                continue
            name = parameter.removeprefix(LAYERS)
            try:
                layers = layers_from_text(str(text))
            except ValueError:
                # The check of the parameters says so; here the name is known nonetheless.
                layers = ()
            size = sum(layer.allreduce_bytes for layer in layers)
            compute_s = sum(layer.compute_s for layer in layers)
            self.known[name] = Profile(name, name, size, compute_s, layers=layers)

    def get(self, name: str) -> Profile | None:
        """Return a profile, or None if there is none of this name."""
        if name not in self.known:
            # A path is no name here: an instance must not depend on other files of its reader.
            self.known[name] = load_profile(name) if name in profile_names() else None
        return self.known[name]

    def advice(self, name: str) -> tuple[str, str]:
        """Return what should have stood in the place of an unknown name, and a remedy."""
        if name not in self.advised:
            names = profile_names()
            expected = f"one of the profiles {', '.join(names)}" if names else "a known profile"
            near = suggest(name, names)
            remedy = f"did you mean {near!r}?" if near else "give gradient_bytes and compute_s"
            self.advised[name] = (expected, remedy)
        return self.advised[name]


def instance_of(entry: InstanceEntry, *, default_name: str) -> Instance:
    """Return the instance that a file describes.

    Raises
    ------
    InstanceError
        If its entries contradict each other or break a rule of ``core``.
    """
    profiles = Profiles()
    problems = cross_problems(entry, profiles)
    if problems:
        raise InstanceError(problems)
    return Instance(
        default_name if entry.name is None else entry.name,
        Cluster(servers_of(entry.cluster), fabric_of(entry.cluster.fabric)),
        jobs_of(entry, profiles),
        rate_model_of(entry.rate_model),
        slot_s=entry.slot_s,
        restart_s=entry.restart_s,
        restart_s_per_gpu=entry.restart_s_per_gpu,
        description=entry.description,
        metadata=entry.metadata,
    )


def cross_problems(entry: InstanceEntry, profiles: Profiles) -> list[Problem]:
    """Return where entries, right by themselves, do not go together."""
    problems = list(_count_problems(entry.cluster))
    profiles.add_described(rate_model_of(entry.rate_model))
    # Of a model that does not exist nobody knows what its jobs need.
    takes_iterations = entry.rate_model.name in set(RATE_MODELS) - {"fixed"}
    for position, job in enumerate(entry.jobs):
        if job.duration_s is not None or job.iterations is None:
            problems += _duration_problems(position, job, takes_iterations)
        if job.profile is not None and _needs_profile(job) and profiles.get(job.profile) is None:
            path = ("jobs", position, "profile")
            expected, remedy = profiles.advice(job.profile)
            problems.append(Problem(path, expected, repr(job.profile), remedy))
    return problems


def servers_of(entry: ClusterEntry) -> Iterator[Server]:
    """Write out the counts; a server without an id is called after its position."""
    position = 0
    for row in entry.servers:
        for _ in range(row.count):
            name = f"s{position}" if row.id is None else row.id
            yield Server(name, row.gpus, row.rack, row.inter_bytes_per_s)
            position += 1


def fabric_of(entry: FabricEntry) -> Fabric:
    """Return the fabric; absent rates are infinite, the defaults of ``Fabric``."""
    rates = entry.model_dump(exclude_none=True, exclude={"links"})
    links = tuple(Link((row.between[0], row.between[1]), row.bytes_per_s) for row in entry.links)
    return Fabric(**rates, links=links)


def rate_model_of(entry: RateModelEntry) -> RateModel:
    """Return the rate model with its parameters."""
    return RateModel.of(entry.name, **(entry.__pydantic_extra__ or {}))  # type: ignore[arg-type]


def jobs_of(entry: InstanceEntry, profiles: Profiles) -> list[Job]:
    """Return the jobs, with what their profiles say where the file says nothing."""
    return [_job(row, profiles) for row in entry.jobs]


def _job(row: JobEntry, profiles: Profiles) -> Job:
    profile = None
    if row.profile is not None and _needs_profile(row):
        profile = profiles.get(row.profile)
    gradient_bytes, compute_s, iterations = row.gradient_bytes, row.compute_s, row.iterations
    if row.duration_s is not None:
        compute_s, iterations = row.duration_s, 1
    if profile is not None:
        gradient_bytes = profile.gradient_bytes if gradient_bytes is None else gradient_bytes
        compute_s = profile.compute_s if compute_s is None else compute_s
    return Job(
        row.id,
        row.gpus,
        1 if iterations is None else iterations,
        gradient_bytes=gradient_bytes or 0.0,
        compute_s=compute_s or 0.0,
        arrival_s=row.arrival_s,
        weight=row.weight,
        server_overhead_s=row.server_overhead_s,
        profile=row.profile,
    )


def _needs_profile(job: JobEntry) -> bool:
    """Return True if the profile has something to fill; else its name is a mere note."""
    has_time = job.compute_s is not None or job.duration_s is not None
    return job.gradient_bytes is None or not has_time


def _count_problems(cluster: ClusterEntry) -> Iterator[Problem]:
    total = 0
    for position, row in enumerate(cluster.servers):
        path = ("cluster", "servers", position)
        if row.count < 1:
            yield Problem((*path, "count"), "a whole number of at least 1", f"{row.count}")
        elif row.id is not None and row.count > 1:
            remedy = "leave out id: servers are then called s0, s1, ... by position"
            yield Problem((*path, "id"), "no id where count is above 1", repr(row.id), remedy)
        elif total + row.count > MAX_SERVERS:
            got = f"{total + row.count:,} up to this entry"
            yield Problem((*path, "count"), f"at most {MAX_SERVERS:,} servers in all", got)
        else:
            total += row.count


def _duration_problems(position: int, job: JobEntry, takes_iterations: bool) -> Iterator[Problem]:
    path = ("jobs", position)
    if job.duration_s is None:
        remedy = "'iterations' is required here"
        remedy += ", or duration_s instead of iterations and compute_s" * (not takes_iterations)
        yield Problem((*path, "iterations"), "a value", ABSENT, remedy)
    elif takes_iterations:
        got = f"{job.duration_s!r} with another"
        remedy = "give iterations and compute_s"
        expected = "duration_s with the rate model 'fixed' only"
        yield Problem((*path, "duration_s"), expected, got, remedy)
    else:
        for name in ("iterations", "compute_s"):
            value = getattr(job, name)
            if value is not None:
                remedy = "duration_s means one iteration of that time; keep one of the two"
                expected = f"no {name} beside duration_s"
                yield Problem((*path, name), expected, f"{value!r}", remedy)
