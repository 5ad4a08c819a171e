"""Where a job runs: rules that turn a demand and the free GPUs into a placement."""

from optsched.placement.affinity import Affinity
from optsched.placement.consolidated import Consolidated
from optsched.placement.delay import DelayOffers, DelayTimers
from optsched.placement.first_fit import FirstFit
from optsched.placement.relaxation import Relaxation
from optsched.placement.rule import PlacementRule, least_part
from optsched.placement.skew import SkewPlacement
from optsched.placement.tiered import Tier, Tiered, best_tier, tier_of

__all__ = [
    "Affinity",
    "Consolidated",
    "DelayOffers",
    "DelayTimers",
    "FirstFit",
    "PlacementRule",
    "Relaxation",
    "SkewPlacement",
    "Tier",
    "Tiered",
    "best_tier",
    "least_part",
    "tier_of",
]
