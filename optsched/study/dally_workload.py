"""Dally's workload on one of its clusters: the synthetic twin, or the trace in a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from optsched.contention.tier_network import TierNetwork, load_tiers
from optsched.core.errors import FileFormatError, UnsupportedError
from optsched.core.instance import Instance
from optsched.core.jobs import Jobs
from optsched.core.rate_model import RateModel
from optsched.generate.dally import dally_500
from optsched.generate.draws import named_uniforms
from optsched.traces import load_trace, with_tiers

__all__ = ["FABRICS", "Arrivals", "DallySetting", "TraceFolder", "Twin", "Workload"]

Arrivals = Literal["batch", "poisson"]

#: What the fabrics of the study are called in ``models/tiers``; other names stand for themselves.
FABRICS = {"normal": "dally", "congested": "dally-congested"}
#: Seeds beyond the first change a trace by so little that a scheduler should not care: a job
#: arrives up to so much later, and a lease is longer or shorter by at most this share.
LATEST_S, LEASE_SHARE = 60.0, 0.05
RESTART_S_PER_GPU = 1.0
GPUS_OF_TWIN = 8


@dataclass(frozen=True, slots=True)
class DallySetting:
    """Where and how the jobs arrive.

    Parameters
    ----------
    arrivals
        ``batch``: all at time 0; ``poisson``: one by one.
    racks, machines, gpus
        Racks, machines in each, and GPUs in each of these.
    fabric
        ``normal``, ``congested``, the name of a tiered network, or the path of its file.

    Examples
    --------
    >>> DallySetting("batch", 2, 8, 8, "congested").name
    'batch, 2×8×8, congested'
    """

    arrivals: Arrivals
    racks: int
    machines: int
    gpus: int
    fabric: str

    @property
    def cluster(self) -> str:
        """The cluster as racks × machines × GPUs."""
        return f"{self.racks}×{self.machines}×{self.gpus}"

    @property
    def name(self) -> str:
        """The setting in words."""
        return f"{self.arrivals}, {self.cluster}, {self.fabric}"

    @property
    def network(self) -> TierNetwork:
        """Rates and latencies of the fabric."""
        name = FABRICS.get(self.fabric, self.fabric)
        return load_tiers(Path(name) if name.endswith(".toml") else name)


@dataclass(frozen=True, slots=True)
class Twin:
    """The generator ``dally-500``: each seed draws a workload; leases are as they are given.

    Parameters
    ----------
    jobs
        Number of jobs.

    Examples
    --------
    >>> setting = DallySetting("batch", 2, 4, 8, "congested")
    >>> twin = Twin(jobs=20)
    >>> len(twin.instance(setting, 0).jobs), twin.lease_factor(3)
    (20, 1.0)
    """

    jobs: int = 500

    @property
    def identity(self) -> str:
        """What the workload is, the same for the same jobs."""
        return f"dally-500:jobs={self.jobs}"

    @property
    def title(self) -> str:
        """What the workload is, in words."""
        return f"synthetic twin (`{self.identity}`)"

    def instance(self, setting: DallySetting, seed: int) -> Instance:
        """Draw the jobs of a seed; they are the same on every cluster and fabric.

        Raises
        ------
        UnsupportedError
            If the machines have other than 8 GPUs.
        """
        if setting.gpus != GPUS_OF_TWIN:
            raise UnsupportedError(
                f"cluster {setting.cluster}: expected machines of {GPUS_OF_TWIN} GPUs, which is "
                f"what dally-500 draws, got {setting.gpus}"
            )
        drawn = dally_500(
            jobs=self.jobs,
            arrivals=setting.arrivals,
            racks=setting.racks,
            machines=setting.machines,
            restart_s_per_gpu=RESTART_S_PER_GPU,
            seed=seed,
        )
        given = {**drawn.rate_model.mapping, **setting.network.parameters}
        return drawn.changed(rate_model=RateModel.of("tiered", **given))

    def lease_factor(self, seed: int) -> float:
        """Return what the length of leases is multiplied by."""
        return 1.0


@dataclass(frozen=True, slots=True)
class TraceFolder:
    """The trace of Dally's simulator, with its layer tables; seeds above 0 change it a little.

    Since a trace is one workload, a seed says how far its outcome hangs on trifles: the jobs of a
    batch stand in another order, those of the Poisson file arrive up to a minute later, and leases
    are up to 5% longer or shorter. Seed 0 is the trace as it is.

    Parameters
    ----------
    folder
        It has ``sensetime-500-batch.csv``, ``sensetime-500-poisson.csv`` and ``dnn/``.
    """

    folder: Path

    @property
    def identity(self) -> str:
        """What the workload is: a hash of its files."""
        digest = hashlib.sha256()
        tables = sorted((self.folder / "dnn").glob("*.csv"))
        for path in [self._trace("batch"), self._trace("poisson"), *tables]:
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
        return f"trace:{digest.hexdigest()[:16]}"

    @property
    def title(self) -> str:
        """What the workload is, in words."""
        return "trace (sensetime-500) with its layer tables"

    def check(self) -> None:
        """Raise FileFormatError unless all files are there."""
        wanted = [self._trace("batch"), self._trace("poisson"), self.folder / "dnn"]
        missing = [path.name for path in wanted if not path.exists()]
        if missing:
            raise FileFormatError(
                f"{self.folder}: expected the files of the trace (sensetime-500-batch.csv, "
                f"sensetime-500-poisson.csv, dnn/), got none called {', '.join(missing)}; "
                "'twin' needs no files"
            )

    def instance(self, setting: DallySetting, seed: int) -> Instance:
        """Load the jobs, on the cluster of the setting."""
        loaded = load_trace(
            self._trace(setting.arrivals),
            format="sensetime",
            servers=setting.racks * setting.machines,
            gpus_per_server=setting.gpus,
            racks=setting.racks,
        )
        instance = with_tiers(
            loaded,
            setting.network,
            layer_tables=self.folder / "dnn",
            restart_s_per_gpu=RESTART_S_PER_GPU,
        ).instance
        return instance.changed(
            name=f"sensetime-500-{setting.arrivals}-{seed}",
            jobs=_disturbed(instance.jobs, seed),
        )

    def lease_factor(self, seed: int) -> float:
        """Return what the length of leases is multiplied by."""
        if seed == 0:
            return 1.0
        drawn = float(named_uniforms("dally-trace", "lease", seed, count=1)[0])
        return 1.0 + LEASE_SHARE * (2.0 * drawn - 1.0)

    def _trace(self, arrivals: str) -> Path:
        return self.folder / f"sensetime-500-{arrivals}.csv"


Workload = Twin | TraceFolder


def _disturbed(jobs: Jobs, seed: int) -> Jobs:
    """Return the jobs of a batch in another order, or else each a little later."""
    if seed == 0:
        return jobs
    if jobs.arrival_s.any():
        later_s = LATEST_S * named_uniforms("dally-trace", "arrivals", seed, count=len(jobs))
        return _taken(jobs, range(len(jobs)), jobs.arrival_s + later_s)
    uniforms = named_uniforms("dally-trace", "order", seed, count=len(jobs))
    order: list[int] = np.argsort(uniforms, kind="stable").tolist()
    return _taken(jobs, order, jobs.arrival_s)


def _taken(jobs: Jobs, order: Sequence[int], arrival_s: NDArray[np.float64]) -> Jobs:
    at = list(order)
    return Jobs.from_columns(
        ids=[jobs.ids[position] for position in at],
        gpus=jobs.gpus[at],
        iterations=jobs.iterations[at],
        gradient_bytes=jobs.gradient_bytes[at],
        compute_s=jobs.compute_s[at],
        arrival_s=arrival_s[at],
        weight=jobs.weight[at],
        profiles=[jobs.profiles[position] for position in at],
    )
