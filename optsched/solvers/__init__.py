"""Adapters that make solvers quiet and their answers honest."""

from optsched.solvers.answers import MipSolver, ProgramAnswer, ProgramLimits, ProgramWatch
from optsched.solvers.cpsat import CpSatAnswer, CpSatLimits, ValueOf, solve_cp_model
from optsched.solvers.highs import HighsModel, LinearSolution, quiet_highs
from optsched.solvers.load_cpsat import load_cp_model
from optsched.solvers.program import import_pulp, solve_program
from optsched.solvers.silence import silenced_output

__all__ = [
    "CpSatAnswer",
    "CpSatLimits",
    "HighsModel",
    "LinearSolution",
    "MipSolver",
    "ProgramAnswer",
    "ProgramLimits",
    "ProgramWatch",
    "ValueOf",
    "import_pulp",
    "load_cp_model",
    "quiet_highs",
    "silenced_output",
    "solve_cp_model",
    "solve_program",
]
