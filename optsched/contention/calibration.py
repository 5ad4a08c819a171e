"""What a calibration found: the constants of the law, their intervals, and the misfit."""

from __future__ import annotations

from dataclasses import dataclass, fields

from optsched.core.cluster import Fabric

__all__ = ["Alternative", "Calibration", "Estimate", "Misfit", "Residual"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and the interval it was found with."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Residual:
    """One measurement beside what the law says."""

    jobs: int
    message_bytes: float
    measured_s: float
    predicted_s: float
    is_fitted: bool

    @property
    def relative(self) -> float:
        """Measured over predicted, less 1: 0.2 is a fifth slower than the law says."""
        return self.measured_s / self.predicted_s - 1.0


@dataclass(frozen=True, slots=True)
class Alternative:
    """What another weighting would have found."""

    weighting: str
    degradation: float
    mean_relative_error: float


@dataclass(frozen=True, slots=True)
class Misfit:
    """How far the measurements of some number of jobs are from the law."""

    jobs: int
    is_fitted: bool
    measurements: int
    mean_relative: float
    worst_relative: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """The law ``time = a + k·b·M + (k − 1)·η·M`` fitted to measurements.

    Parameters
    ----------
    latency_s
        a, the part that grows with nothing.
    inverse_bandwidth_s_per_byte
        b, what a byte takes when a job is alone.
    contention_s_per_byte
        η, what each further job adds beyond its fair share.
    degradation
        α = η/b.
    weighting
        What was made small, see :func:`optsched.contention.calibrate.calibrate`.
    alternatives
        α under each weighting, and the mean relative error it leaves.
    max_jobs
        The law was fitted to measurements of at most this many jobs.
    ranks
        Ranks of each all-reduce.
    confidence, resamples, seed
        How the intervals were found.
    residuals
        Every measurement beside the law, those that were not fitted included.

    Notes
    -----
    If the measurements come without the network, ranks and repetitions, as those of Wang et al.
    do, only α and the relative shape can be claimed; a and b are then those of an unknown machine.
    """

    latency_s: Estimate
    inverse_bandwidth_s_per_byte: Estimate
    contention_s_per_byte: Estimate
    degradation: Estimate
    weighting: str
    alternatives: tuple[Alternative, ...]
    max_jobs: int
    ranks: int
    confidence: float
    resamples: int
    seed: int
    residuals: tuple[Residual, ...]

    def predicted_s(self, jobs: float, message_bytes: float) -> float:
        """Return what the law says of ``jobs`` all-reduces of ``message_bytes`` at once."""
        moved = message_bytes * (2.0 * (self.ranks - 1) / self.ranks)
        b, eta = self.inverse_bandwidth_s_per_byte.value, self.contention_s_per_byte.value
        return self.latency_s.value + (jobs * b + (jobs - 1) * eta) * moved

    def fabric(self) -> Fabric:
        """Return the fabric with these constants; what was not measured is infinite."""
        return Fabric(
            inter_bytes_per_s=1.0 / self.inverse_bandwidth_s_per_byte.value,
            degradation=self.degradation.value,
            latency_s=self.latency_s.value,
        )

    @property
    def mean_relative_error(self) -> float:
        """Mean size of the relative residuals of the measurements that were fitted."""
        errors = [abs(row.relative) for row in self.residuals if row.is_fitted]
        return sum(errors) / len(errors)

    def misfit(self) -> tuple[Misfit, ...]:
        """Return the relative errors by number of jobs, in ascending order of these."""
        table = []
        for jobs in sorted({row.jobs for row in self.residuals}):
            errors = [row.relative for row in self.residuals if row.jobs == jobs]
            mean, worst = sum(errors) / len(errors), max(errors, key=abs)
            table.append(Misfit(jobs, jobs <= self.max_jobs, len(errors), mean, worst))
        return tuple(table)

    def warnings(self) -> tuple[str, ...]:
        """Return what a reader should know before using the numbers."""
        found = []
        low, high = self.degradation.low, self.degradation.high
        alphas = [row.degradation for row in self.alternatives]
        nearest = min(self.alternatives, key=lambda row: row.mean_relative_error)
        at_zero = [
            name
            for name, estimate in (
                ("a", self.latency_s),
                ("η (and so α)", self.contention_s_per_byte),
            )
            if estimate.value == 0
        ]
        if at_zero:
            found.append(f"{' and '.join(at_zero)} would be negative and is held at 0")
        if high - low > max(self.degradation.value, 0.1):
            percent = f"{self.confidence:.0%}"
            found.append(
                f"α is poorly determined: {percent} interval {low:.3g} to {high:.3g}; measure more "
                "sizes and repeat each"
            )
        if max(alphas) > 1.5 * min(alphas) and max(alphas) - min(alphas) > 0.05:
            text = ", ".join(f"{row.degradation:.3g} {row.weighting}" for row in self.alternatives)
            found.append(
                f"α depends on the weighting ({text}); {nearest.weighting} weighting has the least "
                f"mean relative error ({nearest.mean_relative_error:.1%})"
            )
        beyond = [1.0 + row.relative for row in self.residuals if not row.is_fitted]
        mean = sum(beyond) / len(beyond) if beyond else 1.0
        if abs(mean - 1.0) > 0.1:
            found.append(
                f"outside the law: with more than {self.max_jobs} jobs the measured times are "
                f"{mean:.2f} times what it says on average ({len(beyond)} measurements)"
            )
        return tuple(found)

    def as_dict(self) -> dict[str, object]:
        """Return the calibration as plain data, residuals and misfit included."""
        data: dict[str, object] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            data[field.name] = _plain(value) if isinstance(value, Estimate) else value
        data["alternatives"] = [_plain(row) for row in self.alternatives]
        data["residuals"] = [{**_plain(row), "relative": row.relative} for row in self.residuals]
        data["misfit"] = [_plain(row) for row in self.misfit()]
        data["mean_relative_error"] = self.mean_relative_error
        data["warnings"] = list(self.warnings())
        return data


def _plain(row: Estimate | Residual | Alternative | Misfit) -> dict[str, object]:
    return {field.name: getattr(row, field.name) for field in fields(row)}
