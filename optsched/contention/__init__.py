"""The analytical model: how long an iteration takes where, given who shares the network."""

from optsched.contention.calibrate import WEIGHTINGS, calibrate
from optsched.contention.calibration import Calibration, Estimate, Misfit, Residual
from optsched.contention.durations import best_durations_s, worst_durations_s
from optsched.contention.fabrics import fabric_names, load_fabric
from optsched.contention.latencies import LatencyMeasurements
from optsched.contention.profiles import Layer, Profile, load_profile, profile_names
from optsched.contention.rate_model import RateFunctions, rate_functions, rate_problems
from optsched.contention.sharing import contention_degree, degradation_factor
from optsched.contention.slots import iterations_per_slot, slots_needed

__all__ = [
    "WEIGHTINGS",
    "Calibration",
    "Estimate",
    "LatencyMeasurements",
    "Layer",
    "Misfit",
    "Profile",
    "RateFunctions",
    "Residual",
    "best_durations_s",
    "calibrate",
    "contention_degree",
    "degradation_factor",
    "fabric_names",
    "iterations_per_slot",
    "load_fabric",
    "load_profile",
    "profile_names",
    "rate_functions",
    "rate_problems",
    "slots_needed",
    "worst_durations_s",
]
