"""Adapters that make solvers quiet and their answers honest."""

from optsched.solvers.answers import MipSolver, ProgramAnswer, ProgramLimits, ProgramWatch
from optsched.solvers.highs import HighsModel, LinearSolution, quiet_highs
from optsched.solvers.program import import_pulp, solve_program
from optsched.solvers.silence import silenced_output

__all__ = [
    "HighsModel",
    "LinearSolution",
    "MipSolver",
    "ProgramAnswer",
    "ProgramLimits",
    "ProgramWatch",
    "import_pulp",
    "quiet_highs",
    "silenced_output",
    "solve_program",
]
