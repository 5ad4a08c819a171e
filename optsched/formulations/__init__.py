"""Mathematics turned into what solvers take; a page each in ``models/formulations``."""

from optsched.formulations.event_lp import EventSolution, event_lp

__all__ = ["EventSolution", "event_lp"]
