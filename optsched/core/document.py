"""An instance as a plain document, and the hash that names its content."""

from __future__ import annotations

import hashlib
import json
import math
from itertools import groupby

from optsched.core.checks import FABRIC_RATES
from optsched.core.cluster import Server
from optsched.core.instance import Instance
from optsched.core.jobs import Job

__all__ = ["INSTANCE_FORMAT", "instance_document", "instance_sha256"]

INSTANCE_FORMAT = "optsched.instance/1"

Document = dict[str, object]


def instance_document(instance: Instance) -> Document:
    """Return the instance in the shape of its file, defaults and infinite rates left out.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> one = Instance("one", Cluster([Server("s0", 4)]), [Job("a", 2, 10, compute_s=0.5)])
    >>> instance_document(one)["jobs"]
    [{'id': 'a', 'gpus': 2, 'iterations': 10, 'compute_s': 0.5}]
    """
    fabric = instance.cluster.fabric
    rates = {name: float(getattr(fabric, name)) for name in FABRIC_RATES}
    others = {name: float(getattr(fabric, name)) for name in ("degradation", "latency_s")}
    document: Document = {"format": INSTANCE_FORMAT, "name": instance.name}
    if instance.description:
        document["description"] = instance.description
    if instance.metadata:
        document["metadata"] = dict(instance.metadata)
    model = instance.rate_model
    document["rate_model"] = {"name": model.name} | {
        name: _parameter(value) for name, value in model.resolved.items()
    }
    for name in ("slot_s", "restart_s", "restart_s_per_gpu"):
        value = getattr(instance, name)
        if value:
            document[name] = float(value)
    links = [
        {"between": list(link.between), "bytes_per_s": float(link.bytes_per_s)}
        for link in fabric.links
    ]
    document["cluster"] = {
        "fabric": {name: rate for name, rate in rates.items() if math.isfinite(rate)}
        | {name: value for name, value in others.items() if value}
        | ({"links": links} if links else {}),
        "servers": _server_entries(instance),
    }
    document["jobs"] = [_job_entry(job, instance.rate_model.name) for job in instance.jobs]
    return document


def instance_sha256(instance: Instance) -> str:
    """Return the SHA-256 of the instance's canonical JSON, without name and notes.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> one = Instance("one", Cluster([Server("s0", 4)]), [Job("a", 2, 10, compute_s=0.5)])
    >>> instance_sha256(one) == instance_sha256(one.changed(name="two"))
    True
    """
    document = instance_document(instance)
    for key in ("name", "description", "metadata"):
        document.pop(key, None)
    # Entries are written out one server each, so that the way a file groups them does not matter.
    cluster = document["cluster"]
    assert isinstance(cluster, dict)
    cluster["servers"] = [_server_entry(server) for server in instance.cluster.servers]
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _parameter(value: float | str | bool) -> float | str | bool:
    """Return a number as a float, so that 1 and 1.0 have the same hash."""
    return value if isinstance(value, bool | str) else float(value)


def _server_entries(instance: Instance) -> list[Document]:
    """Group runs of equal servers whose ids are their positions into one entry with a count."""
    entries: list[Document] = []
    by_shape = groupby(
        enumerate(instance.cluster.servers),
        lambda row: (
            row[1].id == f"s{row[0]}",
            row[1].gpus,
            row[1].rack,
            row[1].inter_bytes_per_s,
        ),
    )
    for (is_numbered, *_), run in by_shape:
        servers = [server for _, server in run]
        if is_numbered:
            entry = _server_entry(servers[0])
            del entry["id"]
            entries.append({"count": len(servers), **entry})
        else:
            entries += [_server_entry(server) for server in servers]
    return entries


def _server_entry(server: Server) -> Document:
    entry: Document = {"id": server.id, "gpus": server.gpus, "rack": server.rack}
    if server.inter_bytes_per_s is not None:
        entry["inter_bytes_per_s"] = server.inter_bytes_per_s
    return entry


def _job_entry(job: Job, rate_model: str) -> Document:
    entry: Document = {"id": job.id, "gpus": job.gpus}
    if rate_model == "fixed" and job.iterations == 1:
        entry["duration_s"] = job.compute_s
    else:
        entry |= {"iterations": job.iterations, "compute_s": job.compute_s}
    if job.gradient_bytes or job.profile is not None:
        # Where a file says nothing, the profile would fill them in.
        entry["gradient_bytes"] = job.gradient_bytes
    if job.arrival_s:
        entry["arrival_s"] = job.arrival_s
    if job.weight != 1.0:
        entry["weight"] = job.weight
    if job.server_overhead_s is not None:
        entry["server_overhead_s"] = job.server_overhead_s
    if job.profile is not None:
        entry["profile"] = job.profile
    return entry
