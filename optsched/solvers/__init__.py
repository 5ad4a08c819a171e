"""Adapters that make solvers quiet and their answers honest."""

from optsched.solvers.highs import HighsModel, LinearSolution, quiet_highs
from optsched.solvers.silence import silenced_output

__all__ = ["HighsModel", "LinearSolution", "quiet_highs", "silenced_output"]
