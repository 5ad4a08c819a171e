"""Proofs of optimality: the door is :func:`solve`."""

from optsched.exact.branch_and_bound import branch_and_bound
from optsched.exact.brute_force import brute_force
from optsched.exact.event_orders import event_orders
from optsched.exact.methods import METHODS, MethodEntry
from optsched.exact.outcome import SearchOutcome
from optsched.exact.portfolio import solve
from optsched.exact.record import Progress

__all__ = [
    "METHODS",
    "MethodEntry",
    "Progress",
    "SearchOutcome",
    "branch_and_bound",
    "brute_force",
    "event_orders",
    "solve",
]
