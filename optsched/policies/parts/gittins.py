"""The Gittins index of a job whose total service is known as a distribution only."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable
from typing import Literal

from optsched.policies.parts.leases import ideal_durations_s
from optsched.sim import Simulation

__all__ = ["GittinsIndex"]


class GittinsIndex:
    """How likely a job is to end soon for the service it takes: P(S − a ≤ Δ) / E[min(S − a, Δ)].

    S is the total service of a job drawn from ``samples``, given that it exceeds the service a that
    the job has had. A job that has had more than any sample has index 0.

    Parameters
    ----------
    samples
        Total services of earlier jobs. ``all``: those of the jobs of the instance at their best, so
        that the distribution is known and no single job is. ``finished``: those of the jobs that
        are done, so that it is learned.
    published_quirk
        In the expectation, add up S where it should be S − a, as the public code of Tiresias does.

    Notes
    -----
    Gu et al., Tiresias (NSDI 2019), section 3.

    Examples
    --------
    Two of three jobs longer than 1 end within 4 more; min(S − 1, 4) is 1, 3 and 4.

    >>> GittinsIndex([1, 2, 4, 10]).index(1.0, 4.0) == (2 / 3) / (8 / 3)
    True
    """

    def __init__(
        self,
        samples: Iterable[float] | Literal["all", "finished"],
        *,
        published_quirk: bool = False,
    ) -> None:
        if isinstance(samples, str) and samples not in ("all", "finished"):
            raise ValueError(f"samples are numbers, 'all' or 'finished', got {samples!r}")
        self._source = samples if isinstance(samples, str) else None
        self._quirk = published_quirk
        self._samples: list[float] = []
        self._sums: list[float] = [0.0]
        if not isinstance(samples, str):
            self._set(samples)

    def on_begin(self, state: Simulation) -> None:
        """Take the samples of a new run."""
        if self._source == "all":
            gpus = state.instance.jobs.gpus.tolist()
            durations_s = ideal_durations_s(state)
            self._set(count * length for count, length in zip(gpus, durations_s, strict=True))
        elif self._source == "finished":
            self._set(())

    def learn(self, service: float) -> None:
        """Take note of the total service of a job that is done."""
        if self._source == "finished":
            bisect.insort(self._samples, service)
            self._sums = []

    def index(self, attained: float, delta: float) -> float:
        """Return the index of a job with a service of ``attained``, within ``delta`` more."""
        samples = self._samples
        if not self._sums:
            self._sums = [0.0, *itertools.accumulate(samples)]
        first = bisect.bisect_right(samples, attained)
        count = len(samples) - first
        if count == 0:
            return 0.0
        end = bisect.bisect_right(samples, attained + delta)
        within = end - first
        spent = self._sums[end] - self._sums[first]
        if not self._quirk:
            spent -= within * attained
        beyond = len(samples) - end
        expected = (spent + (delta * beyond if beyond else 0.0)) / count
        return (within / count) / expected if expected > 0 else 0.0

    def _set(self, samples: Iterable[float]) -> None:
        self._samples = sorted(samples)
        self._sums = []
