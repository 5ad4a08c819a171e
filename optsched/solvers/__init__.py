"""Adapters that make solvers quiet and their answers honest."""

from optsched.solvers.silence import silenced_output

__all__ = ["silenced_output"]
