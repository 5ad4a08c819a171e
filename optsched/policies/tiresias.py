"""Tiresias: service queues, and placement by the skew of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from optsched.placement import Consolidated, FirstFit, PlacementRule, Tiered
from optsched.placement.skew import SkewPlacement
from optsched.policies.composed import ComposedPolicy
from optsched.policies.parts.displacement import Displacement
from optsched.policies.parts.gittins import GittinsIndex
from optsched.policies.parts.leases import Leases
from optsched.policies.parts.orders import AttainedService
from optsched.policies.parts.service_queues import ServiceQueues, read_thresholds

__all__ = ["Tiresias"]


class Tiresias(ComposedPolicy):
    """Serve jobs by two-dimensional attained service, and keep skewed models together.

    Parameters
    ----------
    index
        ``las``: queues in order of place. ``gittins``: the waiting jobs of a queue by their Gittins
        index.
    thresholds
        GPU-seconds at which a job sinks to the next queue. None: continuous 2D-LAS with leases.
    promote_knob
        A job of a lower queue that has waited so many times the time it has run goes back to the
        first queue; None or 0: never.
    placement
        ``skew``: skewed models at the best tier or not at all, others anywhere. ``first_fit``: any
        GPUs, so that only their number counts (the public simulator's ``dlas-gpu``). ``yarn``: the
        fewest servers (``consolidated`` with the first fit). ``tiered``, or a rule of your own.
    pack_limit, skewed, others, free_gpu_quirk, fit
        As for :class:`~optsched.placement.skew.SkewPlacement`.
    history
        For the Gittins index: ``all`` or ``finished`` (see
        :class:`~optsched.policies.parts.gittins.GittinsIndex`).
    gittins_quirk
        The sum of the public code in the Gittins index.
    lease_s
        Length of a lease with ``thresholds=none``; None: a quarter of the mean run time at its
        best, at most an hour.

    Notes
    -----
    Gu et al., Tiresias (NSDI 2019).
    """

    def __init__(
        self,
        *,
        index: Literal["las", "gittins"] = "las",
        thresholds: str | float | Sequence[float] | None = "3250/7200",
        promote_knob: float | None = None,
        placement: Literal["skew", "first_fit", "yarn", "tiered"] | PlacementRule = "skew",
        pack_limit: float = 0.5,
        skewed: str | Sequence[str] | None = None,
        others: Literal["fragments", "tiers"] = "fragments",
        fit: Literal["best", "first"] = "best",
        free_gpu_quirk: bool = False,
        history: Literal["all", "finished"] = "all",
        gittins_quirk: bool = False,
        lease_s: float | None = None,
    ) -> None:
        if index not in ("las", "gittins"):
            raise ValueError(f"index is 'las' or 'gittins', got {index!r}")
        rule: PlacementRule
        if placement == "skew":
            rule = SkewPlacement(
                pack_limit=pack_limit,
                skewed=skewed,
                others=others,
                fit=fit,
                free_gpu_quirk=free_gpu_quirk,
            )
        else:
            rule = _placement_named(placement, fit)
        if thresholds is None:
            if index == "gittins" or promote_knob:
                raise ValueError("without thresholds there are no queues to promote in or to index")
            super().__init__(AttainedService(), placement=rule, preemption=Leases(lease_s))
            return
        if lease_s is not None:
            raise ValueError("lease_s is for thresholds=none")
        gittins = GittinsIndex(history, published_quirk=gittins_quirk)
        queues = ServiceQueues(
            read_thresholds(thresholds),
            promote_knob=promote_knob,
            gittins=gittins if index == "gittins" else None,
        )
        super().__init__(
            queues,
            placement=rule,
            preemption=Displacement(queues.rank, standing=queues.standing),
        )


def _placement_named(name: str | PlacementRule, fit: Literal["best", "first"]) -> PlacementRule:
    if not isinstance(name, str):
        return name
    if name == "first_fit":
        return FirstFit()
    if name == "yarn":
        return Consolidated(fit="first")
    if name == "tiered":
        return Tiered(fit=fit)
    raise ValueError(f"placement is 'skew', 'first_fit', 'yarn' or 'tiered', got {name!r}")
