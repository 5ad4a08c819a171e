"""Quasi-shortest service first: by predicted GPU time."""

from __future__ import annotations

from typing import Literal

from optsched.placement import PlacementRule
from optsched.placement.names import PlacementName, placement_named
from optsched.policies.composed import ComposedPolicy
from optsched.policies.parts.predictors import HistoryPredictor, NoisyOracle, PredictedService

__all__ = ["Qssf"]


class Qssf(ComposedPolicy):
    """Start the job with the least predicted GPU time; one that cannot start holds up the others.

    Parameters
    ----------
    predictor
        ``history``: the mean of jobs that are done and alike. ``oracle``: the true run time.
    noise, seed
        For ``oracle``: a random factor, as for
        :class:`~optsched.policies.parts.predictors.NoisyOracle`.
    backfill
        Pass over jobs that cannot start.
    placement, fit
        As for :class:`~optsched.policies.srtf.Srtf`.

    Notes
    -----
    Hu et al., Characterization and prediction of deep learning workloads (Helios, SC 2021).
    """

    def __init__(
        self,
        *,
        predictor: Literal["history", "oracle"] = "history",
        noise: float = 0.0,
        seed: int = 0,
        backfill: bool = False,
        placement: PlacementName | PlacementRule = "consolidated",
        fit: str = "best",
    ) -> None:
        if predictor not in ("history", "oracle"):
            raise ValueError(f"predictor is 'history' or 'oracle', got {predictor!r}")
        if predictor == "history" and noise:
            raise ValueError("noise is for predictor=oracle")
        chosen = HistoryPredictor() if predictor == "history" else None
        super().__init__(
            PredictedService(chosen or NoisyOracle(noise=noise, seed=seed)),
            placement=placement_named(placement, fit=fit),
            backfill=backfill,
        )
