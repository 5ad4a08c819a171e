"""The analytical model: how long an iteration takes where, given who shares the network."""

from optsched.contention.calibrate import WEIGHTINGS, calibrate
from optsched.contention.calibration import Calibration, Estimate, Misfit, Residual
from optsched.contention.durations import best_durations_s, worst_durations_s
from optsched.contention.efficiency_table import EfficiencyRow, efficiency_table
from optsched.contention.fabrics import fabric_names, load_fabric
from optsched.contention.latencies import LatencyMeasurements
from optsched.contention.profiles import Layer, Profile, load_profile, profile_names
from optsched.contention.rate_model import RateFunctions, rate_functions, rate_problems
from optsched.contention.sharing import contention_degree, degradation_factor
from optsched.contention.slots import iterations_per_slot, slots_needed
from optsched.contention.slotted import slotted_instance
from optsched.contention.tier_network import TierNetwork, load_tiers, tier_names

__all__ = [
    "WEIGHTINGS",
    "Calibration",
    "EfficiencyRow",
    "Estimate",
    "LatencyMeasurements",
    "Layer",
    "Misfit",
    "Profile",
    "RateFunctions",
    "Residual",
    "TierNetwork",
    "best_durations_s",
    "calibrate",
    "contention_degree",
    "degradation_factor",
    "efficiency_table",
    "fabric_names",
    "iterations_per_slot",
    "load_fabric",
    "load_profile",
    "load_tiers",
    "profile_names",
    "rate_functions",
    "rate_problems",
    "slots_needed",
    "slotted_instance",
    "tier_names",
    "worst_durations_s",
]
