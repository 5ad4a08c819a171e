"""Offline schedulers: they know every job in advance and return a whole schedule."""

from optsched.planners.annealing import Annealing
from optsched.planners.first_fit import FirstFitPlanner
from optsched.planners.list_scheduling import ListScheduling
from optsched.planners.plan import Plan, Planner
from optsched.planners.random_gpus import RandomGpus
from optsched.planners.sjf_bco import SjfBco

#: Planners that ``solve`` may ask for a first schedule.
PLANNERS = {
    "sjf-bco": SjfBco,
    "list-scheduling": ListScheduling,
    "first-fit": FirstFitPlanner,
    "random": RandomGpus,
    "annealing": Annealing,
}

__all__ = [
    "PLANNERS",
    "Annealing",
    "FirstFitPlanner",
    "ListScheduling",
    "Plan",
    "Planner",
    "RandomGpus",
    "SjfBco",
]
