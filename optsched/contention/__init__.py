"""The analytical model: how long an iteration takes where, given who shares the network."""

from optsched.contention.calibrate import WEIGHTINGS, calibrate
from optsched.contention.calibration import Calibration, Estimate, Misfit, Residual
from optsched.contention.durations import best_durations_s, worst_durations_s
from optsched.contention.latencies import LatencyMeasurements
from optsched.contention.rate_model import RateFunctions, rate_functions, rate_problems
from optsched.contention.sharing import contention_degree, degradation_factor
from optsched.contention.slots import iterations_per_slot, slots_needed

__all__ = [
    "WEIGHTINGS",
    "Calibration",
    "Estimate",
    "LatencyMeasurements",
    "Misfit",
    "RateFunctions",
    "Residual",
    "best_durations_s",
    "calibrate",
    "contention_degree",
    "degradation_factor",
    "iterations_per_slot",
    "rate_functions",
    "rate_problems",
    "slots_needed",
    "worst_durations_s",
]
