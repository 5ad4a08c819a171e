"""The law of contention (Wang et al. 2020) fitted to measured all-reduce latencies."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from optsched.contention.calibration import Alternative, Calibration, Estimate, Residual
from optsched.contention.latencies import LatencyMeasurements
from optsched.core.errors import CalibrationError, UnknownNameError

__all__ = ["MAX_JOBS_OF_LAW", "WEIGHTINGS", "Weighting", "calibrate"]

#: Beyond this many jobs on one interface the published measurements leave the law.
MAX_JOBS_OF_LAW = 8
#: Three unknowns, and as many measurements again to tell noise from law.
LEAST_MEASUREMENTS = 6

#: How much an error counts that is so large beside the latency it belongs to.
Weighting = Literal["absolute", "square-root", "relative"]
#: Weighting to the power p of 1 / latency^p, the weight of an error.
WEIGHTINGS: Mapping[str, float] = MappingProxyType(
    {"absolute": 0.0, "square-root": 0.5, "relative": 1.0}
)


def calibrate(
    measurements: LatencyMeasurements,
    *,
    weighting: Weighting = "absolute",
    max_jobs: int = MAX_JOBS_OF_LAW,
    ranks: int = 2,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Calibration:
    """Fit latency a, inverse bandwidth b and contention η, none of them negative.

    The law is ``time = a + k·b·M + (k − 1)·η·M`` for k jobs that share an interface and move M
    bytes through it each; α = η/b is the degradation of :class:`optsched.core.cluster.Fabric`.

    Parameters
    ----------
    measurements
        The latencies.
    weighting
        What least squares makes small: the ``absolute`` errors, which is how the published
        constants were found and lets the long latencies decide; the ``relative`` ones, which lets
        every measurement count alike; or ``square-root``, halfway. The result has α under all
        three: where they disagree, the data do not follow the law closely.
    max_jobs
        Only measurements of at most this many jobs are fitted. Those of more are compared with
        the law.
    ranks
        Ranks w of each all-reduce. A ring moves M = 2(w − 1)/w times the message, which for the
        two ranks of the published measurements is the message itself.
    confidence
        What share of the intervals should hold the true value.
    resamples
        How often the measurements are drawn anew, with replacement, for the intervals.
    seed
        Seed of these draws.

    Returns
    -------
    Calibration
        The estimates with their intervals, and how far each measurement is from the law.

    Raises
    ------
    CalibrationError
        If the measurements do not determine the law: fewer than 6, one message size only, one
        number of jobs only, or no growth with the message.
    UnknownNameError
        If there is no such weighting.

    Notes
    -----
    The intervals are percentiles of a bootstrap of whole measurements, which presumes neither
    errors of one size nor a shape of theirs. They say how far the estimates would move with other
    measurements of this kind, not that the law is right: see the residuals for that.

    References
    ----------
    Wang, Shi, Wang, Chu, "Communication contention aware scheduling of multiple deep learning
    training jobs", 2020, arXiv 2002.10105.

    Examples
    --------
    >>> law = [(k, m, 1e-3 + k * 1e-9 * m + (k - 1) * 2e-10 * m)
    ...        for k in (1, 2, 4) for m in (1e6, 1e7, 4e7)]
    >>> fit = calibrate(LatencyMeasurements.of(law), resamples=100)
    >>> round(fit.degradation.value, 6), round(fit.fabric().inter_bytes_per_s)
    (0.2, 1000000000)
    """
    if weighting not in WEIGHTINGS:
        raise UnknownNameError("weighting", str(weighting), WEIGHTINGS)
    _check_settings(max_jobs, ranks, confidence, resamples)
    moved = measurements.message_bytes * (2.0 * (ranks - 1) / ranks)
    rows = _law_rows(measurements.jobs, moved)
    is_fitted = measurements.jobs <= max_jobs
    _check_determined(measurements, rows, is_fitted, max_jobs)

    fitted, seconds = rows[is_fitted], measurements.latency_s[is_fitted]
    power = WEIGHTINGS[weighting]
    best = _fit(fitted, seconds, power)
    if not best[1] > 0:
        raise CalibrationError(
            "expected latencies that grow with the message and with the jobs, but the best fit "
            f"has b = 0 (a = {best[0]:g} s, η = {best[2]:g} s a byte); measure more sizes, or try "
            "another weighting"
        )
    drawn = _resampled(fitted, seconds, power, resamples, seed)
    predicted = rows @ best
    latency, bandwidth, contention = (
        _estimate(best[i].item(), drawn[:, i], confidence) for i in range(3)
    )
    return Calibration(
        latency_s=latency,
        inverse_bandwidth_s_per_byte=bandwidth,
        contention_s_per_byte=contention,
        degradation=_estimate(_degradation(best), _degradations(drawn), confidence),
        weighting=weighting,
        alternatives=tuple(_alternative(name, fitted, seconds) for name in get_args(Weighting)),
        max_jobs=max_jobs,
        ranks=ranks,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        residuals=tuple(
            Residual(*row)
            for row in zip(
                measurements.jobs.tolist(),
                measurements.message_bytes.tolist(),
                measurements.latency_s.tolist(),
                predicted.tolist(),
                is_fitted.tolist(),
                strict=True,
            )
        ),
    )


def _law_rows(jobs: NDArray[np.int64], moved: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what a, b and η are multiplied by, shape (n, 3)."""
    return np.column_stack([np.ones(len(jobs)), jobs * moved, (jobs - 1) * moved])


