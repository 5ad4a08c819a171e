"""Measured latencies of all-reduces that run at once, the data of a calibration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optsched.core.errors import CalibrationError

__all__ = ["MEASUREMENT_LIMITS", "LatencyMeasurements", "Limits"]


class Limits(NamedTuple):
    """What a column may hold, and how to say so."""

    least: float
    most: float
    text: str


#: Wider than any network, and narrow enough that sums and squares stay in range.
MEASUREMENT_LIMITS: Mapping[str, Limits] = MappingProxyType(
    {
        "jobs": Limits(1, 1e6, "a whole number from 1 to 1,000,000"),
        "message_bytes": Limits(1.0, 1e18, "a number of bytes from 1 to 1e18"),
        "latency_s": Limits(1e-12, 1e9, "a time from 1e-12 to 1e9 s"),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class LatencyMeasurements:
    """All-reduce latencies as columns, a row for each measurement.

    Parameters
    ----------
    jobs
        Jobs that shared the network interface, the measured one included (k), shape (n,).
    message_bytes
        Bytes reduced by each job, shape (n,).
    latency_s
        Time of one all-reduce in seconds, shape (n,).

    Raises
    ------
    CalibrationError
        If the columns differ in length or hold what no measurement can be.

    Examples
    --------
    >>> LatencyMeasurements.of([(1, 1e6, 0.01), (2, 1e6, 0.022)]).latency_s.tolist()
    [0.01, 0.022]
    """

    jobs: NDArray[np.int64]
    message_bytes: NDArray[np.float64]
    latency_s: NDArray[np.float64]

    def __post_init__(self) -> None:
        if not len(self.jobs) == len(self.message_bytes) == len(self.latency_s):
            raise CalibrationError("expected columns of one length, got others")
        for name, limits in MEASUREMENT_LIMITS.items():
            column = getattr(self, name)
            bad = np.flatnonzero(~((column >= limits.least) & (column <= limits.most)))
            if len(bad):
                got = column[bad[0]].item()
                raise CalibrationError(
                    f"measurement {bad[0]}, {name}: expected {limits.text}, got {got!r}"
                )
            column.flags.writeable = False

    @classmethod
    def of(cls, rows: Iterable[tuple[int, float, float]]) -> LatencyMeasurements:
        """Collect rows of jobs, message bytes and seconds into columns."""
        table = list(rows)
        return cls(
            np.array([row[0] for row in table], dtype=np.int64),
            np.array([row[1] for row in table], dtype=np.float64),
            np.array([row[2] for row in table], dtype=np.float64),
        )

    def __len__(self) -> int:
        return len(self.jobs)
