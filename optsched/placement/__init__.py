"""Where a job runs: rules that turn a demand and the free GPUs into a placement."""

from optsched.placement.consolidated import Consolidated
from optsched.placement.delay import DelayOffers, DelayTimers
from optsched.placement.first_fit import FirstFit
from optsched.placement.rule import PlacementRule
from optsched.placement.skew import SkewPlacement
from optsched.placement.tiered import Tier, Tiered, best_tier, tier_of

__all__ = [
    "Consolidated",
    "DelayOffers",
    "DelayTimers",
    "FirstFit",
    "PlacementRule",
    "SkewPlacement",
    "Tier",
    "Tiered",
    "best_tier",
    "tier_of",
]
