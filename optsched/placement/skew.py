"""Placement by skew: a model of one large tensor is kept together, others go anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from optsched.contention.tier_layers import layers_of
from optsched.core.placement import Placement
from optsched.placement.tiered import Tier, Tiered
from optsched.sim import FreePool, LiveJob, Simulation

__all__ = ["SkewPlacement"]


class SkewPlacement:
    """Keep a job at the best tier of its demand if its model is skewed; give others any GPUs.

    The skew of a model is the share of its largest layer in the bytes of its gradients. A job
    without a profile, or with one whose layers are not known, counts as not skewed.

    Parameters
    ----------
    pack_limit
        A model of greater skew is skewed (Tiresias' PACKLIMIT).
    skewed
        Names of the profiles that are skewed, in place of the limit: a sequence, or a text with
        slashes between them.
    others
        What jobs that are not skewed get: ``fragments``, the servers with the fewest free GPUs
        first, or ``tiers``, the best tier there is.
    fit
        As for :class:`~optsched.placement.tiered.Tiered`.
    free_gpu_quirk
        A skewed job may use a rack whenever as many GPUs are free as a machine has, whatever its
        demand: what the public simulator of Sharma et al. tests.

    Notes
    -----
    Gu et al., Tiresias (NSDI 2019), section 3.3.
    """

    depends_on_demand_only = True

    def __init__(
        self,
        *,
        pack_limit: float = 0.5,
        skewed: str | Sequence[str] | None = None,
        others: Literal["fragments", "tiers"] = "fragments",
        fit: Literal["best", "first"] = "best",
        free_gpu_quirk: bool = False,
    ) -> None:
        if others not in ("fragments", "tiers"):
            raise ValueError(f"others is 'fragments' or 'tiers', got {others!r}")
        self._limit = pack_limit
        names = skewed.split("/") if isinstance(skewed, str) else skewed
        self._skewed = None if names is None else frozenset(names)
        self._others = others
        self._tiered = Tiered(fit=fit)
        self._quirk = free_gpu_quirk
        self._skew: dict[str, float] = {}

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run; its rate model may have known the profiles otherwise."""
        self._skew = {}

    def tier(self, job: LiveJob, state: Simulation) -> bool:
        """Return True if the job's model is skewed."""
        profile = state.instance.jobs.profiles[job.index]
        if profile is None:
            return False
        if self._skewed is not None:
            return profile in self._skewed
        skew = self._skew.get(profile)
        if skew is None:
            layers = layers_of(state.instance.rate_model, profile) or ()
            sizes = [layer.allreduce_bytes for layer in layers]
            # One layer stands for a model of which only the total is known.
            known = len(sizes) > 1 and sum(sizes) > 0
            skew = self._skew[profile] = max(sizes) / sum(sizes) if known else 0.0
        return skew > self._limit

    def offer(self, job: LiveJob, free: FreePool, state: Simulation) -> Placement | None:
        """Return the best tier for a skewed job, any GPUs for another."""
        if job.gpus > free.total:
            return None
        cluster = state.instance.cluster
        if self.tier(job, state):
            worst = self._tiered.best_tier(job.gpus, cluster)
            if self._quirk and free.total >= cluster.max_gpus_per_server:
                worst = max(worst, Tier.RACK)
            return self._tiered.place(free, job.gpus, cluster, worst=worst)
        if self._others == "tiers":
            return self._tiered.place(free, job.gpus, cluster)
        return _fragments(free, job.gpus)


def _fragments(free: FreePool, gpus: int) -> Placement:
    taken: dict[int, int] = {}
    for server in sorted(free.with_free(), key=lambda server: free.free[server]):
        taken[server] = min(gpus, free.free[server])
        gpus -= taken[server]
        if gpus == 0:
            break
    return Placement.of(taken)
