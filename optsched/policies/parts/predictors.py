"""What a cluster may know of the length of a job before it has run."""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np

from optsched.sim import LiveJob, Simulation

__all__ = ["HistoryPredictor", "NoisyOracle", "PredictedService"]


class HistoryPredictor:
    """The mean run time of jobs that are done and are alike.

    Alike are those of the same network and demand; if there are none, those of the same demand;
    else all. Before any job is done, every prediction is 1 s.
    """

    def __init__(self) -> None:
        self._sums: dict[Hashable, tuple[float, int]] = {}

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        self._sums = {}

    def learn(self, job: LiveJob, state: Simulation) -> None:
        """Take note of a job that is done."""
        for key in self._keys(job, state):
            total_s, count = self._sums.get(key, (0.0, 0))
            self._sums[key] = (total_s + job.ran_s, count + 1)

    def predict_s(self, job: LiveJob, state: Simulation) -> float:
        """Return the predicted run time."""
        for key in self._keys(job, state):
            if key in self._sums:
                total_s, count = self._sums[key]
                return total_s / count
        return 1.0

    @staticmethod
    def _keys(job: LiveJob, state: Simulation) -> tuple[Hashable, ...]:
        return ((state.instance.jobs.profiles[job.index], job.gpus), job.gpus, None)


class NoisyOracle:
    """The true run time at its best, times a random factor.

    Parameters
    ----------
    noise
        Standard deviation of the factor's logarithm; 0: the truth.
    seed
        For the factors; that of a job does not depend on the others.
    """

    def __init__(self, *, noise: float = 0.0, seed: int = 0) -> None:
        if not 0 <= noise < math.inf:
            raise ValueError(f"noise is a number of at least 0, got {noise!r}")
        self._noise = noise
        self._seed = seed

    def on_begin(self, state: Simulation) -> None:
        """Do nothing."""

    def learn(self, job: LiveJob, state: Simulation) -> None:
        """Learn nothing."""

    def predict_s(self, job: LiveJob, state: Simulation) -> float:
        """Return the predicted run time."""
        if self._noise == 0:
            return job.duration_s
        draw = np.random.default_rng((self._seed, job.index)).standard_normal()
        return job.duration_s * math.exp(self._noise * float(draw))


class PredictedService:
    """The job with the least predicted GPU time comes first, as predicted at its arrival."""

    def __init__(self, predictor: HistoryPredictor | NoisyOracle) -> None:
        self._predictor = predictor

    def on_begin(self, state: Simulation) -> None:
        """Forget the last run."""
        self._predictor.on_begin(state)

    def on_finish(self, job: LiveJob, state: Simulation) -> None:
        """Let the predictor learn."""
        self._predictor.learn(job, state)

    def key(self, job: LiveJob, state: Simulation) -> float:
        """Return GPUs times predicted seconds."""
        return job.gpus * self._predictor.predict_s(job, state)
