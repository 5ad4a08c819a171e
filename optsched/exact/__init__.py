"""Proofs of optimality: the door is :func:`solve`."""

from optsched.exact.branch_and_bound import branch_and_bound
from optsched.exact.brute_force import brute_force
from optsched.exact.cp_sat import cp_sat
from optsched.exact.destructive import destructive
from optsched.exact.event_orders import event_orders
from optsched.exact.lazy_contention import lazy_contention
from optsched.exact.methods import METHODS, MethodEntry
from optsched.exact.milp import milp
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
    "cp_sat",
    "destructive",
    "event_orders",
    "lazy_contention",
    "milp",
    "solve",
]
