"""Philly: locality that is relaxed round by round."""

from __future__ import annotations

from optsched.placement.relaxation import Relaxation
from optsched.policies.composed import ComposedPolicy
from optsched.policies.parts.orders import by_arrival

__all__ = ["Philly"]


class Philly(ComposedPolicy):
    """Start jobs in order of arrival, passing over those that do not find the locality they ask.

    Parameters
    ----------
    round_s
        Time between two attempts of a job.
    rack_after, anywhere_after
        Attempts after which a job takes any machines of a rack, and any GPUs.

    Notes
    -----
    Jeon et al., Analysis of large-scale multi-tenant GPU clusters (ATC 2019).
    """

    def __init__(
        self, *, round_s: float = 120.0, rack_after: int = 5, anywhere_after: int = 10
    ) -> None:
        if not 0 <= round_s < float("inf"):
            raise ValueError(f"round_s is a number of at least 0, got {round_s!r}")
        rule = Relaxation(rack_after * round_s, anywhere_after * round_s)
        super().__init__(by_arrival, placement=rule)
