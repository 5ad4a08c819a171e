"""Parts of policies: orders, preemptions and what they rest on, to be put together anew."""

from optsched.policies.parts.delay_timers import AutoTimers, FixedTimers
from optsched.policies.parts.displacement import Displacement
from optsched.policies.parts.fairness import FinishTimeFairness
from optsched.policies.parts.gittins import GittinsIndex
from optsched.policies.parts.kept_victims import Standing
from optsched.policies.parts.leases import Leases
from optsched.policies.parts.network_sensitivity import NetworkSensitivity
from optsched.policies.parts.order import Order, OrderRule
from optsched.policies.parts.orders import (
    BY_COMPLETION,
    AttainedService,
    LongestWaiting,
    by_arrival,
    by_demand,
    by_duration,
    by_remaining,
)
from optsched.policies.parts.predictors import HistoryPredictor, NoisyOracle, PredictedService
from optsched.policies.parts.preemption import Preemption
from optsched.policies.parts.service_queues import ServiceQueues

__all__ = [
    "BY_COMPLETION",
    "AttainedService",
    "AutoTimers",
    "Displacement",
    "FinishTimeFairness",
    "FixedTimers",
    "GittinsIndex",
    "HistoryPredictor",
    "Leases",
    "LongestWaiting",
    "NetworkSensitivity",
    "NoisyOracle",
    "Order",
    "OrderRule",
    "PredictedService",
    "Preemption",
    "ServiceQueues",
    "Standing",
    "by_arrival",
    "by_demand",
    "by_duration",
    "by_remaining",
]