def _fit(
    rows: NDArray[np.float64], seconds: NDArray[np.float64], power: float
) -> NDArray[np.float64]:
    from scipy.optimize import nnls

    weights = seconds**-power
    weighted = rows * weights[:, None]
    # Bytes are ten millions of times larger than the 1 of the latency; scaled they are alike.
    scale = np.linalg.norm(weighted, axis=0)
    scale[scale == 0] = 1.0
    found: NDArray[np.float64] = nnls(weighted / scale, seconds * weights)[0] / scale
    return found


def _resampled(
    rows: NDArray[np.float64],
    seconds: NDArray[np.float64],
    power: float,
    resamples: int,
    seed: int,
) -> NDArray[np.float64]:
    chance = np.random.default_rng(seed)
    count = len(seconds)
    drawn = np.empty((resamples, 3))
    for position in range(resamples):
        chosen = chance.integers(count, size=count)
        while not _is_determined(rows[chosen]):
            chosen = chance.integers(count, size=count)
        drawn[position] = _fit(rows[chosen], seconds[chosen], power)
    return drawn


def _is_determined(rows: NDArray[np.float64]) -> bool:
    scaled = rows / np.maximum(np.abs(rows).max(axis=0), 1e-300)
    return bool(np.linalg.matrix_rank(scaled) == 3)


def _degradation(estimates: NDArray[np.float64]) -> float:
    return float(_degradations(estimates[None, :])[0])


def _degradations(estimates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return α = η/b; infinite where all time is put down to contention, 0 where none is."""
    b, eta = estimates[:, 1], estimates[:, 2]
    ratio = np.divide(eta, b, out=np.full(len(b), np.inf), where=b > 0)
    return np.where(eta > 0, ratio, 0.0)


def _estimate(value: float, drawn: NDArray[np.float64], confidence: float) -> Estimate:
    tail = (1.0 - confidence) / 2.0
    # Values drawn, not means of two: one of them may be infinite.
    low = np.quantile(drawn, tail, method="lower")
    high = np.quantile(drawn, 1.0 - tail, method="higher")
    return Estimate(value, float(low), float(high))


def _alternative(
    name: Weighting, rows: NDArray[np.float64], seconds: NDArray[np.float64]
) -> Alternative:
    best = _fit(rows, seconds, WEIGHTINGS[name])
    errors = np.abs(seconds / (rows @ best) - 1.0)
    return Alternative(name, _degradation(best), float(errors.mean()))


def _check_settings(max_jobs: int, ranks: int, confidence: float, resamples: int) -> None:
    for name, value, least in (
        ("max_jobs", max_jobs, 2),
        ("ranks", ranks, 2),
        ("resamples", resamples, 100),
    ):
        if value < least:
            raise CalibrationError(f"{name}: expected at least {least}, got {value}")
    if not 0 < confidence < 1:
        raise CalibrationError(
            f"confidence: expected a share between 0 and 1, got {confidence}; 0.95 is usual"
        )


def _check_determined(
    measurements: LatencyMeasurements,
    rows: NDArray[np.float64],
    is_fitted: NDArray[np.bool_],
    max_jobs: int,
) -> None:
    count = int(is_fitted.sum())
    if count < LEAST_MEASUREMENTS:
        raise CalibrationError(
            f"expected at least {LEAST_MEASUREMENTS} measurements with at most {max_jobs} jobs, "
            f"got {count}; measure several message sizes with 1, 2, 4 and 8 jobs at once"
        )
    jobs = np.unique(measurements.jobs[is_fitted])
    sizes = np.unique(measurements.message_bytes[is_fitted])
    if len(jobs) < 2:
        raise CalibrationError(
            f"expected at least two numbers of jobs up to {max_jobs}, got {jobs.tolist()} only; "
            "without several jobs at once there is no contention to see"
        )
    if len(sizes) < 2:
        raise CalibrationError(
            f"expected at least two message sizes, got {sizes.item(0):.16g} bytes only; with one "
            "size the latency a cannot be told from the inverse bandwidth b"
        )
    if not _is_determined(rows[is_fitted]):
        raise CalibrationError(
            "expected measurements that tell a, b and η apart, got too few different pairs of "
            "jobs and message size; measure each size with each number of jobs"
        )
