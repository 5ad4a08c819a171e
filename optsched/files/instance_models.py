"""The keys of an instance file and their types."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field

from optsched.files.entries import (
    Entry,
    Number,
    OptionalNumber,
    OptionalText,
    OptionalWhole,
    Whole,
    expected_error,
    in_range,
)

__all__ = ["ClusterEntry", "FabricEntry", "InstanceEntry", "JobEntry", "LinkEntry", "ServerEntry"]


def _parameter(value: object) -> object:
    """Accept what a rate model's parameter may be; numbers become floats."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        try:
            return in_range(float(value))
        except OverflowError:
            pass
    raise expected_error("a number, text, true or false")


class RateModelEntry(Entry):
    """A rate model by name; its parameters are checked by ``optsched.contention``."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)
    __pydantic_extra__: dict[str, Annotated[object, AfterValidator(_parameter)]]

    name: str


def _two_nodes(value: list[str]) -> list[str]:
    if len(value) != 2:
        raise expected_error("the names of two nodes")
    return value


class LinkEntry(Entry):
    """A link of the network graph."""

    between: Annotated[list[str], AfterValidator(_two_nodes)]
    bytes_per_s: Number


class FabricEntry(Entry):
    """The rates of the network; an absent rate is infinite."""

    intra_bytes_per_s: OptionalNumber = None
    inter_bytes_per_s: OptionalNumber = None
    uplink_bytes_per_s: OptionalNumber = None
    reduce_bytes_per_s: OptionalNumber = None
    degradation: Number = 0.0
    latency_s: Number = 0.0
    links: list[LinkEntry] = Field(default_factory=list)


class ServerEntry(Entry):
    """One server, or ``count`` equal ones."""

    id: OptionalText = None
    count: Whole = 1
    gpus: Whole
    rack: str = "r0"
    inter_bytes_per_s: OptionalNumber = None


class ClusterEntry(Entry):
    """Servers and their network."""

    fabric: FabricEntry = FabricEntry()
    servers: list[ServerEntry]


class JobEntry(Entry):
    """One job; ``duration_s`` stands for one iteration of that time."""

    id: str
    gpus: Whole
    iterations: OptionalWhole = None
    gradient_bytes: OptionalNumber = None
    compute_s: OptionalNumber = None
    arrival_s: Number = 0.0
    weight: Number = 1.0
    server_overhead_s: OptionalNumber = None
    profile: OptionalText = None
    duration_s: OptionalNumber = None


class InstanceEntry(Entry):
    """A whole instance file, without its ``format``."""

    name: OptionalText = None
    description: str = ""
    metadata: dict[str, str] = Field(default_factory=dict)
    rate_model: RateModelEntry = RateModelEntry.model_validate({"name": "ring"})
    slot_s: OptionalNumber = None
    restart_s: Number = 0.0
    restart_s_per_gpu: Number = 0.0
    cluster: ClusterEntry
    jobs: list[JobEntry]
